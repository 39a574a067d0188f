package golang

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"lspi/internal/testkit"
)

func TestGoFlags(t *testing.T) {
	for _, c := range []struct{ flags, want []string }{
		{nil, nil},
		{[]string{"-mod=mod"}, nil},
		{[]string{"-tags=a,b", "-race"}, []string{"a", "b"}},
		{[]string{"-tags", "a b"}, []string{"a", "b"}},
		{[]string{"-tags=a", "--tags='c'"}, []string{"c"}},
	} {
		if got := BuildTags(c.flags); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v", c.flags, got)
		}
	}
	for version, want := range map[string]int{"go1.26.3": 26, "go1.27rc1": 27, "go1.21": 21, "devel +abc": 0} {
		if got := ReleaseTags(version); len(got) != want || want > 0 && got[0] != "go1.1" {
			t.Errorf("%s: %v", version, got)
		}
	}
}

func TestMentionsOfGo(t *testing.T) {
	m := MentionsOf("/p/x.go", `package x

import "ex.com/a-b/pkg"

// NotHere is only in a comment.
type T struct {
	pkg.Base
	Field int
}

type I interface{ Do() }

func (T) Method() { local := "NotThis"; _ = local }

func F() {`) // broken
	for _, c := range []struct {
		name                      string
		words, declared, embedded bool
	}{
		{"NotHere", false, false, false},
		{"NotThis", false, false, false},
		{"local", true, false, false},
		{"pkg", true, false, true},
		{"b", true, false, false},
		{"Base", true, false, true},
		{"Field", true, true, false},
		{"Do", true, true, false},
		{"Method", true, true, false},
		{"T.Method", false, true, false},
		{"x.T.Field", false, true, false},
		{"F", true, true, false},
	} {
		if m.Words[c.name] != c.words || m.Declared[c.name] != c.declared || m.Embedded[c.name] != c.embedded {
			t.Errorf("%s: %v %v %v", c.name, m.Words[c.name], m.Declared[c.name], m.Embedded[c.name])
		}
	}
}

// The build is that of the variables, and of this machine where they say nothing, whatever the environment of this
// process is.
func TestBuildOfAnEnvironment(t *testing.T) {
	native := fmt.Sprintf("%s %s true []", runtime.GOOS, runtime.GOARCH)
	for name, c := range map[string]struct {
		env  map[string]string
		want string
	}{
		"nothing":       {nil, native},
		"another port":  {map[string]string{"GOOS": "plan9", "GOARCH": "386"}, "plan9 386 false []"},
		"cgo elsewhere": {map[string]string{"GOOS": "plan9", "GOARCH": "386", "CGO_ENABLED": "1"}, "plan9 386 true []"},
		"no cgo": {map[string]string{"CGO_ENABLED": "0"}, fmt.Sprintf("%s %s false []", runtime.GOOS,
			runtime.GOARCH)},
		"tags": {map[string]string{"GOFLAGS": "-mod=mod -tags=x,y"},
			fmt.Sprintf("%s %s true [x y]", runtime.GOOS, runtime.GOARCH)},
	} {
		b := Build(func(name string) string { return c.env[name] })
		testkit.Equal(t, fmt.Sprint(b.GOOS, " ", b.GOARCH, " ", b.CgoEnabled, " ", b.BuildTags), c.want, name)
	}
}
