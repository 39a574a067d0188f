package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"lspi/cmd/lspi/internal/trust"
	"lspi/internal/testkit"
)

// timed notes when something was done.
func (x *reloads) timed(what string, do func()) *reloadChange {
	c := &reloadChange{what: what, began: time.Now()}
	do()
	c.done = time.Now()
	return c
}

// change changes something.
func (x *reloads) change() *reloadChange {
	user, preset, project := x.files[0], x.files[1], x.files[2]
	switch n := x.r.IntN(100); {
	case n < 10 && project.there:
		return x.trustFile(project.path)
	case n < 20:
		return x.trustFolder()
	case n < 65 || !user.there:
		return x.edit(user)
	case n < 80:
		return x.edit(preset)
	default:
		return x.edit(project)
	}
}

// edit makes another choice of a row, or removes the file.
func (x *reloads) edit(f *reloadFile) *reloadChange {
	was := *f
	was.chosen = slices.Clone(f.chosen)
	name := filepath.Base(f.path)
	var c *reloadChange
	if f.there && x.chance(10) {
		f.there = false
		c = x.timed(name+" is removed", func() { testkit.Must(x.t, os.Remove(f.path)) })
		c.removed = true
	} else {
		row := x.r.IntN(len(f.rows))
		f.chosen[row] = (f.chosen[row] + 1 + x.r.IntN(len(f.rows[row])-1)) % len(f.rows[row])
		f.there = true
		f.count++ // alone it leaves the file as long as it was
		c = x.put(name, f.path, f.text())
	}
	c.undo = func() {
		*f = was
		if f.there {
			testkit.Must(x.t, x.replace(f.path, f.text()))
		} else {
			testkit.Must(x.t, os.Remove(f.path))
		}
	}
	return c
}

func (x *reloads) trustFile(path string) *reloadChange {
	if x.chance(50) {
		c := x.timed("the workspace's file is trusted", func() {
			_, err := x.store().TrustFile(path)
			testkit.Must(x.t, err)
		})
		c.undo = func() { x.untrust(path) }
		return c
	}
	c := x.timed("the workspace's file is trusted no more", func() { x.untrust(path) })
	c.removed = true
	return c
}

func (x *reloads) untrust(path string) {
	_, err := x.store().Untrust(path)
	testkit.Must(x.t, err)
}

func (x *reloads) trustFolder() *reloadChange {
	if x.chance(50) {
		entry, err := trust.DescribeWorkspace(x.root(), false)
		testkit.Must(x.t, err)
		return x.timed("the workspace is trusted", func() { testkit.Must(x.t, x.store().TrustWorkspace(entry)) })
	}
	c := x.timed("the workspace is trusted no more", func() { x.untrust(x.root()) })
	c.removed, c.distrusted = true, true
	return c
}

// put writes a file in one of the ways in which programs do that.
func (x *reloads) put(name, path, text string) *reloadChange {
	testkit.Must(x.t, os.MkdirAll(filepath.Dir(path), 0o755))
	switch way := x.r.IntN(5); {
	case way == 0:
		return x.timed(name+" is replaced", func() { testkit.Must(x.t, x.replace(path, text)) })
	case way == 1:
		return x.timed(name+" is written", func() { testkit.Must(x.t, os.WriteFile(path, []byte(text), 0o644)) })
	case way == 2 && path != x.files[2].path: // a link to a file outside of the workspace is not followed
		return x.timed(name+" is another link", func() { testkit.Must(x.t, x.link(path, text)) })
	}
	return x.timed(name+" is written in parts", func() {
		part := x.r.IntN(len(text))
		f, err := os.Create(path)
		testkit.Must(x.t, err)
		_, err = f.WriteString(text[:part])
		x.pause(time.Duration(x.r.IntN(100)) * time.Millisecond)
		_, again := f.WriteString(text[part:])
		testkit.Must(x.t, errors.Join(err, again, f.Close()))
	})
}

// replace puts a file there in one step.
func (x *reloads) replace(path, text string) error {
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path+".new", []byte(text), 0o644),
		os.Rename(path+".new", path))
}

// link makes the file a link to another one, whose time is always the same, as package managers do.
func (x *reloads) link(path, text string) error {
	to, old := filepath.Join(x.dir, "store", time.Now().Format("150405.000000000")), time.Unix(1, 0)
	return errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, []byte(text), 0o644),
		os.Chtimes(to, old, old), os.Symlink(to, path+".new"), os.Rename(path+".new", path))
}
