package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"
	"unsafe"

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

// pipe is one end of a pipe to somebody.
type pipe struct{ *os.File }

// LocalAddr implements [net.Conn].
func (p pipe) LocalAddr() net.Addr { return pipeAddr(p.Name()) }

// RemoteAddr implements [net.Conn].
func (p pipe) RemoteAddr() net.Addr { return pipeAddr(p.Name()) }

// pipeAddr is the name of a pipe.
type pipeAddr string

// Network implements [net.Addr].
func (pipeAddr) Network() string { return "pipe" }

// String implements [net.Addr].
func (a pipeAddr) String() string { return string(a) }

// pipeListener makes an end of a pipe for each who connects. One is always free, so that
// nobody takes the server for dead.
type pipeListener struct {
	name   string
	rights *windows.SecurityAttributes
	free   windows.Handle
	call   *windows.Overlapped // the system writes to it while the free end waits
	closed windows.Handle      // an event
	once   sync.Once
}

// listenAt listens on the pipe that belongs to a path.
func listenAt(path string) (net.Listener, error) {
	rights, err := onlyMine()
	if err != nil {
		return nil, err
	}
	l := &pipeListener{name: pipeAt(path), rights: rights}
	if err := l.open(windows.FILE_FLAG_FIRST_PIPE_INSTANCE); err != nil {
		return nil, err
	}
	l.closed, err = windows.CreateEvent(nil, 1, 0, nil)
	if err == nil {
		err = os.WriteFile(path, nil, 0o600)
	}
	if err != nil {
		return nil, errors.Join(err, windows.CloseHandle(l.free))
	}
	return l, nil
}

// onlyMine are rights that this user alone has. The user is the owner too, which an
// administrator's processes would not say otherwise.
func onlyMine() (*windows.SecurityAttributes, error) {
	me, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, err
	}
	mine, err := windows.SecurityDescriptorFromString(fmt.Sprintf("O:%[1]sD:P(A;;FA;;;%[1]s)", me.User.Sid))
	if err != nil {
		return nil, err
	}
	return &windows.SecurityAttributes{Length: uint32(unsafe.Sizeof(windows.SecurityAttributes{})), SecurityDescriptor: mine}, nil
}

// open makes a free end, for somebody on this machine.
func (l *pipeListener) open(flag uint32) error {
	name, err := windows.UTF16PtrFromString(l.name)
	if err != nil {
		return err
	}
	l.free, err = windows.CreateNamedPipe(name, windows.PIPE_ACCESS_DUPLEX|windows.FILE_FLAG_OVERLAPPED|flag,
		windows.PIPE_TYPE_BYTE|windows.PIPE_REJECT_REMOTE_CLIENTS, windows.PIPE_UNLIMITED_INSTANCES, pipeRoom, pipeRoom, 0, l.rights)
	return err
}

// Accept implements [net.Listener].
func (l *pipeListener) Accept() (net.Conn, error) {
	if l.free == windows.InvalidHandle { // there was no room for another when the last was taken
		if err := l.open(0); err != nil {
			return nil, err
		}
	}
	taken := l.free
	if err := l.await(); err != nil {
		return nil, err
	}
	_ = l.open(0) // tried again at the next call
	return pipe{os.NewFile(uintptr(taken), l.name)}, nil
}

// await waits until somebody connects to the free end, and closes it if the listener is
// closed before.
func (l *pipeListener) await() error {
	came, err := windows.CreateEvent(nil, 1, 0, nil)
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(came) }()
	l.call = &windows.Overlapped{HEvent: came}
	switch err := windows.ConnectNamedPipe(l.free, l.call); {
	case err == nil, errors.Is(err, windows.ERROR_PIPE_CONNECTED):
		return nil
	case errors.Is(err, windows.ERROR_NO_DATA): // whoever connected is gone again
		return errors.Join(err, windows.DisconnectNamedPipe(l.free))
	case !errors.Is(err, windows.ERROR_IO_PENDING):
		return err
	}
	event, err := windows.WaitForMultipleObjects([]windows.Handle{came, l.closed}, false, windows.INFINITE)
	if err == nil && event == windows.WAIT_OBJECT_0 {
		return nil
	}
	var n uint32
	_ = windows.CancelIoEx(l.free, l.call)
	_ = windows.GetOverlappedResult(l.free, l.call, &n, true) // until then the system may write to it
	return errors.Join(net.ErrClosed, err, windows.CloseHandle(l.free))
}

// Close implements [net.Listener].
func (l *pipeListener) Close() (err error) {
	l.once.Do(func() { err = windows.SetEvent(l.closed) })
	return err
}

// Addr implements [net.Listener].
func (l *pipeListener) Addr() net.Addr { return pipeAddr(l.name) }

// dialAt connects to the pipe that belongs to a path, if it is this user's: anybody may make
// a pipe of any name. The other end learns nothing about this process.
func dialAt(path string) (net.Conn, error) {
	name := pipeAt(path)
	end, err := openPipe(name, time.Now().Add(greetTime))
	if err != nil {
		return nil, err
	}
	if !isMine(end) {
		return nil, errors.Join(fmt.Errorf("%s belongs to somebody else", name), windows.CloseHandle(end))
	}
	return pipe{os.NewFile(uintptr(end), name)}, nil
}

// openPipe connects to a pipe. For a moment after somebody has connected, no end is free.
func openPipe(name string, by time.Time) (windows.Handle, error) {
	as, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return windows.InvalidHandle, err
	}
	for {
		end, err := windows.CreateFile(as, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil, windows.OPEN_EXISTING,
			windows.FILE_FLAG_OVERLAPPED|windows.SECURITY_SQOS_PRESENT|windows.SECURITY_ANONYMOUS, 0)
		if !errors.Is(err, windows.ERROR_PIPE_BUSY) || time.Now().After(by) {
			return end, err
		}
		time.Sleep(time.Millisecond)
	}
}

// isMine reports whether the other end of a pipe was made by this user.
func isMine(end windows.Handle) bool {
	of, err := windows.GetSecurityInfo(end, windows.SE_KERNEL_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return false
	}
	owner, _, err := of.Owner()
	if err != nil || owner == nil {
		return false
	}
	me, err := windows.GetCurrentProcessToken().GetTokenUser()
	return err == nil && owner.Equals(me.User.Sid)
}

// isDead reports whether dialAt failed because whoever listened at the path is gone.
func isDead(_ string, err error) bool { return errors.Is(err, windows.ERROR_FILE_NOT_FOUND) }
