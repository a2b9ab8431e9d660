package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// forgetFile drops a file from the page cache, so that the next read goes to the disk.
func forgetFile(path string) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	_ = f.Sync()
	_ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
}
