package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"wake/domain"
)

// remember notes which file it is that was opened.
func (e *engine) remember() (err error) {
	e.file, err = os.Stat(e.path)
	return err
}

// inPlace fails where another file lies at the path by now, or none: who put a backup
// there would find nothing of what goes on being written to the file that was open.
func (e *engine) inPlace() error {
	now, err := os.Stat(e.path)
	switch {
	case err == nil && os.SameFile(now, e.file), err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil // what hinders a look hinders SQLite too, or does not matter
	case err == nil:
		return domain.Unavailable("%s was replaced by another file while wake had it open; nothing was changed: restart wake "+
			"(in an assistant, reconnect the MCP server)", e.path)
	}
	return domain.Unavailable("%s was moved away or deleted while wake had it open; nothing was changed: put it back, "+
		"or restart wake (in an assistant, reconnect the MCP server)", e.path)
}

// followed is where the file lies, or will lie, that a path leads to. Beside that one, not
// beside a link to it, SQLite keeps its -wal and -shm.
func followed(path string) string {
	const most = 40 // links that a system follows; others lead to themselves
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
