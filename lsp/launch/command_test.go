//go:build unix

package launch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp/process"
	"lspi/lsp/spec"
)

// programs makes executables; a name that ends in a dash is a file that is none.
func programs(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		mode := os.FileMode(0o755)
		if base, ok := strings.CutSuffix(name, "-"); ok {
			name, mode = base, 0o644
		}
		path := filepath.Join(dir, name)
		testkit.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		testkit.Must(t, os.WriteFile(path, []byte("#!/bin/sh\necho "+dir+"\n"), mode))
	}
}

func TestFindCommands(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	t.Chdir(root)
	in := func(p string) string { return filepath.Join(root, p) }
	programs(t, in("a"), "lspi-one", "lspi-two-", "lspi-dup")
	programs(t, in("b"), "lspi-one", "lspi-two")
	programs(t, in("rel"), "lspi-one", "lspi-rel")
	programs(t, in("home/go/bin"), "lspi-home")
	programs(t, in("sub"), "x/lspi-deep")
	testkit.Must(t, os.Symlink(in("a"), in("link")))
	testkit.Must(t, os.Mkdir(in("a/lspi-dir"), 0o755))
	t.Setenv("HOME", in("home"))
	t.Setenv("GOBIN", "relative/bin")
	t.Setenv("GOPATH", "")
	path := strings.Join([]string{in("a"), "", ".", "rel", in("none"), in("b"), in("link")}, ":")
	t.Setenv("PATH", path+":/usr/bin:/bin")
	for _, c := range []struct {
		name     string
		commands []spec.Command
		want     string // path from root (arguments) from
		tried    string
	}{
		{"both of PATH, in order; one folder under two names once", []spec.Command{{Name: "lspi-one"}},
			"a/lspi-one[] PATH, b/lspi-one[] PATH", "[]"},
		{"not what is no program", []spec.Command{{Name: "lspi-two"}}, "b/lspi-two[] PATH", "[]"},
		{"not a folder", []spec.Command{{Name: "lspi-dir"}}, "", "[lspi-dir: not found]"},
		{"never a relative entry of PATH", []spec.Command{{Name: "lspi-rel"}}, "", "[lspi-rel: not found]"},
		{"never a relative name", []spec.Command{{Name: "rel/lspi-rel"}, {Name: "./lspi-one"},
			{Name: "../a/lspi-one"}}, "",
			"[rel/lspi-rel: not found ./lspi-one: not found ../a/lspi-one: not found]"},
		{"well-known folders", []spec.Command{{Name: "lspi-home"}}, "home/go/bin/lspi-home[] well-known folder", "[]"},
		{"absolute, once", []spec.Command{{Name: in("rel/lspi-rel"), Args: []string{"x"}}},
			"rel/lspi-rel[x] configured", "[]"},
		{"absolute, missing", []spec.Command{{Name: in("rel/none")}}, "", "[" + in("rel/none") + ": not found]"},
		{"several commands", []spec.Command{{Name: "lspi-none"}, {Name: "lspi-two", Args: []string{"-v"}},
			{Name: "lspi-two"}, {Name: "lspi-two"}},
			"b/lspi-two[-v] PATH, b/lspi-two[] PATH", "[lspi-none: not found]"},
		{"none", nil, "", "[]"},
	} {
		found, tried := FindCommands(&spec.Spec{Commands: c.commands})
		var got []string
		for _, f := range found {
			rel, _ := filepath.Rel(root, f.Path)
			got = append(got, fmt.Sprintf("%s%v %s", rel, f.Args, f.From))
		}
		if strings.Join(got, ", ") != c.want || fmt.Sprint(tried) != c.tried {
			t.Errorf("%s:\n%v tried %v\nwant\n%s tried %s", c.name, got, tried, c.want, c.tried)
		}
	}
	t.Run("PATH of the server's environment", func(t *testing.T) {
		spec := &spec.Spec{Commands: []spec.Command{{Name: "lspi-deep"}, {Name: "lspi-dup"}},
			Env: map[string]string{"PATH": in("sub/x")}}
		found, tried := FindCommands(spec)
		if len(found) != 1 || found[0].Path != in("sub/x/lspi-deep") ||
			!slices.Equal(tried, []string{"lspi-dup: not found"}) {
			t.Errorf("%v %v", found, tried)
		}
	})
}

