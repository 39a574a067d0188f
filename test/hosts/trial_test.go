//go:build linux

package hosts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/test/trial"
)

// change is an edit of a file.
type change struct {
	path, rel string
	was, now  string // the whole text
	old, new  string // what differs, which is in was once
}

// trialHost is how the model of a host changes files.
type trialHost struct {
	host  string
	more  []string // arguments of the host
	edit  func(c change) question
	write func(c change) question
	shell func(command string) question
	read  func(path string) question // before a file is edited; nil where the host does not ask for it
}

var trialHosts = []trialHost{
	{"claude", []string{"Bash", "Edit", "Write", "Read", "--permission-mode", "acceptEdits"},
		func(c change) question {
			return question{tool: "Edit", arguments: object{"file_path": c.path, "old_string": c.old, "new_string": c.new}}
		},
		func(c change) question {
			return question{tool: "Write", arguments: object{"file_path": c.path, "content": c.now}}
		},
		func(command string) question { return question{tool: "Bash", arguments: object{"command": command}} },
		func(path string) question { return question{tool: "Read", arguments: object{"file_path": path}} }},
	// Codex gives apply_patch to the models that it knows.
	{"codex", []string{"--dangerously-bypass-hook-trust", "-m", "gpt-5.5"},
		func(c change) question { return question{tool: "apply_patch", arguments: object{"input": patch(c)}} },
		func(c change) question { return codexShell("cat >" + c.rel + " <<'EOF'\n" + c.now + "EOF") },
		codexShell, nil},
	{"gemini", nil,
		func(c change) question {
			return question{tool: "replace", arguments: object{"file_path": c.path, "old_string": c.old,
				"new_string": c.new, "instruction": "Change " + c.rel + " as the test says."}}
		},
		func(c change) question {
			return question{tool: "write_file", arguments: object{"file_path": c.path, "content": c.now}}
		},
		func(command string) question {
			return question{tool: "run_shell_command", arguments: object{"command": command, "description": "a step of the test"}}
		}, nil},
}

func codexShell(command string) question {
	return question{tool: "exec_command", arguments: object{"cmd": command}}
}

// patch is a change as apply_patch reads it, with the whole file as context.
func patch(c change) string {
	was, now := strings.Split(strings.TrimSuffix(c.was, "\n"), "\n"), strings.Split(strings.TrimSuffix(c.now, "\n"), "\n")
	first := 0
	for first < min(len(was), len(now)) && was[first] == now[first] {
		first++
	}
	last := 0
	for last < min(len(was), len(now))-first && was[len(was)-1-last] == now[len(now)-1-last] {
		last++
	}
	var b strings.Builder
	fmt.Fprintf(&b, "*** Begin Patch\n*** Update File: %s\n@@\n", c.rel)
	write := func(mark string, lines []string) {
		for _, line := range lines {
			b.WriteString(mark + line + "\n")
		}
	}
	write(" ", was[:first])
	write("-", was[first:len(was)-last])
	write("+", now[first:len(now)-last])
	write(" ", was[len(was)-last:])
	return b.String() + "*** End Patch\n"
}

// trialSteps are the edits in each language, half of which break something. LSPI_HOOK_STEPS is another number.
const trialSteps = 40

// TestHookTrial has the models of the real hosts play the edits of test/trial, and holds what the next requests to the
// model have of lspi hook against the compiler. LSPI_HOOKS=hosts runs it, for the hosts of LSPI_HOSTS in the languages
// of LSPI_HOOK_LANGUAGES (all by default). -update writes their rows into docs/hooks.md.
func TestHookTrial(t *testing.T) {
	if os.Getenv("LSPI_HOOKS") != "hosts" {
		t.Skip("LSPI_HOOKS=hosts plays edits in the real hosts (make hooks-hosts)")
	}
	for _, h := range trialHosts {
		t.Run(h.host, func(t *testing.T) {
			p := wanted(t, h.host)
			for _, lang := range trial.Languages {
				t.Run(lang.Name, func(t *testing.T) { playTrial(t, p, h, lang, withHooks) })
			}
		})
	}
}

