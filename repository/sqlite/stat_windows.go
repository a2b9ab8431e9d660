package sqlite

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// shareAll lets others do with a file what they want, while it is open here.
const shareAll = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE

// stat returns what the file at path is now. [os.Stat] on this system looks for its
// identity only once it is compared, by which time another file may be there; and under
// Wine it cannot open a -shm, because it shares nothing.
func stat(path string) (os.FileInfo, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	h, err := windows.CreateFile(name, 0, shareAll, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	f := os.NewFile(uintptr(h), path)
	defer func() { _ = f.Close() }()
	return f.Stat()
}
