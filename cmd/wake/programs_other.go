//go:build !windows

package main

// outOfPrograms does nothing: desktop programs start their servers in the root.
func outOfPrograms(dir string) string { return dir }
