package clangd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/launch"
)

// The configuration of clangd (https://clangd.llvm.org/config#index) may name an index that others made, as a file or
// at a clangd-index-server, for the files below a mount point. Of these clangd then makes no index itself and reads no
// shards of an earlier one, and all that it says of its progress is that a beginning and an end come at once, whether
// anybody listens at the address or not. A file is read when it is asked for the first time, beside the answer. What a
// server does not answer within a second is missing, and a server sends 10,000 places at most; neither is told. A file
// counts as it is on disk from when it is opened (22.1.8).

// configured is the part of a fragment of the configuration that is about the index.
type configured struct {
	If    yaml.Node `yaml:"If"`
	Index struct {
		Background string    `yaml:"Background"`
		External   yaml.Node `yaml:"External"`
	} `yaml:"Index"`
}

// maxConfig bounds a file of the configuration, in bytes.
const maxConfig = 1 << 20

// external is [lsp.CoverageHooks].External. It reads the files anew, as clangd does.
func (a *Process) external() []lsp.ExternalIndex {
	s := a.Server
	if s.Spec().RunsElsewhere() { // with the configuration there
		return nil
	}
	var files []string
	for dir := s.Root(); ; dir = filepath.Dir(dir) { // clangd takes the folders from the top
		files = append([]string{filepath.Join(dir, configName)}, files...)
		if dir == filepath.Dir(dir) {
			break
		}
	}
	type below struct{ root string }
	files = append(files, s.Journal().Choose(below{s.Root()}, func(path string) bool {
		return filepath.Base(path) == configName && filepath.Dir(path) != s.Root()
	})...)
	return externalIndexes(s.Root(), files, userConfigs(launch.Environment(s.Spec())))
}

// configName is the name of a project's configuration.
const configName = ".clangd"

// externalIndexes are the indexes for files of a root, by the files of the project, those in the folders above first,
// and by those of the user, which clangd applies last. A condition (If) counts as met where it adds an index, since
// only clangd knows of which files it is.
func externalIndexes(root string, project, user []string) (out []lsp.ExternalIndex) {
	apply := func(x lsp.ExternalIndex, always bool) {
		_, above := source.RelativeTo(x.Mount, root)
		_, below := source.RelativeTo(root, x.Mount)
		if !above && !below {
			return
		}
		if always {
			out = slices.DeleteFunc(out, func(have lsp.ExternalIndex) bool { return source.Within(x.Mount, have.Mount) })
		}
		out = append(out, x)
	}
	for i, path := range slices.Concat(project, user) {
		dir := filepath.Dir(path)
		if i >= len(project) {
			dir = "" // relative paths mean nothing there
		}
		text, err := source.ReadRegular(path, maxConfig)
		if err != nil {
			continue
		}
		for read := yaml.NewDecoder(bytes.NewReader(text)); ; {
			var c configured
			if err := read.Decode(&c); err != nil {
				var typed *yaml.TypeError
				if errors.As(err, &typed) {
					continue // clangd goes on behind a fragment that is wrong
				}
				break
			}
			// clangd does not index by itself what it is told to skip, with or without another index. Where that is for
			// some files alone, as for a folder of third parties, these have no shards, and so are asked about.
			none := lsp.ExternalIndex{Named: path, Mount: cmp.Or(dir, root)}
			switch {
			case c.Index.Background == "Skip" && c.If.IsZero():
				apply(none, false)
			case c.Index.Background == "Build" && c.If.IsZero():
				out = slices.DeleteFunc(out, func(have lsp.ExternalIndex) bool {
					return have.Where() == "" && source.Within(none.Mount, have.Mount)
				})
			}
			if c.Index.External.Kind == yaml.ScalarNode && strings.EqualFold(c.Index.External.Value, "None") && c.If.IsZero() {
				for i := range out { // which clangd goes on to make no index of itself
					if source.Within(none.Mount, out[i].Mount) {
						out[i].File, out[i].Address = "", ""
					}
				}
			}
			if x, ok := c.external(path, dir); ok {
				apply(x, c.If.IsZero())
			}
		}
	}
	return out
}

