package trial

import (
	"fmt"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"lspi/internal/testkit"
)

// Book holds what a model is told, step by step, against what the compiler says.
type Book struct {
	*Project
	Read  func(p *Project, text string) []Told
	Times []time.Duration // that the steps took

	truth map[string]bool // of the last step
	told  map[string]bool // those of truth that the model was told
	said  map[Told]bool   // how it was told them; another error may come into the same line
	due   map[string]bool // those that are new and were not told yet
	lost  map[string]bool // those that were due and are not awaited any more
	news  int             // true new errors that were told
	ahead map[string]bool // those that the model was told before the compiler comes to them

	Steps, Right, Late, Missing, Stale, Twice, Noise int
	// Clean are the code points that were told where no new error was.
	Clean int
}

// Told is an error that a text tells.
type Told struct{ Key, Message string }

// NewBook opens the book of a project as it is now.
func NewBook(p *Project) *Book {
	return &Book{Project: p, Read: ReadHook, truth: p.Truth(), told: map[string]bool{}, due: map[string]bool{},
		ahead: map[string]bool{}, said: map[Told]bool{}, lost: map[string]bool{}}
}

// Step enters what was told after a change, and returns what is wrong with it: "" for exactly the new errors.
func (b *Book) Step(text string) (wrong string) {
	b.Steps++
	b.advance()
	before := b.news
	wrong = b.enter(text)
	if len(b.due) == 0 && b.news == before {
		b.Clean += utf8.RuneCountInString(text)
	}
	for key := range b.due {
		wrong += "\nnot told: " + key
	}
	if len(b.due) > 0 {
		b.Late++
	}
	if wrong == "" {
		b.Right++
	}
	return wrong
}

// advance takes the truth of now: what is new is due, and what is gone is neither due nor told.
func (b *Book) advance() {
	truth := b.Truth()
	for key := range truth {
		if !b.truth[key] {
			b.due[key] = true
		}
	}
	b.truth = truth
	for _, set := range []map[string]bool{b.due, b.told, b.lost} {
		maps.DeleteFunc(set, func(key string, _ bool) bool { return !truth[key] })
	}
	maps.DeleteFunc(b.said, func(told Told, _ bool) bool { return !b.told[told.Key] })
	if len(b.ahead) == 0 {
		return
	}
	hidden := b.hiddenBehind(truth)
	for key := range b.ahead {
		if truth[key] {
			b.told[key] = true
			delete(b.due, key)
		}
		if !hidden[key] {
			delete(b.ahead, key)
		}
	}
}

// Wait enters what was told after the answer to a step, without another change, and returns what is wrong with it.
func (b *Book) Wait(text string) (wrong string) { return b.enter(text) }

// Due reports whether the model was not told all new errors yet.
func (b *Book) Due() bool { return len(b.due) > 0 }

// Miss notes that some errors of the last step are not awaited any more.
func (b *Book) Miss() {
	b.Late, b.Missing = b.Late-1, b.Missing+1
	maps.Copy(b.lost, b.due)
	clear(b.due)
}

// enter counts what was told, and returns what is wrong with it.
func (b *Book) enter(text string) (wrong string) {
	if text == "" {
		return ""
	}
	hidden := b.hiddenBehind(b.truth)
	var news []Told
	for _, told := range b.Read(b.Project, text) {
		key := told.Key
		switch {
		case hidden[key] && !b.ahead[key]:
			b.ahead[key] = true // each once
			b.news++
			continue
		case !hidden[key] && !b.truth[key]:
			b.Stale++
			wrong += "\nnot there: " + key
		case b.said[told] || hidden[key]:
			b.Twice++
			wrong += "\ntwice: " + key
		case !b.due[key] && !b.told[key] && !b.lost[key]:
			b.Noise++
			wrong += "\nnot new: " + key
		default:
			b.news++
		}
		news = append(news, told)
	}
	for _, told := range news { // several of one line are new together
		b.told[told.Key], b.said[told] = true, true
		delete(b.due, told.Key)
		delete(b.lost, told.Key)
	}
	return wrong
}

