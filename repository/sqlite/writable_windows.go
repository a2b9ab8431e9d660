package sqlite

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"

	"wake/files"
)

// writable reports whether the file and its folder, where SQLite puts its -wal, can be
// written. The attribute alone would not tell who has the right to.
func writable(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode()&0o200 != 0 && mayWrite(path) && mayWrite(filepath.Dir(path))
}

// mayWrite reports whether this user may write to a file, or make files in a folder,
// though somebody else may be in the way now.
func mayWrite(path string) bool {
	h, err := files.Handle(path, windows.FILE_WRITE_DATA)
	if err == nil {
		_ = windows.CloseHandle(h)
	}
	return err == nil || errors.Is(err, windows.ERROR_SHARING_VIOLATION)
}
