package launch

import (
	"path/filepath"
	"runtime"
	"slices"

	"lspi/lsp/spec"
)

// CachedAt is a cache of a server, and where it is for one project.
type CachedAt struct {
	spec.Cache
	Path string // absolute; the folder need not exist
}

// Caches returns where the caches of a server are for the project at a root. It makes no folder and starts nothing. Of
// a server that runs elsewhere that is not known.
func Caches(t Target, caches []spec.Cache) (out []CachedAt) {
	if t.Spec.RunsElsewhere() {
		return nil
	}
	env := Environment(t.Spec)
	for _, c := range caches {
		path := ""
		switch {
		case c.Output != "":
			path = t.outputFolder(c.Output)
		case c.Project != "":
			path = t.besideProject(c.Project)
		default:
			path = userCache(env, c)
		}
		if path != "" {
			out = append(out, CachedAt{c, path})
		}
	}
	return out
}

// outputFolder is where placeOutputs places an output. Of one that a process has alone it is the first.
func (t Target) outputFolder(name string) string {
	i := slices.IndexFunc(t.Spec.Outputs, func(o spec.Output) bool { return o.Name == name })
	if i < 0 {
		return ""
	}
	o, p := t.Spec.Outputs[i], Plan{Target: t, Settings: t.Spec.Settings, Options: t.Spec.InitializationOptions}
	switch {
	case p.givenOutput(o):
		for _, given := range []any{spec.At(p.Settings, o.Setting), spec.At(p.Options, o.Option)} {
			if path, ok := given.(string); ok && filepath.IsAbs(path) {
				return path
			} else if ok && path != "" {
				return filepath.Join(t.Root, path)
			}
		}
	case t.Cache != "":
		return filepath.Join(CachePath(filepath.Join(t.Cache, t.Spec.ID), t.Root), name)
	}
	return filepath.Join(t.Root, name)
}

// besideProject is a path below the folder of the project file, or below the folder of lspi's cache that the server is
// told instead ([Plan].ProjectFolder); "" without a project file.
func (t Target) besideProject(path string) string {
	p := t.Spec.Project
	if p == nil {
		return ""
	}
	folder := p.Find(t.Root)
	if folder != "" && t.Cache != "" && p.Option != "" {
		folder = CachePath(filepath.Join(t.Cache, t.Spec.ID), t.Root)
	}
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, filepath.FromSlash(path))
}

// userCache is a folder below the user's folder for caches, as the server finds it (os.UserCacheDir of Go), or below
// that of its own variable.
func userCache(env []string, c spec.Cache) string {
	in := func(variable string, below ...string) string {
		if dir := spec.Variable(env, variable); filepath.IsAbs(dir) {
			return filepath.Join(append([]string{dir}, below...)...)
		}
		return ""
	}
	dir := ""
	if c.Variable != "" {
		dir = in(c.Variable)
	}
	switch {
	case dir != "":
	case runtime.GOOS == "windows":
		dir = in("LOCALAPPDATA")
	case runtime.GOOS == "darwin":
		dir = in("HOME", "Library", "Caches")
	default:
		if dir = in("XDG_CACHE_HOME"); dir == "" {
			dir = in("HOME", ".cache")
		}
	}
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, filepath.FromSlash(c.Name))
}
