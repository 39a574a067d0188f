package lsp

// variables are the names of lspi's environment that every server gets; a name that ends in * stands for all that begin so.
// What a language's tools need besides is in the rows ([Spec.Variables]).
var variables = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TERM", "TMPDIR", "TMP", "TEMP", "XDG_*",
	"http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH",
	// Managers of versions, whose programs on PATH are small ones that look for the real program by these.
	"ASDF_*", "MISE_*", "NVM_*", "FNM_*", "VOLTA_HOME", "PROTO_HOME", "PYENV_*", "RBENV_*", "SDKMAN_*", "NIX_*", "HOMEBREW_PREFIX",
	// Windows, where the case of names does not matter.
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "OS", "USERNAME", "USERPROFILE", "USERDOMAIN", "HOMEDRIVE", "HOMEPATH",
	"APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES*", "PROGRAMW6432", "COMMONPROGRAMFILES*", "ALLUSERSPROFILE", "PUBLIC",
	"NUMBER_OF_PROCESSORS", "PROCESSOR_*",
}

// secrets are parts of the names of variables that are never passed on by a pattern, in either case.
var secrets = []string{"TOKEN", "SECRET", "KEY", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "AUTH"}

// lists are variables that hold a list of folders or files. An empty or relative entry would be one in whatever folder a
// server works, so it is left out.
var lists = []string{
	"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "GOPATH", "PYTHONPATH", "NODE_PATH", "PERL5LIB",
	"RUBYLIB", "GEM_PATH", "CLASSPATH", "LUA_PATH", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "PKG_CONFIG_PATH",
	"ERL_LIBS", "JULIA_LOAD_PATH",
}

// options are variables that hold options of an interpreter, among them such as run a file. A restricted server does not get
// them: relative paths in them would lead into the project.
var options = []string{"NODE_OPTIONS", "PYTHONSTARTUP", "RUBYOPT", "PERL5OPT", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"}

// quiet are variables that keep git, which the tools of many languages run, from running what the configuration of a
// repository names (core.fsmonitor and hooks; git help config), and from taking a folder of the repository for one (git
// 2.38, safe.bareRepository).
var quiet = map[string]string{
	"GIT_CONFIG_COUNT": "3",
	"GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": "false",
	"GIT_CONFIG_KEY_1": "core.hooksPath", "GIT_CONFIG_VALUE_1": "/dev/null",
	"GIT_CONFIG_KEY_2": "safe.bareRepository", "GIT_CONFIG_VALUE_2": "explicit",
}
