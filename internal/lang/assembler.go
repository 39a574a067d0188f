package lang

import "strings"

// assembler marks the words of assembly that may be symbols: labels, and operands. Mnemonics and directives (.size),
// which begin a statement, and registers (%rax) are none.
func (m *marked) assembler() {
	m.source(&likeC, 0, len(m.text))
	for i := 0; i < len(m.text); {
		end := lineEnd(m.text, i)
		line := m.text[i:end]
		if at := strings.IndexAny(line, ";@"); at >= 0 {
			m.fill(i+at, end, proseUse)
			line = line[:at]
		}
		if at := strings.Index(line, "# "); at >= 0 {
			m.fill(i+at, end, proseUse)
			line = line[:at]
		}
		m.statement(i, line)
		i = end + 1
	}
}

// statement marks the line of assembly at an offset.
func (m *marked) statement(at int, line string) {
	first := true
	for i := 0; i < len(line); i++ {
		if !wordByte(line[i]) {
			continue
		}
		end := wordEnd(line, i)
		label := strings.HasPrefix(line[end:], ":")
		if first && !label || i > 0 && (line[i-1] == '.' || line[i-1] == '%') {
			m.fill(at+i, at+end, proseUse)
		}
		first = first && label
		i = end - 1
	}
}
