package sqlite

import (
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"

	"wake/files"
)

// fileSystem returns the share that holds path, such as \\server\share, or "" if it is on
// a local disk. A drive letter may stand for a share, and a link may lead to one.
func fileSystem(path string) (string, error) {
	real, err := finalPath(path)
	if err != nil {
		return "", err
	}
	if share, found := strings.CutPrefix(real, `\\?\UNC\`); found {
		return filepath.VolumeName(`\\` + share), nil
	}
	volume := filepath.VolumeName(strings.TrimPrefix(real, `\\?\`)) + `\`
	name, err := windows.UTF16PtrFromString(volume)
	if err != nil || windows.GetDriveType(name) != windows.DRIVE_REMOTE {
		return "", err
	}
	return volume, nil
}

// finalPath returns the path of what is at path, without links and mapped drives. It
// begins with \\?\C:\ on a local disk, with \\?\UNC\ on a share.
func finalPath(path string) (string, error) {
	h, err := files.Handle(path, 0)
	if err != nil {
		return "", err
	}
	defer func() { _ = windows.CloseHandle(h) }()
	buf := make([]uint16, windows.MAX_LONG_PATH)
	if _, err := windows.GetFinalPathNameByHandle(h, &buf[0], uint32(len(buf)), 0); err != nil {
		return "", err
	}
	return windows.UTF16ToString(buf), nil
}
