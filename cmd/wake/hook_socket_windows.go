package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/Microsoft/go-winio"
	"golang.org/x/sys/windows"

	"wake/domain"
)

// On this system a server listens on a named pipe, because old versions have no sockets in
// folders. At the path there is an empty file, by which hooks find the pipe.

// pipeAt is the name of the pipe that belongs to a path.
func pipeAt(path string) string {
	return `\\.\pipe\wake-` + domain.HashText(strings.ToLower(path))[:32]
}

// pipeRoom is how many bytes fit into a pipe.
const pipeRoom = maxSent + requestSpare

// listenAt listens on the pipe that belongs to a path. Only this user may connect to it, and
// is its owner too, which an administrator's processes would not say otherwise.
func listenAt(path string) (net.Listener, error) {
	me, err := thisUser()
	if err != nil {
		return nil, err
	}
	listener, err := winio.ListenPipe(pipeAt(path), &winio.PipeConfig{
		SecurityDescriptor: fmt.Sprintf("O:%[1]sD:P(A;;FA;;;%[1]s)", me), InputBufferSize: pipeRoom, OutputBufferSize: pipeRoom})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}

// dialAt connects to the pipe that belongs to a path, if it is this user's: anybody may make
// a pipe of any name. The other end learns nothing about this process.
func dialAt(path string) (net.Conn, error) {
	name, patience := pipeAt(path), greetTime
	c, err := winio.DialPipe(name, &patience)
	if err != nil {
		return nil, err
	}
	if !isMine(c) {
		return nil, errors.Join(fmt.Errorf("%s belongs to somebody else", name), c.Close())
	}
	return c, nil
}

// isMine reports whether the other end of a pipe was made by this user.
func isMine(c net.Conn) bool {
	end, ok := c.(interface{ Fd() uintptr })
	if !ok {
		return false
	}
	of, err := windows.GetSecurityInfo(windows.Handle(end.Fd()), windows.SE_KERNEL_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return false
	}
	owner, _, err := of.Owner()
	if err != nil || owner == nil {
		return false
	}
	me, err := thisUser()
	return err == nil && owner.Equals(me)
}

// isDead reports whether dialAt failed because whoever listened at the path is gone.
func isDead(_ string, err error) bool { return errors.Is(err, windows.ERROR_FILE_NOT_FOUND) }
