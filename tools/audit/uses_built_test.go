package audit

import (
	"fmt"
	"testing"

	"lspi/internal/testkit"
)

func TestPartsOf(t *testing.T) {
	for name, want := range map[string]string{
		"cmd_help": "[cmd_] [_help]", "onLoad": "[on] [Load]", "run": "[] []", "__init__": "[__init_] [__]",
		"_run": "[] []", "visit_FileType": "[visit_ visit_File] [_FileType Type]", "HTTP": "[] []",
	} {
		prefixes, suffixes := partsOf(name)
		testkit.Equal(t, fmt.Sprint(prefixes, suffixes), want, name)
	}
}
