// Package doctor finds out what a workspace needs, whether that works, and what to do where it does not. Checks fill a
// [Report], which is printed as text for people or as JSON for programs. The package also installs the pinned servers
// ([Installer], lspi servers install).
//
// What is needed follows from the workspace: its own files ([router.SurveyWorkspace]) have languages, and each language
// has servers in order of preference. The first installed one is started and asked a real question; when it fails, the
// next one is tried, as the tools do. A language of code without an installed server is a problem; a language of data,
// markup or scripts beside the code is only worth a note ([servers.OptionalLanguage]).
//
// The other MCP servers of the configuration are started as a session starts them, and asked for their lists. One that
// does not work is a warning.
//
// Everything that a check knows of the machine comes through [Machine], so that tests can inject facts. A check that
// cannot tell reports nothing. Servers are started side by side, each within a time limit, and ended afterwards.
package doctor
