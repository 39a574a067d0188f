package hooks

import (
	"context"
	"encoding/json"
	"testing"
)

// The name of a symbol is told from its container and from the words of its detail.
func TestDeclarationOf(t *testing.T) {
	for _, c := range []struct {
		symbol, word string
		want         string // the file
	}{
		{"src/hir/translate.rs:720 method TranslatorI::push_byte: fn(&self, byte: u8)", "byte", ""},
		{"src/hir/translate.rs:720 method TranslatorI::push_byte: fn(&self, byte: u8)", "push_byte", "src/hir/translate.rs"},
		{"base/base.go:15 generated function Sum: func(a, b int) int", "Sum", "base/base.go"},
		{"base/base.go:15 enum_member Color.Red", "Red", "base/base.go"},
		{"db/db.h:3 struct leveldb::DB", "DB", "db/db.h"},
		{"base/base.go:15 function Summary", "Sum", ""},
	} {
		run := func(context.Context, string, map[string]any) (json.RawMessage, bool) {
			raw, err := json.Marshal(map[string]any{"completeness": "complete", "symbols": []string{c.symbol}})
			return raw, err == nil
		}
		d, ok := declarationOf(t.Context(), c.word, run)
		if ok != (c.want != "") || ok && d.file != c.want {
			t.Errorf("%s in %s: %+v, %v", c.word, c.symbol, d, ok)
		}
	}
}

// What a library declares, too, is not the workspace's own.
func TestOwnOf(t *testing.T) {
	for file, want := range map[string]bool{"src/set.ts": true, "/usr/lib/lib.es5.d.ts": false} {
		run := func(context.Context, string, map[string]any) (json.RawMessage, bool) {
			raw, err := json.Marshal(map[string]any{"definitions": []any{map[string]any{"file_path": "src/set.ts"},
				map[string]any{"file_path": file}}})
			return raw, err == nil
		}
		if got := ownOf(t.Context(), declaration{name: "Set", file: "src/set.ts", line: 1}, run); got != want {
			t.Errorf("declared in %s, too: %v", file, got)
		}
	}
}
