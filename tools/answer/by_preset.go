package answer

import (
	"fmt"
	"strings"

	"lspi/contract"
	"lspi/tools/session"
)

// byPreset returns the error for a tool that the preset in use leaves out. It is also the error of
// every tool when the named preset does not exist or cannot be read: lspi then allows no tool at all,
// because a preset that was meant to take tools away must not be ignored for a typing error.
func byPreset(p *session.Preset, e *session.Entry) error {
	facts := contract.Facts{"tool": e.Name, "preset": p.Name}
	if p.Missing == nil {
		return contract.Errorf(contract.KindNotAllowedByPreset, facts, "the preset %s, which is in use, leaves out %s",
			p.Name, e.Name)
	}
	if why := p.Missing.Unreadable; why != "" {
		facts["reason"] = why
		return contract.Errorf(contract.KindNotAllowedByPreset, facts,
			"the preset %q, which %s names, cannot be read, so that no tool is allowed: %s", p.Name, p.Missing.From,
			why)
	}
	text, known := fmt.Sprintf("there is no preset %q, which %s names, so that no tool is allowed", p.Name,
		p.Missing.From), p.Missing.Known
	facts["known"] = append([]string{}, known...) // never null
	if near := p.Missing.Closest; near != "" {
		facts["closest"] = near
		text += fmt.Sprintf("; the closest is %q", near)
	}
	if len(known) > 0 {
		text += "; there are: " + strings.Join(known[:min(len(known), maxKnownPresets)], ", ")
	} else {
		text += "; the configuration has no presets"
	}
	return contract.Errorf(contract.KindNotAllowedByPreset, facts, "%s", text)
}

// maxKnownPresets bounds the presets that a text names.
const maxKnownPresets = 20
