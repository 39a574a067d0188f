package index

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/scip-code/scip/bindings/go/scip"

	"lspi/internal/lang"
	"lspi/lsp"
	"lspi/tools/symbol"
)

// SymbolName is a symbol as code names it.
type SymbolName struct {
	Bare   string   // the last component; "" for a symbol that code does not name
	Parts  []string // all components, from the package or module inwards
	Parent string   // the symbol that it is a member of, as far as its descriptors tell; else ""

	suffix    scip.Descriptor_Suffix
	member    bool // of a type
	parameter bool
}

// NameOf reads the descriptors of a symbol; shown is its display_name, or "". A local symbol has no other name.
func NameOf(sym, shown string) SymbolName {
	parsed, err := scip.ParseSymbol(sym)
	if err != nil || scip.IsLocalSymbol(sym) {
		return SymbolName{Bare: shown, Parts: some(shown), suffix: scip.Descriptor_Local}
	}
	var n SymbolName
	for i, d := range parsed.Descriptors {
		// rust-analyzer 1.97 has members of an impl block below impl#[Type] and impl#[Type][Trait].
		if block := d.Name == "impl" && d.Suffix == scip.Descriptor_Type; block ||
			i > 1 && d.Suffix == scip.Descriptor_TypeParameter && i+1 < len(parsed.Descriptors) &&
				parsed.Descriptors[i-1].Suffix == scip.Descriptor_TypeParameter {
			continue
		}
		n.parameter = n.parameter || d.Suffix == scip.Descriptor_Parameter
		n.member = n.suffix == scip.Descriptor_Type || n.suffix == scip.Descriptor_TypeParameter
		n.suffix, n.Bare = d.Suffix, d.Name
		if d.Suffix == scip.Descriptor_Namespace {
			name := d.Name
			if lang.Of(name).ID != "" { // a file, as the modules of scip-typescript are
				name = strings.TrimSuffix(name, filepath.Ext(name))
			}
			n.Parts = append(n.Parts, symbol.Components(name)...)
			n.Bare = symbol.LastComponent(name)
		} else {
			n.Parts = append(n.Parts, strings.Trim(symbolText(d.Name), " "))
		}
	}
	// The name of scip-python's module is __init__, and of a constructor of scip-typescript `<constructor>`.
	switch {
	case n.Bare == "__init__" && n.suffix == scip.Descriptor_Meta && len(n.Parts) > 1:
		n.Parts = n.Parts[:len(n.Parts)-1]
		n.Bare = n.Parts[len(n.Parts)-1]
	case strings.ContainsAny(n.Bare, "<>") && shown == "":
		n.Bare = ""
	case shown != "" && n.suffix != scip.Descriptor_Namespace && !strings.ContainsAny(shown, " ()"):
		n.Bare = shown
	}
	n.Parent = parentOf(sym, parsed)
	return n
}

// symbolText is the name of a descriptor without the type arguments of Rust: Iter<'a, T>.
func symbolText(name string) string {
	if before, _, ok := strings.Cut(name, "<"); ok && before != "" {
		return before
	}
	return name
}

// parentOf returns the symbol with one descriptor less; "" where that is none.
func parentOf(sym string, parsed *scip.Symbol) string {
	if len(parsed.Descriptors) < 2 {
		return ""
	}
	var f scip.SymbolFormatter = scip.VerboseSymbolFormatter
	parent := &scip.Symbol{Scheme: parsed.Scheme, Package: parsed.Package,
		Descriptors: parsed.Descriptors[:len(parsed.Descriptors)-1]}
	if i := slices.IndexFunc(parent.Descriptors, func(d *scip.Descriptor) bool {
		return d.Name == "impl" && d.Suffix == scip.Descriptor_Type
	}); i >= 0 && i+1 < len(parent.Descriptors) { // the type itself is declared beside the block
		of := &scip.Descriptor{Name: symbolText(parent.Descriptors[i+1].Name), Suffix: scip.Descriptor_Type}
		parent.Descriptors = append(slices.Clone(parent.Descriptors[:i]), of)
	}
	return f.FormatSymbol(parent)
}

func some(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}

// IsParameter reports whether a symbol is a parameter of a function, or in one.
func (n SymbolName) IsParameter() bool { return n.parameter }

// IsScope reports whether a symbol is a package or a module.
func (n SymbolName) IsScope() bool {
	return n.suffix == scip.Descriptor_Namespace || n.suffix == scip.Descriptor_Meta
}

// Kind returns what a symbol is: as the index says it, else as its descriptor shows.
func (n SymbolName) Kind(of *scip.SymbolInformation) lsp.SymbolKind {
	if kind, ok := kinds[of.GetKind()]; ok {
		return kind
	}
	switch n.suffix {
	case scip.Descriptor_Namespace, scip.Descriptor_Meta:
		return "module"
	case scip.Descriptor_Type:
		return "class"
	case scip.Descriptor_TypeParameter:
		return "type_parameter"
	case scip.Descriptor_Method, scip.Descriptor_Macro:
		if n.member {
			return "method"
		}
		return "function"
	case scip.Descriptor_Term:
		if n.member {
			return "field"
		}
	}
	return "variable"
}

// kinds are LSP's kinds of those of SCIP, as far as a program has them.
var kinds = map[scip.SymbolInformation_Kind]lsp.SymbolKind{
	scip.SymbolInformation_AbstractMethod: "method", scip.SymbolInformation_Accessor: "property",
	scip.SymbolInformation_AssociatedType: "type_parameter", scip.SymbolInformation_Attribute: "property",
	scip.SymbolInformation_Class: "class", scip.SymbolInformation_Constant: "constant",
	scip.SymbolInformation_Constructor: "constructor", scip.SymbolInformation_Enum: "enum",
	scip.SymbolInformation_EnumMember: "enum_member", scip.SymbolInformation_Event: "event",
	scip.SymbolInformation_Field: "field", scip.SymbolInformation_File: "file",
	scip.SymbolInformation_Function: "function", scip.SymbolInformation_Getter: "property",
	scip.SymbolInformation_Interface: "interface", scip.SymbolInformation_Library: "package",
	scip.SymbolInformation_Macro: "function", scip.SymbolInformation_Method: "method",
	scip.SymbolInformation_MethodSpecification: "method", scip.SymbolInformation_Module: "module",
	scip.SymbolInformation_Namespace: "namespace", scip.SymbolInformation_Object: "object",
	scip.SymbolInformation_Operator: "operator", scip.SymbolInformation_Package: "package",
	scip.SymbolInformation_Parameter: "variable", scip.SymbolInformation_Property: "property",
	scip.SymbolInformation_Protocol: "interface", scip.SymbolInformation_ProtocolMethod: "method",
	scip.SymbolInformation_PureVirtualMethod: "method", scip.SymbolInformation_SelfParameter: "variable",
	scip.SymbolInformation_Setter: "property", scip.SymbolInformation_StaticDataMember: "field",
	scip.SymbolInformation_StaticField: "field", scip.SymbolInformation_StaticMethod: "function",
	scip.SymbolInformation_StaticProperty: "property", scip.SymbolInformation_StaticVariable: "variable",
	scip.SymbolInformation_Struct: "struct", scip.SymbolInformation_Trait: "interface",
	scip.SymbolInformation_TraitMethod: "method", scip.SymbolInformation_Type: "class",
	scip.SymbolInformation_TypeAlias: "class", scip.SymbolInformation_TypeParameter: "type_parameter",
	scip.SymbolInformation_Union: "struct", scip.SymbolInformation_Variable: "variable",
}