// telling is a way in which a host comes to tell its model of errors.
type telling struct {
	title   string // behind that of the host
	begins  *regexp.Regexp
	read    func(p *trial.Project, text string) []trial.Told
	install func(s *hostRun, p program, lang trial.Language) start
}

var withHooks = telling{begins: regexp.MustCompile(`lspi: \d+ new errors? since the last change`), read: trial.ReadHook,
	install: func(s *hostRun, p program, _ trial.Language) start { return s.setupHooks(p) }}

// ownServers are the programs of a plugin with which Claude Code itself asks language servers, by language.
var ownServers = map[string]object{
	"go": {"gopls": object{"command": "gopls", "extensionToLanguage": object{".go": "go"}}},
	"typescript": {"typescript": object{"command": "typescript-language-server", "args": []string{"--stdio"},
		"extensionToLanguage": object{".ts": "typescript"}}},
	"python": {"pyright": object{"command": "pyright-langserver", "args": []string{"--stdio"},
		"extensionToLanguage": object{".py": "python"}}},
	"rust": {"rust-analyzer": object{"command": "rust-analyzer", "extensionToLanguage": object{".rs": "rust"}}},
	"cpp":  {"clangd": object{"command": "clangd", "extensionToLanguage": object{".cc": "cpp", ".h": "cpp"}}},
}

// withOwn is Claude Code's own way: a plugin names language servers, and it shows its model what they publish.
var withOwn = telling{title: ", its own LSP", begins: regexp.MustCompile(`<new-diagnostics>`), read: trial.ReadClaude,
	install: func(s *hostRun, p program, lang trial.Language) start {
		begin := p.start(s)
		s.write("market/.claude-plugin/marketplace.json", object{"name": "own", "owner": object{"name": "test"},
			"plugins": []object{{"name": "own", "source": "./own", "description": "servers", "version": "1.0.0"}}})
		s.write("market/own/.claude-plugin/plugin.json", object{"name": "own", "description": "servers", "version": "1.0.0"})
		s.write("market/own/.lsp.json", ownServers[lang.Name])
		for _, args := range [][]string{{"plugin", "marketplace", "add", filepath.Join(s.home, "market")},
			{"plugin", "install", "own@own"}} {
			s.Log(s.run(s.launcher(p), args, begin.environment))
		}
		return begin
	}}

// The same edits in Claude Code with language servers of its own and without lspi, for the table beside it.
func TestHookTrialOwn(t *testing.T) {
	if os.Getenv("LSPI_HOOKS") != "hosts" {
		t.Skip("LSPI_HOOKS=hosts plays edits in the real hosts (make hooks-hosts)")
	}
	p := wanted(t, "claude")
	for _, lang := range trial.Languages {
		t.Run(lang.Name, func(t *testing.T) { playTrial(t, p, trialHosts[0], lang, withOwn) })
	}
}

