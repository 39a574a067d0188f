/** Has an area. @see Square */
export interface Shape {
  area(): number;
  readonly name: string;
}
/**
 * A square.
 * @param side the side
 */
export class Square implements Shape {
  readonly name = "square";
  #secret = 1;
  constructor(private side: number) {}
  area(): number { return this.side * this.side; }
  get double(): number { return 2; }
  static of(n: number) { return new Square(n); }
}
export default function (s: Shape) { return s.area(); }
export const sum = (shapes: Shape[]) => shapes.reduce((n, s) => n + s.area(), 0);
export const handlers = { click() { return 1; }, deep: { er: () => 2 } };
export namespace Geo { export function far() {} export enum Unit { M, Km } }
type Pair<T> = [T, T];
/* é 𝛼 */ export async function run() { [1].map(function (x) { return x; }); const p: Pair<number> = [1, 2]; return p; }
describe("suite", () => { function inside() {} });
declare function describe(name: string, f: () => void): void;
