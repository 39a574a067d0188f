package doctor

import (
	"slices"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/trust"
	"lspi/contract"
	"lspi/lsp"
)

// SchemaVersion is schema_version of every report. It grows when a member loses its meaning; new members do not
// change it.
const SchemaVersion = 2

// Report is what the doctor found. OK means that what the workspace is mainly written in works; notes never change it,
// warnings only in a strict report.
type Report struct {
	// grows when a member loses its meaning; new members do not change it
	SchemaVersion int `json:"schema_version"`
	// what the workspace is mainly written in works; in a strict report there is no warning either
	OK         bool        `json:"ok"`
	Strict     bool        `json:"strict"`       // warnings and stray files count as well
	Version    string      `json:"lspi_version"` // of lspi
	Platform   string      `json:"platform"`     // operating system and processor
	Workspace  Workspace   `json:"workspace"`    // the folder that was examined
	Config     Config      `json:"config"`       // the configuration as it was found
	Languages  []Language  `json:"languages"`    // those that need a server first, then by files
	Servers    []Server    `json:"servers"`      // those that were looked for, in the order of their languages
	MCPServers []MCPServer `json:"mcp_servers"`  // the other MCP servers of the configuration, by id
	// files of MCP hosts that have lspi, and hosts of this machine without it
	Hosts    []Host  `json:"hosts"`
	Checks   []Check `json:"checks"`   // of the machine
	Problems int     `json:"problems"` // how many
	Warnings int     `json:"warnings"` // how many
	Notes    int     `json:"notes"`    // how many

	// of the original lspi: the file that has the last word on the configuration; "default" where there is none
	ConfigSource  string     `json:"config_source"`
	WorkspaceRoot string     `json:"workspace_root"` // of the original lspi: as workspace.root
	ServerCount   int        `json:"server_count"`   // of the original lspi: how many servers
	Output        OutputCaps `json:"mcp_output"`     // of the original lspi: the limits of answers
	Failures      []string   `json:"failures"`       // of the original lspi: the needed servers that do not work, and why
}

// Workspace is the folder that was examined.
type Workspace struct {
	Root string `json:"root"` // absolute
	// what chose it: a flag, a variable, the current folder, a configuration file
	From    string         `json:"chosen_by"`
	Others  []string       `json:"also_allowed,omitempty"` // further roots, absolute
	Folders int            `json:"folders"`                // with files of its own
	Trust   trust.Decision `json:"trust"`                  // whether code of the workspace may run
	Checks  []Check        `json:"checks,omitempty"`       // of the workspace
}

// Config is the configuration as it was found.
type Config struct {
	Sources  []config.Source  `json:"sources"`
	Findings []config.Finding `json:"findings"`
}

// Language is one language of the workspace.
type Language struct {
	ID      string   `json:"id"`              // LSP language identifier
	Files   int      `json:"files"`           // how many
	Needed  bool     `json:"needed"`          // it is code that the workspace is written in, so that it needs a server
	Stray   bool     `json:"stray,omitempty"` // it is code, but few files beside the rest, or files of tests alone
	Servers []string `json:"servers"`         // those that were looked for, in order of preference
	OK      bool     `json:"ok"`              // one of them works
}

// State says whether a server works.
type State string

// The states.
const (
	Works   State = "works"
	Fails   State = "fails"
	Missing State = "missing"
)

