package loaded

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/lsp"
	"lspi/tools/answer"
)

// wording is how sources that an answer does not cover for one reason are told. In its texts {server}
// stands for the id of the server, {name} for what the sources hold, {why} for what the server's row
// says of the reason, {files} for the sources.
type wording struct {
	text  string // {files} stands for the sources
	files func(c *answer.Call, found []lsp.Uncovered, name string) string
	late  string // instead of text, when the time ended before the sources were found out
	named bool   // the facts name the server
	step  func(c *answer.Call, s *lsp.Snapshot, found []lsp.Uncovered) contract.NextStep
}

// wordings are those for the reasons that a hook gives. The others need words of their own ([Warn]).
var wordings = map[lsp.Reason]wording{
	lsp.OutsideBuild: {text: "{server} does not read {files}, because {why}", files: containing,
		late: "{server} does not read every source file, and lspi could not find out in time whether the others matter here"},
	lsp.NotOfProject: {text: "{files} not read, because {why}", files: suchFiles},
	lsp.MembershipUnknown: {
		text:  "lspi could not ask {server} in time about files that contain such a name, the first at {files}; those that belong to no project were not read",
		files: firstOf, step: askAgain},
	lsp.OfOtherProject: {text: "{files} not searched for this: {server} {why}", files: suchFiles, named: true},
	lsp.NotCompiled: {text: "{server} could not compile {files}; uses there may be missing here",
		files: holding, named: true, step: seeErrors},
}

// tell warns of sources that the answer does not cover, once for each reason. name is what they hold,
// why what the server's row says of the reason; both may be empty where the wordings do not need them.
// found may be empty, and may mix reasons: warnings come in the order of the list of reasons. An
// element without a path stands for sources that were not found out in time. Every reason in found
// needs a row in wordings.
func tell(c *answer.Call, s *lsp.Snapshot, found []lsp.Uncovered, name, why string) {
	for reason := lsp.OutsideBuild; len(found) > 0; reason++ {
		var same []lsp.Uncovered
		same, found = partition(found, reason)
		if len(same) == 0 {
			continue
		}
		t, facts := wordings[reason], contract.Facts{}
		words := func(files string) *strings.Replacer {
			return strings.NewReplacer("{server}", s.ID(), "{name}", name, "{why}", why, "{files}", files)
		}
		if !allNamed(same) {
			c.Warn(reason.Kind(), contract.Facts{"server_id": s.ID()}, words("").Replace(t.late))
			continue
		}
		if t.named {
			facts["server_id"] = s.ID()
		}
		Warn(c, facts, same, words(t.files(c, same, name)).Replace(t.text))
		if t.step != nil {
			c.Step(t.step(c, s, same))
		}
	}
}

// partition splits off the sources with one reason. Both parts keep the order.
func partition(found []lsp.Uncovered, reason lsp.Reason) (same, others []lsp.Uncovered) {
	for _, u := range found {
		if u.Reason == reason {
			same = append(same, u)
		} else {
			others = append(others, u)
		}
	}
	return same, others
}

// allNamed reports whether it could be found out in time which sources these are; true for none.
func allNamed(found []lsp.Uncovered) bool {
	return !slices.ContainsFunc(found, func(u lsp.Uncovered) bool { return u.Path == "" })
}

// without removes from found the files that an answer has read for certain. It changes found, so use
// what it returns. What could not be found out in time stays.
func without(found []lsp.Uncovered, read func(path string) bool) []lsp.Uncovered {
	return slices.DeleteFunc(found, func(u lsp.Uncovered) bool { return u.Path != "" && read(u.Path) })
}

// Warn adds the warning for sources with one reason; their number, some of them and the first line go
// among its facts. found must not be empty and facts not nil: total, files and line are added to facts,
// where the caller may read them afterwards.
func Warn(c *answer.Call, facts contract.Facts, found []lsp.Uncovered, message string) {
	var shown []string
	for _, u := range found[:min(len(found), answer.MaxShown)] {
		shown = append(shown, c.Show(u.Path))
	}
	facts["total"], facts["files"] = len(found), shown
	if found[0].Line > 0 {
		facts["line"] = found[0].Line
	}
	c.Warn(found[0].Reason.Kind(), facts, message)
}

// Show returns a source in words, with its line where that is known.
func Show(c *answer.Call, u lsp.Uncovered) string {
	if u.Line == 0 {
		return c.Show(u.Path)
	}
	return fmt.Sprintf("%s:%d", c.Show(u.Path), u.Line)
}

