package contract

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func TestMembers(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{` {"a" : 1.10, "\u0062":[ {} ] , "c":"\"}"} `, `"a" 1.10,"\u0062" [ {} ],"c" "\"}",true`},
		{`{}`, `true`},
		{`{"a":1}{}`, `"a" 1,false`},
		{`{"a":1`, `"a" 1,false`},
		{`{"a":1,"a":2}`, `"a" 1,false`},
		{`{"a":01}`, `"a" 0,false`},
		{`{"a":1,}`, `"a" 1,false`},
		{"{\"a\":\"\xff\"}", `false`},
		{`[1]`, `false`},
		{`null`, `false`},
		{``, `false`},
		{`{"stop":1,"a":2}`, `"stop" 1,false`},
	} {
		var got []string
		whole := Members([]byte(c.in), func(name, value jsontext.Value) bool {
			got = append(got, string(name)+" "+string(value))
			return string(name) != `"stop"`
		})
		if got := strings.Join(append(got, fmt.Sprint(whole)), ","); got != c.want {
			t.Errorf("%s: %s, want %s", c.in, got, c.want)
		}
	}
}

// FuzzMembers holds what is given against what encoding/json decodes.
func FuzzMembers(f *testing.F) {
	f.Add([]byte(`{"a":{"b":[1,"x"]},"c":null}`))
	f.Fuzz(func(t *testing.T, object []byte) {
		got := map[string]json.RawMessage{}
		if !Members(object, func(name, value jsontext.Value) bool {
			var plain string
			if err := json.Unmarshal(name, &plain); err != nil {
				t.Fatal(err)
			}
			got[plain] = json.RawMessage(value)
			return true
		}) {
			return
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(object, &want); err != nil {
			t.Fatalf("%q: %v", object, err)
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Error(diff)
		}
	})
}