// Server is one server that was looked for. Fields after State are set as far as the examination got.
type Server struct {
	ID       string   `json:"id"`                    // as in docs/servers.md, or in the configuration
	Title    string   `json:"title"`                 // its name for people
	Language string   `json:"language"`              // the language for which it was looked for
	Needed   bool     `json:"needed"`                // the workspace is written in its language
	State    State    `json:"state"`                 // works: it was asked and answered
	Error    string   `json:"error,omitempty"`       // why it fails
	Stderr   []string `json:"stderr_tail,omitempty"` // the last lines of its standard error
	Tried    []string `json:"tried,omitempty"`       // where its program was looked for in vain
	Install  []string `json:"install,omitempty"`     // commands that install it here, or one sentence
	Repair   *Repair  `json:"repair,omitempty"`      // the command that installs it; nil where none runs here
	Command  string   `json:"command,omitempty"`     // its program, absolute
	// what led to the program: PATH, a well-known folder, the configuration, or the command that named it
	From      string   `json:"found_by,omitempty"`
	Version   string   `json:"version,omitempty"`      // as it says
	Verified  string   `json:"verified,omitempty"`     // the version that lspi's own tests run
	Root      string   `json:"root,omitempty"`         // of the project that it was started for
	Start     int64    `json:"start_ms,omitempty"`     // until the handshake was done
	Ready     bool     `json:"ready"`                  // the project was loaded in time
	Known     bool     `json:"ready_known"`            // it gives a sign; otherwise ready is an assumption
	ReadyTime int64    `json:"ready_ms,omitempty"`     // from then on until the project was loaded
	Evidence  string   `json:"evidence,omitempty"`     // the sign that the project was loaded
	Serves    []string `json:"serves,omitempty"`       // tools that it answers
	Lacks     []string `json:"lacks,omitempty"`        // tools that it does not answer
	Question  string   `json:"question,omitempty"`     // what it was asked
	Answer    string   `json:"answer,omitempty"`       // what it answered
	Asked     int64    `json:"answer_ms,omitempty"`    // how long the answer took
	Memory    uint64   `json:"memory_bytes,omitempty"` // of its processes
	Caches    []Cache  `json:"caches,omitempty"`       // what its next start finds on disk of this project
	// the parts of the workspace for each of which it answers on its own
	Projects []Project `json:"projects,omitempty"`
	NotRun   []string  `json:"not_run,omitempty"` // code that is not run, because the workspace is not trusted
	Fetches  []string  `json:"fetches,omitempty"` // what it may fetch because files of a trusted workspace name it
	Checks   []Check   `json:"checks,omitempty"`  // of the server and its project

	Kind       string     `json:"kind"`        // of the original lspi: the row of the catalogue, or generic
	RootDir    string     `json:"root_dir"`    // of the original lspi: the configured root, else the workspace
	Extensions []string   `json:"extensions"`  // of the original lspi: those that it serves, without the dot
	LanguageID string     `json:"language_id"` // of the original lspi: the first language that it serves
	Args       []string   `json:"args"`        // of the original lspi: the arguments of its program, without secrets
	Timeouts   TimeoutsMS `json:"timeouts_ms"` // of the original lspi: those that are configured

	lacksProject bool // its root has no project file
	unresolved   []Import
	linked       *lsp.Linked // nil when its project stands alone, or all are joined
	join         string      // the command that joins them; "" for none
}

// Level says how much the outcome of a check matters.
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
	Name string `json:"name"` // the kind of finding
	// problem: what the workspace needs does not work; warning: answers are slower or less complete; note: worth
	// knowing
	Level   Level    `json:"level"`
	Message string   `json:"message"`          // for people
	Fix     []string `json:"fix,omitempty"`    // what to do, best first: commands that run as they are, or sentences
	Repair  *Repair  `json:"repair,omitempty"` // the command that installs what is missing; nil where none runs here
}

// nothingToServe is the name of the check of a workspace that needs no server.
const nothingToServe = "nothing_to_serve"

// AddHosts adds the hosts that were checked, and counts again.
func (r *Report) AddHosts(hosts []Host) {
	r.Hosts = append(r.Hosts, hosts...)
	r.conclude()
}

// isCause reports whether a check says why the server does not work; the two count as one problem.
func (v Server) isCause(c Check) bool {
	return v.State == Fails && c.Name == string(contract.WarnLoadFailed)
}

// conclude counts problems, warnings and notes, and sets OK.
func (r *Report) conclude() {
	r.Problems, r.Warnings, r.Notes = 0, 0, 0
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
		count(slices.DeleteFunc(slices.Clone(s.Checks), s.isCause))
	}
	for _, s := range r.MCPServers {
		count(s.Checks)
	}
	for _, h := range r.Hosts {
		count(h.Checks)
	}
	for _, l := range r.Languages {
		if !l.OK && l.Needed {
			r.Problems++
		} else if !l.OK {
			r.Notes++
		}
	}
	r.OK = r.Problems == 0 && (r.Warnings == 0 || !r.Strict)
}
