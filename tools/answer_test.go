package tools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lspi/contract"
)

// ready is the step of an answer that applies, nil when there is none.
func (a reply) ready() map[string]any {
	for _, step := range a["next_steps"].([]any) {
		arguments, _ := step.(map[string]any)["arguments"].(map[string]any)
		if arguments["dry_run"] == false {
			return arguments
		}
	}
	return nil
}

// digests are those of the files of a preview.
func (a reply) digests() map[string]any {
	out := map[string]any{}
	for _, f := range a["files"].([]any) {
		out[f.(map[string]any)["file_path"].(string)] = f.(map[string]any)["before_sha256"]
	}
	return out
}

// kinds are those of the warnings.
func (a reply) kinds() []string {
	var out []string
	for _, w := range a["warnings"].([]any) {
		out = append(out, fmt.Sprint(w.(map[string]any)["kind"]))
	}
	return out
}

// fault is the precise reason of an error with its fact reason.
func (a reply) fault() string {
	e, ok := a["error"].(map[string]any)
	if !ok {
		return ""
	}
	fault := e["data"].(map[string]any)["lspi_error"].(map[string]any)
	return strings.TrimSuffix(fmt.Sprint(fault["kind"], " ", fault["reason"]), " <nil>")
}

// onlyLooks makes sure that no step of an answer writes when it is run as it is, but for the one that agrees to the very
// preview that it stands in. Every answer of this package's tests goes through it.
func onlyLooks(t testing.TB, tool string, arguments map[string]any, a reply) {
	t.Helper()
	steps, _ := a["next_steps"].([]any)
	for _, s := range steps {
		step := s.(map[string]any)
		given, _ := step["arguments"].(map[string]any)
		if step["kind"] != "tool" || !(given["dry_run"] == false || given["apply_if_clean"] == true) {
			continue
		}
		switch {
		case a["ok"] != true:
			t.Errorf("%s %v: the error offers to write: %v", tool, arguments, step)
		case step["tool"] != tool || arguments["dry_run"] == false || arguments["apply_if_clean"] == true || a["applied"] == true:
			t.Errorf("%s %v: what was no preview offers to write: %v", tool, arguments, step)
		case tool == "rename_symbol" && slices.ContainsFunc(a.kinds(), func(k string) bool {
			return k != "truncated" && contract.WarningKind(k).Effect() == contract.Partial
		}):
			t.Errorf("%s %v: a partial preview offers to write: %v", tool, arguments, step)
		}
	}
}

// warningOf is the first warning of a kind; nil when there is none.
func warningOf(a reply, kind string) map[string]any {
	for _, w := range a["warnings"].([]any) {
		if one := w.(map[string]any); one["kind"] == kind {
			return one
		}
	}
	return nil
}

// warningAbout is the message of the first warning of a kind; "" without one.
func warningAbout(a reply, kind string) string {
	message, _ := warningOf(a, kind)["message"].(string)
	return message
}