// playTrial plays the edits of one language in one host.
func playTrial(t *testing.T, p program, h trialHost, lang trial.Language, how telling) {
	if !trial.Wanted(lang) {
		t.Skip("LSPI_HOOK_LANGUAGES has other languages")
	}
	testkit.Need(t, append(lang.Needs, "git")...)
	s := newTrialSession(t)
	project := trial.NewProject(t, lang, s.project, append(os.Environ(), "GOFLAGS=", "GIT_CONFIG_GLOBAL=/dev/null"))
	start := how.install(s, p, lang)
	pl := &player{hostRun: s, t: t, how: how, host: h, book: trial.NewBook(project), steps: trialSteps,
		times: s.timeHooks()}
	pl.book.Read = how.read
	if n, err := strconv.Atoi(os.Getenv("LSPI_HOOK_STEPS")); err == nil {
		pl.steps = n
	}
	s.model.script, s.model.play = nil, pl.next
	version := firstVersion(s.run(s.launcher(p), []string{"--version"}, nil))
	output := s.run(s.launcher(p), append(start.arguments, h.more...), start.environment)
	t.Logf("%s %s%s, %s: %v", p.title, version, how.title, lang.Name, pl.book)
	if pl.book.Right < pl.book.Steps {
		logs, _ := os.ReadFile(filepath.Join(s.home, "lspi.log"))
		t.Logf("%s\n%s\n%s", logs, s.run(filepath.Join(s.bin, "lspi"), []string{"daemon", "logs"}, nil), output)
	}
	if pl.book.Steps < pl.steps {
		t.Fatalf("%d of %d edits were played\n%s", pl.book.Steps, pl.steps, output)
	}
	if how.title == "" && pl.book.Wrong()+pl.book.Clean > 0 {
		t.Error("the model was told something else than what the compiler says")
	}
	if *update {
		title := fmt.Sprintf("%s %s%s: %s", p.title, version, how.title, lang.Title)
		trial.WriteRows(t, "../../docs/hooks.md", trial.Head("host: language, server"), []string{pl.book.Row(title)})
	}
}

// newTrialSession is a session with an empty project, in a home that has the caches and toolchains of the user.
func newTrialSession(t *testing.T) *hostRun {
	s := newSession(t, testkit.Program(t))
	testkit.Must(t, os.RemoveAll(s.project))
	s.project = testkit.TempDir(t)
	s.limit = time.Hour
	cache, err := os.UserCacheDir()
	testkit.Must(t, err)
	user, err := os.UserHomeDir()
	testkit.Must(t, err)
	for name, real := range map[string]string{".cache/go-build": goEnv(t, "GOCACHE"),
		".cache/gopls": filepath.Join(cache, "gopls"), ".rustup": filepath.Join(user, ".rustup"),
		".cargo": filepath.Join(user, ".cargo")} {
		testkit.Must(t, os.MkdirAll(filepath.Dir(filepath.Join(s.home, name)), 0o700))
		testkit.Link(t, real, filepath.Join(s.home, name))
	}
	s.write(".config/lspi/config.toml", "trust = \"all\"\n[logging]\nlevel = \"info\"\nfile = "+
		asJSON(filepath.Join(s.home, "lspi.log"))+"\n")
	return s
}

// timeHooks puts a program in the place of lspi that notes how long each lspi hook takes, and returns what reads it.
func (s *hostRun) timeHooks() func() []time.Duration {
	s.Helper()
	lspi, file := filepath.Join(s.bin, "lspi"), filepath.Join(s.home, "hooks")
	real, err := os.Readlink(lspi)
	testkit.Must(s, err)
	testkit.Must(s, os.Remove(lspi))
	testkit.WriteProgram(s, lspi, fmt.Sprintf(`#!/bin/sh
[ "$1" = hook ] || exec %[1]s "$@"
began=$(date +%%s%%N)
%[1]s "$@"
echo $began $(date +%%s%%N) >>%[2]s
`, real, file))
	read := 0
	return func() (all []time.Duration) {
		raw, _ := os.ReadFile(file) // it is not there before the first hook
		lines := strings.Fields(string(raw))
		for ; read+1 < len(lines); read += 2 {
			began, _ := strconv.Atoi(lines[read])
			ended, _ := strconv.Atoi(lines[read+1])
			all = append(all, time.Duration(ended-began))
		}
		return all
	}
}

// player decides what the model of a host does next.
type player struct {
	*hostRun
	t     *testing.T
	how   telling
	host  trialHost
	book  *trial.Book
	times func() []time.Duration // of the hooks since it was called last
	steps int

	begun  bool
	seen   int               // texts that the requests had so far
	step   int               // how many edits were asked for
	want   map[string]string // texts of files after the edit that runs; nil while none runs
	doing  string            // that edit, in words
	queue  []question        // what comes before the next edit is judged
	waits  int               // calls that change nothing since the last edit
	known  map[string]string // texts that the model has read or written
	broken trial.Break       // that the next step mends
}

