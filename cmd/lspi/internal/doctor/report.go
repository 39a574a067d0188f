package doctor

import (
	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/trust"
)

// SchemaVersion is schema_version of every report.
const SchemaVersion = 1

// Report is what the doctor found. OK means that all that the workspace needs works; notes and warnings do not touch it.
type Report struct {
	SchemaVersion int        `json:"schema_version"`
	OK            bool       `json:"ok"`
	Version       string     `json:"lspi_version"`
	Platform      string     `json:"platform"`
	Workspace     Workspace  `json:"workspace"`
	Config        Config     `json:"config"`
	Languages     []Language `json:"languages"` // those that need a server first, then by files
	Servers       []Server   `json:"servers"`   // those that were looked for, in the order of their languages
	Checks        []Check    `json:"checks"`    // of the machine
	Problems      int        `json:"problems"`
	Warnings      int        `json:"warnings"`
	Notes         int        `json:"notes"`
}

// Workspace is the folder that was examined.
type Workspace struct {
	Root    string         `json:"root"`
	From    string         `json:"chosen_by"` // a flag, a variable, the current folder, a configuration file
	Others  []string       `json:"also_allowed,omitempty"`
	Folders int            `json:"folders"` // with files of its own
	Trust   trust.Decision `json:"trust"`
	Checks  []Check        `json:"checks,omitempty"`
}

// Config is the configuration as it was found.
type Config struct {
	Sources  []config.Source  `json:"sources"`
	Findings []config.Finding `json:"findings"`
}

// Language is one language of the workspace.
type Language struct {
	ID      string   `json:"id"` // LSP language identifier
	Files   int      `json:"files"`
	Needed  bool     `json:"needed"`  // it is code, so that it needs a server
	Servers []string `json:"servers"` // that were looked for, in order of preference
	OK      bool     `json:"ok"`      // one of them works
}

// State is how it stands with a server.
type State string

// The states.
const (
	Works   State = "works"
	Fails   State = "fails"
	Missing State = "missing"
)

// Server is one server that was looked for. What comes after State is there only as far as it got.
type Server struct {
	ID        string   `json:"id"`
	Title     string   `json:"title"`
	Language  string   `json:"language"` // for which it was looked for
	Needed    bool     `json:"needed"`
	State     State    `json:"state"`
	Error     string   `json:"error,omitempty"`
	Stderr    []string `json:"stderr_tail,omitempty"`
	Tried     []string `json:"tried,omitempty"`   // without success
	Install   []string `json:"install,omitempty"` // commands that run here, or one sentence where none does
	Command   string   `json:"command,omitempty"`
	From      string   `json:"found_by,omitempty"`
	Version   string   `json:"version,omitempty"`
	Verified  string   `json:"verified,omitempty"` // the version that lspi's own tests run
	Root      string   `json:"root,omitempty"`
	Start     int64    `json:"start_ms,omitempty"` // until the handshake was done
	Ready     bool     `json:"ready"`
	Known     bool     `json:"ready_known"`        // it gives a sign; otherwise ready is an assumption
	ReadyTime int64    `json:"ready_ms,omitempty"` // from then on until the project was loaded
	Evidence  string   `json:"evidence,omitempty"`
	Serves    []string `json:"serves,omitempty"` // tools that it answers
	Lacks     []string `json:"lacks,omitempty"`  // tools that it does not
	Question  string   `json:"question,omitempty"`
	Answer    string   `json:"answer,omitempty"`
	Asked     int64    `json:"answer_ms,omitempty"`
	Memory    uint64   `json:"memory_bytes,omitempty"`
	NotRun    []string `json:"not_run,omitempty"` // code of the workspace, which is not trusted
	Fetches   []string `json:"fetches,omitempty"` // what it may fetch because files of a trusted workspace name it
	Checks    []Check  `json:"checks,omitempty"`

	lacksProject bool // its root has no project file
}

// Level is how much a check's outcome matters.
type Level string

// The levels. A problem is something that the workspace needs and that does not work; a warning is something that makes
// answers slower or less complete; a note is worth knowing.
const (
	OK      Level = "ok"
	Note    Level = "note"
	Warning Level = "warning"
	Problem Level = "problem"
)

// Check is the outcome of one check.
type Check struct {
	Name    string   `json:"name"`
	Level   Level    `json:"level"`
	Message string   `json:"message"`
	Fix     []string `json:"fix,omitempty"` // what to do, best first: commands that run as they are, or sentences
}

// nothingToServe is the check of a workspace without a language that needs a server: all works, and says little.
const nothingToServe = "nothing_to_serve"

// conclude counts and decides OK.
func (r *Report) conclude() {
	count := func(checks []Check) {
		for _, c := range checks {
			switch c.Level {
			case Problem:
				r.Problems++
			case Warning:
				r.Warnings++
			case Note:
				r.Notes++
			}
		}
	}
	count(r.Checks)
	count(r.Workspace.Checks)
	for _, f := range r.Config.Findings {
		if f.Severity == config.SeverityError {
			r.Problems++
		} else {
			r.Warnings++
		}
	}
	for _, s := range r.Servers {
		count(s.Checks)
	}
	for _, l := range r.Languages {
		if !l.OK && l.Needed {
			r.Problems++
		} else if !l.OK {
			r.Notes++
		}
	}
	r.OK = r.Problems == 0
}
