package main

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// spelled returns the path of a folder with the capitals and accents that it has on the
// disk. macOS finds it under any others, and shells and clients pass on what was typed, so
// that one folder would have several projects. What is no folder keeps its path.
func spelled(path string) string {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return path
	}
	defer unix.Close(fd)
	const longest = 1024 // bytes that the call may write
	found := new([longest]byte)
	var pinned runtime.Pinner // as its address is passed as a number
	pinned.Pin(found)
	defer pinned.Unpin()
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETPATH, int(uintptr(unsafe.Pointer(found)))); err != nil {
		return path
	}
	return unix.ByteSliceToString(found[:])
}
