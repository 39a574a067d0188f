package answer

import (
	"encoding/json"
	"path/filepath"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
)

// The steps of errors about a path that no server answers for: a folder, a notebook, a file of another kind. They lead
// to what the call wanted to know.

// notAFileSteps are the steps for a folder, and for what is neither a file nor a folder.
func notAFileSteps(c *Call, e *contract.Error) []contract.NextStep {
	dir, _ := e.Facts["file_path"].(string)
	if dir = c.AbsolutePath(dir); !source.IsFolder(dir) || c.Tool == nil {
		return alternativeFile(c, e)
	}
	return append(byNameAlone(c), contract.NextStep{Kind: contract.StepTool,
		Tool: "get_document_symbols", Message: "See what the files of the folder declare for others.",
		Arguments: map[string]any{"file_path": c.Show(dir)}})
}

// byNameAlone is the call without its path, where it names what it is about; nil where only the path does.
func byNameAlone(c *Call) []contract.NextStep {
	given, _ := Object(c.Request.Arguments)
	for _, name := range []string{"symbol_name", "symbols", "query"} {
		if has(given[name]) {
			return []contract.NextStep{c.Repeat("Ask without the path: the name is looked for in the whole workspace.",
				map[string]any{"file_path": nil, "line": nil, "character": nil})}
		}
	}
	return nil
}

// unservedSteps are what there is to do about an existing file of a kind that no server reads: a notebook, a text; nil
// for one of a language that lspi knows. alone is false where the file may be of another language, whose server is not
// configured.
func unservedSteps(c *Call) (steps []contract.NextStep, alone bool) {
	given, _ := Object(c.Request.Arguments)
	var file string
	if json.Unmarshal(given["file_path"], &file) != nil || file == "" || c.Tool == nil {
		return nil, false
	}
	path := c.AbsolutePath(file)
	notebook, language := filepath.Ext(path) == ".ipynb", lang.Of(path).ID
	if !exists(path) || !notebook && language != "" && language != "plaintext" {
		return nil, false
	}
	alone = language != "" || filepath.Ext(path) == ""
	if c.Tool.Class == Write || c.Tool.Class == DryRun {
		return []contract.NextStep{{Kind: contract.StepDoc,
			Message: "Make the change with another tool: no server can check or change " + c.Show(path) + "."}}, alone
	}
	message := "Read " + c.Show(path) + " as text: no server knows what is in it."
	if notebook {
		message = "Read " + c.Show(path) + " as text: no server reads notebooks, whose code is in cells[].source. " +
			"find_references of a symbol by its name tells in which notebooks it may be used."
	}
	return append(byNameAlone(c), contract.NextStep{Kind: contract.StepDoc, Message: message}), alone || notebook
}
