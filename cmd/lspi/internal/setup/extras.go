package setup

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
)

// SkillText is the skill that teaches the best uses of the tools: SKILL.md of the Agent Skills format
// (agentskills.io/specification).
//
//go:embed SKILL.md
var SkillText string

// PlanSection returns the changes that put a short section about lspi into the files with instructions for agents: of a
// project AGENTS.md, and CLAUDE.md if it exists and does not include AGENTS.md (@AGENTS.md); of a user the files of
// Codex and Claude Code.
func (p Place) PlanSection(s Scope) (out []*Change, err error) {
	files := []string{filepath.Join(p.User.HomeDir(), ".codex", "AGENTS.md"),
		filepath.Join(p.User.HomeDir(), ".claude", "CLAUDE.md")}
	if s == Project {
		if p.Project == "" {
			return nil, errors.New("there is no project here; run lspi setup in one, or add --user")
		}
		files = []string{filepath.Join(p.Project, "AGENTS.md"), filepath.Join(p.Project, "CLAUDE.md")}
	}
	for i, file := range files {
		c, err := p.open(file, s)
		if err != nil {
			return nil, err
		}
		known := exists(filepath.Dir(file)) // for a user: the host's folder is there
		if s == Project {
			known = i == 0 || c.existed && !bytes.Contains(c.before, []byte("@AGENTS.md"))
		}
		if !known || sameTargets(out, c) {
			continue
		}
		after, err := withSection(withoutMark(c.before))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		c.kind = kindSection
		c.again = func() (*Change, error) { return p.again(c, s, withSection) }
		c.set(after)
		out = append(out, c)
	}
	if len(out) == 0 {
		return nil, errors.New(
			"neither ~/.codex nor ~/.claude is there; run lspi setup --agents --project in a project")
	}
	return out, nil
}

// sameTargets reports whether another change is about the same file: CLAUDE.md is often a link to AGENTS.md.
func sameTargets(all []*Change, c *Change) bool {
	return slices.ContainsFunc(all, func(one *Change) bool { return one.target == c.target })
}

// PlanSkill returns the change that puts the skill into the folder where a host looks for skills. A skill file that
// setup did not write is an error.
func (p Place) PlanSkill(h *Host, s Scope) (*Change, error) {
	if h.skills == "" {
		return nil, fmt.Errorf("lspi setup knows no folder for skills of %s", h.Title)
	}
	base := p.User.HomeDir()
	if s == Project {
		base = p.Project
	}
	if base == "" {
		return nil, fmt.Errorf("there is no folder for scope %q", s)
	}
	c, err := p.planFile(filepath.Join(base, filepath.FromSlash(h.skills), "lspi", "SKILL.md"), s, SkillText)
	if err == nil {
		c.Host = h
	}
	return c, err
}

// planFile returns the change that writes a whole file of lspi. A file that setup did not write is an error.
func (p Place) planFile(file string, s Scope, text string) (*Change, error) {
	c, err := p.open(file, s)
	if err != nil {
		return nil, err
	}
	if r, err := p.journal().read(p.journal().path(file)); c.existed && string(c.before) != text &&
		(err != nil || r.After != sum(c.before)) {
		return nil, fmt.Errorf(
			"%s is there and is not as lspi setup wrote it; move it away, then run lspi setup again", file)
	}
	c.kind, c.mode = kindFile, 0o644
	c.again = func() (*Change, error) { return p.planFile(file, s, text) }
	c.set([]byte(text))
	return c, nil
}

// again plans the change of c once more, for the file as it is now.
func (p Place) again(c *Change, s Scope, edit func([]byte) ([]byte, error)) (*Change, error) {
	now, err := p.open(c.File, s)
	if err != nil {
		return nil, err
	}
	after, err := edit(withoutMark(now.before))
	if err != nil {
		return nil, err
	}
	now.kind = c.kind
	now.set(after)
	return now, nil
}

// PlanPlugin returns the changes that write a plugin for Claude Code into a folder, with a marketplace that has only it
// (code.claude.com/docs/en/plugins-reference). version is lspi's.
func (p Place) PlanPlugin(dir, version string, rights Rights, set HookSet) ([]*Change, error) {
	h := Find("claude")
	files, err := claudePlugin(packaged{version: version, launch: p.launch(h, rights == ReadOnly), hooks: set})
	if err != nil {
		return nil, err
	}
	var out []*Change
	for _, f := range files {
		c, err := p.planFile(filepath.Join(dir, filepath.FromSlash(f.Name)), User, f.Text)
		if err != nil {
			return nil, err
		}
		c.Host = h
		out = append(out, c)
	}
	return out, nil
}
