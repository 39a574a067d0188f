// Package doctor examines what a workspace needs and whether it works, and says what to do about the rest. Checks fill
// one [Report]; it is shown as text for people or as JSON for programs.
//
// What is needed follows from the workspace: its own files ([router.SurveyWorkspace]) have languages, and each
// language has servers in order of preference. The first one that is installed is started for real and asked a real
// question; when it fails the next one is, as the tools do. None installed is a problem where the language is code,
// and a note where it stands beside the code ([router.Beside]).
//
// The other MCP servers of the configuration are started as well, as a session starts them, and give their lists.
// One that does not work is a warning.
//
// Everything that a check knows of the machine comes through [Machine], so that tests inject facts. A check that cannot
// tell says nothing. Servers are started side by side, each within a bound of time, and ended afterwards.
package doctor
