package compare

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

// TestIndexOfAnEditor asks about a project whose index another client has left on disk. clangd 22.1.8 keeps columns
// in it in that client's encoding without saying which, and gives them to the next one as they are.
func TestIndexOfAnEditor(t *testing.T) {
	for _, encoding := range []string{"utf-16", "utf-8"} {
		t.Run(encoding, func(t *testing.T) {
			testkit.Need(t, "clangd")
			k := kits[1]
			// x and y are one byte each, so that a column of the other encoding hits another name.
			root, err := filepath.EvalSymlinks(t.TempDir())
			testkit.Must(t, err)
			// Not below a strange folder: clangd fails to write an index below one with a % in its name.
			k.buildAt(t, root, map[string]string{"astral": k.use("Astral", "🦀é"), "close": "#include \"helper.h\"\n" +
				"int y; int Helper2(const char*, int, int (*)(int)) { return Helper(Helper2(\"éé\", y, Helper)); }\n"})
			editor(t, root, encoding)
			s := open(t, root, k.row)
			// The definition is asked about, so that the uses come from the index.
			e := s.ask(t, "find_references",
				with(map[string]any{"file_path": "code/helper.cc", "symbol_name": "Helper"}, everything))
			if diff := cmp.Diff(k.truth(t, root, "code/helper.cc", "Helper"), references(t, e)); diff != "" ||
				e.Completeness != "complete" {
				t.Errorf("%s: -files +lspi\n%s\n%v", e.Completeness, diff, e.Warnings)
			}
			e = s.ask(t, "call_hierarchy", map[string]any{"file_path": "code/helper.cc", "symbol_name": "Helper"})
			testkit.Holds(t, string(e.raw), fmt.Sprintf(" @%d ", 4), e.raw)
		})
	}
}

// editor is a session of an editor that counts in one encoding: clangd indexes the project and writes its index.
func editor(t *testing.T, root, encoding string) {
	t.Helper()
	program, err := exec.LookPath("clangd")
	testkit.Must(t, err)
	offer, err := json.Marshal(map[string]any{"processId": nil, "rootUri": uriOf(root), "capabilities": map[string]any{
		"general": map[string]any{"positionEncodings": []string{encoding}},
		"window":  map[string]any{"workDoneProgress": true}}})
	testkit.Must(t, err)
	r := startRaw(t, []string{program, "--background-index"}, root, offer, &spec.Spec{Env: testkit.ServerEnv("clangd")})
	if r.encoding != encoding {
		t.Fatalf("clangd counts in %s", r.encoding)
	}
	path := filepath.Join(root, "code/helper.cc")
	r.notify("textDocument/didOpen",
		map[string]any{"textDocument": map[string]any{"uri": uriOf(path), "languageId": "cpp", "version": 1,
			"text": strings.Join(sources{}.get(t, path).lines, "\n")}})
	languages[1].warm(t, r)
	var none any
	if err := r.call("shutdown", nil, &none); err != nil { // the index is on disk then
		t.Fatal(err)
	}
	if shards, _ := os.ReadDir(filepath.Join(root, ".cache/clangd/index")); len(shards) == 0 {
		t.Fatal("clangd has left no index")
	}
}
