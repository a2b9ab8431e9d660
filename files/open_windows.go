package files

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// Open opens a file for reading, and lets others rename and delete it meanwhile.
// [os.Open] does not.
func Open(path string) (*os.File, error) {
	h, err := Handle(path, windows.GENERIC_READ)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// Stat returns what the file at path is now. [os.Stat] on this system looks for its
// identity only once it is compared, by which time another file may be there; and under
// Wine it cannot open a -shm, because it shares nothing.
func Stat(path string) (os.FileInfo, error) {
	h, err := Handle(path, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	f := os.NewFile(uintptr(h), path)
	defer func() { _ = f.Close() }()
	return f.Stat()
}

// Handle opens what is at path, a folder too, for certain rights to it, and lets others do
// with it what they want.
func Handle(path string, rights uint32) (windows.Handle, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, err
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	return windows.CreateFile(name, rights, share, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
}
