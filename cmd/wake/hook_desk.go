package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"wake/domain"
	"wake/memory"
	"wake/transcript"
)

// A server has the database open and the index in memory, so it can handle hooks for
// their processes in little time, however much is stored. Each server opens a desk: a
// socket in a folder whose name stands for the program, the database, the settings and
// the machine. The server greets each connection, so that no hook is given to a
// suspended server.

const greeting = 'w'

const (
	handedMost = 64 << 10 // bytes of a client's input; storing more takes no longer than handing it over
	askSpare   = 64 << 10 // bytes for the rest of a request
)

// deskAsk is the request of a hook's process, sent after the greeting.
type deskAsk struct {
	Call hookCall  `json:"call"`
	By   time.Time `json:"by"` // when the process stops waiting
}

// deskAnswer is the answer to it.
type deskAnswer struct {
	Text   string `json:"text,omitempty"` // for the model
	Failed bool   `json:"failed,omitempty"`
}

// deskDir is the folder of the sockets of servers that would handle a hook as its own
// process does. That excludes servers started before an upgrade of wake.
func (a *app) deskDir(set settings) string {
	set.Project, set.Ollama, set.Model, set.EmbedModel = "", "", "", ""
	set.DB = a.databaseAt(set.DB)
	host, _ := os.Hostname() // the folder may be shared by machines
	same, _ := json.Marshal([]any{programMark(), host, a.home(), a.env("WAKE_CLOCK"), set})
	return filepath.Join(a.xdg("XDG_STATE_HOME", ".local/state"), "wake", "desks", domain.HashText(string(same))[:12])
}

// programMark distinguishes this program from earlier ones at the same path.
func programMark() string {
	path, err := os.Executable()
	if err != nil {
		return version
	}
	info, err := os.Stat(path)
	if err != nil {
		return version
	}
	return fmt.Sprint(version, info.Size(), info.ModTime().UnixNano())
}

// unopened is the suffix of a socket that nobody listens on yet.
const unopened = "~"

// desk is a socket at which a server accepts hooks.
type desk struct {
	a        *app
	s        *memory.Service
	db       string
	path     string
	listener net.Listener
	busy     sync.WaitGroup
}

// takeHooks opens a desk until the returned function is called, which gives running
// hooks a moment to finish. If no desk can be opened, hooks just take longer.
func (a *app) takeHooks(ctx context.Context, s *memory.Service) (stop func()) {
	d, err := a.openDesk(s)
	if err != nil {
		s.Log.Debug("hooks are left to their own processes", "error", err)
		return func() {}
	}
	// The process that waits for an answer says how long. A hook that is running when
	// the server is told to stop gets a moment; after that its process takes over.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	d.busy.Go(func() { d.open(ctx) })
	return func() {
		defer cancel()
		d.close()
	}
}

func (a *app) openDesk(s *memory.Service) (*desk, error) {
	set, err := a.settings()
	if err != nil {
		return nil, err
	}
	dir := a.deskDir(set)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if !isPrivate(dir) {
		return nil, fmt.Errorf("others may put something into %s", dir)
	}
	// Names are short, because the path of a socket is limited to 104 bytes on some
	// systems. They sort by time.
	d := &desk{a: a, s: s, db: set.DB, path: filepath.Join(dir, strconv.FormatInt(time.Now().UnixNano(), 36))}
	// The socket gets its final name once somebody listens: hooks remove sockets that
	// nobody listens on.
	unnamed := &net.UnixAddr{Net: "unix", Name: d.path + unopened}
	listener, err := net.ListenUnix("unix", unnamed)
	if err != nil {
		return nil, err
	}
	listener.SetUnlinkOnClose(false)
	d.listener = listener
	if err := os.Rename(unnamed.Name, d.path); err != nil {
		return nil, errors.Join(err, listener.Close(), os.Remove(unnamed.Name))
	}
	return d, nil
}

// open serves hooks until the desk is closed.
func (d *desk) open(ctx context.Context) {
	defer os.Remove(d.path)
	d.clear()
	for {
		c, err := d.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // for instance, too many open files
			time.Sleep(greetTime / 20)
			continue
		}
		d.busy.Go(func() {
			defer c.Close()
			if err := d.serve(ctx, c); err != nil {
				d.s.Log.Debug("a hook was not answered", "error", err)
			}
		})
	}
}

// deskFolderAge is the age from which an empty folder cannot be that of a server just
// starting.
const deskFolderAge = 24 * time.Hour

// clear removes what killed servers left behind: their sockets, and the empty folders
// of other programs and settings.
func (d *desk) clear() {
	dir := filepath.Dir(d.path)
	desks, _ := os.ReadDir(dir) // an error is harmless: what is left behind slows hooks a little
	for _, e := range desks {
		if path := filepath.Join(dir, e.Name()); path != d.path {
			if c := reached(path); c != nil {
				_ = c.Close()
			}
		}
	}
	all := filepath.Dir(dir)
	folders, _ := os.ReadDir(all)
	for _, e := range folders {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > deskFolderAge {
			_ = os.Remove(filepath.Join(all, e.Name())) // fails if there is a desk
		}
	}
}

func (d *desk) close() {
	_ = d.listener.Close()
	done := make(chan struct{})
	go func() { d.busy.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(hookEndTime):
	}
}

// serve handles one hook.
func (d *desk) serve(ctx context.Context, c net.Conn) error {
	_ = c.SetDeadline(time.Now().Add(hookTime))
	if _, err := c.Write([]byte{greeting}); err != nil {
		return err
	}
	var ask deskAsk
	if err := json.NewDecoder(io.LimitReader(c, handedMost+askSpare)).Decode(&ask); err != nil {
		return err
	}
	ctx, cancel := context.WithDeadline(ctx, ask.By)
	defer cancel()
	text, err := d.take(ctx, ask)
	d.s.Log.Debug("a hook was taken in", "client", ask.Call.Client, "error", err)
	return json.NewEncoder(c).Encode(deskAnswer{Text: text, Failed: err != nil})
}

func (d *desk) take(ctx context.Context, ask deskAsk) (string, error) {
	h, err := transcript.ReadHook(ask.Call.Client, ask.Call.Input)
	if err != nil {
		return "", err
	}
	d.a.drainSpool(ctx, d.db, d.s, time.Now().Add(time.Until(ask.By)/2))
	answer, err := d.a.remember(ctx, d.s, h, ask.Call)
	return answer.Text, err
}
