//go:build linux

package bench

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"lspi/internal/testkit"
)

// The version of kubernetes and of the modules that it keeps in its staging folder, which are published apart.
const (
	kubernetesVersion = "v1.35.4"
	stagingVersion    = "v0.35.4"
)

// kubernetesTree lays kubernetes out as its repository does, from the modules that the Go proxy has: the module itself,
// the modules of its staging folder, and its go.work. The modules that these need come into the module cache, which is
// one of the benchmark's own where GOMODCACHE names one: 600 MB, and 250 MB for the tree.
func kubernetesTree(b *testing.B) string {
	b.Helper()
	main := downloaded(b, "k8s.io/kubernetes@"+kubernetesVersion)
	root := filepath.Join(testkit.TempDir(b), "kubernetes")
	testkit.Must(b, os.CopyFS(root, os.DirFS(main)))
	raw, err := os.ReadFile(filepath.Join(root, "go.mod"))
	testkit.Must(b, err)
	mod, err := modfile.Parse("go.mod", raw, nil)
	testkit.Must(b, err)
	patterns := []string{"./..."}
	for _, r := range mod.Replace {
		if strings.HasPrefix(r.New.Path, "./staging/") {
			from := downloaded(b, r.Old.Path+"@"+stagingVersion)
			testkit.Must(b, os.CopyFS(filepath.Join(root, r.New.Path), os.DirFS(from)))
			patterns = append(patterns, r.New.Path+"/...")
		}
	}
	testkit.Must(b, os.MkdirAll(filepath.Join(root, ".git"), 0o755))
	goCommand(b, root, append([]string{"list", "-e", "-deps", "-test"}, patterns...)...)
	return root
}

// downloaded returns the folder of a module in the module cache.
func downloaded(b *testing.B, module string) string {
	b.Helper()
	var m struct{ Dir string }
	testkit.Must(b, json.Unmarshal(goCommand(b, testkit.TempDir(b), "mod", "download", "-json", module), &m))
	return m.Dir
}

func goCommand(b *testing.B, dir string, args ...string) []byte {
	b.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "GOFLAGS=-modcacherw", "GOTOOLCHAIN=local")
	out, err := cmd.Output()
	testkit.Must(b, err)
	return out
}

func measureKubernetes(b *testing.B) {
	p, files := kubernetesProject(b)
	p.measured(b, "kubernetes "+kubernetesVersion, files)
}

// kubernetesProject is asked for the references of PodSpec. How many there are nobody knows: right is an answer for
// which nothing was loading, and that has a good part of the places where the word stands.
func kubernetesProject(b *testing.B) (p *largeProject, files int) {
	root := kubernetesTree(b)
	p = newLargeProject(b, "gopls", root)
	p.arguments = map[string]any{"file_path": "staging/src/k8s.io/api/core/v1/types.go", "symbol_name": "PodSpec",
		"max_results": 5000}
	uses := wordUses(b, root, `\bPodSpec\b`, ".go")
	p.right = func(total int) bool { return total > uses/4 && total <= uses }
	testkit.Must(b, filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".go") {
			files++
		}
		return err
	}))
	return p, files
}

// wordUses counts how often a word stands in the sources below a folder.
func wordUses(b *testing.B, root, word string, extensions ...string) (n int) {
	b.Helper()
	pattern := regexp.MustCompile(word)
	testkit.Must(b, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains(extensions, filepath.Ext(path)) {
			return err
		}
		raw, err := os.ReadFile(path)
		n += len(pattern.FindAll(raw, -1))
		return err
	}))
	return n
}
