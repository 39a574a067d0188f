package config

import (
	"os"
	"path/filepath"
	"runtime"
)

// CacheDir is where servers write what they would else leave in the project: $XDG_CACHE_HOME/lspi, else ~/.cache/lspi, elsewhere
// the system's folder for caches; "" when there is no place for it.
func CacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "lspi")
}

// StateDir is where lspi remembers things over sessions, outside of every workspace: $XDG_STATE_HOME/lspi, else
// ~/.local/state/lspi, elsewhere the folder for configuration; "" when there is no place for it. It is made by who writes
// into it. getenv nil and home "" mean those of the process.
func StateDir(getenv func(string) string, home string) string {
	o := Options{Getenv: getenv, Home: home}
	o.fill()
	dir := o.Getenv("XDG_STATE_HOME")
	switch {
	case filepath.IsAbs(dir):
	case runtime.GOOS == "windows" || runtime.GOOS == "darwin":
		dir = configDir(o.Getenv, o.Home)
	case filepath.IsAbs(o.Home):
		dir = filepath.Join(o.Home, ".local", "state")
	default:
		return ""
	}
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "lspi")
}
