package testkit

import "encoding/json"

import "slices"

// Envelope has the members of all answers (docs/contract.md) as a host reads them. A test that reads more embeds it.
type Envelope struct {
	OK           bool
	Completeness string
	Truncated    bool
	Warnings     []Warning
	NextSteps    []struct{ Kind, Tool, Command string } `json:"next_steps"`
	Error        *struct {
		Kind, Message string
		Data          struct {
			Reason struct {
				Kind   string
				Stderr []string `json:"stderr_tail"`
				Retry  int      `json:"retry_after_ms"`
			} `json:"lspi_error"`
		}
	}
}

// Warning is a warning of an [Envelope], with the facts that several kinds have.
type Warning struct {
	Kind, Message string
	Files         Files
	Folders       []string
	Folder        string
	FilePath      string `json:"file_path"`
	ServerID      string `json:"server_id"`
}

// Files are the paths in the fact files of a warning, which has them as strings, or as objects with file_path.
type Files []string

// UnmarshalJSON takes both forms.
func (f *Files) UnmarshalJSON(raw []byte) error {
	var paths []string
	if json.Unmarshal(raw, &paths) == nil {
		*f = paths
		return nil
	}
	var files []struct {
		FilePath string `json:"file_path"`
	}
	if err := json.Unmarshal(raw, &files); err != nil {
		return err
	}
	for _, file := range files {
		*f = append(*f, file.FilePath)
	}
	return nil
}

// Reason returns the precise kind of an error, "" for a success.
func (e Envelope) Reason() string {
	if e.Error == nil {
		return ""
	}
	return e.Error.Data.Reason.Kind
}

// Kinds returns the kinds of the warnings, sorted, each once.
func (e Envelope) Kinds() []string {
	var out []string
	for _, w := range e.Warnings {
		out = append(out, w.Kind)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
