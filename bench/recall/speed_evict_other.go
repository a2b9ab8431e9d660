//go:build !linux

package main

// forgetFile does nothing on systems without control over the page cache.
func forgetFile(string) {}
