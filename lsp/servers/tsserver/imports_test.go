package tsserver

import (
	"strings"
	"testing"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp"
)

func TestNamesInImports(t *testing.T) {
	for text, want := range map[string]bool{
		"import { X } from './x';": true, "import X from './x';": true, "import {\n  a,\n  X,\n} from './x';": true,
		"export { X } from './x';":      true,
		"export type { X } from './x';": true, "export * as X from './x';": true, "export {\n  X };": true,
		"import y = X.z;": false, "importer(X);": false, "const { X } = require('./x');": false,
		"export const X = 1;": false, "import './x'; f(X);": false,
		"f(\n  X);": false,
	} {
		doc := source.New("/p/a.ts", text)
		at := doc.PositionAt(strings.Index(text, "X"))
		testkit.Equal(t,
			isImport(doc, lsp.Place{Path: doc.Path, Range: contract.Range{Start: at, End: at}}), want,
			text)
	}
}
