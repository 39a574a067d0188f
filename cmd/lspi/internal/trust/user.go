package trust

import (
	"os"
	"path/filepath"
	"runtime"
)

// User says whose folders are meant. The zero values of its fields mean those of the process.
type User struct {
	Getenv func(string) string
	Home   string
}

// Env is the value of an environment variable, "" when it is not set.
func (u User) Env(name string) string {
	if u.Getenv == nil {
		return os.Getenv(name)
	}
	return u.Getenv(name)
}

// HomeDir is the home folder; "" when there is none.
func (u User) HomeDir() string {
	if u.Home != "" {
		return u.Home
	}
	if home := u.Env("HOME"); home != "" {
		return home
	}
	home, _ := os.UserHomeDir()
	return home
}

// ConfigFile is the user's own configuration file, whether or not it exists; "" when there is no home folder.
// Relative XDG variables are ignored, as the XDG Base Directory Specification demands; otherwise a repository could
// become its own user.
func (u User) ConfigFile() string { return below(u.configDir(), "config.toml") }

// StateDir is where lspi remembers things over sessions, outside of every workspace: $XDG_STATE_HOME/lspi, else
// ~/.local/state/lspi, on Windows and macOS the folder for configuration; "" when there is no place for it. It is not
// created here.
func (u User) StateDir() string {
	if dir := u.Env("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "lspi")
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return below(u.configDir(), "")
	}
	return below(u.inHome(".local", "state"), "")
}

// CacheDir is where servers write what they would otherwise leave in the project: $XDG_CACHE_HOME/lspi, else
// ~/.cache/lspi, on Windows and macOS the system's folder for caches; "" when there is no place for it.
func (u User) CacheDir() string {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		dir, _ := os.UserCacheDir() // "" with the error
		return below(dir, "")
	}
	if dir := u.Env("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return below(dir, "")
	}
	return below(u.inHome(".cache"), "")
}

func (u User) configDir() string {
	if dir := u.Env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	if dir, err := os.UserConfigDir(); err == nil && (runtime.GOOS == "windows" || runtime.GOOS == "darwin") {
		return dir
	}
	return u.inHome(".config")
}

// inHome is a path below the home folder; "" when that is not known as an absolute path.
func (u User) inHome(parts ...string) string {
	home := u.HomeDir()
	if !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(append([]string{home}, parts...)...)
}

// below is lspi's file or folder of this name in dir; "" when there is no dir.
func below(dir, name string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "lspi", name)
}
