package callpath

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// calls is a graph in text: "a>b" for a call. "!a" has no answer about a, "?a" may have callers that nobody lists.
type calls struct {
	mu    sync.Mutex
	edges []string
	asked []string
}

var errNone = errors.New("no answer")

func (c *calls) ask(node, direction string, of func(from, to string) string) (out []string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, node+direction)
	for _, edge := range c.edges {
		if edge == "!"+node {
			return nil, errNone
		}
		if from, to, ok := strings.Cut(edge, ">"); ok {
			if next := of(from, to); next != "" {
				out = append(out, next)
			}
		}
	}
	return out, nil
}

func (c *calls) Callees(_ context.Context, node string) ([]string, error) {
	return c.ask(node, ">", func(from, to string) string { return map[string]string{from: to}[node] })
}

func (c *calls) Callers(_ context.Context, node string) ([]string, error) {
	return c.ask(node, "<", func(from, to string) string { return map[string]string{to: from}[node] })
}

func (c *calls) Hidden(node string) bool { return slices.Contains(c.edges, "?"+node) }

func (c *calls) Final(err error) bool { return !errors.Is(err, errNone) }

// wide are the calls of a function by n others.
func wide(to string, n int) (out string) {
	for i := range n {
		out += fmt.Sprintf(" w%s%d>%s", to, i, to)
	}
	return out
}

func TestSearch(t *testing.T) {
	for _, test := range []struct{ what, edges, ends, want string }{
		{"a path", "a>b b>c", "a c", "0-1 a b c"},
		{"the other way round", "a>b b>c", "c a", "1-0 a b c"},
		{"a shortest one", "a>b b>c c>d a>x x>d", "a d", "0-1 a x d"},
		{"none, as what one reaches shows", "a>b c>d x>a", "a c", "0|1 along a,b,c,d"},
		{"none, as nothing calls the one and it calls nothing", "b>c", "a c", "0|1 along a,c"},
		{"a circle", "a>b b>a c>c", "a c", "0|1 along a,b,c"},
		{"one end of several", "a>b z>c", "x,a b", "0-1 a b"},
		{"a shared node", "", "a,b b,c", "0-1 b"},
		{"three", "a>b b>c", "a b c", "0-1 a b; 0-2 a b c; 1-2 b c"},
		{"a node without an answer", "a>b b>c !b !c", "a c", "0|1 failed"},
		{"too deep", "a>b b>c c>d d>e e>f f>g g>h h>i", "a i", "0|1 depth"},
		{"hidden callers", "a>b b>d b>e b>f b>g b>h b>i ?z", "a z", "0|1 wide"},
		{"a hub is not asked for its callers", "a>b b>c" + wide("c", 9), "a c", "0-1 a b c"},
	} {
		g := &calls{edges: strings.Fields(test.edges)}
		var ends [][]string
		for _, end := range strings.Fields(test.ends) {
			ends = append(ends, strings.Split(end, ","))
		}
		r, err := Search(t.Context(), g, ends, Bounds{Requests: 40, Level: 5, Depth: 3,
			Until: time.Now().Add(time.Hour), Parallel: 2})
		if err != nil {
			t.Fatal(err)
		}
		if got := shown(r); got != test.want {
			t.Errorf("%s: got %q, want %q (asked %v)", test.what, got, test.want, g.asked)
		}
		slices.Sort(g.asked)
		if len(slices.Compact(g.asked)) != r.Requests {
			t.Errorf("%s: a question was put twice, or not counted: %v", test.what, g.asked)
		}
	}
}

func shown(r Result) string {
	var out []string
	for _, p := range r.Paths {
		out = append(out, fmt.Sprintf("%d-%d %s", p.From, p.To, strings.Join(p.Nodes, " ")))
	}
	for _, g := range r.Gaps {
		text := fmt.Sprintf("%d|%d", g.A, g.B)
		for _, b := range g.Bounds {
			text += " " + string(b)
		}
		if len(g.Along) > 0 {
			text += " along " + strings.Join(g.Along, ",")
		}
		if len(g.Against) > 0 {
			text += " against " + strings.Join(g.Against, ",")
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

func TestSearchEnds(t *testing.T) {
	g := &calls{edges: []string{"a>b"}}
	r, err := Search(t.Context(), g, [][]string{{"a"}, {"c"}}, Bounds{Requests: 40, Level: 5, Depth: 3})
	if err != nil || shown(r) != "0|1 time" {
		t.Errorf("without time: %v, %v", shown(r), err)
	}
	r, err = Search(t.Context(), g, [][]string{{"a"}, {"c"}}, Bounds{Requests: 1, Level: 5, Depth: 3,
		Until: time.Now().Add(time.Hour)})
	if err != nil || shown(r) != "0|1 requests" {
		t.Errorf("with one question: %v, %v", shown(r), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Search(ctx, g, [][]string{{"a"}, {"c"}}, Bounds{Requests: 40, Level: 5, Depth: 3,
		Until: time.Now().Add(time.Hour)}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
