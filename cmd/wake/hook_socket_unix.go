//go:build unix

package main

import (
	"errors"
	"net"
	"os"
	"strings"
	"syscall"
)

// unboundSuffix is the suffix of a socket that nobody listens on yet.
const unboundSuffix = "~"

// listenAt listens on a socket at a path. It gets that name once somebody listens: hooks
// remove sockets that nobody listens on.
func listenAt(path string) (net.Listener, error) {
	unnamed := &net.UnixAddr{Net: "unix", Name: path + unboundSuffix}
	listener, err := net.ListenUnix("unix", unnamed)
	if err != nil {
		return nil, err
	}
	listener.SetUnlinkOnClose(false)
	if err := os.Rename(unnamed.Name, path); err != nil {
		return nil, errors.Join(err, listener.Close(), os.Remove(unnamed.Name))
	}
	return listener, nil
}

// dialAt connects to the socket at a path.
func dialAt(path string) (net.Conn, error) { return net.DialTimeout("unix", path, greetTime) }

// isDead reports whether dialAt failed because whoever listened at the path is gone.
func isDead(path string, err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) && !strings.HasSuffix(path, unboundSuffix)
}
