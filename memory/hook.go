package memory

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"wake/domain"
	"wake/transcript"
)

// Limits of the texts that a hook hands to a model, in characters.
const (
	restoreChars = 8_000
	briefChars   = 1_500
	relatedChars = 1_200
)

// HookRequest is one call of a hook by a client.
type HookRequest struct {
	Hook            transcript.Hook
	ID              string        // of the call; a call with the same id is stored once. "" is never repeated
	Project         string        // "" means that of the folder
	Folder          Folder        // where the client works; without a name, DefaultProject applies
	At              time.Time     // when the client reported it; zero is now
	Again           bool          // it may be stored already: it waited in the spool, or a server that was to store it fell silent
	Transcript      io.ReadSeeker // nil if there is none
	AgentTranscript io.ReadSeeker
	Agents          []AgentFile                  // transcripts of the session's sub-agents, last changed first, at the end of a turn or of the session
	AgentAt         func(name string) *AgentFile // one that was read, by its name; nil if it is not there. Set like Agents
	Heard           func() bool                  // whether the client still waits for the answer: what nobody hears must not count as told. Nil if it does
	Waiting         func()                       // called before what the client need not wait for; nil if it has to
}

// AgentFile is the transcript of a sub-agent.
type AgentFile struct {
	Name    string
	Size    int64 // in bytes
	Changed time.Time
	Open    func() io.ReadSeekCloser // nil if it cannot
}

// HookAnswer is what a hook returns to its client.
type HookAnswer struct {
	SessionID string
	Text      string // for the model; may be ""
}

// Hook takes in what a client reports at one moment: first the new part of its
// transcript, then the moment itself. When a session starts it returns a brief or the
// restore text. For a prompt it returns contexts that clearly belong to it, in a client
// whose starts are not heard with the brief before them; or, after a compaction without a
// start, the restore text, once.
func (s *Service) Hook(ctx context.Context, req HookRequest) (HookAnswer, error) {
	h := &hooking{s: s, req: req, hook: req.Hook, by: Caller{Via: "hook " + req.Hook.Name, Actor: req.Hook.Client}}
	defer h.searchAhead(ctx)()
	var err error
	if h.before, err = h.counts(ctx); err != nil {
		return HookAnswer{}, err
	}
	grown, tailErr := h.tail(ctx)
	h.after = h.before
	if grown {
		if h.after, err = h.counts(ctx); err != nil {
			return HookAnswer{}, joinUnlike(tailErr, err)
		}
	}
	if err := h.moment(ctx); err != nil {
		return HookAnswer{}, joinUnlike(tailErr, err)
	}
	text, err := h.answer(ctx)
	if err != nil { // the report itself is stored; an error would have it spooled and stored again
		s.Log.Warn("nothing is handed to the model", "error", err)
	}
	if tailErr != nil {
		tailErr = UnreadError{tailErr}
	}
	return HookAnswer{SessionID: h.id, Text: text}, tailErr
}

// joinUnlike joins two errors, unless both say the same, as on a full disk.
func joinUnlike(first, second error) error {
	if first != nil && first.Error() == second.Error() {
		return second
	}
	return errors.Join(first, second)
}

// UnreadError says that a hook is stored, but not the new part of its transcript.
type UnreadError struct{ error }

// Unwrap returns why the transcript was not taken in.
func (e UnreadError) Unwrap() error { return e.error }

// hooking is one hook being handled.
type hooking struct {
	s    *Service
	req  HookRequest
	hook transcript.Hook
	by   Caller
	id   string // wake's id of the session, once it is known
	last domain.Session

	before, after counted // the new part of the transcript was taken in

	belonging func() (*prompting, error) // what belongs to the prompt; waits for it
}

// at is the time at which the client reported the moment. A time ahead of this machine's
// clock becomes now: the clock was wrong when the hook was spooled.
func (h *hooking) at() time.Time {
	now := h.s.now()
	if h.req.At.IsZero() || h.req.At.After(now.Add(domain.MaxLead)) {
		return now
	}
	return h.req.At
}

func (h *hooking) ref() SessionRef {
	return SessionRef{Client: h.hook.Client, ClientSessionID: h.hook.SessionID, Project: h.req.Project}
}

// session returns the client's session with an id. It returns false if wake does not
// know it.
func (h *hooking) session(ctx context.Context, clientID string) (known domain.Session, there bool, err error) {
	known, err = h.s.Store.SessionByClient(ctx, h.hook.Client, clientID)
	if domain.KindOf(err) == domain.KindNotFound {
		return known, false, nil
	}
	return known, err == nil, err
}

// counted is how often the session has the hook's prompt, and how many compactions.
// The difference that the transcript's new part makes tells what need not be added.
type counted struct{ prompts, compactions int64 }

// asksCounts reports whether handling the moment depends on what the session already
// holds. For most moments, which are uses of tools, it does not.
func (h *hooking) asksCounts() bool {
	switch h.hook.Moment {
	case transcript.HookToolUsed, transcript.HookStop, transcript.HookEnd:
		return false
	}
	return true
}

