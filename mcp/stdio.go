package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"wake/domain"
)

// Limits of a connection over stdio.
const (
	maxRunning = 32                      // requests handled at a time
	maxWaiting = 256                     // requests read but not begun, after which reading waits
	readDelay  = 10 * time.Millisecond   // how long an answer may take before others are read
	drainTime  = 2200 * time.Millisecond // how long running requests may take at the end of input
	stopTime   = 500 * time.Millisecond  // how long they may take to stop after that
)

// ServeStdio speaks the protocol over a pair of pipes until the input ends, the output
// is closed, the parent process is gone, or ctx is done. At the end of input it first
// answers what it has read; this takes less than 3 s. It writes nothing but the
// protocol to out. It returns nil for every normal end.
func ServeStdio(ctx context.Context, s *Server, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer surviveBrokenPipe()()

	t := &stdio{server: s, log: s.log, client: newStdioClient(), in: newFrameReader(in), done: make(chan error, 1),
		queue: make(chan struct{}, maxRunning+maxWaiting), slots: make(chan struct{}, maxRunning)}
	if s.folder != nil {
		t.folder = newFolderQuery(s.folder)
	}
	t.out = &lineWriter{out: out, broken: func() { cancel(errOutputClosed) }}
	if err := s.core.RegisterSession(ctx, t.client); err != nil {
		return fmt.Errorf("register the connection: %w", err)
	}
	defer s.core.UnregisterSession(context.WithoutCancel(ctx), t.client.SessionID())

	go watchClient(ctx, out, cancel)
	go s.Run(ctx)
	go t.notify(ctx)
	return t.serve(s.core.WithContext(ctx, t.client))
}

// Why a connection may end before its input does.
var (
	errOutputClosed = errors.New("the client closed its end of the output")
	errParentGone   = errors.New("the parent process is gone")
)

// stdio is one connection over a pair of pipes.
type stdio struct {
	server *Server
	log    *slog.Logger
	client *stdioClient
	in     *frameReader
	out    *lineWriter
	folder *folderQuery  // nil if the server does not ask for it
	queue  chan struct{} // a token for each request that was read
	slots  chan struct{} // a token for each request that is handled
	done   chan error    // receives why reading ended
	asked  cancels

	mu     sync.Mutex
	ending bool           // messages read from now on are not answered
	calls  sync.WaitGroup // messages being answered
}

// serve answers messages until there are no more.
func (t *stdio) serve(ctx context.Context) error {
	calls, stopCalls := context.WithCancel(ctx)
	defer stopCalls()
	streams, stopStreams := context.WithCancel(calls)
	defer stopStreams()
	go t.read(calls, streams)
	select {
	case err := <-t.done:
		stopStreams()
		t.drain(stopCalls)
		if errors.Is(err, io.EOF) {
			return nil
		}
		return fmt.Errorf("read the input: %w", err)
	case <-ctx.Done():
		t.log.Info("the connection ends", "why", context.Cause(ctx))
		t.drain(stopCalls)
		return nil
	}
}

// read reads messages and answers them. A request is answered on the goroutine that
// read it, which then reads on. Another goroutine takes over reading only if the
// answer takes long or more input is waiting. Waking a second thread for every request
// made a question a tenth slower.
func (t *stdio) read(calls, streams context.Context) {
	for {
		f, err := t.in.next()
		if err != nil {
			if t.folder != nil {
				t.folder.settle("") // nobody can answer any more
			}
			t.done <- err
			return
		}
		if !t.dispatch(calls, streams, f) {
			return
		}
	}
}

// drain lets running calls finish, then cancels them.
func (t *stdio) drain(cancel func()) {
	t.mu.Lock()
	t.ending = true
	t.mu.Unlock()
	finished := make(chan struct{})
	go func() {
		t.calls.Wait()
		close(finished)
	}()
	select {
	case <-finished:
	case <-time.After(drainTime):
		cancel()
		select {
		case <-finished:
		case <-time.After(stopTime):
		}
	}
}

// envelope is what the transport needs to know of a message.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method sdk.MCPMethod   `json:"method"`
}

// envelopeOf returns the zero envelope for anything but a message.
func envelopeOf(message []byte) envelope {
	var e envelope
	if json.Unmarshal(message, &e) != nil {
		return envelope{}
	}
	return e
}

// inOrder reports whether the message must be handled before the next one is read: it is
// no request, or a short one that no other may overtake.
func (e envelope) inOrder() bool {
	return e.ID == nil || e.Method == sdk.MethodInitialize || e.Method == sdk.MethodPing
}

