package index_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scip-code/scip/bindings/go/scip"
	"google.golang.org/protobuf/encoding/protowire"

	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/tools/index"
	"lspi/tools/index/indextest"
)

const (
	utf8Units = scip.PositionEncoding_UTF8CodeUnitOffsetFromLineStart
	unnamed   = scip.PositionEncoding_UnspecifiedPositionEncoding

	load = "scip-go gomod m . m/Load()."
)

func oneFile() indextest.Document {
	return indextest.Document{Path: "a.go", Text: "func Load() {}\nvar _ = Load\n",
		Occurrences: []indextest.Occurrence{{Symbol: load, Word: "Load", Roles: scip.SymbolRole_Definition},
			{Symbol: load, Word: "Load", N: 1}},
		Symbols: []*scip.SymbolInformation{{Symbol: load, DisplayName: "Load", Kind: scip.SymbolInformation_Function}}}
}

// opened writes an index and opens its table.
func opened(t *testing.T, dir string, x *scip.Index) (*index.Table, error) {
	t.Helper()
	path := filepath.Join(dir, index.Name)
	indextest.Write(t, path, x)
	table, err := index.Open(t.Context(), filepath.Join(dir, "cache"), index.File{Path: path, Root: dir})
	if err == nil {
		t.Cleanup(func() { _ = table.Close() })
	}
	return table, err
}

func TestTable(t *testing.T) {
	dir := testkit.TempDir(t)
	table, err := opened(t, dir, indextest.Index("scip-go", utf8Units, oneFile()))
	testkit.Must(t, err)
	testkit.Equal(t, table.Label(), "scip-go 1.0")
	found, err := table.Named(t.Context(), "Load")
	testkit.Must(t, err)
	testkit.Equal(t, len(found), 1)
	testkit.Equal(t, found[0].Symbol, load)
	holding, err := table.Holding(t.Context(), load)
	testkit.Must(t, err)
	testkit.Equal(t, len(holding), 1)
	testkit.Equal(t, holding[0].Path, filepath.Join(dir, "a.go"))
	testkit.Equal(t, len(holding[0].Occurrences), 2)
	none, err := table.Holding(t.Context(), load+"x")
	testkit.Must(t, err)
	testkit.Equal(t, len(none), 0)
	there, err := table.Has(t.Context(), filepath.Join(dir, "b.go"))
	testkit.Must(t, err)
	testkit.Equal(t, there, false)
}

// Another state of the file makes another table, and the old one goes.
func TestTableIsMadeAnew(t *testing.T) {
	dir := testkit.TempDir(t)
	_, err := opened(t, dir, indextest.Index("scip-go", utf8Units, oneFile()))
	testkit.Must(t, err)
	more := oneFile()
	more.Path = "b.go"
	table, err := opened(t, dir, indextest.Index("scip-go", utf8Units, oneFile(), more))
	testkit.Must(t, err)
	testkit.Equal(t, table.Documents, 2)
	tables, err := filepath.Glob(filepath.Join(dir, "cache", "index", "*", "*.db"))
	testkit.Must(t, err)
	testkit.Equal(t, len(tables), 1)
}

// The table of an index that is gone goes with the next that is opened; those of others stay.
func TestTablesGo(t *testing.T) {
	dir, cache := testkit.TempDir(t), testkit.TempDir(t)
	open := func(f index.File) {
		indextest.Write(t, f.Path, indextest.Index("scip-go", utf8Units, oneFile()))
		table, err := index.Open(t.Context(), cache, f)
		testkit.Must(t, err)
		testkit.Must(t, table.Close())
	}
	gone, own := index.File{Path: filepath.Join(dir, index.Name), Root: dir}, index.Own(cache, dir, "scip-go")
	testkit.Must(t, os.MkdirAll(filepath.Dir(own.Path), 0o700))
	open(own)
	open(gone)
	folders := func() int {
		all, err := filepath.Glob(filepath.Join(cache, "index", "*"))
		testkit.Must(t, err)
		return len(all)
	}
	testkit.Equal(t, folders(), 3)
	testkit.Must(t, os.Remove(gone.Path))
	open(own)
	testkit.Equal(t, folders(), 2)
	testkit.Must(t, os.RemoveAll(dir))
	other := testkit.TempDir(t)
	open(index.File{Path: filepath.Join(other, index.Name), Root: other})
	if source.Exists(own.Path) {
		t.Errorf("%s is left", own.Path)
	}
}

