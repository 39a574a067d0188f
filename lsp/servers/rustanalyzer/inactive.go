package rustanalyzer

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
)

// The codes of hints by which rust-analyzer tells what it does not check. The one is over all that #[cfg] leaves
// out: a syntax error in it is not reported, nor a name that is not there. The other is all that it says of a file
// that no module includes: it resolves no name there.
const (
	codeInactive = "inactive-code"
	codeUnlinked = "unlinked-file"
)

// notLoaded is the refusal of a request about a file outside of all folders of crates that were loaded (1.97.1).
const notLoaded = "file not found"

// isInactive is [lsp.DiagnosticHooks].IsInactive.
func isInactive(f lsp.Finding) bool { return f.Code == codeInactive }

// unlinked is [lsp.DiagnosticHooks].Unlinked.
func unlinked(path string, f lsp.Finding) *lsp.Exclusion {
	if f.Code == "" && strings.Contains(f.Message, notLoaded) {
		return &lsp.Exclusion{Why: "it lies in no folder of a crate that rust-analyzer has loaded",
			Remedy: "Add its crate to the members of the [workspace] in the Cargo.toml above it; " +
				"the settings of rust-analyzer may name further ones (linkedProjects)."}
	}
	if f.Code != codeUnlinked {
		return nil
	}
	if declaring := declaredIn(path); declaring != "" {
		return &lsp.Exclusion{Why: "a condition (#[cfg]) at its mod line in " + filepath.Base(declaring) +
			" leaves the module out of the build that rust-analyzer has loaded",
			Remedy: "Switch the feature or the target of that condition on in rust-analyzer's settings (cargo.features, cargo.target)."}
	}
	return &lsp.Exclusion{Why: "no module of a crate includes it",
		Remedy: "Declare it with a mod line in the module above it, or give a crate root its place in Cargo.toml."}
}

// declaredIn returns the source above a module in which a mod line declares it; "" where none does (The Rust
// Reference, Modules, "Module source filenames").
func declaredIn(path string) string {
	dir, name := filepath.Dir(path), strings.TrimSuffix(filepath.Base(path), ".rs")
	if name == "mod" {
		dir, name = filepath.Dir(dir), filepath.Base(dir)
	}
	above := []string{dir + ".rs"}
	for _, base := range []string{"lib.rs", "main.rs", "mod.rs"} {
		above = append(above, filepath.Join(dir, base))
	}
	declares := regexp.MustCompile(`(?m)\bmod\s+(r#)?` + regexp.QuoteMeta(name) + `\s*;`)
	for _, file := range above {
		if text, err := source.ReadBytes(file); err == nil && file != path && declares.Match(text) {
			return file
		}
	}
	return ""
}

// inactiveIn is [lsp.ConditionHooks].InactiveIn: the code that the server's diagnostics mark.
func (a *Process) inactiveIn(ctx context.Context, files []string) map[string][]contract.Range {
	out := map[string][]contract.Range{}
	for _, path := range files {
		ranges, told := a.inactive.Get(ctx, a.Server, path, func() ([]contract.Range, bool) {
			d := &lsp.Diagnosis{}
			if a.Server.Diagnostics().Add(ctx, []string{path}, d) != nil || len(d.Silent) > 0 {
				return nil, false
			}
			return d.Inactive(path), true
		})
		if told {
			out[path] = ranges
		}
	}
	return out
}

// knowsInactive is [lsp.ConditionHooks].KnowsInactive.
func (a *Process) knowsInactive(path string) bool { return a.inactive.Has(path) }
