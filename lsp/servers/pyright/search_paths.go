package pyright

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
)

// The bounds of the search for projects.
const (
	maxDepth   = 4    // folders below the root
	maxFolders = 3000 // that are looked at
	maxFinders = 200  // of one environment
)

// SearchPaths are the folders from which the sources of a project at root may import, besides the root and its src, and
// the folders of packages. pyright knows neither the finders by which setuptools installs for editing (it reads
// path files alone) nor the folders that other tools are told of, and src only at the root (1.1.414). Where no
// environment is known, nothing says which of the repository's projects are installed: all count.
func SearchPaths(root string, packages []string) []string {
	top := root
	if len(packages) == 0 {
		top = repository(root)
	}
	var all []string
	for _, dir := range projects(top) {
		all = append(all, sourceFolders(dir)...)
	}
	if above := abovePackage(root); above != root {
		all = append(all, above)
	}
	all = slices.DeleteFunc(all, func(dir string) bool { return dir == root })
	for _, dir := range packages {
		all = append(all, found(dir)...)
	}
	return withoutTwins(all)
}

// abovePackage is the folder from which the package around a folder is imported; the folder itself where it is in none.
func abovePackage(dir string) string {
	for has(dir, "__init__.py") && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	return dir
}

// repository is the folder of the repository that holds a folder; the folder itself where there is none.
func repository(dir string) string {
	for up := dir; ; up = filepath.Dir(up) {
		if source.Exists(filepath.Join(up, ".git")) {
			return up
		}
		if up == filepath.Dir(up) {
			return dir
		}
	}
}

// skipped are folders that hold no projects of a repository that others import: dependencies, what builds write, data
// of tests, examples.
var skipped = []string{"node_modules", "__pycache__", "site-packages", "venv", "env", "build", "dist", "target",
	"vendor",
	"testdata", "tests", "test", "fixtures", "examples", "docs", "templates"}

// projects are the folders at and below a folder that hold a project file, those that are not deep alone.
func projects(top string) (out []string) {
	seen := 0
	_ = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil
		}
		below, _ := source.RelativeTo(top, path)
		base := d.Name()
		if seen++; path != top && (strings.HasPrefix(base, ".") || slices.Contains(skipped, base) || seen > maxFolders ||
			strings.Count(below, string(filepath.Separator)) >= maxDepth) {
			return fs.SkipDir
		}
		if slices.ContainsFunc(pathFiles, func(name string) bool { return has(path, name) }) {
			out = append(out, path)
		}
		return nil
	})
	return out
}

// pathFiles are the project files, and those in which pytest is told of folders.
var pathFiles = append([]string{"pytest.ini", ".pytest.ini", "tox.ini"}, projectFiles...)

// declared is what a pyproject.toml says of the folders that packages are imported from.
type declared struct {
	Tool struct {
		Pytest struct {
			Options struct {
				Path any `toml:"pythonpath"` // a list, or words (pytest 7)
			} `toml:"ini_options"`
		}
		Setuptools struct {
			Dirs     map[string]string `toml:"package-dir"`
			Packages any               // find, or a list
		}
		Poetry struct {
			Packages []struct{ From string }
		}
		Maturin struct {
			Source string `toml:"python-source"`
		}
		Hatch struct {
			Build struct {
				Dirs []string `toml:"dev-mode-dirs"`
			}
		}
	}
}

// sourceFolders are the folders of a project from which its packages, or its tests, are imported.
func sourceFolders(dir string) (out []string) {
	names := []string{"src"}
	text, err := source.ReadBytes(filepath.Join(dir, "pyproject.toml"))
	var d declared
	if err == nil {
		_, err = lang.DecodeTOML(string(text), &d)
	}
	if err == nil {
		names = append(names, words(d.Tool.Pytest.Options.Path)...)
		names = append(names, d.Tool.Setuptools.Dirs[""], d.Tool.Maturin.Source)
		if packages, ok := d.Tool.Setuptools.Packages.(map[string]any); ok {
			if find, ok := packages["find"].(map[string]any); ok {
				names = append(names, words(find["where"])...)
			}
		}
		for _, p := range d.Tool.Poetry.Packages {
			names = append(names, p.From)
		}
		names = append(names, d.Tool.Hatch.Build.Dirs...)
	}
	for _, p := range iniPaths {
		names = append(names, iniWords(filepath.Join(dir, p.file), p.section, p.key)...)
	}
	// A project without such a folder has its package beside the project file, most often by the name of the folder.
	if base := filepath.Base(dir); has(dir, filepath.Join(strings.ReplaceAll(base, "-", "_"), "__init__.py")) {
		names = append(names, ".")
	}
	for _, name := range names {
		folder := filepath.Join(dir, filepath.FromSlash(name))
		if name != "" && source.Within(dir, folder) && source.IsFolder(folder) && !has(folder, "__init__.py") &&
			!slices.Contains(out, folder) {
			out = append(out, folder)
		}
	}
	return out
}

