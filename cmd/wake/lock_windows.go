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
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, os.ErrNotExist
	}
	const shareAll = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	h, err := windows.CreateFile(name, windows.GENERIC_READ, shareAll, nil, windows.OPEN_EXISTING, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, os.ErrNotExist
	}
	f, far := os.NewFile(uintptr(h), path), windows.Overlapped{OffsetHigh: 1 << 30}
	err = windows.LockFileEx(h, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &far)
	if err == nil {
		return f, nil
	}
	_ = f.Close()
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return nil, err // another process has locked it
	}
	return nil, errors.ErrUnsupported
}
