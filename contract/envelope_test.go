package contract

import (
	"encoding/json"
	"testing"
)

// The original lspi's word for an error stands beside ours, where it was another one; it had one for a refused rename,
// and none for the refusal of any other request.
func TestOriginalKinds(t *testing.T) {
	for _, c := range []struct {
		kind  Kind
		facts Facts
		want  any
	}{
		{KindAmbiguousSymbol, nil, "needs_disambiguation"},
		{KindSymbolNotFound, nil, "no_match"},
		{KindOutsideWorkspace, nil, "outside_allowed_roots"},
		{KindUnknownTool, nil, "not_implemented"},
		{KindRequestUnsupported, nil, "method_not_supported"},
		{KindRequestFailed, Facts{"method": "textDocument/rename"}, "rename_failed"},
		{KindRequestFailed, Facts{"method": "textDocument/prepareRename"}, "rename_failed"},
		{KindRequestFailed, Facts{"method": "textDocument/hover"}, nil},
		{KindNoServerForExtension, nil, nil},
		{KindReadOnly, nil, nil},
	} {
		raw, err := json.Marshal(Envelope{Error: Errorf(c.kind, c.facts, "it fails")})
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Error struct {
				Data struct {
					Original any `json:"original_kind"`
					Ours     struct {
						Kind Kind
					} `json:"lspi_error"`
				}
			}
		}
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		if d := got.Error.Data; d.Original != c.want || d.Ours.Kind != c.kind {
			t.Errorf("%s %v: %s", c.kind, c.facts, raw)
		}
	}
	for kind := range originalKinds {
		if _, ok := errorRows[kind]; !ok {
			t.Errorf("%s is no kind", kind)
		}
	}
}
