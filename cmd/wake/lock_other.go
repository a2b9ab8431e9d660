//go:build !unix && !windows

package main

import (
	"errors"
	"os"
)

// lockFile locks nothing: it does not know this system.
func lockFile(string) (*os.File, error) { return nil, errors.ErrUnsupported }
