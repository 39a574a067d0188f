package loaded

import (
	"context"
	"fmt"
	"slices"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/lsp"
	"lspi/tools/answer"
)

// tell warns of sources that the answer does not cover, once for each reason, of those that a hook gives; the others
// need words of their own ([Warn]). why is what the server's row says of the reason; it may be empty where the words do
// not need it. found may be empty, and may mix reasons: warnings come in the order of the list of reasons. An element
// without a path stands for sources that were not found out in time.
func tell(c *answer.Call, server string, found []lsp.Uncovered, why string) {
	for reason := lsp.OutsideBuild; len(found) > 0; reason++ {
		var same []lsp.Uncovered
		same, found = partition(found, reason)
		if len(same) == 0 {
			continue
		}
		if !allNamed(same) {
			c.Warn(reason.Kind(), contract.Facts{"server_id": server}, server+
				" does not read every source file, and lspi could not find out in time whether the others matter here")
			continue
		}
		facts := contract.Facts{}
		switch reason {
		case lsp.OutsideBuild:
			Warn(c, facts, same, fmt.Sprintf("%s does not read %s, because %s", server, containing(c, same), why))
		case lsp.NotOfProject:
			Warn(c, facts, same, fmt.Sprintf("%s not read, because %s", FilesWere(c, same), why))
		case lsp.MembershipUnknown:
			Warn(c, facts, same, fmt.Sprintf(
				"lspi could not ask %s in time about files that contain such a name, the first at %s; those that belong to no project were not read",
				server, Show(c, same[0])))
			c.Step(c.Repeat("Repeat the call; the server continues to work meanwhile.", nil))
		case lsp.OfOtherProject:
			facts["server_id"] = server
			Warn(c, facts, same, fmt.Sprintf("%s not searched for this: %s %s", FilesWere(c, same), server, why))
		case lsp.NotCompiled:
			facts["server_id"] = server
			Warn(c, facts, same, fmt.Sprintf("%s could not compile %s; uses there may be missing here", server,
				containing(c, same)))
			// The cause may lie outside of the workspace, where no change makes the server look again.
			step := answer.DiagnosticsStep(c.Show(same[0].Path))
			step.Message = "See what does not compile. If it is fixed outside of the workspace, for example by installing a header, restart " +
				server + "."
			c.Step(step)
		default: // never silently: a reason that a hook gives first
			Warn(c, facts, same, FilesWere(c, same)+" not read")
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

// containing returns sources in words, as an object.
func containing(c *answer.Call, found []lsp.Uncovered) string {
	if len(found) == 1 {
		return Show(c, found[0]) + ", which contains such a name"
	}
	return fmt.Sprintf("%d source files that contain such a name, the first at %s", len(found), Show(c, found[0]))
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
