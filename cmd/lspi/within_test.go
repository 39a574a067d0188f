package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// checkWithin compares an answer with what has to be found in it.
func checkWithin(got json.RawMessage, want string) error {
	var g, w any
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		return fmt.Errorf("what is wanted is not JSON: %w", err)
	}
	if err := json.Unmarshal(got, &g); err != nil {
		return err
	}
	if where := within(g, w, "answer"); where != "" {
		return fmt.Errorf("%s\nin %.3000s", where, got)
	}
	return nil
}

// within says what of want is missing in got; "" when nothing is. Objects may have more members; a list may have more
// elements, and each one wanted has to be found somewhere in it, but an empty one has to be empty; a string that begins
// with ~ is a regular expression; everything else is equal.
func within(got, want any, at string) string {
	switch want := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return fmt.Sprintf("%s is %v, not an object", at, got)
		}
		for key, w := range want {
			v, there := g[key]
			if !there {
				return fmt.Sprintf("%s has no %s", at, key)
			}
			if where := within(v, w, at+"."+key); where != "" {
				return where
			}
		}
		return ""
	case []any:
		return listWithin(got, want, at)
	case string:
		if pattern, ok := strings.CutPrefix(want, "~"); ok {
			if text, ok := got.(string); !ok || !regexp.MustCompile(pattern).MatchString(text) {
				return fmt.Sprintf("%s is %v, which does not match %s", at, got, pattern)
			}
			return ""
		}
	}
	if got != want {
		return fmt.Sprintf("%s is %v, not %v", at, got, want)
	}
	return ""
}

func listWithin(got any, want []any, at string) string {
	g, ok := got.([]any)
	if !ok || len(want) == 0 && len(g) > 0 {
		return fmt.Sprintf("%s is %v, not a list like %v", at, got, want)
	}
	for _, w := range want {
		found := false
		for i, v := range g {
			if within(v, w, fmt.Sprintf("%s[%d]", at, i)) == "" {
				found = true
				break
			}
		}
		if !found {
			return fmt.Sprintf("%s has no %v", at, w)
		}
	}
	return ""
}

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		got, want string
		ok        bool
	}{
		{`{"a":1,"b":[1,2]}`, `{"b":[2]}`, true},
		{`{"a":1}`, `{"a":2}`, false},
		{`{"a":1}`, `{"b":1}`, false},
		{`{"a":[1]}`, `{"a":[]}`, false},
		{`{"a":[]}`, `{"a":[]}`, true},
		{`{"a":"xyz"}`, `{"a":"~^x"}`, true},
		{`{"a":"xyz"}`, `{"a":"~^y"}`, false},
		{`{"a":null}`, `{"a":null}`, true},
		{`{"a":[{"k":1,"x":2}]}`, `{"a":[{"k":1}]}`, true},
	} {
		if err := checkWithin(json.RawMessage(c.got), c.want); (err == nil) != c.ok {
			t.Errorf("%s in %s: %v", c.want, c.got, err)
		}
	}
}
