//go:build unix

package launch

import (
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

// A server gets what is on the lists, never a secret unless it is configured by name, and no path that leads into a
// project.
func TestServersGetNoSecrets(t *testing.T) {
	work := t.TempDir()
	inside := filepath.Join(work, "bin")
	testkit.Must(t, os.MkdirAll(inside, 0o755))
	link := filepath.Join(t.TempDir(), "link")
	testkit.Must(t, os.Symlink(inside, link))
	all := []string{
		"PATH=/usr/bin::.:rel:" + inside + ":" + link + ":/bin", "HOME=/home/u", "LC_ALL=C", "https_proxy=http://p",
		"XDG_CACHE_HOME=/c",
		"GOFLAGS=-mod=mod", "GOAUTH=netrc", "GOPATH=rel", "CARGO_HOME=/cargo", "CARGO_REGISTRY_TOKEN=t",
		"ANTHROPIC_API_KEY=k",
		"OPENAI_API_KEY=k", "AWS_ACCESS_KEY_ID=a", "AWS_PROFILE=p", "GITHUB_TOKEN=t", "github_token=t",
		"DB_PASSWORD=p", "MY_SECRET=s",
		"GOOGLE_APPLICATION_CREDENTIALS=/f", "SSH_AUTH_SOCK=/s", "NODE_OPTIONS=--require ./x.js", "VIRTUAL_ENV=" +
			work + "/.venv",
		"PYTHONPATH=" + work + ":/lib", "LSPI_TRUST=all", "LD_PRELOAD=/x.so", "BASH_ENV=/x", "WANTED_TOKEN=w",
		"=C:=C:\\",
	}
	names := []string{"GO*", "NODE_*", "PYTHON*", "VIRTUAL_ENV"}
	for _, c := range []struct {
		name string
		spec spec.Spec
		want []string
	}{
		{"any", spec.Spec{}, []string{"HOME=/home/u", "LC_ALL=C", "PATH=/usr/bin:" + inside + ":" + link + ":/bin",
			"XDG_CACHE_HOME=/c", "https_proxy=http://p"}},
		{"of a row, and of the configuration", spec.Spec{Variables: names, Pass: []string{"WANTED_TOKEN"},
			Env: map[string]string{"OWN_KEY": "o"}},
			[]string{"GOFLAGS=-mod=mod", "HOME=/home/u", "LC_ALL=C", "NODE_OPTIONS=--require ./x.js", "OWN_KEY=o",
				"PATH=/usr/bin:" + inside + ":" + link + ":/bin", "PYTHONPATH=" + work + ":/lib", "VIRTUAL_ENV=" +
					work + "/.venv",
				"WANTED_TOKEN=w", "XDG_CACHE_HOME=/c", "https_proxy=http://p"}},
		{"of a workspace that is not trusted", spec.Spec{Variables: names, Untrusted: []string{work}},
			[]string{"GOFLAGS=-mod=mod", "HOME=/home/u", "LC_ALL=C", "PATH=/usr/bin:/bin", "PYTHONPATH=/lib",
				"XDG_CACHE_HOME=/c", "https_proxy=http://p"}},
	} {
		got := slices.DeleteFunc(environmentOf(&c.spec, all), func(v string) bool {
			return strings.HasPrefix(v, "GIT_CONFIG_")
		})
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%q\nwant\n%q", c.name, got, c.want)
		}
	}
}

// What a server's process prints of its environment is what the lists say, and no program is taken from the workspace.
func TestProcessGetsTheEnvironment(t *testing.T) {
	work := t.TempDir()
	programs(t, filepath.Join(work, "bin"), "lspi-tool")
	out := t.TempDir()
	programs(t, out, "lspi-tool")
	testkit.Must(t, os.Symlink(filepath.Join(work, "bin", "lspi-tool"), filepath.Join(out, "lspi-linked")))
	t.Setenv("PATH", filepath.Join(work, "bin")+":"+out+":/usr/bin:/bin")
	t.Setenv("ANTHROPIC_API_KEY", "not for servers")
	spec := &spec.Spec{Untrusted: []string{work}, Commands: []spec.Command{{Name: "lspi-tool"}, {Name: "lspi-linked"}}}
	found, tried := FindCommands(spec)
	passed := "lspi-linked: " + filepath.Join(out, "lspi-linked") + " is not run, because this workspace is not trusted"
	if len(found) != 1 || found[0].Path != filepath.Join(out, "lspi-tool") || len(tried) != 1 || tried[0] != passed {
		t.Errorf("found %v, tried %v", found, tried)
	}
	if got := LookPath(spec, "lspi-tool"); got != filepath.Join(out, "lspi-tool") ||
		LookPath(spec, "lspi-linked") != "" {
		t.Errorf("looked up %q", got)
	}
	p, err := process.Spawn("/bin/sh", []string{"-c", "env"}, "/", Environment(spec))
	testkit.Must(t, err)
	defer p.Stop(time.Second)
	var said []byte
	for buf := make([]byte, 4096); ; {
		n, err := p.Read(buf)
		said = append(said, buf[:n]...)
		if err != nil {
			break
		}
	}
	for _, never := range []string{"not for servers", filepath.Join(work, "bin")} {
		if strings.Contains(string(said), never) {
			t.Errorf("the process has %s", never)
		}
	}
	testkit.Holds(t, string(said), "GIT_CONFIG_VALUE_1=/dev/null", "git is not kept from hooks")
}

// What a row sets gives way to what the user has set.
func TestEnvironmentThatTheRowSets(t *testing.T) {
	s := &spec.Spec{Variables: []string{"JDK_*"}, Sets: map[string]string{"JDK_JAVA_OPTIONS": "-Dours",
		"OTHER": "ours"}}
	testkit.Diff(t, environmentOf(s, []string{"PATH=/bin"}), []string{"JDK_JAVA_OPTIONS=-Dours", "OTHER=ours",
		"PATH=/bin"})
	testkit.Diff(t, environmentOf(s, []string{"PATH=/bin", "JDK_JAVA_OPTIONS=-Dmine"}),
		[]string{"JDK_JAVA_OPTIONS=-Dmine", "OTHER=ours", "PATH=/bin"})
}

// docs/security.md names all parts of names that are never passed.
func TestSecretsOfThePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/security.md")
	testkit.Must(t, err)
	want := "passes a name with " + strings.Join(secrets[:len(secrets)-1], ", ") + " or " + secrets[len(secrets)-1] + " in it"
	testkit.Holds(t, string(page), want)
}
