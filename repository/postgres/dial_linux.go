package postgres

import (
	"time"

	"golang.org/x/sys/unix"
)

// giveUpAfter sets how long a connection waits for what it sent to be confirmed. A system
// that cannot do that waits for its own time.
func giveUpAfter(socket uintptr, d time.Duration) {
	_ = unix.SetsockoptInt(int(socket), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(d.Milliseconds()))
}