// counts loads the session and counts what it holds.
func (h *hooking) counts(ctx context.Context) (counted, error) {
	if !h.asksCounts() {
		return counted{}, nil
	}
	known, there, err := h.session(ctx, h.hook.SessionID)
	if err != nil || !there {
		return counted{}, err
	}
	h.id, h.last = known.ID, known
	held, err := h.s.Store.CountKeys(ctx, known.ID, domain.HumanKeyPrefix(h.words()), compactionKeys)
	if err != nil {
		return counted{}, err
	}
	return counted{prompts: held[0], compactions: held[1]}, nil
}

// compactionKeys is the common prefix of the keys of compactions.
var compactionKeys = domain.Key(strings.TrimSuffix(string(transcript.CompactionKey(1)), "1"))

// tail imports what the transcripts have beyond the last read, and reports whether
// there was anything.
func (h *hooking) tail(ctx context.Context) (grown bool, err error) {
	if !h.transcribed() {
		return false, nil
	}
	ours, err := h.take(ctx, h.hook.TranscriptPath, h.req.Transcript)
	agents, agentErr := h.take(ctx, h.hook.AgentTranscript, h.req.AgentTranscript)
	return ours || agents, errors.Join(err, agentErr)
}

// take imports what a transcript has beyond the last read.
func (h *hooking) take(ctx context.Context, name string, src io.ReadSeeker) (grown bool, err error) {
	if src == nil {
		return false, nil
	}
	a, err := h.s.Import(ctx, ImportRequest{By: h.by, Format: h.format(), Name: name, Source: src, Project: h.req.Project,
		FolderOf: func(string) Folder { return h.req.Folder }, Live: true, At: h.at()})
	return len(a.Sessions) > 0, err
}

// format is that of the client's transcripts.
func (h *hooking) format() transcript.Format { return transcript.Format(h.hook.Client) }

// transcribed reports whether the client's transcripts can be read. If so, they have
// more than the hooks tell.
func (h *hooking) transcribed() bool {
	_, err := transcript.ParseFormat(h.hook.Client)
	return err == nil
}

// moment records the moment itself.
func (h *hooking) moment(ctx context.Context) error {
	if h.hook.Moment == transcript.HookPrompt {
		if err := h.prompted(ctx); err != nil {
			return err
		}
		return h.takeBack(ctx) // now there is a prompt after which the session can be named
	}
	if err := h.takeBack(ctx); err != nil {
		return err
	}
	switch h.hook.Moment {
	case transcript.HookToolUsed:
		if err := h.toolUsed(ctx); err != nil {
			return err
		}
		return h.joinSaved(ctx)
	case transcript.HookStop:
		if err := h.stopped(ctx); err != nil {
			return err
		}
		return h.leftBehind(ctx)
	case transcript.HookSubagentStop:
		return h.agentStopped(ctx)
	case transcript.HookPreCompact:
		if h.hook.OnlyWord() {
			return h.compacts(ctx)
		}
		return h.preCompact(ctx)
	case transcript.HookPostCompact:
		return h.compacted(ctx)
	case transcript.HookStart:
		if h.hook.Source == "compact" && h.id != "" {
			return h.compacted(ctx)
		}
		return h.open(ctx)
	case transcript.HookModelSwitch:
		return h.open(ctx)
	case transcript.HookEnd:
		if err := h.end(ctx); err != nil {
			return err
		}
		return h.leftBehind(ctx)
	}
	return nil
}

// heard reports whether the client passes an answer on to its model.
func (h *hooking) heard() bool { return h.hook.Heard() && (h.req.Heard == nil || h.req.Heard()) }

// answer is what the model is told at this moment. Nothing is looked up for moments at
// which the client passes nothing on: it would count as told.
func (h *hooking) answer(ctx context.Context) (string, error) {
	if !h.heard() {
		return "", nil
	}
	switch h.hook.Moment {
	case transcript.HookStart:
		return h.atStart(ctx)
	case transcript.HookPrompt:
		if text, err := h.owed(ctx); text != "" || err != nil {
			return text, err
		}
		brief, err := h.begun(ctx)
		if err != nil {
			return "", err
		}
		p, err := h.belonging()
		if err != nil {
			return brief, err
		}
		related, err := p.tell(ctx, h.asked(), relatedChars)
		return strings.TrimSpace(brief + "\n\n" + related), err
	}
	return "", nil
}

// searchAhead has a server look for what belongs to the prompt while the prompt is
// stored, which waits for the disk. A hook's own process has only one connection and does
// one after the other. The function returned waits for the end of the search.
func (h *hooking) searchAhead(ctx context.Context) (wait func()) {
	h.belonging = sync.OnceValues(func() (*prompting, error) {
		project, err := h.project(ctx)
		if err != nil {
			return nil, err
		}
		return h.s.belonging(ctx, project, h.words())
	})
	var search sync.WaitGroup
	if h.hook.Moment == transcript.HookPrompt && h.heard() && !h.s.Hurried {
		search.Go(func() {
			defer func() { _ = recover() }() // it panics again where its result is taken
			_, _ = h.belonging()
		})
	}
	return search.Wait
}

// project is the one whose contexts are told to the model.
func (h *hooking) project(ctx context.Context) (string, error) {
	f := h.req.Folder
	if h.req.Project != "" || f.Name == "" {
		return h.req.Project, nil
	}
	return f.NameIn(ctx, h.s.Store)
}

// asked is the caller of requests made for the model, with the hook's session.
func (h *hooking) asked() Caller {
	return Caller{Via: h.by.Via, Actor: h.by.Actor, SessionID: h.id}
}
