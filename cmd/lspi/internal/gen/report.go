package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/doctor"
)

const reportFile = "docs/doctor.schema.json"

// reportSchema returns the JSON Schema of lspi doctor --json. It describes members with the comments of the Go fields.
func reportSchema() (string, error) {
	words, err := wordsOf("cmd/lspi/internal/doctor", "cmd/lspi/internal/config", "cmd/lspi/internal/trust")
	if err != nil {
		return "", err
	}
	options := &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{}}
	for _, t := range []reflect.Type{reflect.TypeFor[doctor.Level](), reflect.TypeFor[doctor.State](),
		reflect.TypeFor[doctor.HostState](), reflect.TypeFor[doctor.MCPState](), reflect.TypeFor[config.Severity]()} {
		s := &jsonschema.Schema{Type: "string"}
		for _, value := range words.values[t.Name()] {
			s.Enum = append(s.Enum, value)
		}
		if len(s.Enum) == 0 {
			return "", fmt.Errorf("%s has no constants", t)
		}
		options.TypeSchemas[t] = s
	}
	t := reflect.TypeFor[doctor.Report]()
	schema, err := jsonschema.ForType(t, options)
	if err != nil {
		return "", err
	}
	words.describe(schema, t)
	schema.Schema = "https://json-schema.org/draft/2020-12/schema"
	schema.Title = fmt.Sprintf("lspi doctor --json, schema_version %d", doctor.SchemaVersion)
	schema.Properties["schema_version"].Const = jsonschema.Ptr(any(doctor.SchemaVersion))
	leaveOpen(schema)
	raw, err := json.MarshalIndent(schema, "", "  ")
	return string(raw) + "\n", err
}

// leaveOpen allows objects to have further members: adding one does not change schema_version.
func leaveOpen(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.AdditionalProperties != nil && s.Properties != nil {
		s.AdditionalProperties = nil
	}
	for _, p := range s.Properties {
		leaveOpen(p)
	}
	leaveOpen(s.Items)
}

// fieldComments are the comments of struct fields and the values of string constants in Go packages.
type fieldComments struct {
	fields map[string]string   // comments by Type.Field
	values map[string][]string // values of the constants of a type, by its name
}

// wordsOf reads the comments and constants of the packages in folders.
func wordsOf(folders ...string) (fieldComments, error) {
	w := fieldComments{map[string]string{}, map[string][]string{}}
	for _, folder := range folders {
		names, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			return w, err
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				return w, err
			}
			ast.Inspect(file, w.note)
		}
	}
	return w, nil
}

// note records the comments of a struct's fields, or the values of a typed string constant.
func (w fieldComments) note(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.TypeSpec:
		s, ok := n.Type.(*ast.StructType)
		if !ok {
			return true
		}
		for _, f := range s.Fields.List {
			text := strings.Join(strings.Fields(f.Doc.Text()+" "+f.Comment.Text()), " ")
			for _, name := range f.Names {
				w.fields[n.Name.Name+"."+name.Name] = text
			}
		}
	case *ast.ValueSpec:
		t, typed := n.Type.(*ast.Ident)
		if !typed {
			return true
		}
		for _, v := range n.Values {
			if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				w.values[t.Name] = append(w.values[t.Name],
					constant.StringVal(constant.MakeFromLiteral(lit.Value, lit.Kind, 0)))
			}
		}
	}
	return true
}

// describe sets the description of each member to the comment of its field.
func (w fieldComments) describe(s *jsonschema.Schema, t reflect.Type) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		if t.Kind() == reflect.Slice {
			s = s.Items
		}
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || s == nil {
		return
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if p := s.Properties[name]; p != nil {
			p.Description = w.fields[t.Name()+"."+f.Name]
			w.describe(p, f.Type)
		}
	}
}
