//go:build unix

package main

import (
	"errors"
	"os"
	"syscall"
)

// lockFile locks a regular file until it is closed or this process ends, however it ends.
// The error is [errors.ErrUnsupported] if the file system has no locks.
func lockFile(path string) (*os.File, error) {
	f := openRegular(path)
	if f == nil {
		return nil, os.ErrNotExist
	}
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}
	_ = f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, err // another process has locked it
	}
	return nil, errors.ErrUnsupported
}
