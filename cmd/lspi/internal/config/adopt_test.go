package config

import (
	"reflect"
	"slices"
	"testing"

	"lspi/catalogue"
	"lspi/lsp/spec"
)

// own are the fields that say who a server is, what it serves and how it is started: no adapter gives those.
var own = []string{"ID", "Kind", "Title", "Languages", "Commands", "Env", "Cwd", "RootDir", "Folders", "Roles",
	"InitializationOptions", "Settings", "Capabilities", "Timeouts", "Install", "Version", "Verified"}

// TestAdaptersGiveAllBehaviour: a field that is new in spec.Spec is behaviour, or is named above.
func TestAdaptersGiveAllBehaviour(t *testing.T) {
	for _, row := range catalogue.Servers() {
		var spec spec.Spec
		adopt(&spec, &row)
		got, want := reflect.ValueOf(spec), reflect.ValueOf(row)
		for i := range got.NumField() {
			name := got.Type().Field(i).Name
			if !slices.Contains(own, name) && !same(got.Field(i), want.Field(i)) {
				t.Errorf("%s: %s is not adopted", row.ID, name)
			}
			if slices.Contains(own, name) && !got.Field(i).IsZero() {
				t.Errorf("%s: %s is adopted", row.ID, name)
			}
		}
	}
}

// same is reflect.DeepEqual for the values of rows, where functions are equal that are the same.
func same(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Func:
		return a.Pointer() == b.Pointer()
	case reflect.Struct:
		for i := range a.NumField() {
			if !a.Type().Field(i).IsExported() {
				return reflect.DeepEqual(a.Interface(), b.Interface())
			}
			if !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Pointer:
		return a.Pointer() == b.Pointer() || !a.IsNil() && !b.IsNil() && same(a.Elem(), b.Elem())
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}
