package trust

import (
	"os"
	"path/filepath"
	"runtime"
)

// User is the owner of the home, configuration, state and cache folders. The zero value is the user of this process;
// the fields are set for a session with an environment of its own.
type User struct {
	Getenv func(string) string
	Home   string
}

// Env returns the value of an environment variable, "" when it is not set.
func (u User) Env(name string) string {
	if u.Getenv == nil {
		return os.Getenv(name)
	}
	return u.Getenv(name)
}

// HomeDir returns the home folder; "" when there is none.
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

// ConfigFile returns the path of the user's own configuration file, whether or not it exists; "" without a home folder.
// Relative XDG variables are ignored, as the XDG Base Directory Specification demands; otherwise a repository could
// bring the user's configuration.
func (u User) ConfigFile() string { return below(u.configDir(), "config.toml") }

// StateDir returns the folder for what lspi keeps between sessions: $XDG_STATE_HOME/lspi, else ~/.local/state/lspi, on
// Windows and macOS the folder for configuration; "" when none is known. It need not exist.
func (u User) StateDir() string {
	if dir := u.Env("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "lspi")
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return below(u.configDir(), "")
	}
	return below(u.inHome(".local", "state"), "")
}

// CacheDir returns the folder for what servers would otherwise write into the project: $XDG_CACHE_HOME/lspi, else
// ~/.cache/lspi, on Windows and macOS the system's folder for caches; "" when none is known. It need not exist.
func (u User) CacheDir() string {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		dir, _ := os.UserCacheDir() // "" on an error
		return below(dir, "")
	}
	if dir := u.Env("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return below(dir, "")
	}
	return below(u.inHome(".cache"), "")
}

// configDir returns the folder for configuration: XDG_CONFIG_HOME on every system, then the system's own on Windows and
// macOS, else ~/.config.
func (u User) configDir() string {
	if dir := u.Env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	if dir, err := os.UserConfigDir(); err == nil && (runtime.GOOS == "windows" || runtime.GOOS == "darwin") {
		return dir
	}
	return u.inHome(".config")
}

// inHome returns a path below the home folder; "" when no absolute home folder is known.
func (u User) inHome(parts ...string) string {
	home := u.HomeDir()
	if !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(append([]string{home}, parts...)...)
}

// below returns dir/lspi/name; "" when dir is "".
func below(dir, name string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "lspi", name)
}
