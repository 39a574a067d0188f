package watch

import "slices"

// noteSpecial remembers a path that is a pipe, a socket or a device, or a link to one: who reads it as a source waits for ever, or
// reads without end. There is no bound, as for other files of the tree: beyond one a repository could hide one such file behind
// others. One that is gone is forgotten.
func (j *Journal) noteSpecial(path string, n node) {
	special := n.sort == other || n.sort == link && isSpecial(path)
	j.mu.Lock()
	defer j.mu.Unlock()
	if special {
		j.special[path] = true
	} else {
		delete(j.special, path)
	}
}

// isSpecial follows links.
func isSpecial(path string) bool {
	n, err := stat(path)
	return err == nil && n.sort == other
}

// Special are the special files among what is tracked, sorted, as far as the last Barrier saw them, and as far as they still are.
// Only those count that wanted reports true for.
func (j *Journal) Special(wanted func(path string) bool) (out []string) {
	j.mu.Lock()
	for path := range j.special {
		if wanted(path) {
			out = append(out, path)
		}
	}
	j.mu.Unlock()
	out = slices.DeleteFunc(out, func(path string) bool { return !isSpecial(path) })
	slices.Sort(out)
	return out
}
