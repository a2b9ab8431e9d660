package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"wake/domain"
)

// rememberFile records which file was opened.
func (e *engine) rememberFile() (err error) {
	e.file, err = os.Stat(e.path)
	return err
}

// checkInPlace returns an error if the opened file is no longer at its path. Whoever
// put a backup there would not see what is still being written to the old file.
func (e *engine) checkInPlace() error {
	now, err := os.Stat(e.path)
	switch {
	case e.full && err == nil && (!now.ModTime().Equal(e.file.ModTime()) || e.hasWAL()):
		return domain.Unavailable("the disk of %s was full when wake opened it, and others have written to it since; restart wake "+
			"(in an assistant, reconnect the MCP server)", e.path)
	case err == nil && os.SameFile(now, e.file), err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil // other errors affect SQLite too, or do not matter
	case err == nil:
		return domain.Unavailable("%s was replaced by another file while wake had it open; nothing was changed: restart wake "+
			"(in an assistant, reconnect the MCP server)", e.path)
	}
	return domain.Unavailable("%s was moved away or deleted while wake had it open; nothing was changed: put it back, "+
		"or restart wake (in an assistant, reconnect the MCP server)", e.path)
}

// hasWAL reports whether there are writes beside the file.
func (e *engine) hasWAL() bool {
	wal, err := os.Stat(resolveLinks(e.path) + "-wal")
	return err == nil && wal.Size() > 0
}

// resolveLinks returns the file that path leads to, which need not exist yet. SQLite
// keeps its -wal and -shm files beside that file, not beside a link to it.
func resolveLinks(path string) string {
	const most = 40 // as many links as a system follows; longer chains are cycles
	for range most {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return real
		}
		target, err := os.Readlink(path)
		if err != nil {
			return path
		}
		if !filepath.IsAbs(target) {
			dir, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return path
			}
			target = filepath.Join(dir, target)
		}
		path = target
	}
	return path
}
