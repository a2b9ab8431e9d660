//go:build !windows

package sqlite

import "os"

// stat returns what the file at path is now.
func stat(path string) (os.FileInfo, error) { return os.Stat(path) }