// A table that takes longer than the call is there for the next one.
func TestTableOutlivesCall(t *testing.T) {
	dir := testkit.TempDir(t)
	f := index.File{Path: filepath.Join(dir, index.Name), Root: dir}
	indextest.Write(t, f.Path, indextest.Index("scip-go", utf8Units, oneFile()))
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := index.Open(over, filepath.Join(dir, "cache"), f); err == nil {
		t.Error("a call that is over has a table")
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if made, _ := filepath.Glob(filepath.Join(dir, "cache", "index", "*", "*.db")); len(made) == 1 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the table is not made")
		}
	}
}

func TestRefused(t *testing.T) {
	unranged := oneFile()
	unranged.Occurrences[1].At = []int32{}
	backwards := oneFile()
	backwards.Occurrences[1].At = []int32{1, 9, 2}
	for name, c := range map[string]struct {
		x    *scip.Index
		says string
	}{
		"no units":     {indextest.Index("scip-odd", unnamed, oneFile()), "scip-odd does not say in which units"},
		"a long tool":  {indextest.Index(strings.Repeat("x\n", 500), unnamed, oneFile()), "x x … does not say"},
		"no tool":      {indextest.Index("", unnamed, oneFile()), "an unnamed tool does not say"},
		"no ranges":    {indextest.Index("scip-odd", utf8Units, unranged), "scip-odd has places without a range"},
		"a bad range":  {indextest.Index("scip-odd", utf8Units, backwards), "scip-odd has places without a range"},
		"known, by us": {indextest.Index("scip-python", unnamed, oneFile()), ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := testkit.TempDir(t)
			for range 2 { // the second time without reading it
				_, err := opened(t, dir, c.x)
				var refused *index.Refused
				if c.says == "" {
					testkit.Must(t, err)
				} else if !errors.As(err, &refused) || !strings.Contains(refused.Why, c.says) {
					t.Errorf("got %v, want %q", err, c.says)
				}
			}
		})
	}
}

