//go:build !linux

package main

// forgetFile does nothing where the page cache cannot be asked.
func forgetFile(string) {}
