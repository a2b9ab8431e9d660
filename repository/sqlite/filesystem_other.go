//go:build !linux && !darwin && !windows

package sqlite

// fileSystem cannot identify file systems on this platform and accepts all.
func fileSystem(string) (string, error) { return "", nil }