// external is the index that a fragment names; ok is false for none, and where clangd refuses what it says: a project
// must not name a server, and dir, the folder of the project, is "" for a file of the user.
func (c *configured) external(path, dir string) (x lsp.ExternalIndex, ok bool) {
	var named struct{ File, Server, MountPoint *string }
	of := map[string]yaml.Node{}
	if c.Index.External.Kind != yaml.MappingNode || c.Index.External.Decode(&of) != nil {
		return x, false
	}
	for key, into := range map[string]**string{"File": &named.File, "Server": &named.Server,
		"MountPoint": &named.MountPoint} {
		if node, has := of[key]; has {
			*into = &node.Value
		}
	}
	if (named.File == nil) == (named.Server == nil) || named.Server != nil && dir != "" {
		return x, false
	}
	absolute := func(path string) string {
		if filepath.IsAbs(path) || dir == "" {
			return path
		}
		return dir + string(filepath.Separator) + path
	}
	x = lsp.ExternalIndex{Named: path, Mount: dir}
	if named.MountPoint != nil {
		x.Mount = absolute(*named.MountPoint)
	}
	// clangd compares the text with the paths of files, so that "./" is no mount point.
	clean := filepath.Clean(x.Mount)
	if !filepath.IsAbs(x.Mount) || clean != strings.TrimSuffix(x.Mount, "/") && clean != x.Mount {
		return x, false
	}
	x.Mount = clean
	if named.Server != nil {
		x.Address = *named.Server
		return x, true
	}
	x.File = filepath.Clean(absolute(*named.File))
	return x, filepath.IsAbs(x.File)
}

// reachable remembers, for a moment, whether index servers answer, and what the process may have found.
type reachable struct {
	mu    sync.Mutex
	known map[string]lastReached // by address; guarded by mu
	files map[string]time.Time   // when indexes changed, as they were at first; guarded by mu
	// lacked: an index was not there. The process looks for a file once, and for a server that it did not reach again
	// only after up to two minutes. Guarded by mu.
	lacked bool
}

type lastReached struct {
	at  time.Time
	err error
}

const (
	reachTime  = 2 * time.Second // for an index server to answer
	reachAgain = 2 * time.Second // what is known is asked again after that
)

// lacksExternal says which index that the configuration names is not there; "" when all are.
func (a *Process) lacksExternal() (why string) {
	r := &a.reachable
	for _, x := range a.external() {
		switch {
		case x.Address != "":
			if err := r.ask(x.Address); err != nil {
				why = fmt.Sprintf("no clangd-index-server answers at %s, which %s names: %v", x.Address, x.Named, err)
			}
		case x.File != "" && r.changedFile(x.File).IsZero():
			why = fmt.Sprintf("there is no index %s, which %s names", x.File, x.Named)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lacked = r.lacked || why != ""
	return why
}

// changedFile is when an index changed last; zero where there is none. The first time is kept.
func (r *reachable) changedFile(path string) (at time.Time) {
	if info, err := os.Stat(path); err == nil {
		at = info.ModTime()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.files[path]; !known {
		if r.files == nil {
			r.files = map[string]time.Time{}
		}
		r.files[path] = at
	}
	return at
}

// externalChanged reports whether an index is another one than the process has read, or has come, so that only a new
// process is certain to go by it.
func (a *Process) externalChanged() bool {
	r := &a.reachable
	r.mu.Lock()
	lacked, files := r.lacked, maps.Clone(r.files)
	r.mu.Unlock()
	for path, before := range files {
		if now := r.changedFile(path); !now.IsZero() && !now.Equal(before) {
			return true
		}
	}
	return lacked && a.lacksExternal() == ""
}

func (r *reachable) ask(address string) error {
	r.mu.Lock()
	last, ok := r.known[address]
	r.mu.Unlock()
	if ok && time.Since(last.at) < reachAgain {
		return last.err
	}
	last.err = askIndexServer(address)
	last.at = time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[string]lastReached{}
	}
	r.known[address] = last
	return last.err
}

// askIndexServer asks a clangd-index-server how it is (MonitoringService.proto). Any answer by gRPC will do: servers
// before clangd 12 do not know the question. Like clangd it uses no TLS.
func askIndexServer(address string) error {
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: &protocols}
	host := strings.TrimPrefix(address, "dns:///")
	if path, local := strings.CutPrefix(address, "unix:"); local { // names of gRPC: unix:path, unix:///path
		host = "localhost"
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", strings.TrimPrefix(path, "//"))
		}
	}
	defer transport.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(context.Background(), reachTime)
	defer cancel()
	const method = "/clang.clangd.remote.v1.Monitor/MonitoringInfo"
	// A message without fields: not compressed, of length 0.
	ask, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+host+method, bytes.NewReader(make([]byte, 5)))
	if err != nil {
		return err
	}
	ask.Header.Set("Content-Type", "application/grpc")
	ask.Header.Set("TE", "trailers")
	answer, err := transport.RoundTrip(ask)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("nothing in %v", reachTime)
	case err != nil:
		return err
	}
	defer answer.Body.Close()
	if !strings.HasPrefix(answer.Header.Get("Content-Type"), "application/grpc") {
		return fmt.Errorf("it does not speak gRPC: %s", answer.Status)
	}
	return nil
}

// mounted reports whether a file is below the mount point of an index that others made.
func mounted(all []lsp.ExternalIndex, path string) bool {
	return slices.ContainsFunc(all, func(x lsp.ExternalIndex) bool { return source.Within(x.Mount, path) })
}
