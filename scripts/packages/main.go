// Command packages makes everything that a release of lspi has, in dist: programs for six systems and archives of them,
// deb, rpm and apk packages, npm packages, wheels for PyPI, plugins for hosts, bundles (mcpb), server.json for the MCP
// registry, a Homebrew formula, a bill of materials and checksums. It
// runs in the folder of the project. The programs that it runs besides go are pinned: packaging/go.mod (nfpm,
// cyclonedx-gomod) and lsp/servers/pins.txt (hatchling, node). See docs/releasing.md.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// System is a system that lspi is built for.
type System struct{ OS, Arch string }

// systems are all systems, with their names in the registries.
var systems = []System{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"}}

func (s System) String() string { return s.OS + "_" + s.Arch }

// program is the name of lspi there.
func (s System) program() string {
	if s.OS == "windows" {
		return "lspi.exe"
	}
	return "lspi"
}

// release is what all packages share.
type release struct {
	dist     string    // the folder of the results; made anew
	version  version   // of all packages
	time     time.Time // of the commit: all files have it, so that the same commit gives the same bytes
	homepage string    // of the project
	download string    // where the files of this release will be, a URL without a slash at its end
	npm      string    // name of the npm package
}

// parts are what can be made, in order: later ones use what earlier ones have made.
var parts = []struct {
	name string
	make func(*release) error
}{
	{"programs", (*release).programs},
	{"documents", (*release).documents},
	{"archives", (*release).archives},
	{"system", (*release).systemPackages},
	{"npm", (*release).npmPackages},
	{"wheels", (*release).wheels},
	{"plugins", (*release).plugins},
	{"bundles", (*release).bundles},
	{"registry", (*release).registry},
	{"sbom", (*release).billOfMaterials},
	{"sums", (*release).sums},
	{"formula", (*release).formula},
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("packages: ")
	r := &release{}
	said := flag.String("version", "", "the version, in the form of semver.org without v")
	flag.StringVar(&r.dist, "dist", "dist", "the folder for the packages; it is removed first")
	flag.StringVar(&r.homepage, "homepage", "https://example.com/lspi", "the page of the project")
	flag.StringVar(&r.download, "download", "",
		"where the files of this release will be (default: HOMEPAGE/releases/download/vVERSION)")
	flag.StringVar(&r.npm, "npm", "lspi-mcp", "the name of the npm package")
	only := flag.String("only", "", "makes only these parts, such as programs,documents,wheels")
	flag.Parse()
	if err := r.run(*said, *only); err != nil {
		log.Fatal(err)
	}
}

func (r *release) run(said, only string) (err error) {
	if r.version, err = parseVersion(said); err != nil {
		return err
	}
	if r.dist, err = filepath.Abs(r.dist); err != nil {
		return err
	}
	if r.download == "" {
		r.download = r.homepage + "/releases/download/v" + r.version.semver
	}
	if r.time, err = commitTime(); err != nil {
		return err
	}
	if err := os.RemoveAll(r.dist); err != nil {
		return err
	}
	if err := os.MkdirAll(r.dist, 0o755); err != nil {
		return err
	}
	for _, part := range parts {
		if only != "" && !slices.Contains(strings.Split(only, ","), part.name) {
			continue
		}
		began := time.Now()
		if err := part.make(r); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		log.Printf("%s: %.0f s", part.name, time.Since(began).Seconds())
	}
	return nil
}

// commitTime returns SOURCE_DATE_EPOCH, else the time of the commit that is checked out.
func commitTime() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		out, err := exec.Command("git", "log", "-1", "--format=%ct").Output()
		if err != nil {
			return time.Time{}, fmt.Errorf("no time of the commit; set SOURCE_DATE_EPOCH: %w", err)
		}
		text = strings.TrimSpace(string(out))
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// command runs a program in dir with further variables; its output is shown when it fails.
func (r *release) command(dir string, env []string, words ...string) error {
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH="+strconv.FormatInt(r.time.Unix(), 10))
	cmd.Env = append(cmd.Env, env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(words, " "), err, out)
	}
	return nil
}

// work returns a folder for intermediate files.
func (r *release) work(parts ...string) string {
	return filepath.Join(append([]string{r.dist, "work"}, parts...)...)
}