// dispatch handles one message and reports whether the caller must read on, because
// nobody else does. A stream that stays open needs no slot and does not delay the end.
func (t *stdio) dispatch(calls, streams context.Context, f frame) (readOn bool) {
	if !t.begin() {
		return false
	}
	defer t.calls.Done()
	if f.tooLong {
		t.refuse(f)
		return true
	}
	switch e := envelopeOf(f.data); {
	case f.isBatch():
		t.answerError(nil, sdk.INVALID_REQUEST, "Batches are not supported. Send each message on a line of its own.")
		return true
	case e.inOrder():
		if e.Method == sdk.MethodNotificationCancelled {
			t.asked.take(f.data)
		}
		t.handle(calls, e.ID, f.data)
		if e.Method == sdk.MethodNotificationInitialized {
			t.askFolder()
		}
		return true
	case e.Method == "" && string(e.ID) == folderID && t.folder != nil:
		t.folder.answered(f.data)
		return true
	case e.Method == sdk.MethodSubscriptionsListen:
		stream, ended := t.asked.add(streams, e.ID)
		defer ended()
		go t.read(calls, streams)
		t.handle(stream, e.ID, f.data)
		return false
	default:
		return t.request(calls, streams, e, f.data)
	}
}

// request answers a request that a cancellation, a ping or another request can overtake,
// and reports whether the caller must read on.
func (t *stdio) request(calls, streams context.Context, e envelope, message []byte) (readOn bool) {
	select {
	case t.queue <- struct{}{}:
		defer func() { <-t.queue }()
	case <-calls.Done():
		return false
	}
	call, answered := t.asked.add(calls, e.ID)
	defer answered()
	wait := readDelay
	if t.in.more() {
		wait = 0
	}
	next := time.AfterFunc(wait, func() { t.read(calls, streams) })
	t.answer(call, e, message)
	return next.Stop()
}

// begin counts a message to be answered. It returns false once the connection is
// ending.
func (t *stdio) begin() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ending {
		t.calls.Add(1)
	}
	return !t.ending
}

// answer answers a request as soon as there is a slot for it, or not at all if it is
// cancelled before.
func (t *stdio) answer(ctx context.Context, e envelope, message []byte) {
	select {
	case t.slots <- struct{}{}:
		defer func() { <-t.slots }()
		t.awaitFolder(e.Method)
		t.handle(ctx, e.ID, message)
	case <-ctx.Done():
	}
}

// handle answers one message under its id; the library would round a large number. A
// panic of the handler does not end the connection.
func (t *stdio) handle(ctx context.Context, id json.RawMessage, message []byte) {
	defer func() {
		if r := recover(); r != nil {
			t.log.Error("a handler panicked", "panic", r)
			t.answerError(id, sdk.INTERNAL_ERROR, "Internal error; it is logged on the server's standard error.")
		}
	}()
	ctx, better := withCorrection(ctx)
	answer := t.server.core.HandleMessage(ctx, message)
	switch a := answer.(type) {
	case nil:
		return
	case sdk.JSONRPCResponse:
		a.ID = sdk.NewRequestId(id)
		answer = a
	case sdk.JSONRPCError:
		a.ID, a.Error = sdk.NewRequestId(id), better.of(a.Error)
		answer = a
	}
	if err := t.out.send(answer); err != nil {
		t.log.Warn("an answer was not sent", "error", err)
	}
}

// refuse answers a message that was too long.
func (t *stdio) refuse(f frame) {
	t.answerError(f.id, sdk.INVALID_REQUEST, fmt.Sprintf("The message is longer than %d MiB and was not read. Send it in parts; one context holds at most 1 MiB.", domain.MaxMessage>>20))
}

func (t *stdio) answerError(id json.RawMessage, code int, text string) {
	if id == nil {
		id = json.RawMessage("null")
	}
	err := t.out.send(struct {
		JSONRPC string                  `json:"jsonrpc"`
		ID      json.RawMessage         `json:"id"`
		Error   sdk.JSONRPCErrorDetails `json:"error"`
	}{sdk.JSONRPC_VERSION, id, sdk.NewJSONRPCErrorDetails(code, text, nil)})
	if err != nil {
		t.log.Warn("an error was not sent", "error", err)
	}
}

// notify sends the server's notifications.
func (t *stdio) notify(ctx context.Context) {
	for {
		select {
		case n := <-t.client.notifications:
			if err := t.out.send(n); err != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// surviveBrokenPipe keeps a closed output from killing the process before it has
// written what is pending. The returned function undoes that.
func surviveBrokenPipe() func() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGPIPE)
	return func() { signal.Stop(c) }
}
