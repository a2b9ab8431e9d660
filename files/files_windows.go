package files

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// patience is how long others may have a file open; a virus scanner needs some tenths of
// a second.
const patience = time.Second

// Rename gives a file another name, in place of any other file of that name.
func Rename(from, to string) error {
	return retry(func() error { return os.Rename(from, to) })
}

// Remove deletes a file.
func Remove(path string) error {
	return retry(func() error { return os.Remove(path) })
}

// retry repeats an operation while others may have its file open. If they have the file
// that is to be replaced, the system says the same as about a lack of rights.
func retry(try func() error) error {
	began := time.Now()
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := try()
		if !IsOpen(err) && !errors.Is(err, windows.ERROR_ACCESS_DENIED) || time.Since(began) > patience {
			return err
		}
		time.Sleep(pause)
	}
}

// IsOpen reports whether Rename or Remove failed because a program has the file open.
func IsOpen(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_USER_MAPPED_FILE)
}
