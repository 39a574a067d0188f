package typescript

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// Every form of a name in an import is found; an import for its effect alone has none.
func TestImports(t *testing.T) {
	text := `import "./effect";
import a from "./a.js"
import * as b from 'b';
import c, { d, type e,
  f as $f, } from "./c";
import type { g } from "./g";
import h = require("h");
const i = import("./i").then((m) => m.from);
/*
import { j } from "./j";
*/
const k = ` + "`\nimport k from './k';\n`" + `;
import l from "./l.json" with { type: "json" };
`
	var got []Import
	for _, one := range Imports("a.ts", text) {
		testkit.Equal(t, text[one.At:one.At+len(one.Local)], one.Local)
		statement := text[one.Whole[0]:one.Whole[1]]
		testkit.Equal(t, strings.HasSuffix(statement, "}"), one.Local == "l", statement)
		one.At, one.Whole = 0, [2]int{}
		got = append(got, one)
	}
	testkit.Equal(t, fmt.Sprint(got), "[{./a.js default a 0 [0 0]} {b * b 0 [0 0]} {./c default c 0 [0 0]} {./c d d 0 [0 0]} {./c e e 0 [0 0]} "+
		"{./c f $f 0 [0 0]} {./g g g 0 [0 0]} {./l.json default l 0 [0 0]}]")
}
