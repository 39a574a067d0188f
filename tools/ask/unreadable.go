package ask

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/answer"
)

// maxUnreadableShown bounds the files that a warning names.
const maxUnreadableShown = 5

// unreadableFiles warns of sources that cannot be read, in an answer about all of the project or about
// diagnostics. A server that meets such a file may refuse the whole question in words of its own (gopls
// 0.23.0: "stat caf\ufffd.go: no such file or directory"); then the error that is returned names the
// file. Otherwise it is err.
func unreadableFiles(c *answer.Call, o outcome, root, method string, err error) error {
	if o.Server == nil || !OfWholeProject(c, method) && !ofDiagnostics(c) {
		return err
	}
	refused := err != nil && answer.AsError(err).Kind == contract.KindRequestFailed
	if err != nil && !refused && !notFound(err) {
		return err
	}
	unreadable(c, o.Server.Server, root)
	unreadable := c.WarningsThat(func(k contract.WarningKind) bool { return k == contract.WarnUnreadableFiles })
	if !refused || len(unreadable) == 0 {
		return err
	}
	return contract.Errorf(contract.KindFileUnreadable, unreadable[0].Facts, "%s; %w",
		strings.TrimSuffix(unreadable[0].Message, " is missing here")+
			" is not known", err)
}

// unreadable warns of sources that the server cannot know, so that an answer about all of the project
// may lack what they hold. There are three causes, each with its remedy: a folder that cannot be
// listed, a file that cannot be read, and a name that is not UTF-8, which the protocol cannot carry.
func unreadable(c *answer.Call, s *lsp.Server, root string) {
	files, folders := lsp.Unreadable(s, root), lsp.Unlistable(s, root)
	total := len(files) + len(folders)
	if total == 0 {
		return
	}
	var shown []string
	for _, f := range folders[:min(len(folders), maxUnreadableShown)] {
		shown = append(shown, sayable(c.Show(f))+"/")
	}
	// Of the files, those whose names are not UTF-8.
	named := 0
	for _, f := range files {
		if !utf8.ValidString(f) {
			named++
		}
		if len(shown) < maxUnreadableShown {
			shown = append(shown, sayable(c.Show(f)))
		}
	}
	which, holds := shown[0], "what it holds"
	if total > 1 {
		holds = "what they hold"
		which = fmt.Sprintf("%d source %s, such as %s,", total, whatUnreadable(len(files), len(folders)), shown[0])
	}
	why, do := "cannot be read by this user", "Give this user the right to read "+which
	switch {
	case len(files) == 0:
		why, do = "cannot be listed or entered by this user", "Give this user the right to list and enter "+which
	case named == total:
		why, do = "cannot be named to a language server, because the name is not UTF-8", "Rename "+which+
			" so that the name is UTF-8"
	case named > 0:
		why, do = "cannot be read by this user, or have names that are not UTF-8", "Make "+which+
			" readable, with names in UTF-8"
	}
	c.Warn(contract.WarnUnreadableFiles, contract.Facts{"total": total, "files": shown},
		fmt.Sprintf("%s %s; %s is missing here", which, why, holds))
	c.Step(contract.NextStep{Kind: contract.StepDoc, Message: strings.TrimSuffix(do, ",") + ", then repeat the call."})
}

// whatUnreadable returns the noun for so many files and folders, of which there is at least one.
func whatUnreadable(files, folders int) string {
	switch {
	case folders == 0:
		return "files"
	case files == 0:
		return "folders"
	}
	return "files and folders"
}

// ofDiagnostics reports whether the answer is what servers say of files, for which they need the other
// files.
func ofDiagnostics(c *answer.Call) bool {
	return c.Diagnoses()
}

// sayable returns a path as text, with bytes that are no UTF-8 escaped as in a string of Go.
func sayable(path string) string {
	if utf8.ValidString(path) {
		return path
	}
	quoted := strconv.Quote(path)
	return quoted[1 : len(quoted)-1]
}
