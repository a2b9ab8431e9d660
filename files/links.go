package files

import (
	"os"
	"path/filepath"
)

// mostLinks is how many links in a row are followed, as many as by Linux. Longer chains are
// cycles.
const mostLinks = 40

// Resolve returns an absolute path without links, even if the last one leads to a file that
// is not there yet. What cannot be followed stays as it is.
func Resolve(path string) string {
	for range mostLinks {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return real
		}
		target, err := os.Readlink(path)
		if err != nil {
			return path
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(Resolve(filepath.Dir(path)), target)
		}
		path = target
	}
	return path
}
