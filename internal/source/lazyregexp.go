package source

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression that is compiled at its first use. Compiling all of them would take an eighth of
// lspi's start, and most are for languages that the workspace does not have. Go's own internal/lazyregexp cannot be
// imported. Its methods are those of [regexp.Regexp].
type Regexp struct{ compiled func() *regexp.Regexp }

// lazy are all expressions of the program.
var lazy []*Regexp

// LazyRegexp is [regexp.MustCompile] at the first use. It is for the variables of packages: a test of cmd/lspi, which
// has all of them, compiles each ([CompileAll]).
func LazyRegexp(expression string) *Regexp {
	re := &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
	lazy = append(lazy, re)
	return re
}

// CompileAll compiles all expressions and panics at a malformed one. It is for tests.
func CompileAll() (count int) {
	for _, re := range lazy {
		re.compiled()
	}
	return len(lazy)
}

// MatchString is of [regexp.Regexp].
func (re *Regexp) MatchString(s string) bool {
	return re.compiled().MatchString(s)
}

// FindString is of [regexp.Regexp].
func (re *Regexp) FindString(s string) string {
	return re.compiled().FindString(s)
}

// FindStringIndex is of [regexp.Regexp].
func (re *Regexp) FindStringIndex(s string) []int {
	return re.compiled().FindStringIndex(s)
}

// FindStringSubmatch is of [regexp.Regexp].
func (re *Regexp) FindStringSubmatch(s string) []string {
	return re.compiled().FindStringSubmatch(s)
}

// FindStringSubmatchIndex is of [regexp.Regexp].
func (re *Regexp) FindStringSubmatchIndex(s string) []int {
	return re.compiled().FindStringSubmatchIndex(s)
}

// FindAllString is of [regexp.Regexp].
func (re *Regexp) FindAllString(s string, n int) []string {
	return re.compiled().FindAllString(s, n)
}

// FindAllStringIndex is of [regexp.Regexp].
func (re *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return re.compiled().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch is of [regexp.Regexp].
func (re *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return re.compiled().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex is of [regexp.Regexp].
func (re *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return re.compiled().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllString is of [regexp.Regexp].
func (re *Regexp) ReplaceAllString(src, repl string) string {
	return re.compiled().ReplaceAllString(src, repl)
}

// ReplaceAllStringFunc is of [regexp.Regexp].
func (re *Regexp) ReplaceAllStringFunc(src string, repl func(string) string) string {
	return re.compiled().ReplaceAllStringFunc(src, repl)
}

// Match is of [regexp.Regexp].
func (re *Regexp) Match(b []byte) bool {
	return re.compiled().Match(b)
}

// FindAllSubmatch is of [regexp.Regexp].
func (re *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte {
	return re.compiled().FindAllSubmatch(b, n)
}

// Split is of [regexp.Regexp].
func (re *Regexp) Split(s string, n int) []string {
	return re.compiled().Split(s, n)
}
