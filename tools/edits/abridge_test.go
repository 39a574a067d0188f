package edits

import (
	"fmt"
	"testing"

	"lspi/internal/testkit"
)

// Numbers are the changes of each file; what is left are those and the files that are not named.
func TestAbridge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		changes []int
		want    string
	}{
		{[]int{3, 7}, "[3 7] +0 false"},
		{[]int{3, 8}, "[3 7] +0 true"},
		{[]int{12, 1, 1}, "[10] +2 true"},
		{[]int{10, 2, 1}, "[10 0] +1 true"},
		{nil, "[] +0 false"},
	} {
		o := ChangeOut{}
		for _, n := range c.changes {
			o.Files = append(o.Files, FileChange{Changes: make([]string, n)})
		}
		cut := o.abridge()
		left := []int{}
		for _, f := range o.Files {
			left = append(left, len(f.Changes))
		}
		testkit.Equal(t, fmt.Sprintf("%v +%d %t", left, o.FilesMore, cut), c.want, fmt.Sprint(c.changes))
	}
}
