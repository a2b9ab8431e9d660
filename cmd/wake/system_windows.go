package main

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/windows"
)

// isReaderGone reports whether a write failed because nobody reads the pipe any more.
func isReaderGone(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA) || errors.Is(err, windows.ERROR_PIPE_NOT_CONNECTED)
}

// isDiskFull reports whether a disk, or the user's share of it, is full.
func isDiskFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) || errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}

// isReadOnlyDisk reports whether nothing can be written to a disk.
func isReadOnlyDisk(err error) bool { return errors.Is(err, windows.ERROR_WRITE_PROTECT) }

// obeysStyles makes a console obey the codes of styles, and reports whether it does. Most
// consoles show them as text unless each program asks for that.
func obeysStyles(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	console := windows.Handle(f.Fd())
	var mode uint32
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
