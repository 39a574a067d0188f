package launch

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"lspi/disk"
	"lspi/lsp/spec"
)

// outputFor is how long the folders of a project stay in the cache that nobody asks about any more.
const outputFor = 30 * 24 * time.Hour

// rootFile is in each folder of the cache that belongs to a project, and holds the project's path. Its time is when it was
// used last.
const rootFile = "root"

// placeOutputs gives the outputs of the server for one root their folders below cache. settings and options are those that the
// process gets; what the user set in them stays. Without a cache everything stays where the server puts it.
func placeOutputs(s *spec.Spec, cache, root string, settings, options map[string]any) (map[string]any, map[string]any, error) {
	if cache == "" || len(s.Outputs) == 0 {
		return settings, options, nil
	}
	dir, err := CacheFolder(filepath.Join(cache, s.ID), root)
	if err != nil {
		return settings, options, fmt.Errorf("making the cache of %s: %w", s.ID, err)
	}
	for _, o := range s.Outputs {
		if givenOutput(o, settings, options) {
			continue
		}
		path := filepath.Join(dir, o.Name)
		if o.Setting != "" {
			settings = spec.Default(settings, strings.Split(o.Setting, "."), path)
		}
		if o.Option != "" {
			options = spec.Default(options, strings.Split(o.Option, "."), path)
		}
	}
	return settings, options, nil
}

// givenOutput reports whether the user says where the output goes.
func givenOutput(o spec.Output, settings, options map[string]any) bool {
	return o.Setting != "" && spec.At(settings, o.Setting) != nil || o.Option != "" && spec.At(options, o.Option) != nil
}

// CacheFolder is the folder of a root, which is there and marked as used now.
func CacheFolder(cache, root string) (string, error) {
	sum := sha256.Sum256([]byte(root))
	dir := filepath.Join(cache, hex.EncodeToString(sum[:10]))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	dropOutputs(cache, dir)
	return dir, os.WriteFile(filepath.Join(dir, rootFile), []byte(root), 0o600)
}

// maxDropped bounds the folders that one start removes: each may be gigabytes.
const maxDropped = 2

// dropOutputs removes folders of projects that are gone or that nobody asked about for long; never the one at keep. It
// touches nothing that lspi has not made.
func dropOutputs(cache, keep string) {
	marks, _ := filepath.Glob(filepath.Join(disk.GlobQuote(cache), "*", rootFile))
	dropped := 0
	for _, mark := range marks {
		dir := filepath.Dir(mark)
		info, err := os.Stat(mark)
		raw, rerr := os.ReadFile(mark)
		if dir == keep || err != nil || rerr != nil {
			continue
		}
		if _, err := os.Stat(string(raw)); !os.IsNotExist(err) && time.Since(info.ModTime()) < outputFor {
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
