package config

import (
	"reflect"
	"slices"
	"testing"

	"lspi/lsp"
	"lspi/router"
)

// own are the fields that say who a server is, what it serves and how it is started: no adapter gives those.
var own = []string{"ID", "Kind", "Title", "Languages", "Commands", "Env", "Cwd", "RootDir", "Folders", "Roles",
	"InitializationOptions", "Settings", "Capabilities", "Timeouts", "Install", "Version", "Verified"}

// TestAdaptersGiveAllBehaviour: a field that is new in lsp.Spec is behaviour, or is named above.
func TestAdaptersGiveAllBehaviour(t *testing.T) {
	for _, row := range router.Catalogue() {
		var spec lsp.Spec
		adopt(&spec, &row)
		got, want := reflect.ValueOf(spec), reflect.ValueOf(row)
		for i := range got.NumField() {
			name := got.Type().Field(i).Name
			same := reflect.DeepEqual(got.Field(i).Interface(), want.Field(i).Interface())
			if got.Field(i).Kind() == reflect.Func { // functions cannot be compared
				same = got.Field(i).Pointer() == want.Field(i).Pointer()
			}
			if !slices.Contains(own, name) && !same {
				t.Errorf("%s: %s is not adopted", row.ID, name)
			}
			if slices.Contains(own, name) && !got.Field(i).IsZero() {
				t.Errorf("%s: %s is adopted", row.ID, name)
			}
		}
	}
}