// FilesWere returns sources in words, as the subject of a sentence that ends with a participle: "a.go:3
// was", "2 source files, such as a.go, were".
func FilesWere(c *answer.Call, found []lsp.Uncovered) string {
	named := slices.IndexFunc(found, func(u lsp.Uncovered) bool { return u.Line > 0 })
	switch {
	case len(found) == 1:
		return Show(c, found[0]) + " was"
	case named >= 0:
		return fmt.Sprintf("%d source files that contain such a name, the first at %s, were", len(found),
			Show(c, found[named]))
	}
	return fmt.Sprintf("%d source files, such as %s, were", len(found), Show(c, found[0]))
}

// suchFiles is [FilesWere] in the form that wordings need.
func suchFiles(c *answer.Call, found []lsp.Uncovered, _ string) string {
	return FilesWere(c, found)
}

// firstOf returns the first of the sources alone.
func firstOf(c *answer.Call, found []lsp.Uncovered, _ string) string { return Show(c, found[0]) }

// containing returns sources in words, as an object.
func containing(c *answer.Call, found []lsp.Uncovered, _ string) string {
	if len(found) == 1 {
		return Show(c, found[0]) + ", which contains such a name"
	}
	return fmt.Sprintf("%d source files that contain such a name, the first at %s", len(found), Show(c, found[0]))
}

// holding returns files that hold a name in words, as an object.
func holding(c *answer.Call, found []lsp.Uncovered, name string) string {
	if len(found) == 1 {
		return fmt.Sprintf("%s, which holds %s", Show(c, found[0]), name)
	}
	return fmt.Sprintf("%d files that hold %s, the first at %s", len(found), name, Show(c, found[0]))
}

// askAgain is the step for what the server could not tell in time.
func askAgain(c *answer.Call, _ *lsp.Snapshot, _ []lsp.Uncovered) contract.NextStep {
	return c.Repeat("Repeat the call; the server continues to work meanwhile.", nil)
}

// seeErrors is the step for files with errors. The cause may lie outside of the workspace, where no
// change makes the server look again.
func seeErrors(c *answer.Call, s *lsp.Snapshot, found []lsp.Uncovered) contract.NextStep {
	return contract.NextStep{Kind: contract.StepTool, Tool: "get_diagnostics",
		Arguments: map[string]any{"file_path": c.Show(found[0].Path)},
		Message:   "See what does not compile. If it is fixed outside of the workspace, for example by installing a header, restart " + s.ID() + "."}
}

// Holders returns those of sources that can change the answer of this call, each with the first line
// that does.
func Holders(ctx context.Context, c *answer.Call, found []lsp.Uncovered) []lsp.Uncovered {
	ctx, cancel := context.WithTimeout(ctx, HoldersLimit)
	defer cancel()
	found = HoldersAmong(ctx, c.Subject(), found)
	if isSearch(c) {
		found = slices.DeleteFunc(found, func(u lsp.Uncovered) bool { return isMinified(c, u) })
	}
	return found
}

// minifiedLine is how long the lines of a source are at the average, in bytes, when nobody wrote them by hand.
const minifiedLine = 200

// isMinified reports whether a source and the line in it that holds a name are too long to be written by hand: it is a
// library that was copied to be served, and its names are none that a search of the project is for.
func isMinified(c *answer.Call, u lsp.Uncovered) bool {
	text, err := c.Workspace.Text(u.Path)
	return err == nil && u.Line > 0 && len(text.Line(u.Line)) > lang.MaxScanned &&
		len(text.Content()) > minifiedLine*text.Lines()
}

// HoldersAmong are those of sources that can change an answer about a subject. What was not read before ctx ended
// counts. Line is 0 for those that count as a whole: nothing was looked for in them.
func HoldersAmong(ctx context.Context, a answer.Subject, found []lsp.Uncovered) (out []lsp.Uncovered) {
	for _, u := range found {
		switch {
		// The question was about other files.
		case a.Path != nil && !a.Path(u.Path):
			continue
		// Every source can change such an answer: a use need not hold a name, no name is known, or there is no time
		// left to look.
		case a.Any, a.May == nil && len(a.Names) == 0, ctx.Err() != nil:
			u.Line = 0
		default:
			line, holds := in(a, u.Path)
			if !holds {
				continue
			}
			u.Line = line
		}
		out = append(out, u)
	}
	return out
}
