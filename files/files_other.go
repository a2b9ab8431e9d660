//go:build !windows

package files

import "os"

// Rename gives a file another name, in place of any other file of that name.
func Rename(from, to string) error { return os.Rename(from, to) }

// Remove deletes a file.
func Remove(path string) error { return os.Remove(path) }

// IsOpen reports whether Rename or Remove failed because a program has the file open.
func IsOpen(error) bool { return false }

// Open opens a file for reading, and lets others rename and delete it meanwhile.
func Open(path string) (*os.File, error) { return os.Open(path) }

// Stat returns what the file at path is now.
func Stat(path string) (os.FileInfo, error) { return os.Stat(path) }
