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

// A server has the database open and the index in memory, so it takes hooks in for their
// processes: a hook is short then, however much is stored. Each server has a desk, a
// socket in a folder whose name tells the program, the database, the settings and the
// machine. It greets who comes, so that a hook is not given to a server that is stopped.

const greeting = 'w'

const (
	handedMost = 64 << 10 // bytes of a client's input: to store more takes no longer than to hand it over
	askSpare   = 64 << 10 // for what a process says beside it
)

// deskAsk is what a hook's process says, after the greeting.
type deskAsk struct {
	Call hookCall  `json:"call"`
	By   time.Time `json:"by"` // when it stops waiting
}

// deskAnswer is what it gets.
type deskAnswer struct {
	Text   string `json:"text,omitempty"` // for the model
	Failed bool   `json:"failed,omitempty"`
}

// deskDir is the folder of the sockets of servers that would do with a hook what its own
// process would: not of those that were started before wake was upgraded.
func (a *app) deskDir(set settings) string {
	set.Project, set.Ollama, set.Model, set.EmbedModel = "", "", "", ""
	set.DB = a.databaseAt(set.DB)
	host, _ := os.Hostname() // a folder that machines share
	same, _ := json.Marshal([]any{programMark(), host, a.home(), a.env("WAKE_CLOCK"), set})
	return filepath.Join(a.xdg("XDG_STATE_HOME", ".local/state"), "wake", "desks", domain.HashText(string(same))[:12])
}

// programMark tells this program from one that stood in its place before.
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

// unopened ends the name of a desk that is not open yet.
const unopened = "~"

// desk is where a server takes hooks in.
type desk struct {
	a        *app
	s        *memory.Service
	db       string
	path     string
	listener net.Listener
	busy     sync.WaitGroup
}

// takeHooks opens the desk until the returned function is called, which lets hooks that
// are under way finish for a moment. Without one nothing is missing: hooks take longer.
func (a *app) takeHooks(ctx context.Context, s *memory.Service) (stop func()) {
	d, err := a.openDesk(s)
	if err != nil {
		s.Log.Debug("hooks are left to their own processes", "error", err)
		return func() {}
	}
	// Who waits for an answer says how long. A hook that is under way when the server is
	// told to stop has a moment; if that is not enough, its process goes on with it.
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
	// Names are short, since the path of a socket must be: 104 bytes on some systems. Later
	// ones come behind earlier ones.
	d := &desk{a: a, s: s, db: set.DB, path: filepath.Join(dir, strconv.FormatInt(time.Now().UnixNano(), 36))}
	// It gets its name when somebody listens: where nobody does, the name goes.
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

// open answers until the desk is closed.
func (d *desk) open(ctx context.Context) {
	defer os.Remove(d.path)
	d.clear()
	for {
		c, err := d.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // too many files are open
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

// deskFolderAge is after which an empty folder is of no server that is just starting.
const deskFolderAge = 24 * time.Hour

// clear takes away what servers left behind: their desks, where they were killed, and the
// empty folders of other programs and settings.
func (d *desk) clear() {
	dir := filepath.Dir(d.path)
	desks, _ := os.ReadDir(dir) // what is left slows nobody much
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
			_ = os.Remove(filepath.Join(all, e.Name())) // unless there is a desk
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

// serve takes one hook in.
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
