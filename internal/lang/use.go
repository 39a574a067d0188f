package lang

// Use is how a text holds a word. A word may stand in a text in several ways, so these are bits.
type Use uint8

const (
	// CodeUse: in code, as far as the text alone tells.
	CodeUse Use = 1 << iota
	// OpenUse: in code of which a parser of this file alone does not know what it means: the text of a macro, the
	// body of a template of C++, what stands under a condition (#if, #[cfg]) or behind what is never closed, the C code
	// in a source of Go.
	OpenUse
	// TemplateUse: between the delimiters of a template ({{ }}, {% %}, <% %>, ${ }), in a string or in a text.
	TemplateUse
	// AloneUse: a string that is the word and nothing else.
	AloneUse
	// QualifiedUse: in a string or in data, behind another name and a dot or colon: cart.total.
	QualifiedUse
	// OptionUse: the value of an option of a compiler or linker: -DHOOK=on_tick, -Wl,--wrap=on_tick.
	OptionUse
	// TextUse: elsewhere in a comment, in a string, in prose or data.
	TextUse

	UseBits = 7 // how many bits a Use has
)
