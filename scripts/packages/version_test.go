package main

import "testing"

func TestVersions(t *testing.T) {
	for semver, python := range map[string]string{
		"1.2.0": "1.2.0", "1.2.0-rc.1": "1.2.0rc1", "1.2.1-dev.3.gabc": "1.2.1.dev3+gabc",
		"1.2.1-dev.0.gabc.dirty": "1.2.1.dev0+gabc.dirty",
		"1.2.0-rc.1.dev.3.gabc":  "1.2.0rc1.dev3+gabc", "1.0.0-beta": "1.0.0b0",
	} {
		v, err := parseVersion(semver)
		if err != nil || v.semver != semver || v.python != python {
			t.Errorf("%s: %+v, %v, want %s", semver, v, err, python)
		}
	}
	for _, bad := range []string{"", "v1.2.0", "1.2", "1.2.0-", "1.2.0 ", "1.2.0-a/b"} {
		if v, err := parseVersion(bad); err == nil {
			t.Errorf("%q is %+v", bad, v)
		}
	}
}
