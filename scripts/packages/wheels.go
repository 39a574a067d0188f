package main

import (
	"os"
	"path/filepath"
)

// wheelTags are the systems that a wheel is for, as PyPI writes them. The programs for Linux need no C library, so one
// wheel is for both glibc and musl.
var wheelTags = map[System]string{
	{"linux", "amd64"}:   "py3-none-manylinux_2_17_x86_64.musllinux_1_1_x86_64",
	{"linux", "arm64"}:   "py3-none-manylinux_2_17_aarch64.musllinux_1_1_aarch64",
	{"darwin", "amd64"}:  "py3-none-macosx_12_0_x86_64",
	{"darwin", "arm64"}:  "py3-none-macosx_12_0_arm64",
	{"windows", "amd64"}: "py3-none-win_amd64",
	{"windows", "arm64"}: "py3-none-win_arm64",
}

// wheels makes a wheel for each system with hatchling, as packaging/wheel says.
func (r *release) wheels() error {
	for _, s := range systems {
		dir := r.work("wheel", s.String())
		if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
			return err
		}
		if err := os.CopyFS(dir, os.DirFS("packaging/wheel")); err != nil {
			return err
		}
		for to, from := range map[string]string{"README.md": "README.md", "LICENSE": "LICENSE"} {
			if err := copyFile(filepath.Join(dir, to), from, 0o644); err != nil {
				return err
			}
		}
		if err := copyFile(filepath.Join(dir, s.program()), r.work(s.String(), s.program()), 0o755); err != nil {
			return err
		}
		env := []string{"LSPI_VERSION=" + r.version.python, "LSPI_TAG=" + wheelTags[s], "LSPI_PROGRAM=" + s.program()}
		if err := r.command(dir, env, "hatchling", "build", "-t", "wheel", "-d", r.dist); err != nil {
			return err
		}
	}
	return nil
}
