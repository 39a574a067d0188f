package launch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lspi/internal/source"
	"lspi/lsp/spec"
)

// outputFor is how long the folders of a project stay in the cache unused.
const outputFor = 30 * 24 * time.Hour

// rootFile is in each folder of the cache that belongs to a project. It holds the project's path; its mtime says when
// the folder was used last.
const rootFile = "root"

// viewFile is beside it, and holds the [view] of the process that used the folder last.
const viewFile = "view"

// view identifies the file system that this process sees. Containers that share the cache by a volume have different
// ones: a project that is missing in one of them is there in another.
func view() string {
	host, _ := os.Hostname()
	mounts, _ := os.Readlink("/proc/self/ns/mnt") // mount_namespaces(7): of Linux
	return host + " " + mounts
}

// placeOutputs gives the server folders below the cache for what it writes. An output that the user has placed stays
// there. Without a cache, everything stays where the server puts it.
func (p *Plan) placeOutputs() error {
	if p.Cache == "" || len(p.Spec.Outputs) == 0 {
		return nil
	}
	dir, err := CacheFolder(filepath.Join(p.Cache, p.Spec.ID), p.Root)
	if err != nil {
		return fmt.Errorf("making the cache of %s: %w", p.Spec.ID, err)
	}
	for _, o := range p.Spec.Outputs {
		if p.givenOutput(o) {
			continue
		}
		path := filepath.Join(dir, o.Name)
		if o.Alone {
			if path, err = p.alone(path); err != nil {
				return err
			}
		}
		if o.Setting != "" {
			p.Settings = spec.Default(p.Settings, strings.Split(o.Setting, "."), path)
		}
		if o.Option != "" {
			p.Options = spec.Default(p.Options, strings.Split(o.Option, "."), path)
		}
		for i, c := range p.Candidates {
			if o.Arg != "" && !slices.Contains(c.Args, o.Arg) {
				p.Candidates[i].Args = append(slices.Clone(c.Args), o.Arg, path)
			}
		}
	}
	return nil
}

// maxAlone bounds how many processes of a server for one root may each have a folder of their own.
const maxAlone = 20

// alone returns the first of the folders path, path-2, … that no other process uses. It belongs to this plan until
// Release.
func (p *Plan) alone(path string) (string, error) {
	for n := 1; n <= maxAlone; n++ {
		own := path
		if n > 1 {
			own = fmt.Sprintf("%s-%d", path, n)
		}
		f, err := os.OpenFile(own+".lock", os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return "", err
		}
		switch free, err := source.LockFile(f, true); {
		case err != nil:
			f.Close()
			return "", err
		case free:
			p.held = append(p.held, f)
			return own, nil
		}
		f.Close()
	}
	return "", fmt.Errorf("%d processes use %s and the folders beside it", maxAlone, path)
}

// Release gives up the folders that only this process uses. It is called when the process has ended.
func (p *Plan) Release() {
	for _, f := range p.held {
		f.Close() // and with it the lock
	}
	p.held = nil
}

// givenOutput reports whether the user has said where the output goes.
func (p *Plan) givenOutput(o spec.Output) bool {
	return o.Setting != "" && spec.At(p.Settings, o.Setting) != nil || o.Option != "" &&
		spec.At(p.Options, o.Option) != nil
}

// CacheFolder returns the folder of a root below cache. It makes the folder, and marks it as used now.
func CacheFolder(cache, root string) (string, error) {
	dir := CachePath(cache, root)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	dropOutputs(cache, dir)
	return dir, errors.Join(os.WriteFile(filepath.Join(dir, viewFile), []byte(view()), 0o600),
		os.WriteFile(filepath.Join(dir, rootFile), []byte(root), 0o600))
}

// CachePath returns where [CacheFolder] makes the folder of a root.
func CachePath(cache, root string) string {
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(cache, hex.EncodeToString(sum[:10]))
}

// maxDropped bounds the folders that one start removes: each may have gigabytes.
const maxDropped = 2

// dropOutputs removes the folders of projects that no longer exist or were not used for long, but not the one at
// keep. It removes nothing that lspi has not made.
func dropOutputs(cache, keep string) {
	marks, _ := filepath.Glob(filepath.Join(source.GlobQuote(cache), "*", rootFile))
	dropped := 0
	for _, mark := range marks {
		dir := filepath.Dir(mark)
		info, err := os.Stat(mark)
		raw, rerr := os.ReadFile(mark)
		if dir == keep || err != nil || rerr != nil || len(raw) == 0 { // another process writes it
			continue
		}
		_, err = os.Stat(string(raw))
		seen, _ := os.ReadFile(filepath.Join(dir, viewFile))
		gone := os.IsNotExist(err) && string(seen) == view()
		if !gone && time.Since(info.ModTime()) < outputFor {
			continue
		}
		if os.RemoveAll(dir) == nil {
			dropped++
		}
		if dropped == maxDropped {
			return
		}
	}
}