// maxWaits is how often the model is asked, behind an edit whose errors are late, what comes next.
const maxWaits = 3

// next returns the call that follows on a request.
func (p *player) next(body []byte) (question, bool) {
	text := p.news(body)
	switch {
	case !p.begun:
		p.begin()
	case p.want != nil && len(p.queue) == 0:
		p.judge(text)
	default:
		p.times()
		p.complain(p.book.Wait(text), text)
	}
	if len(p.queue) > 0 {
		q := p.queue[0]
		p.queue = p.queue[1:]
		return q, true
	}
	if p.book.Due() {
		if p.waits++; p.waits <= maxWaits {
			return p.host.shell(fmt.Sprintf("sleep 1 # %d, %d", p.step, p.waits)), true // a model takes longer
		}
		p.book.Miss()
	}
	return p.edit()
}

// begin waits for the servers where lspi tells.
func (p *player) begin() {
	p.begun, p.known = true, map[string]string{}
	if p.how.title == "" {
		testkit.Wait(p.t, "the server", func() bool {
			status := exec.Command(filepath.Join(p.bin, "lspi"), "status", "--json")
			status.Env = p.environment
			out, _ := status.Output()
			return strings.Contains(string(out), `"ready": true`)
		})
	}
}

// news returns what a request tells that those before did not.
func (p *player) news(body []byte) string {
	var all []string
	dec := json.NewDecoder(bytes.NewReader(body))
	for token, err := dec.Token(); err == nil; token, err = dec.Token() {
		text, _ := token.(string)
		for at := p.how.begins.FindStringIndex(text); at != nil; at = p.how.begins.FindStringIndex(text) {
			text = text[at[0]:]
			end := len(text)
			if next := p.how.begins.FindStringIndex(text[1:]); next != nil {
				end = next[0] + 1
			}
			told, _, _ := strings.Cut(text[:end], "</")
			all, text = append(all, told), text[end:]
		}
	}
	if len(all) < p.seen {
		p.t.Errorf("a request has %d texts, the one before had %d", len(all), p.seen)
	}
	fresh := all[min(p.seen, len(all)):]
	p.seen = len(all)
	return strings.Join(fresh, "\n")
}

// judge enters what an edit told.
func (p *player) judge(text string) {
	for rel, want := range p.want {
		if raw, _ := os.ReadFile(filepath.Join(p.project, rel)); string(raw) != want {
			p.t.Errorf("%s did not happen to %s; the model got %q", p.doing, rel, p.model.got[p.model.next-1])
		}
	}
	p.want = nil
	p.book.Times = append(p.book.Times, p.times()...)
	p.complain(p.book.Step(text), text)
}

func (p *player) complain(wrong, text string) {
	if wrong != "" {
		p.t.Logf("step %d, %s:%s\nit said: %s", p.step, p.doing, wrong, text)
	}
}

// edit returns the next edit; false when all were made. Eight steps are a round: two errors that are mended, one by a
// tool of the host and one by git; an error beside which a clean edit is made; another one, and git takes back both.
func (p *player) edit() (question, bool) {
	if p.step == p.steps {
		return question{}, false
	}
	round, at := p.step/8, p.step%8
	p.step++
	p.waits = 0
	all := p.book.Breaks
	switch at {
	case 0, 2:
		return p.breaks(all[(2*round+at/2)%len(all)]), true
	case 1:
		return p.replace(p.broken.File, p.broken.New, p.broken.Old, p.committed(p.broken.File)), true
	case 3:
		return p.checkout(p.broken.File), true
	case 4:
		return p.breaks(p.breakOf(round, false)), true
	case 5:
		return p.clean(), true
	case 6:
		return p.breaks(p.breakOf(round, true)), true
	}
	return p.checkout("."), true
}

// breakOf returns one of the breaks in the file of clean edits, or in the others.
func (p *player) breakOf(round int, inSource bool) trial.Break {
	var some []trial.Break
	for _, b := range p.book.Breaks {
		if (b.File == p.book.InSource) == inSource {
			some = append(some, b)
		}
	}
	return some[round%len(some)]
}

