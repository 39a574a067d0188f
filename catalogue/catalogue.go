package catalogue

import (
	"reflect"
	"slices"

	"lspi/lsp/spec"
)

// Servers is every server that is known without configuration, in order of preference: of two that serve a file the
// earlier one is asked first. The rows are copies, so that a configuration may be laid over them.
func Servers() []spec.Spec {
	specs := slices.Concat(goServers, cServers, rustServers, webServers, componentServers, pythonServers, jvmServers,
		dotnetServers, shellServers, scriptServers, rubyServers, phpServers, functionalServers, nativeServers, hardwareServers,
		markupServers, infraServers, queryServers, checkers)
	for i := range specs {
		s := &specs[i]
		s.Code = codeOf(s.ID)
		s.Kind = s.ID
		s.Verified = verified[s.ID]
		s.Variables = variables[s.ID]
		s.Sources = sources[s.ID]
	}
	return copied(specs)
}

// copied is a value that shares nothing with the other that could be written: lists, maps, and what pointers to types of package lsp
// point to are copies.
func copied[T any](value T) T { return deepCopy(reflect.ValueOf(value)).Interface().(T) }

func deepCopy(v reflect.Value) reflect.Value {
	if v.IsZero() {
		return v
	}
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.Pointer:
		if v.Type().Elem().PkgPath() != ofSpec {
			return v // a compiled pattern
		}
		out.Set(reflect.New(v.Type().Elem()))
		out.Elem().Set(deepCopy(v.Elem()))
	case reflect.Interface:
		out.Set(deepCopy(v.Elem()))
	case reflect.Slice:
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		if v.Type().Elem().Kind() == reflect.String {
			reflect.Copy(out, v)
			break
		}
		for i := range v.Len() {
			out.Index(i).Set(deepCopy(v.Index(i)))
		}
	case reflect.Map:
		out.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
		for key, value := range v.Seq2() {
			out.SetMapIndex(key, deepCopy(value))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			out.Field(i).Set(deepCopy(v.Field(i)))
		}
	default:
		return v
	}
	return out
}

var ofSpec = reflect.TypeFor[spec.Spec]().PkgPath()

// verified names the version of each server that this project's tests run for real, as scripts/servers.sh pins it;
// whoever adds a real test adds the line. All other rows are made from what the servers document.
var verified = map[string]string{
	"gopls":                      "0.23.0",
	"clangd":                     "22.1.8",
	"rust-analyzer":              "1.97.1",
	"typescript-language-server": "6.0.2",
	"pyright":                    "1.1.414",
	"basedpyright":               "1.40.1",
	"bash-language-server":       "5.8.1",
	"ruff":                       "0.17.5",
}