var toldFile, toldError = regexp.MustCompile(`^(\S.*) \(\d+\)$`), regexp.MustCompile(`^  (\d+):\d+-\d+:\d+ (error.*)`)

// ReadHook returns the errors that lspi hook tells.
func ReadHook(p *Project, text string) []Told { return readLines(p, text, toldFile, toldError) }

var claudeFile, claudeError = regexp.MustCompile(`^(\S+):$`), regexp.MustCompile(`^  ✘ \[Line (\d+):\d+\] (.*)`)

// ReadClaude returns the errors of Claude Code's own <new-diagnostics>, which names files without their folders.
func ReadClaude(p *Project, text string) []Told {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if m := claudeFile.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			for file := range p.Files {
				if path.Base(file) == path.Base(m[1]) {
					line = file + ":\n"
				}
			}
		}
		b.WriteString(line)
	}
	return readLines(p, b.String(), claudeFile, claudeError)
}

// readLines returns the errors of a text that has a line for each file, and below it one for each error.
func readLines(p *Project, text string, fileLine, errorLine *regexp.Regexp) (all []Told) {
	file := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if m := fileLine.FindStringSubmatch(line); m != nil {
			file = m[1]
		} else if m := errorLine.FindStringSubmatch(line); m != nil {
			if told := (Told{p.Key(file, m[1]), m[2]}); !slices.Contains(all, told) {
				all = append(all, told)
			}
		}
	}
	return all
}

// Wrong is how much was told that was not to be told.
func (b *Book) Wrong() int { return b.Stale + b.Twice + b.Noise }

// String says what the trial showed.
func (b *Book) String() string {
	p50, p90 := b.quantiles()
	return fmt.Sprintf("%d steps, %d right, %d late, %d missing, %d stale, %d twice, %d not new, "+
		"%d characters for clean edits; p50 %v, p90 %v", b.Steps, b.Right, b.Late, b.Missing, b.Stale, b.Twice, b.Noise, b.Clean, p50, p90)
}

// quantiles returns the median and the 90th percentile of the times.
func (b *Book) quantiles() (p50, p90 time.Duration) {
	if len(b.Times) == 0 {
		return 0, 0
	}
	slices.Sort(b.Times)
	return b.Times[len(b.Times)/2], b.Times[len(b.Times)*9/10]
}

// Head is the head of a table of [Book.Row], whose first column has this title.
func Head(title string) string {
	return "| " + title + " | edits | right | late | missing | of an old text | twice | not new | " +
		"characters for clean edits | p50 | p90 |\n|---|---|---|---|---|---|---|---|---|---|---|\n"
}

// Row is what the trial showed, for a table. Where nothing was timed the last two cells are empty.
func (b *Book) Row(title string) string {
	times := " | |"
	if len(b.Times) > 0 {
		p50, p90 := b.quantiles()
		times = fmt.Sprintf(" %d ms | %d ms |", p50.Milliseconds(), p90.Milliseconds())
	}
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %d | %d | %d |%s\n", title, b.Steps, b.Right, b.Late,
		b.Missing, b.Stale, b.Twice, b.Noise, b.Clean, times)
}

// WriteRows puts rows into the table with this head of a page: in the place of those with the same first cell, so that
// a part of a trial may run alone.
func WriteRows(t testing.TB, name, head string, rows []string) {
	t.Helper()
	page, err := os.ReadFile(name)
	testkit.Must(t, err)
	before, after, found := strings.Cut(string(page), head)
	if !found {
		t.Fatalf("%s has no such table", name)
	}
	var all []string
	for strings.HasPrefix(after, "|") {
		line, rest, _ := strings.Cut(after, "\n")
		all, after = append(all, line+"\n"), rest
	}
	for _, row := range rows {
		first, _, _ := strings.Cut(row[1:], "|")
		i := slices.IndexFunc(all, func(line string) bool { return strings.HasPrefix(line, "|"+first+"|") })
		if i < 0 {
			all = append(all, row)
		} else {
			all[i] = row
		}
	}
	slices.Sort(all)
	testkit.Must(t, os.WriteFile(name, []byte(before+head+strings.Join(all, "")+after), 0o644))
}
