package main

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile locks a regular file until it is closed or this process ends, however it ends.
// The error is [errors.ErrUnsupported] if the file system has no locks. The file can be
// read, written, renamed and deleted meanwhile: what is locked is a byte far behind its end.
func lockFile(path string) (*os.File, error) {
	f := openRegular(path)
	if f == nil {
		return nil, os.ErrNotExist
	}
	far := windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &far)
	if err == nil {
		return f, nil
	}
	_ = f.Close()
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return nil, err // another process has locked it
	}
	return nil, errors.ErrUnsupported
}
