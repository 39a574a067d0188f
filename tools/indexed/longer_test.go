package indexed

import "testing"

type list []string

func (l list) Size() int        { return len(l) }
func (l list) Places() []string { return l }

// Of two answers that are not proven, the longer one stands only if it loses nothing of the other.
func TestLonger(t *testing.T) {
	for _, c := range []struct {
		found, than list
		want        bool
	}{
		{list{"a:1", "b:2"}, nil, true},
		{list{"a:1", "b:2"}, list{"b:2"}, true},
		{list{"a:1", "b:2"}, list{"a:1", "b:2"}, false},
		{list{"a:1", "b:2"}, list{"c.py:3"}, false},
	} {
		if got := longer(c.found, c.than); got != c.want {
			t.Errorf("longer(%v, %v) = %v", c.found, c.than, got)
		}
	}
}
