//go:build !linux && !darwin

package postgres

import "time"

// giveUpAfter does nothing: Windows gives up in that time by itself.
func giveUpAfter(uintptr, time.Duration) {}
