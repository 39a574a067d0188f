package main

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"lspi/cmd/lspi/internal/trust"
	"lspi/internal/testkit"
)

// epoch notes what the disk has from now on.
func (x *reloadRun) epoch(e reloadEpoch) {
	x.epochs = append(x.epochs, e)
	x.world = e.world
}

// then notes a world that one operation makes.
func (x *reloadRun) then(what string, world reloadWorld, operation func() error) *reloadEpoch {
	e := reloadEpoch{world: world, what: what, began: time.Now()}
	testkit.Must(x.t, operation())
	e.done = time.Now()
	x.epoch(e)
	return &x.epochs[len(x.epochs)-1]
}

// write puts a file there in one step.
func (x *reloadRun) write(path, text string) {
	testkit.Must(x.t, x.replace(path, text))
}

func (x *reloadRun) replace(path, text string) error {
	temporary := path + ".new"
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(temporary, []byte(text), 0o644),
		os.Rename(temporary, path))
}

// some is each of a list with a probability of a half.
func (x *reloadRun) some(of ...string) []string {
	return slices.DeleteFunc(of, func(string) bool { return x.r.IntN(2) == 0 })
}

func (x *reloadRun) chance(percent int) bool { return x.r.IntN(100) < percent }

// reloadTools are those that lists name: some of each class.
func reloadTools() []string {
	return []string{"find_definition", "find_references", "hover", "rename_symbol", "check_edit",
		"search_workspace_symbols", "stop_server"}
}

func (x *reloadRun) nextRev() int { x.rev++; return x.rev }

// someUser makes the first configuration, in which everything is there.
func (x *reloadRun) someUser() string {
	x.world.user = &reloadUser{rev: x.nextRev(), one: 1, two: true}
	return x.world.user.text(x.program, x.dir)
}

func (x *reloadRun) somePreset() *reloadPreset {
	p := &reloadPreset{rev: x.nextRev(), readOnly: x.chance(15), broken: x.chance(8)}
	if x.chance(60) {
		p.tools = append(x.some(reloadTools()...), "get_*")
	}
	if x.chance(5) {
		p.tools = []string{}
	}
	if x.chance(30) {
		p.servers = append([]string{}, x.some("one", "two", "three")...)
	}
	return p
}

// reloadPresets are the names of presets: of [presets.NAME], of files, and of none.
var reloadPresets = []string{"a", "b", "c", "d", "nowhere"}

// edit changes something.
func (x *reloadRun) edit() {
	w := x.world
	switch n := x.r.IntN(100); {
	case n < 60 || w.user == nil:
		x.editUser(w)
	case n < 72:
		x.editPreset(w)
	case n < 82:
		x.editProject(w)
	case n < 90:
		x.trustProject(w)
	case n < 96:
		x.trustFolder(w)
	default:
		w.user = nil
		x.then("config.toml is removed", w, func() error { return os.Remove(x.userPath()) }).removed = true
	}
}

func (x *reloadRun) editUser(w reloadWorld) {
	u := reloadUser{one: 1, two: true}
	if w.user != nil {
		u = *w.user
	}
	u.rev, u.broken = x.nextRev(), x.chance(10)
	switch x.r.IntN(9) {
	case 0:
		u.allow = nil
		if x.chance(60) {
			u.allow = append([]string{}, x.some(reloadTools()...)...)
		}
	case 1:
		u.exclude = append([]string{}, x.some(x.some(reloadTools()...)...)...)
	case 2:
		u.readOnly = !u.readOnly
	case 3:
		u.preset = ""
		if x.chance(70) {
			u.preset = reloadPresets[x.r.IntN(len(reloadPresets))]
		}
	case 4:
		u.inline = maps.Clone(u.inline)
		if u.inline == nil {
			u.inline = map[string]*reloadPreset{}
		}
		p := x.somePreset()
		p.broken = false
		u.inline[reloadPresets[x.r.IntN(2)]] = p
	case 5:
		u.shortReferences = !u.shortReferences
	case 6:
		u.one = x.r.IntN(3)
	case 7:
		u.two = !u.two
	case 8: // the revision alone, so that the file has the same size
	}
	w.user = &u
	x.put("config.toml", x.userPath(), u.text(x.program, x.dir), w)
}

// editServers changes which servers there are beside the one for .one.
func (x *reloadRun) editServers(w reloadWorld) {
	u := *w.user
	u.rev = x.nextRev()
	if x.chance(50) {
		u.two = !u.two
	} else {
		u.inline = maps.Clone(u.inline)
		if u.inline == nil {
			u.inline = map[string]*reloadPreset{}
		}
		u.preset = reloadPresets[0]
		u.inline[u.preset] = &reloadPreset{rev: x.nextRev(), servers: append(x.some("two", "three"), "one")}
	}
	w.user = &u
	x.put("config.toml", x.userPath(), u.text(x.program, x.dir), w)
}

