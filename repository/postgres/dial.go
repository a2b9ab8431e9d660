package postgres

import (
	"net"
	"syscall"
	"time"
)

// unheard is how long a server may leave unconfirmed what was sent to it, before the
// connection counts as cut: on a laptop that sleeps or changes networks while a statement
// runs, the operating system would wait a quarter of an hour. Servers that are merely busy
// confirm at once.
const unheard = 20 * time.Second

// dialer opens the connections to servers. Where the answer to a statement takes long, it
// asks now and then whether the server is still there.
func dialer() *net.Dialer {
	return &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: unheard / 2, Interval: unheard / 4, Count: 4},
		Control: func(network, _ string, c syscall.RawConn) error {
			if network == "unix" {
				return nil
			}
			return c.Control(func(socket uintptr) { giveUpAfter(socket, unheard) })
		},
	}
}
