package postgres_test

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"

	"wake/repository/postgres"
)

// A statement that is under way when the network is cut ends within half a minute, not
// after the quarter of an hour that the system takes to give up.
func TestGivesUpOnCutNetwork(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	c, err := postgres.Dial(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	raw, err := c.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	options := map[string]int{"TCP_USER_TIMEOUT": unix.TCP_USER_TIMEOUT, "TCP_KEEPIDLE": unix.TCP_KEEPIDLE, "TCP_KEEPINTVL": unix.TCP_KEEPINTVL}
	got := map[string]int{}
	err = raw.Control(func(socket uintptr) {
		for name, option := range options {
			got[name], _ = unix.GetsockoptInt(int(socket), unix.IPPROTO_TCP, option)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if limit := got["TCP_USER_TIMEOUT"]; limit <= 0 || limit > 30_000 {
		t.Errorf("what is sent may stay unconfirmed for %d ms", limit)
	}
	if idle := got["TCP_KEEPIDLE"] + 3*got["TCP_KEEPINTVL"]; idle <= 0 || idle > 30 {
		t.Errorf("a silent server is noticed after %d s", idle)
	}
}