func (p *player) breaks(b trial.Break) question {
	p.broken = b
	return p.replace(b.File, b.Old, b.New, strings.Replace(p.text(b.File), b.Old, b.New, 1))
}

// replace has the model replace a text, by one of the host's tools or by sed in turn. now is what the file has then.
func (p *player) replace(rel, old, new, now string) question {
	c := change{path: filepath.Join(p.project, rel), rel: rel, was: p.text(rel), now: now, old: old, new: new}
	// Tools want a text that is there once, and Claude Code takes the blanks from the end of a line.
	if old == "" || strings.Count(c.was, old) != 1 || strings.HasSuffix(new, " ") {
		c.old, c.new = c.was, c.now
	}
	p.doing = fmt.Sprintf("%s: %q to %q", rel, old, new)
	p.want = map[string]string{rel: c.now}
	oneLine := !strings.Contains(c.old+c.new, "\n")
	switch way := p.step % 3; {
	case way == 0 && oneLine:
		p.doing = "sed " + p.doing
		return p.host.shell(fmt.Sprintf("sed -i 's/%s/%s/' %s", sedPattern.Replace(c.old), sedText.Replace(c.new),
			rel))
	case way == 1:
		p.doing = "write " + p.doing
		return p.after(c, p.host.write(c))
	}
	p.doing = "edit " + p.doing
	return p.after(c, p.host.edit(c))
}

var (
	sedPattern = strings.NewReplacer(`\`, `\\`, `/`, `\/`, `.`, `\.`, `*`, `\*`, `[`, `\[`, `]`, `\]`, `^`, `\^`, `$`, `\$`)
	sedText    = strings.NewReplacer(`\`, `\\`, `/`, `\/`, `&`, `\&`)
)

// after returns the call of a tool that wants the file read before, or that read first.
func (p *player) after(c change, q question) question {
	read := p.host.read != nil && p.known[c.rel] != c.was
	p.known[c.rel] = c.now
	if !read {
		return q
	}
	p.queue = append(p.queue, q)
	return p.host.read(c.path)
}

// clean has the model change a file so that nothing breaks, and format it where there is a formatter.
func (p *player) clean() question {
	rel := p.book.InSource
	note := fmt.Sprintf("%s note %d\n", p.book.Comment, p.step)
	p.want = map[string]string{rel: p.text(rel) + "\n" + note}
	if p.book.Format != nil && p.step%16 < 8 {
		p.doing = "formatter"
		formatter, err := exec.LookPath(p.book.Format[0]) // shells of hosts may have another PATH
		testkit.Must(p.t, err)
		command := fmt.Sprintf("printf '\\n\\n\\n%s' >>%s && %s %s", strings.ReplaceAll(note, "\n", `\n`), rel,
			formatter, strings.Join(p.book.Format[1:], " "))
		if strings.HasPrefix(p.book.Format[0], "ruff") {
			p.want[rel] = p.text(rel) + "\n\n" + note
		}
		return p.host.shell(command)
	}
	c := change{path: filepath.Join(p.project, rel), rel: rel, was: p.text(rel), now: p.want[rel]}
	c.old, c.new = c.was, c.now
	p.doing = "clean edit"
	return p.after(c, p.host.edit(c))
}

// checkout has the model take back all changes of a file or a folder by git.
func (p *player) checkout(what string) question {
	clear(p.known) // git writes files anew also where their text was the same
	p.doing, p.want = "git checkout "+what, map[string]string{p.broken.File: p.committed(p.broken.File)}
	return p.host.shell("git checkout -- " + what)
}

func (p *player) text(rel string) string {
	raw, err := os.ReadFile(filepath.Join(p.project, rel))
	testkit.Must(p.t, err)
	return string(raw)
}

func (p *player) committed(rel string) string { return p.book.Run("git", "show", "HEAD:"+rel) }
