//go:build !darwin

package main

// spelled returns the path: elsewhere a folder has one spelling, or on Windows realPath
// has found that on the disk.
func spelled(path string) string { return path }