// What a stranger wrote ends neither lspi nor in another folder.
func TestHostile(t *testing.T) {
	dir := testkit.TempDir(t)
	path := filepath.Join(dir, index.Name)
	huge := protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.BytesType), 1<<62)
	part := func(field protowire.Number, body []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), body)
	}
	empty := func(tag byte) []byte { return bytes.Repeat([]byte{tag, 0}, 3<<20) }
	for _, c := range []struct {
		name, says string
		raw        []byte
	}{
		{"a length beyond the file", "it ends before", huge},
		{"text", "an unknown field", []byte("#!/bin/sh\n")},
		{"half a field", "it ends before", []byte{0x12}},
		{"another field", "an unknown field", protowire.AppendVarint(protowire.AppendTag(nil, 9, protowire.VarintType), 1)},
		{"empty occurrences", "elements", part(2, empty(0x12))},
		{"empty relationships", "elements", part(3, empty(0x22))},
		{"empty relationships of a symbol", "elements", part(2, part(3, empty(0x22)))},
	} {
		testkit.Must(t, os.WriteFile(path, c.raw, 0o600))
		_, err := index.Open(t.Context(), filepath.Join(dir, "cache"), index.File{Path: path, Root: dir})
		var refused *index.Refused
		if !errors.As(err, &refused) || !strings.Contains(refused.Why, c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	var documents []indextest.Document
	for _, to := range []string{"../b.go", "/etc/passwd", "a/../../b.go", "..", "a\x00.go", "./a.go", `c:\b.go`, "ok.go"} {
		d := oneFile()
		d.Path = to
		documents = append(documents, d)
	}
	table, err := opened(t, dir, indextest.Index("scip-go", utf8Units, documents...))
	testkit.Must(t, err)
	testkit.Equal(t, table.Documents, 1)
}

func TestFind(t *testing.T) {
	dir := testkit.TempDir(t)
	root, cache, outside := filepath.Join(dir, "w"), filepath.Join(dir, "cache"), filepath.Join(dir, "other")
	for _, path := range []string{filepath.Join(root, index.Name), filepath.Join(outside, "x.scip"),
		index.Own(cache, root, "scip-go").Path} {
		testkit.Write(t, path, "")
	}
	testkit.Must(t, os.MkdirAll(filepath.Join(root, "sub"), 0o700))
	if err := os.Symlink(filepath.Join(outside, "x.scip"), filepath.Join(root, "sub", index.Name)); err != nil {
		t.Skip(err)
	}
	found := index.Place{Cache: cache, Files: []string{filepath.Join(outside, "x.scip"), filepath.Join(dir, "none")},
		Roots: []string{root, filepath.Join(root, "sub")}, Allowed: []string{root}}.Find()
	var paths []string
	for _, f := range found {
		paths = append(paths, f.Path)
	}
	want := []string{filepath.Join(outside, "x.scip"), filepath.Join(root, index.Name),
		index.Own(cache, root, "scip-go").Path}
	if !slices.Equal(paths, want) {
		t.Errorf("got %v, want %v", paths, want)
	}
	// Without the configuration's word, a link of the repository leads nowhere.
	if found := (index.Place{Roots: []string{filepath.Join(root, "sub")}, Allowed: []string{root}}).Find(); len(found) > 0 {
		t.Errorf("a link led to %v", found)
	}
}

// The commit is that of the file beside the index, else the configuration's, else one that the tool was given.
func TestCommit(t *testing.T) {
	id := strings.Repeat("0a", 20)
	for _, c := range []struct {
		beside, configured string
		arguments          []string
		want               string
	}{
		{id + "\n", "1111111", nil, id},
		{"no commit", "1111111", []string{"--module-version=" + id}, "1111111"},
		{"", "", []string{"--module-version=" + id}, id},
		{"", "", []string{"--project-version", id}, id},
		{"", "HEAD; rm", []string{"v1.2.3"}, ""},
	} {
		dir := testkit.TempDir(t)
		x := indextest.Index("scip-go", utf8Units, oneFile())
		x.Metadata.ToolInfo.Arguments = c.arguments
		path := filepath.Join(dir, index.Name)
		indextest.Write(t, path, x)
		if c.beside != "" {
			testkit.Write(t, path+index.CommitSuffix, c.beside)
		}
		table, err := index.Open(context.Background(), filepath.Join(dir, "cache"), index.File{Path: path, Root: dir,
			Commit: c.configured})
		testkit.Must(t, err)
		testkit.Equal(t, table.Commit, c.want)
		testkit.Must(t, table.Close())
	}
}

func TestNameOf(t *testing.T) {
	for sym, want := range map[string]string{
		"scip-go gomod m . `m/sub`/Client#Call().":                              "m.sub.Client.Call",
		"rust-analyzer cargo r 0.8.5 hir/impl#[ClassUnicodeRange]end().":        "hir.ClassUnicodeRange.end",
		"rust-analyzer cargo r 0.8.5 hir/impl#[Hir][`fmt::Debug`]fmt().":        "hir.Hir.fmt",
		"scip-typescript npm zod 4.1.12 src/v4/core/`regexes.ts`/cuid.":         "src.v4.core.regexes.cuid",
		"scip-python python click 8.1.8 `click.core`/Group#command().":          "click.core.Group.command",
		"scip-python python click 8.1.8 `click._compat`/__init__:":              "click._compat",
		"scip-typescript npm a 1.0 `a.ts`/Cart#`<constructor>`().":              "a.Cart.<constructor>",
		"scip-go gomod m . m/Load().(limit)":                                    "m.Load.limit",
		"rust-analyzer cargo r 0.8.5 ast/impl#[`Iter<'a, T>`][Iterator]next().": "ast.Iter.next",
	} {
		testkit.Equal(t, strings.Join(index.NameOf(sym, "").Parts, "."), want, sym)
	}
	testkit.Equal(t, index.NameOf("local 3", "total").Bare, "total")
	testkit.Equal(t, index.NameOf("rust-analyzer cargo r 0.8.5 hir/impl#[Hir]kind().", "").Parent,
		"rust-analyzer cargo r 0.8.5 hir/Hir#")
}

// The encodings that source knows are those of SCIP.
func TestEncodings(t *testing.T) {
	for enc, want := range map[scip.PositionEncoding]source.Encoding{utf8Units: source.UTF8,
		scip.PositionEncoding_UTF16CodeUnitOffsetFromLineStart: source.UTF16,
		scip.PositionEncoding_UTF32CodeUnitOffsetFromLineStart: source.UTF32} {
		table, err := opened(t, testkit.TempDir(t), indextest.Index("x", enc, oneFile()))
		testkit.Must(t, err)
		d, err := table.Document(t.Context(), filepath.Join(table.Root, "a.go"))
		testkit.Must(t, err)
		testkit.Equal(t, d.Encoding, want)
	}
}
