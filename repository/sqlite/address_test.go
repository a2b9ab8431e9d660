package sqlite_test

import (
	"path/filepath"
	"runtime"
	"testing"

	"wake/repository/sqlite"
)

func TestFileURL(t *testing.T) {
	paths := map[string]string{"/home/me/wake 100%?.db": "file:///home/me/wake%20100%25%3F.db", "old.db": "file:old.db"}
	if runtime.GOOS == "windows" {
		paths = map[string]string{`C:\Users\me\wake 100%.db`: "file:///C:/Users/me/wake%20100%25.db", "old.db": "file:old.db",
			`\\server\share\old.db`: "file:////server/share/old.db"}
	}
	for path, want := range paths {
		if got := sqlite.FileURL(path, nil); got != want {
			t.Errorf("FileURL(%s) = %s, want %s", filepath.ToSlash(path), got, want)
		}
	}
}
