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
	"sync/atomic"
	"time"

	"wake/domain"
	"wake/memory"
	"wake/transcript"
)

// A server has the database open and the index in memory, so it can handle hooks for
// their processes in little time, however much is stored. Each server listens on a
// socket in a folder whose name stands for the program, the database, the settings and
// the machine. The server greets each connection, so that no hook is given to a
// suspended server.

const greeting = 'w'

const (
	maxSent      = 64 << 10 // bytes of a client's input; storing more takes no longer than handing it over
	requestSpare = 64 << 10 // bytes for the rest of a request
)

// hookRequest is what the process of a hook sends after the greeting.
type hookRequest struct {
	Call hookCall  `json:"call"`
	By   time.Time `json:"by"` // when the process stops waiting
}

// hookReply is the answer to it.
type hookReply struct {
	Text   string `json:"text,omitempty"` // for the model
	Failed bool   `json:"failed,omitempty"`
}

// socketDir is the folder of the sockets of servers that would handle a hook as its own
// process does. That excludes servers started before an upgrade of wake.
func (a *app) socketDir(set settings) string {
	set.Project, set.Ollama, set.Model, set.EmbedModel = "", "", "", ""
	set.DB = a.databaseAt(set.DB)
	// The folder may be shared by machines.
	same, _ := json.Marshal([]any{programMark(), machine(), a.home(), a.env("WAKE_CLOCK"), set})
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

// hookServer is the part of a server that accepts hooks, on a socket.
type hookServer struct {
	a        *app
	s        *memory.Service
	db       string
	path     string
	listener net.Listener
	busy     sync.WaitGroup
	turns    turns
	replies  sync.RWMutex // read-locked by hooks that have their answer and wait for the reply in the transcript
	far      atomic.Int64 // until when the database counts as far away, in Unix nanoseconds
}

// serveHooks accepts hooks until the returned function is called, which gives running
// hooks a moment to finish. If there can be no socket, hooks just take longer.
func (a *app) serveHooks(ctx context.Context, s *memory.Service) (stop func()) {
	hs, err := a.listenForHooks(s)
	if err != nil {
		s.Log.Debug("hooks are left to their own processes", "error", err)
		return func() {}
	}
	// The process that waits for an answer says how long. A hook that is running when
	// the server is told to stop gets a moment; after that its process takes over.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	hs.busy.Go(func() { hs.run(ctx) })
	return func() {
		defer cancel()
		hs.close()
	}
}

func (a *app) listenForHooks(s *memory.Service) (*hookServer, error) {
	set, err := a.settings()
	if err != nil {
		return nil, err
	}
	dir := a.socketDir(set)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if !isPrivate(dir) {
		return nil, fmt.Errorf("others may put something into %s", dir)
	}
	// Names are short, because the path of a socket is limited to 104 bytes on some
	// systems. They sort by time.
	hs := &hookServer{a: a, s: s, db: set.DB, path: filepath.Join(dir, strconv.FormatInt(time.Now().UnixNano(), 36))}
	listener, err := listenAt(hs.path)
	if err != nil {
		return nil, err
	}
	hs.listener = listener
	return hs, nil
}

// run serves hooks until the socket is closed.
func (hs *hookServer) run(ctx context.Context) {
	defer os.Remove(hs.path)
	hs.clear()
	for {
		c, err := hs.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // for instance, too many open files
			time.Sleep(greetTime / 20)
			continue
		}
		hs.busy.Go(func() {
			defer c.Close()
			if err := hs.serve(ctx, c); err != nil {
				hs.s.Log.Debug("a hook was not answered", "error", err)
			}
		})
	}
}

// socketDirAge is the age from which an empty folder cannot be that of a server just
// starting.
const socketDirAge = 24 * time.Hour

// clear removes what killed servers left behind: their sockets, and the empty folders
// of other programs and settings.
func (hs *hookServer) clear() {
	dir := filepath.Dir(hs.path)
	sockets, _ := os.ReadDir(dir) // an error is harmless: what is left behind slows hooks a little
	for _, e := range sockets {
		if path := filepath.Join(dir, e.Name()); path != hs.path {
			if c := dialServer(path); c != nil {
				_ = c.Close()
			}
		}
	}
	all := filepath.Dir(dir)
	folders, _ := os.ReadDir(all)
	for _, e := range folders {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > socketDirAge {
			_ = os.Remove(filepath.Join(all, e.Name())) // fails if there is a socket
		}
	}
}

