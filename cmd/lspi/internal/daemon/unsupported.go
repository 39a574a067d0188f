//go:build !linux && !darwin

package daemon

import (
	"errors"
	"net"
	"os"
	"os/exec"
)

var errSystem = errors.New("this system has no sockets that tell who connects")

func program() (string, error)                       { return os.Executable() }
func confinement() ([]string, error)                 { return nil, errSystem }
func peerOf(*net.UnixConn) (uid, pid int, err error) { return 0, 0, errSystem }
func onlyUsers(os.FileInfo) error                    { return errSystem }
func confinedAlike(int) error                        { return errSystem }
func mayWrite(string) error                          { return errSystem }
func ownSession(*exec.Cmd)                           {}
func kill(int) error                                 { return errSystem }

// Bind returns an error: see errSystem.
func Bind(string) (*net.UnixListener, error) { return nil, errSystem }

const noFollow = 0

func buildID() (string, error) { return "", errSystem }
