package contract

import "testing"

func TestClosest(t *testing.T) {
	known := []string{"file_path", "symbol_name", "line", "max_results", "Pool.Get", "Überblick", "rust-analyzer",
		"opt", "Load", "io", "fatal", "execute"}
	for word, want := range map[string]string{
		"file_pth": "file_path", "filePath": "file_path", "Line": "line", "lines": "line", "symbol": "symbol_name",
		"max-results": "max_results", "results": "max_results", "file": "file_path", "path": "file_path",
		"Pool.Gett": "Pool.Get", "überblik": "Überblick",
		"rust_analyzer": "rust-analyzer", "completely_else": "", "x": "", "": "", "li": "",
		"Go": "", "zebra": "", "total": "", "exect": "execute",
		"Nope": "", "Lod": "Load", "Laod": "Load",
		"symb_nam": "symbol_name", "max_res": "max_results", "max_rs": "", "symbols_n": "",
	} {
		if got := Closest(word, known); got != want {
			t.Errorf("Closest(%q) = %q, want %q", word, got, want)
		}
	}
}
