//go:build !linux && !darwin

package sqlite

// fileSystem cannot identify file systems on this platform and accepts all.
func fileSystem(string) (string, error) { return "", nil }