// iniPaths are the settings of folders in files of configparser: of pytest ("Configuration file formats"), setuptools.
var iniPaths = []struct{ file, section, key string }{
	{"pytest.ini", "pytest", "pythonpath"}, {".pytest.ini", "pytest", "pythonpath"},
	{"tox.ini", "pytest", "pythonpath"}, {"setup.cfg", "tool:pytest", "pythonpath"},
	{"setup.cfg", "options.packages.find", "where"},
}

// iniWords are the words of a value, with the indented lines below it (The Python Standard Library, configparser).
func iniWords(file, section, key string) (out []string) {
	text, err := source.Read(file)
	if err != nil {
		return nil
	}
	within, taken := false, false
	for line := range strings.Lines(text.Content()) {
		bare := strings.TrimSpace(line)
		name, value, ok := strings.Cut(bare, "=")
		switch {
		case bare == "" || bare[0] == '#' || bare[0] == ';':
		case taken && strings.TrimLeft(line, " \t") != line:
			out = append(out, strings.Fields(bare)...)
		case bare[0] == '[':
			within, taken = bare == "["+section+"]", false
		default:
			if taken = within && ok && strings.TrimSpace(name) == key; taken {
				out = append(out, strings.Fields(value)...)
			}
		}
	}
	return out
}

// words are the strings of a setting that is a list or a text.
func words(setting any) (out []string) {
	switch setting := setting.(type) {
	case string:
		return strings.Fields(setting)
	case []any:
		for _, one := range setting {
			if word, ok := one.(string); ok {
				out = append(out, word)
			}
		}
	}
	return out
}

// mapped matches an entry of the table by which a finder of setuptools leads from a package to its folder.
var mapped = source.LazyRegexp(`'(\w+)': '([^']+)'`)

// found are the folders from which the finders in a folder of packages import, as far as their packages have the names
// of their folders.
func found(packages string) (out []string) {
	finders, _ := filepath.Glob(filepath.Join(source.GlobQuote(packages), "__editable___*_finder.py"))
	for _, finder := range finders[:min(len(finders), maxFinders)] {
		text, err := source.ReadBytes(finder)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, "MAPPING") {
				continue
			}
			for _, m := range mapped.FindAllStringSubmatch(line, -1) {
				if filepath.Base(m[2]) == m[1] && source.IsFolder(m[2]) {
					out = append(out, filepath.Dir(m[2]))
				}
			}
		}
	}
	return out
}

// listedIn are the folders that the path files in a folder of packages name, as installs for editing do
// (The Python Standard Library, site).
func listedIn(packages string) (out []string) {
	files, _ := filepath.Glob(filepath.Join(source.GlobQuote(packages), "*.pth"))
	for _, file := range files[:min(len(files), maxFinders)] {
		text, err := source.ReadBytes(file)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			if dir := source.Absolute(packages, line); line != "" && line[0] != '#' &&
				!strings.HasPrefix(line, "import ") && source.IsFolder(dir) {
				out = append(out, dir)
			}
		}
	}
	return out
}

// withoutTwins leaves out the folders that hold a module of the same name as another one: the server would import that
// of the first for all, also for the tests of the second.
func withoutTwins(folders []string) []string {
	slices.Sort(folders)
	folders = slices.Compact(folders)
	owners := map[string]int{}
	for _, dir := range folders {
		for _, name := range modulesIn(dir) {
			owners[name]++
		}
	}
	return slices.DeleteFunc(folders, func(dir string) bool {
		return slices.ContainsFunc(modulesIn(dir), func(name string) bool { return owners[name] > 1 })
	})
}

// modulesIn are the modules of a folder and of the packages in it. A folder without __init__.py may be one package
// together with others of its name.
func modulesIn(dir string) (out []string) {
	for _, path := range source.Glob(dir, "*/*.py") {
		if has(filepath.Dir(path), "__init__.py") && !slices.Contains(ownModules, filepath.Base(path)) {
			out = append(out, filepath.Base(filepath.Dir(path))+"/"+filepath.Base(path))
		}
	}
	for _, path := range source.Glob(dir, "*.py") {
		if !slices.Contains(ownModules, filepath.Base(path)) {
			out = append(out, filepath.Base(path))
		}
	}
	return out
}

// ownModules are modules that many packages have, and that others do not import by name.
var ownModules = []string{"__init__.py", "__main__.py", "conftest.py", "setup.py"}
