//go:build !unix

package main

import (
	"errors"
	"os"
)

// lockFile locks nothing: on this system a file that is open cannot be renamed.
func lockFile(string) (*os.File, error) { return nil, errors.ErrUnsupported }
