package source

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// Regexp is a regular expression that is compiled at its first use. Compiling all of them would take an eighth of
// lspi's start, and most are for languages that the workspace does not have. Go's own internal/lazyregexp cannot be
// imported. Its methods are those of [regexp.Regexp].
type Regexp struct{ compiled func() *regexp.Regexp }

// inTest says that this is the binary of a test, by its name: importing package testing would put it into lspi.
var inTest = strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")

// LazyRegexp is [regexp.MustCompile] at the first use. In tests it compiles at once, so that they find a malformed
// expression.
func LazyRegexp(expression string) *Regexp {
	re := &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
	if inTest {
		re.compiled()
	}
	return re
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
