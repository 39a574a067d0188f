//go:build unix

package tools

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// goModule is one version of a module of a proxy.
type goModule struct{ path, version, mod, source string }

// goProxy is an environment in which the go command takes modules from a folder and keeps them in another, so that
// no network and no cache of the user's is needed.
func goProxy(t *testing.T, modules ...goModule) map[string]string {
	t.Helper()
	proxy, cache := t.TempDir(), t.TempDir()
	for _, m := range modules {
		dir := filepath.Join(proxy, filepath.FromSlash(m.path), "@v")
		testkit.Must(t, os.MkdirAll(dir, 0o755))
		for name, text := range map[string]string{".info": `{"Version":"` + m.version + `"}`, ".mod": m.mod} {
			testkit.Must(t, os.WriteFile(filepath.Join(dir, m.version+name), []byte(text), 0o644))
		}
		f, err := os.Create(filepath.Join(dir, m.version+".zip"))
		testkit.Must(t, err)
		z := zip.NewWriter(f)
		for _, file := range [][2]string{{"go.mod", m.mod}, {"x.go", m.source}} {
			w, err := z.Create(m.path + "@" + m.version + "/" + file[0])
			if err == nil {
				_, err = w.Write([]byte(file[1]))
			}
			testkit.Must(t, err)
		}
		testkit.Must(t, z.Close())
		f.Close()
	}
	return map[string]string{"GOPROXY": "file://" + proxy, "GOMODCACHE": cache, "GOSUMDB": "off",
		"GOFLAGS": "-modcacherw", "GOTOOLCHAIN": "local"}
}

const goHead = "\n\ngo 1.24\n"

// deepModules are such that two modules of a workspace need ex.com/deep v1.1.0 together, of which neither has the sum.
func deepModules(t *testing.T) map[string]string {
	return goProxy(t,
		goModule{"ex.com/dep", "v1.0.0", "module ex.com/dep" + goHead + "\nrequire ex.com/deep v1.0.0\n",
			"package dep\n\nimport \"ex.com/deep\"\n\nfunc D() int { return deep.E() }\n"},
		goModule{"ex.com/mid", "v1.0.0", "module ex.com/mid" + goHead + "\nrequire ex.com/deep v1.1.0\n",
			"package mid\n\nfunc M() int { return 1 }\n"},
		goModule{"ex.com/deep", "v1.0.0", "module ex.com/deep" + goHead, "package deep\n\nfunc E() int { return 1 }\n"},
		goModule{"ex.com/deep", "v1.1.0", "module ex.com/deep" + goHead, "package deep\n\nfunc E() int { return 2 }\n"})
}

// deepWorkspace is a workspace of such modules. The go command writes go.work.sum there as soon as it lists packages.
func deepWorkspace(more map[string]string) map[string]string {
	files := map[string]string{
		"go.work":  "go 1.24\n\nuse ./a\n\nuse (\n\t./b // of the second\n)\n",
		"a/go.mod": "module ex.com/a" + goHead + "\nrequire ex.com/dep v1.0.0\n",
		"a/a.go":   "package a\n\nimport \"ex.com/dep\"\n\n// Foo is one.\nfunc Foo() int {\n\t_ = dep.D()\n\treturn 1\n}\n",
		"b/go.mod": "module ex.com/b" + goHead + "\nrequire ex.com/mid v1.0.0\n",
		"b/b.go":   "package b\n\nimport (\n\t\"ex.com/a\"\n\t\"ex.com/mid\"\n)\n\nvar B = a.Foo() + mid.M()\n",
		"c/go.mod": "module ex.com/c" + goHead,
		"c/c.go":   "package c\n\nimport \"ex.com/a\"\n\nvar C = a.Foo()\n",
	}
	for name, text := range more {
		files[name] = text
	}
	return files
}

// What the go command would write beside go.work is in lspi's cache, and a go.work that changes, comes or goes
// counts at once.
func TestGoWorkIsReadAndNotWrittenTo(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, deepWorkspace(nil))
	session := toolstest.RealWith(t, dir, deepModules(t), "gopls")
	files := func() (out []string) {
		t.Helper()
		a := run(t, session, "find_references", map[string]any{"file_path": "a/a.go", "symbol_name": "Foo"})
		if a["ok"] != true || a["completeness"] != "complete" {
			t.Errorf("references: %v", a)
		}
		if _, err := os.Stat(filepath.Join(dir, "go.work.sum")); err == nil {
			t.Fatal("go.work.sum was written")
		}
		for _, f := range a["files"].([]any) {
			out = append(out, f.(map[string]any)["file_path"].(string))
		}
		return out
	}
	equal(t, "at first", fmt.Sprint(files()), "[a/a.go b/b.go]")
	write(t, dir, "go.work", "go 1.24\n\nuse (\n\t./a\n\t./b\n\t./c\n)\n")
	equal(t, "with one module more", fmt.Sprint(files()), "[a/a.go b/b.go c/c.go]")

	write(t, dir, "go.work", "go 1.24\n\nuse (\n\t./a\n\t./b\n\t./gone\n)\n")
	a := run(t, session, "get_diagnostics", map[string]any{"file_path": "go.work"})
	if text := fmt.Sprint(a["files"]); !strings.Contains(text, "gone") || !strings.Contains(text, "line:6") {
		t.Errorf("of a module that is not there: %v", a)
	}
	write(t, dir, "gone/go.mod", "module ex.com/gone"+goHead)
	write(t, dir, "gone/g.go", "package gone\n\nimport \"ex.com/a\"\n\nvar G = a.Foo()\n")
	equal(t, "when it is there", fmt.Sprint(files()), "[a/a.go b/b.go gone/g.go]")
	write(t, dir, "go.work", "go 1.24\n\nuse (\n")
	if a := run(t, session, "get_diagnostics", map[string]any{"file_path": "go.work"}); !strings.Contains(
		fmt.Sprint(a["files"]), "syntax") {
		t.Errorf("of a go.work that is broken: %v", a)
	}
	testkit.Must(t, os.Remove(filepath.Join(dir, "go.work")))
	if a := run(t, session, "find_references",
		map[string]any{"file_path": "c/c.go", "symbol_name": "C"}); a["ok"] != true {
		t.Errorf("without a go.work: %v", a)
	}
	write(t, dir, "go.work", "go 1.24\n\nuse (\n\t./a\n\t./b\n\t./c\n)\n")
	equal(t, "when it is back", fmt.Sprint(files()), "[a/a.go b/b.go c/c.go]")
}

// A go.work.sum that lacks sums is as little changed, and what it has is not asked for again.
func TestGoWorkSumIsNotChanged(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	const sum = "ex.com/other v1.0.0 h1:LmGjONtsAxKzip8/s1GDxHP24KKY7t8ImAd+v0bQPGk=\n"
	dir := project(t, deepWorkspace(map[string]string{"go.work.sum": sum}))
	session := toolstest.RealWith(t, dir, deepModules(t), "gopls")
	a := run(t, session, "find_references", map[string]any{"file_path": "a/a.go", "symbol_name": "Foo"})
	equal(t, "references", fmt.Sprint(a["completeness"], " ", a["total"]), "complete 2")
	if raw, err := os.ReadFile(filepath.Join(dir, "go.work.sum")); err != nil || string(raw) != sum {
		t.Errorf("go.work.sum is now %q, %v", raw, err)
	}
}
