package answer

import (
	"path/filepath"
	"slices"

	"lspi/contract"
	"lspi/internal/source"
)

// PathOrFolder is [Call.Path] for a tool that takes folders as well. That no server answers for a path that leads to
// nothing is no news where the path is a mistyped folder: the error has the closest folders then.
func PathOrFolder(c *Call, given string) (string, error) {
	real, err := c.Path(given)
	path := c.AbsolutePath(given)
	if err == nil || AsError(err).Kind != contract.KindNoServerForExtension || exists(path) {
		return real, err
	}
	near := nearFolders(c, path)
	if len(near) == 0 && filepath.Ext(path) != "" {
		return "", err
	}
	return "", contract.Errorf(contract.KindFileNotFound, contract.Facts{"file_path": path, "closest": near},
		"there is no file or folder %s", c.Show(path))
}

// nearFolders returns the folders with files that a wrong path probably meant: up to three of the same name elsewhere,
// and one with a similar name beside it. Never nil: the fact "closest" is an array.
func nearFolders(c *Call, path string) []string {
	base, parent := filepath.Base(path), filepath.Dir(path)
	same, siblings, seen := []string{}, []string{}, map[string]bool{}
	eachFile(c, path, func(f string) bool {
		for dir := filepath.Dir(f); !seen[dir] && source.Within(c.Workspace.Root, dir); dir = filepath.Dir(dir) {
			seen[dir] = true
			switch {
			case filepath.Base(dir) == base:
				same = append(same, dir)
			case filepath.Dir(dir) == parent:
				siblings = append(siblings, filepath.Base(dir))
			}
		}
		return true
	})
	slices.Sort(same)
	near := []string{}
	for _, dir := range same[:min(len(same), 3)] {
		near = append(near, c.Show(dir))
	}
	slices.Sort(siblings)
	if like := contract.Closest(base, siblings); like != "" {
		near = append(near, c.Show(filepath.Join(parent, like)))
	}
	return near
}
