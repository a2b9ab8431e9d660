//go:build unix

package main

import (
	"errors"
	"io"
	"syscall"
)

// isReaderGone reports whether a write failed because nobody reads the pipe any more.
func isReaderGone(err error) bool { return errors.Is(err, syscall.EPIPE) }

// isDiskFull reports whether a disk, or the user's share of it, is full.
func isDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// isReadOnlyDisk reports whether nothing can be written to a disk.
func isReadOnlyDisk(err error) bool { return errors.Is(err, syscall.EROFS) }

// obeysStyles reports whether a terminal obeys the codes of styles.
func obeysStyles(io.Writer) bool { return true }