func TestResolve(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	t.Setenv("HOME", dir)
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	programs(t, dir, "lspi-proxy", "real/lspi-proxy")
	write := func(name, script string) {
		t.Helper()
		testkit.WriteProgram(t, filepath.Join(dir, name), "#!/bin/sh\n"+script+"\n")
	}
	real := filepath.Join(dir, "real/lspi-proxy")
	write("which-good", `echo ran >>"$0.runs"; echo "`+real+`"`)
	write("which-env", `echo "$LSPI_TEST_REAL"`)
	write("which-fails", `echo "`+real+`"; exit 1`)
	write("which-relative", "echo real/lspi-proxy")
	write("which-nothing", "")
	write("which-missing", "echo /no/such/program")
	write("which-holds", `sleep 60 & echo "`+real+`"`) // a child holds the output
	for _, c := range []struct{ program, want string }{
		{"which-good", real}, {"which-good", real}, {"which-env", real}, {"which-fails", ""}, {"which-relative", ""},
		{"which-nothing", ""}, {"which-missing", ""}, {"lspi-no-such-which", ""}, {"./which-good", ""}, {"", ""},
	} {
		spec := &spec.Spec{Commands: []spec.Command{{Name: "lspi-proxy", Resolve: []string{c.program, "x"}}},
			Env: map[string]string{"LSPI_TEST_REAL": real}}
		if c.program == "" {
			spec.Commands[0].Resolve = nil
		}
		found, _ := FindCommands(spec)
		want := []string{filepath.Join(dir, "lspi-proxy")}
		if c.want != "" {
			want = append(want, c.want)
		}
		var got []string
		for _, f := range found {
			got = append(got, f.Path)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", c.program, got, want)
		}
		if len(got) == 2 && found[1].From != c.program+" x" {
			t.Errorf("%s: from %q", c.program, found[1].From)
		}
	}
	if runs, _ := os.ReadFile(filepath.Join(dir, "which-good.runs")); string(runs) != "ran\n" {
		t.Errorf("it ran: %q", runs)
	}
	began := time.Now()
	findCandidates(t.Context(),
		&spec.Spec{Commands: []spec.Command{{Name: "lspi-proxy", Resolve: []string{"which-holds"}}}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	write("which-hangs", "sleep 60")
	findCandidates(ctx, &spec.Spec{Commands: []spec.Command{{Name: "lspi-proxy", Resolve: []string{"which-hangs"}}}})
	if took := time.Since(began); took > resolveLimit {
		t.Errorf("it took %v", took)
	}
}

// The environment of a server: its own entries win, the inherited ones are there.
func TestEnv(t *testing.T) {
	t.Setenv("LSPI_TEST_A", "inherited")
	t.Setenv("LSPI_TEST_B", "inherited")
	p, err := process.Spawn("/bin/sh", []string{"-c", `echo "$LSPI_TEST_A $LSPI_TEST_B"; pwd; exit 3`}, "/",
		Environment((&spec.Spec{Env: map[string]string{"LSPI_TEST_B": "own"}, Pass: []string{"LSPI_TEST_A"}})))
	testkit.Must(t, err)
	defer p.Stop(time.Second)
	var out []byte
	for buf := make([]byte, 100); ; {
		n, err := p.Read(buf)
		out = append(out, buf[:n]...)
		if err != nil {
			break
		}
	}
	<-p.Done()
	if string(out) != "inherited own\n/\n" || p.Exit() != "exit status 3" {
		t.Errorf("%q %s", out, p.Exit())
	}
	if _, err := process.Spawn("/no/such/program", nil, "/", nil); err == nil {
		t.Error("started nothing")
	}
}