func (hs *hookServer) close() {
	_ = hs.listener.Close()
	done := make(chan struct{})
	go func() { hs.busy.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(hookEndTime):
	}
}

// serve receives a hook and handles it once those before it in its session have passed.
func (hs *hookServer) serve(ctx context.Context, c net.Conn) error {
	_ = c.SetDeadline(time.Now().Add(hookTime))
	if _, err := c.Write([]byte{greeting}); err != nil {
		return err
	}
	var req hookRequest
	if err := json.NewDecoder(io.LimitReader(c, maxSent+requestSpare)).Decode(&req); err != nil {
		return err
	}
	req.Call.Heard = whileOpen(c)
	ctx, cancel := context.WithDeadline(ctx, req.By)
	defer cancel()
	reply, pass := json.NewEncoder(c), func() {}
	h, err := transcript.ReadHook(req.Call.Client, req.Call.Input)
	if err == nil && hs.postpone(h, req.Call) {
		return reply.Encode(hookReply{})
	}
	if err == nil {
		pass, err = hs.turns.wait(ctx, h)
	}
	defer pass()
	if err != nil {
		return errors.Join(err, reply.Encode(hookReply{Failed: true}))
	}
	return hs.handle(ctx, h, req, reply, pass)
}

// slowHook is how long a client may be kept by a hook from which it learns nothing.
const slowHook = 250 * time.Millisecond

// postpone puts a hook into the spool, out of which it is stored at once, if its client
// would only be kept waiting: nobody hears the answer, and the database is far away. What
// a compaction or the end of the session leaves behind must be stored before.
func (hs *hookServer) postpone(h transcript.Hook, call hookCall) bool {
	if time.Now().UnixNano() > hs.far.Load() || h.Heard() || h.Moment == transcript.HookPreCompact || h.Moment == transcript.HookEnd {
		return false
	}
	if err := hs.a.spool(hs.db).put(h.Moment, call); err != nil {
		return false
	}
	hs.a.spooledOne()
	return true
}

// noteTime notes how long a hook took that began at a time. Only where PostgreSQL is far
// away is the way there what takes long; a file that is locked would be no sooner free.
func (hs *hookServer) noteTime(began time.Time) {
	if now := time.Now(); isPostgres(hs.db) && now.Sub(began) > slowHook {
		hs.far.Store(now.Add(silence).UnixNano())
	}
}

// handle stores a hook and answers it. The client need not wait for what it writes to its
// transcript after the hook. If this server is killed before it is there, the next hook reads it.
func (hs *hookServer) handle(ctx context.Context, h transcript.Hook, req hookRequest, reply *json.Encoder, pass func()) error {
	answered := false
	waiting := func() {
		if !answered {
			answered = true
			hs.replies.RLock()
			pass()
			_ = reply.Encode(hookReply{}) // a process that is gone waits for no answer
		}
	}
	text, err := hs.store(ctx, h, req, waiting)
	hs.s.Log.Debug("a hook was taken in", "client", req.Call.Client, "error", err)
	if !answered {
		return reply.Encode(hookReply{Text: text, Failed: err != nil})
	}
	hs.replies.RUnlock()
	if err != nil {
		return hs.a.spoolHook(h, req.Call, err)
	}
	return nil
}

// whileOpen returns a function that reports whether the process at the other end still waits.
// After its request it sends nothing.
func whileOpen(c net.Conn) func() bool {
	var closed atomic.Bool
	go func() {
		_, _ = io.Copy(io.Discard, c) // until either end closes it
		closed.Store(true)
	}()
	return func() bool { return !closed.Load() }
}

func (hs *hookServer) store(ctx context.Context, h transcript.Hook, req hookRequest, waiting func()) (string, error) {
	if h.Moment == transcript.HookEnd { // what is awaited belongs before it
		hs.replies.Lock()
		//lint:ignore SA2001 nothing is guarded: the end only has to come later
		hs.replies.Unlock()
	}
	hs.a.drainSpool(ctx, hs.db, hs.s, time.Until(req.By)/2)
	defer hs.noteTime(time.Now())
	answer, err := hs.a.remember(ctx, hs.s, h, req.Call, waiting)
	if err != nil {
		hs.a.spooledOne() // by its process, and what was before it there may have taken the time
	}
	return answer.Text, err
}
