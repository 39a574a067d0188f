package launch

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp/spec"
)

// maxBarred bounds a file that may bar a server, in bytes; a larger one bars it.
const maxBarred = 1 << 20

// restrict looks on disk whether a server may be started in a workspace that is not trusted, and returns its
// initialization options, with the path of what it would take from the project replaced by that of an installed one.
// Its error is restricted: the server may not be started.
func restrict(s *spec.Spec, root string, found []Candidate) (options map[string]any, err error) {
	options = s.InitializationOptions
	if len(s.Untrusted) == 0 || s.Code == nil {
		return options, nil
	}
	// What restricts it are variables, files and programs of this machine.
	if s.RunsElsewhere() {
		return nil, refuses(s, "it runs elsewhere, where lspi cannot keep it from running code of the project")
	}
	r := s.Code.Restrict
	if r.Off != "" {
		return nil, refuses(s, r.Off)
	}
	for _, bar := range r.Bars {
		if file, why := barred(s, root, bar); file != "" {
			return nil, refuses(s, why, file)
		}
	}
	if r.Own == nil {
		return options, nil
	}
	path := ownFile(s, r.Own, found)
	if path == "" {
		return nil, refuses(s, fmt.Sprintf("it would take %s from the project, and none is installed elsewhere (%s)",
			r.Own.Path, r.Own.Install))
	}
	return nameOwnFile(s, options, strings.Split(r.Own.Option, "."), path), nil
}

// nameOwnFile returns options with the path of a file in them. A path outside of the project that the user's
// configuration has stays.
func nameOwnFile(s *spec.Spec, options map[string]any, option []string, path string) map[string]any {
	if given, ok := spec.At(options, strings.Join(option, ".")).(string); ok && filepath.IsAbs(given) &&
		!distrusts(s, given) {
		return options
	}
	var value any = path
	for i := len(option) - 1; i >= 0; i-- {
		value = map[string]any{option[i]: value}
	}
	return spec.Merge(options, value.(map[string]any))
}

// refuses is the error of a server that is not started because the workspace is not trusted.
func refuses(s *spec.Spec, why string, files ...string) error {
	facts := contract.Facts{"server_id": s.ID, "reason": why}
	if len(files) > 0 {
		facts["files"] = files
	}
	return contract.Errorf(contract.KindRestricted, facts,
		"%s is not started, because this workspace is not trusted: %s", s.ID, why)
}

// barred returns the first file that bars the server, and what the file would have it run; "" when none does. Tools
// read such files in every folder above the project. Above the untrusted folders they belong to the user, or to
// another user of the machine, whose files count as well.
func barred(s *spec.Spec, root string, bar spec.Bar) (file, why string) {
	for dir := root; ; dir = filepath.Dir(dir) {
		strangers := distrusts(s, dir)
		for _, name := range bar.Files {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if info, err := os.Lstat(path); err != nil || info.IsDir() || !strangers && !source.OfAnotherUser(path) {
				continue
			}
			if key := forbids(bar, path); key != "" {
				return path, fmt.Sprintf("%s (%s) %s", name, key, bar.Why)
			}
		}
		if filepath.Dir(dir) == dir {
			return "", ""
		}
	}
}

// plainName matches a file that only names something, as rust-toolchain may (rustup, overrides).
var plainName = source.LazyRegexp(`^[\w.-]*$`)

// forbids returns the first key of the file that is not allowed; "" when there is none.
func forbids(b spec.Bar, path string) string {
	if b.Allowed == nil {
		return "its presence"
	}
	content, err := source.ReadRegular(path, maxBarred)
	if err != nil {
		return "it cannot be read"
	}
	if plainName.Match(bytes.TrimSpace(content)) {
		return ""
	}
	values := map[string]any{}
	meta, err := lang.DecodeTOML(string(content), &values)
	if err != nil {
		return "it is not valid TOML"
	}
	for _, key := range meta.Keys() {
		if _, table := tableAt(values, key); !table && !allowed(b, key) {
			return key.String()
		}
	}
	return ""
}

// tableAt reports whether a key names a table, whose keys are checked by themselves.
func tableAt(values map[string]any, key toml.Key) (map[string]any, bool) {
	for i, part := range key {
		sub, ok := values[part].(map[string]any)
		if !ok {
			return nil, false
		}
		if i == len(key)-1 {
			return sub, true
		}
		values = sub
	}
	return nil, false
}

func allowed(b spec.Bar, key toml.Key) bool {
	return slices.ContainsFunc(b.Allowed, func(allowed string) bool {
		parts := strings.Split(allowed, ".")
		if len(parts) > len(key) {
			return false
		}
		for i, part := range parts {
			if part != "*" && part != key[i] {
				return false
			}
		}
		return true
	})
}

// ownFile returns the file where the server is installed: in a folder of packages above its program, above a path in
// a small script that starts the program, or beside one of the programs. "" when there is none.
func ownFile(s *spec.Spec, o *spec.OwnFile, found []Candidate) string {
	var near []string
	for _, c := range found {
		near = append(near, c.Path)
	}
	for _, p := range o.Programs {
		if path := LookPath(s, p); path != "" {
			near = append(near, path)
		}
	}
	for _, program := range near {
		for _, path := range append([]string{program}, namedBy(program)...) {
			if real, err := filepath.EvalSymlinks(path); err == nil {
				path = real
			}
			if own := packagesAbove(s, path, o); own != "" {
				return own
			}
		}
	}
	return ""
}

// packagesAbove looks in the folders of packages above a path.
func packagesAbove(s *spec.Spec, path string, o *spec.OwnFile) string {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		for _, packages := range []string{dir, filepath.Join(dir, o.Folder), filepath.Join(dir, "lib", o.Folder)} {
			own := filepath.Join(packages, filepath.FromSlash(o.Path))
			if info, err := os.Stat(own); err == nil && info.Mode().IsRegular() && !distrusts(s, own) &&
				filepath.Base(packages) == o.Folder {
				return own
			}
		}
		if filepath.Dir(dir) == dir {
			return ""
		}
	}
}

// maxScript bounds the scripts that are searched, in bytes.
const maxScript = 8 << 10

// quotedPath matches an absolute path in a script, with or without quotes.
var quotedPath = source.LazyRegexp(`(?:^|[\s"'=])(/[^\s"':;$]+)`)

// namedBy returns the absolute paths in a small script: npm, pyenv and packagers put such scripts on PATH.
func namedBy(program string) []string {
	content, err := source.ReadRegular(program, maxScript)
	if err != nil || !bytes.HasPrefix(content, []byte("#!")) {
		return nil
	}
	var out []string
	for _, hit := range quotedPath.FindAllSubmatch(content, 64) {
		if path := string(hit[1]); !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out
}