func (x *reloadRun) editPreset(w reloadWorld) {
	name := reloadPresets[2+x.r.IntN(2)]
	w.presets = maps.Clone(w.presets)
	if w.presets == nil {
		w.presets = map[string]*reloadPreset{}
	}
	if w.presets[name] != nil && x.chance(30) {
		delete(w.presets, name)
		x.then("preset "+name+" is removed", w, func() error { return os.Remove(x.presetPath(name)) }).removed = true
		if len(w.presets) == 0 && x.chance(50) {
			testkit.Must(x.t, os.Remove(filepath.Dir(x.presetPath(name))))
		}
		return
	}
	w.presets[name] = x.somePreset()
	x.put("preset "+name, x.presetPath(name), w.presets[name].text(), w)
}

func (x *reloadRun) editProject(w reloadWorld) {
	if w.project != nil && x.chance(20) {
		w.project = nil
		x.then("the workspace's file is removed", w, func() error { return os.Remove(x.projectPath()) }).removed = true
		return
	}
	p := &reloadProject{rev: x.nextRev(), broken: x.chance(10), readOnly: x.chance(10), server: x.chance(70)}
	if x.chance(40) {
		p.exclude = append([]string{}, x.some("hover", "find_definition", "call_hierarchy")...)
	}
	w.project = p
	x.put("the workspace's file", x.projectPath(), p.text(x.program, x.dir), w)
}

func (x *reloadRun) trustProject(w reloadWorld) {
	switch {
	case w.project == nil:
		x.editProject(w)
	case w.projectTrusted():
		w.trusted = 0
		e := x.then("the workspace's file is trusted no more", w, func() error {
			_, err := x.store().Untrust(x.projectPath())
			return err
		})
		e.removed, e.atOnce = true, true
	default:
		w.trusted = w.project.rev
		x.then("the workspace's file is trusted", w, func() error {
			_, err := x.store().TrustFile(x.projectPath())
			return err
		}).atOnce = true
	}
}

func (x *reloadRun) trustFolder(w reloadWorld) {
	w.folder = !w.folder
	if !w.folder {
		e := x.then("the workspace is trusted no more", w, func() error {
			_, err := x.store().Untrust(x.root())
			return err
		})
		e.removed, e.atOnce = true, true
		return
	}
	entry, err := trust.DescribeWorkspace(x.root(), false)
	testkit.Must(x.t, err)
	x.then("the workspace is trusted", w, func() error { return x.store().TrustWorkspace(entry) }).atOnce = true
}

// put writes a file in one of the ways in which programs do that.
func (x *reloadRun) put(what, path, text string, w reloadWorld) {
	way := x.r.IntN(5)
	if way == 2 && path == x.projectPath() {
		way = 0 // a link to a file outside of the workspace is not followed
	}
	switch way {
	case 0:
		x.then(what+" is replaced", w, func() error { return x.replace(path, text) })
	case 1:
		x.then(what+" is written", w, func() error {
			return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
		})
	case 2:
		x.linked(what, path, text, w)
	default:
		x.inParts(what, path, text, w)
	}
}

// inParts empties the file, writes a part of it, and after a while the rest.
func (x *reloadRun) inParts(what, path, text string, w reloadWorld) {
	testkit.Must(x.t, os.MkdirAll(filepath.Dir(path), 0o755))
	part := x.r.IntN(len(text))
	var f *os.File
	x.then(what+" is written in part", x.world, func() error {
		var err error
		if f, err = os.Create(path); err == nil {
			_, err = f.WriteString(text[:part])
		}
		return err
	}).unknown = true
	x.pause(time.Duration(x.r.IntN(100)) * time.Millisecond)
	x.then(what+" is written in full", w, func() error {
		_, err := f.WriteString(text[part:])
		return errors.Join(err, f.Close())
	})
}

// linked makes the file a link to another one, whose time is always the same, as package managers do.
func (x *reloadRun) linked(what, path, text string, w reloadWorld) {
	to := filepath.Join(x.dir, "store", filepath.Base(path)+"-"+time.Now().Format("150405.000000000"))
	x.write(to, text)
	old := time.Unix(1, 0)
	x.then(what+" is another link", w, func() error {
		return errors.Join(os.Chtimes(to, old, old), os.MkdirAll(filepath.Dir(path), 0o755),
			os.Symlink(to, path+".new"), os.Rename(path+".new", path))
	}).atOnce = true
}
