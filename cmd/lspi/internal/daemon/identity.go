package daemon

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
)

// Identity is what decides who may share a process: equal for two processes that may, as lines of name and value.
type Identity []string

// Name is a digest of the identity, short enough for the name of a socket on every system (sun_path has 104 bytes
// on macOS, with the folder).
func (i Identity) Name() string {
	sum := sha256.Sum256([]byte(strings.Join(i, "\n")))
	return hex.EncodeToString(sum[:8])
}

// ThisIdentity is that of this process. folders are the user's folders that lspi writes to. Whatever keeps the
// build or the confinement from being known is its error, and then nothing is shared.
func ThisIdentity(folders ...string) (Identity, error) {
	build, err := buildID()
	if err != nil {
		return nil, fmt.Errorf("reading which build this is: %w", err)
	}
	confined, err := confinement()
	if err != nil {
		return nil, fmt.Errorf("reading what confines this process: %w", err)
	}
	out := Identity{fmt.Sprintf("protocol %d", protocol), "build " + build,
		fmt.Sprintf("user %d %d", os.Geteuid(), os.Getegid())}
	for _, f := range folders {
		out = append(out, "folder "+f)
	}
	return append(out, confined...), nil
}
