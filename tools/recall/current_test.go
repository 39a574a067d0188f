package recall

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestCurrent(t *testing.T) {
	h := newHome(t)
	h.write(live(1), newRollout(1, h.work).ask("codex").String(), 0)
	h.write(project("old"), newChat("old", h.work).ask("one").ask("two").String(), 10)
	h.write("claude/projects/-any-slug/old/subagents/agent-1.jsonl",
		newChat("sub", h.work).ask("not of the user").String(), 10)
	h.write(project("new"), newChat("new", h.work).ask("three").String(), 20)
	h.write(project("elsewhere"), newChat("elsewhere", h.dir).ask("four").String(), 30)
	h.write(live(9), newRollout(9, h.dir).ask("elsewhere").String(), 30)
	later := noon.Add(time.Hour)
	for name, c := range map[string]struct {
		hints Hints
		id    string
		rule  Rule
	}{
		"by id":            {Hints{SessionID: "old", CodexThreadID: uuid(1)}, "old", ByID},
		"by id, elsewhere": {Hints{SessionID: "elsewhere"}, "", ByID},
		"by thread": {Hints{CodexThreadID: uuid(1), SessionIDs: map[Client]string{Claude: "old"}}, uuid(1),
			ByThread},
		"by thread, elsewhere":     {Hints{CodexThreadID: uuid(9)}, "", ByThread},
		"by thread, not of Claude": {Hints{CodexThreadID: "old"}, "", ByThread},
		"by call": {Hints{ClaudeToolUseID: "toolu_old_8", SessionIDs: map[Client]string{Claude: "new"}}, "old",
			ByToolUse},
		"by call of a sub-agent": {Hints{ClaudeToolUseID: "toolu_sub_4", SessionIDs: map[Client]string{Claude: "new"}}, "old",
			ByToolUse},
		"by call, elsewhere": {Hints{ClaudeToolUseID: "toolu_elsewhere_4", SessionIDs: map[Client]string{Claude: "old"}},
			"old", ByEnvironment},
		"by environment":                     {Hints{SessionIDs: map[Client]string{Claude: "old"}, Client: Claude}, "old", ByEnvironment},
		"by environment, elsewhere":          {Hints{SessionIDs: map[Client]string{Claude: "elsewhere"}, Client: Claude}, "new", ByTime},
		"by time":                            {Hints{}, "new", ByTime},
		"by time, of a client":               {Hints{Client: ClientOf("codex-mcp-client")}, uuid(1), ByTime},
		"by time, of a client not known":     {Hints{Client: ClientOf("another")}, "", ByTime},
		"by time, of a client without names": {Hints{Client: ClientOf("")}, "new", ByTime},
	} {
		t.Run(name, func(t *testing.T) {
			c.hints.Root, c.hints.Now = h.work, later
			s, rule, err := h.store.Current(t.Context(), c.hints)
			if (err == nil) != (c.id != "") || s.ID != c.id || rule != c.rule || rule.Guessed() != (c.rule == ByTime) {
				t.Errorf("%q by %q, %v", s.ID, rule, err)
			}
		})
	}
}

func TestCurrentIsAmbiguous(t *testing.T) {
	h := newHome(t)
	h.write(project("one"), newChat("one", h.work).ask("one").String(), 0)
	h.write(project("two"), newChat("two", h.work).ask("two").String(), 4)
	h.write(project("no request"), newChat("no request", h.work).add("system", object{}).String(), 4)
	h.write(live(1), newRollout(1, h.work).ask("three").String(), 4)
	at := func(minutes int) Hints {
		return Hints{Root: h.work, Client: Claude, Now: noon.Add(time.Duration(minutes) * time.Minute)}
	}
	var ambiguous *AmbiguousError
	_, _, err := h.store.Current(t.Context(), at(4))
	if !errors.As(err, &ambiguous) || len(ambiguous.Candidates) != 2 || ambiguous.Candidates[0].ID != "two" ||
		ambiguous.Candidates[1].Preview != "one" {
		t.Errorf("%v", err)
	}
	if s, _, err := h.store.Current(t.Context(), at(5)); err != nil || s.ID != "two" {
		t.Errorf("%v %s", err, s.ID)
	}
}

// Claude Code may write the line with the call a moment after it made the call. In the bubble no time passes before
// the line is written.
func TestTheCallIsWrittenLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHome(t)
		c := newChat("s", h.work).ask("one")
		path := h.write(project("s"), c.String(), 0)
		h.write(project("other"), newChat("other", h.work).ask("two").String(), 1)
		had := len(c.lines)
		c.ask("three")
		found := make(chan error)
		go func() {
			s, rule, err := h.store.Current(t.Context(), Hints{Root: h.work, ClaudeToolUseID: "toolu_s_8"})
			if err == nil && (s.ID != "s" || rule != ByToolUse) {
				err = errors.New(s.ID + " by " + string(rule))
			}
			found <- err
		}()
		synctest.Wait()
		h.add(path, jsonLines(c.lines[had:]...))
		if err := <-found; err != nil {
			t.Error(err)
		}
	})
}
