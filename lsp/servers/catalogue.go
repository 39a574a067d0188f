package servers

import (
	"reflect"
	"slices"

	"lspi/lsp/spec"
)

// Servers is every server that is known without configuration, in order of preference: of two that serve a file the
// earlier one is asked first. The rows are copies, so that a configuration may be laid over them.
func Servers() []spec.Spec {
	specs := slices.Concat(goServers, cServers, rustServers, webServers, componentServers, pythonServers, jvmServers,
		dotnetServers, shellServers, scriptServers, rubyServers, phpServers, functionalServers, nativeServers,
		hardwareServers,
		markupServers, infraServers, queryServers, checkers)
	for i := range specs {
		s := &specs[i]
		s.Code = codeOf(s.ID)
		s.Kind = s.ID
		s.Verified = versionOf(s)
		s.Unproven = s.Verified == ""
		if needs := ownWay(s); needs != "" {
			s.Install = append([]spec.Install{{Needs: needs, Command: "lspi servers install " + s.ID}}, s.Install...)
		}
		s.Variables = variables[s.ID]
		s.Sources = sources[s.ID]
	}
	return copied(specs)
}

// copied is a value that shares nothing with the other that could be written: lists, maps, and what pointers to
// types of package lsp point to are copies.
func copied[T any](value T) T {
	(&copier{}).separate(reflect.ValueOf(&value).Elem())
	return value
}

// copier replaces what a value shares, in place: every start of lspi copies all rows, most fields of which are empty.
type copier struct {
	shares map[reflect.Type]bool // whether values of a type share anything with their copies
}

// separate gives a value, which may be set, lists, maps and pointers of its own.
func (c *copier) separate(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && v.Type().Elem().PkgPath() == ofSpec { // others are compiled patterns
			v.Set(c.own(v.Elem()).Addr())
		}
	case reflect.Interface:
		if !v.IsNil() {
			v.Set(c.own(v.Elem()))
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(out, v)
		v.Set(out)
		if c.mayShare(v.Type().Elem()) {
			for i := range v.Len() {
				c.separate(v.Index(i))
			}
		}
	case reflect.Map:
		if v.IsNil() {
			return
		}
		out := reflect.MakeMapWithSize(v.Type(), v.Len())
		for key, value := range v.Seq2() {
			out.SetMapIndex(key, c.own(value))
		}
		v.Set(out)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); c.mayShare(f.Type()) {
				c.separate(f)
			}
		}
	}
}

// own is a copy of a value that cannot be set.
func (c *copier) own(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	c.separate(out)
	return out
}

// mayShare reports whether values of a type may hold a list, a map or a pointer.
func (c *copier) mayShare(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map:
		return true
	case reflect.Struct:
		known, ok := c.shares[t]
		if !ok {
			for i := range t.NumField() {
				known = known || c.mayShare(t.Field(i).Type)
			}
			if c.shares == nil {
				c.shares = map[reflect.Type]bool{}
			}
			c.shares[t] = known
		}
		return known
	}
	return false
}

var ofSpec = reflect.TypeFor[spec.Spec]().PkgPath()

// proven are the rows that this project's tests run for real, in the version of their pin. All other rows are made
// from what the servers document. Whoever adds a proof (package proofs) adds the id.
var proven = []string{
	"gopls", "clangd", "rust-analyzer", "typescript-language-server", "pyright", "basedpyright",
	"bash-language-server", "ruff",
	"json", "ty", "pylsp", "jedi-language-server", "dockerfile",
	"buf", "cue", "texlab",
	"html", "css", "tailwindcss", "prisma", "deno", "zuban", "fortls", "intelephense", "biome",
	"eslint", "yaml", "astro", "svelte", "taplo", "protols", "typescript-native", "jdtls",
	"perlnavigator", "ruby-lsp", "vim", "cmake", "neocmakelsp", "vue",
}

// ownWay is what "lspi servers install" needs for a server; "" when it cannot install it.
func ownWay(s *spec.Spec) string {
	pin, ok := PinOf(s)
	if !ok {
		return ""
	}
	return map[string]string{"go": "go", "npm": "npm", "pip": "python3", "cargo": "cargo"}[pin.How]
}

// versionOf is the version of a server that the tests run; "" when none does.
func versionOf(s *spec.Spec) string {
	if !slices.Contains(proven, s.ID) {
		return ""
	}
	pin, _ := PinOf(s)
	return pin.Version
}
