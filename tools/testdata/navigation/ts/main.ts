import area, { Square, sum } from "./shape";
area(new Square(1)); sum([Square.of(2)]);
