package memory

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"wake/domain"
	"wake/repository"
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
	Transcript      io.ReadSeeker // nil if there is none
	AgentTranscript io.ReadSeeker
	Waiting         func() // called before what the client need not wait for; nil if it has to
}

// HookAnswer is what a hook returns to its client.
type HookAnswer struct {
	SessionID string
	Text      string // for the model; may be ""
}

// Hook takes in what a client reports at one moment: first the new part of its
// transcript, then the moment itself. When a session starts it returns a brief or the
// restore text. For a prompt it returns contexts that clearly belong to it; or, after
// a compaction without a start, the restore text, once.
func (s *Service) Hook(ctx context.Context, req HookRequest) (HookAnswer, error) {
	h := &hooking{s: s, req: req, hook: req.Hook, by: Caller{Via: "hook " + req.Hook.Name, Actor: req.Hook.Client}}
	before, err := h.counts(ctx)
	if err != nil {
		return HookAnswer{}, err
	}
	grown, tailErr := h.tail(ctx)
	after := before
	if grown {
		if after, err = h.counts(ctx); err != nil {
			return HookAnswer{}, errors.Join(tailErr, err)
		}
	}
	if err := h.moment(ctx, before, after); err != nil {
		return HookAnswer{}, errors.Join(tailErr, err)
	}
	text, err := h.answer(ctx, after)
	if err != nil { // the report itself is stored; an error would have it spooled and stored again
		s.Log.Warn("nothing is handed to the model", "error", err)
	}
	if tailErr != nil {
		tailErr = UnreadError{tailErr}
	}
	return HookAnswer{SessionID: h.id, Text: text}, tailErr
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
	known, err := h.s.Store.SessionByClient(ctx, h.hook.Client, h.hook.SessionID)
	if domain.KindOf(err) == domain.KindNotFound {
		return counted{}, nil
	}
	if err != nil {
		return counted{}, err
	}
	h.id, h.last = known.ID, known
	var c counted
	if c.prompts, err = h.s.Store.CountKeys(ctx, known.ID, domain.HumanKeyPrefix(h.words())); err != nil {
		return counted{}, err
	}
	c.compactions, err = h.s.Store.CountKeys(ctx, known.ID, compactionKeys)
	return c, err
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
	a, err := h.s.Import(ctx, ImportRequest{By: h.by, Format: transcript.Format(h.hook.Client), Name: name, Source: src, Project: h.req.Project,
		FolderOf: func(string) Folder { return h.req.Folder }, Live: true, At: h.at()})
	return len(a.Sessions) > 0, err
}

// transcribed reports whether the client's transcripts can be read. If so, they have
// more than the hooks tell.
func (h *hooking) transcribed() bool {
	_, err := transcript.ParseFormat(h.hook.Client)
	return err == nil
}

// moment records the moment itself.
func (h *hooking) moment(ctx context.Context, before, after counted) error {
	switch h.hook.Moment {
	case transcript.HookPrompt:
		return h.prompted(ctx, before, after)
	case transcript.HookToolUsed:
		if err := h.toolUsed(ctx); err != nil {
			return err
		}
		return h.joinSaved(ctx)
	case transcript.HookStop:
		if h.transcribed() {
			return h.awaitReply(ctx, h.hook.SessionID, h.hook.TranscriptPath, h.req.Transcript) // the transcript has more than the reply
		}
		if h.hook.Reply == "" {
			return nil
		}
		return h.append(ctx, "", domain.Message{Role: domain.RoleAssistant, Content: h.hook.Reply, Model: h.hook.Model})
	case transcript.HookSubagentStop:
		return h.agentStopped(ctx)
	case transcript.HookPreCompact:
		return h.preCompact(ctx)
	case transcript.HookPostCompact:
		return h.compacted(ctx, before, after)
	case transcript.HookStart:
		if h.hook.Source == "compact" && h.id != "" {
			return h.compacted(ctx, before, after)
		}
		return h.open(ctx)
	case transcript.HookModelSwitch:
		return h.open(ctx)
	case transcript.HookEnd:
		return h.end(ctx)
	}
	return nil
}

// distilAtEnd is up to how many events a session is distilled while its client waits.
// Longer ones are left to a server's periodic work.
const distilAtEnd = 1000

// end records the end of the session and distils it unless it is long. Claude Code also
// reports an end where nothing began, such as that of claude mcp list.
func (h *hooking) end(ctx context.Context) error {
	known, err := h.s.Store.SessionByClient(ctx, h.hook.Client, h.hook.SessionID)
	if err != nil {
		if domain.KindOf(err) == domain.KindNotFound {
			return nil
		}
		return err
	}
	if h.awaitsHistory(known) {
		if err := h.release(ctx, known.ID); err != nil {
			return err
		}
	}
	if err := h.append(ctx, "", domain.End{}); err != nil || h.s.NoDistil {
		return err
	}
	now, err := h.s.Store.Session(ctx, h.id)
	if err != nil || now.LastSeq > distilAtEnd {
		return err
	}
	if _, err := h.s.distil(ctx, now, Caller{}, repository.Durable); err != nil {
		h.s.Log.Info("the session is distilled later", "error", err)
	}
	return nil
}

// agentStopped ends the session of a sub-agent, if that is known. If the agent is
// called again, its session goes on.
func (h *hooking) agentStopped(ctx context.Context) error {
	if h.hook.AgentID == "" {
		return nil
	}
	if err := h.awaitReply(ctx, h.hook.AgentSession(), h.hook.AgentTranscript, h.req.AgentTranscript); err != nil {
		return err
	}
	agent, err := h.s.Store.SessionByClient(ctx, h.hook.Client, h.hook.AgentSession())
	if domain.KindOf(err) == domain.KindNotFound {
		return nil
	}
	if err != nil || agent.Status != domain.SessionActive {
		return err
	}
	e, err := h.event("", domain.End{})
	if err != nil {
		return err
	}
	_, err = h.s.Append(ctx, AppendRequest{By: h.by, Ref: SessionRef{SessionID: agent.ID}, Events: []domain.Event{e}})
	return err
}

// append records one event of the hook itself.
func (h *hooking) append(ctx context.Context, key domain.Key, p domain.Payload) error {
	e, err := h.event(key, p)
	if err != nil {
		return err
	}
	return h.record(ctx, e)
}

// event makes an event of the hook itself. If it has no key of its own, the id of the
// call is its key.
func (h *hooking) event(key domain.Key, p domain.Payload) (domain.Event, error) {
	if key == "" && h.req.ID != "" {
		key = domain.RowKey("hook", h.req.ID)
	}
	return domain.NewEvent(h.at(), key, p)
}

func (h *hooking) record(ctx context.Context, events ...domain.Event) error {
	parent, err := h.parent(ctx)
	if err != nil {
		return err
	}
	a, err := h.s.Append(ctx, AppendRequest{By: h.by, Ref: h.ref(), Events: events,
		Open: SessionOpening{AgentID: h.hook.AgentID, Model: h.hook.Model, ParentSessionID: parent, Folder: h.req.Folder, Attributes: h.attributes()}})
	if err == nil {
		h.id = a.SessionID
	}
	return err
}

// startedByFork is the source of a session that begins with a copy of another's history.
const startedByFork = "fork"

// attributes are what a transcript would say about the session as well, and whether it
// is a fork.
func (h *hooking) attributes() map[string]string {
	known := map[string]string{}
	if h.hook.Folder != "" {
		known["cwd"] = h.hook.Folder
	}
	if h.hook.Source == startedByFork {
		known["source"] = startedByFork
	}
	return known
}

// open makes the session known, and records a change of its model.
func (h *hooking) open(ctx context.Context) error {
	if h.id != "" && (h.hook.Model == "" || h.hook.Model == h.last.Model) {
		return nil
	}
	if h.hook.Model == "" || h.id == "" {
		return h.record(ctx)
	}
	return h.append(ctx, "", domain.About{Model: h.hook.Model})
}

// parent returns wake's id of a sub-agent's parent session, "" if there is none.
func (h *hooking) parent(ctx context.Context) (string, error) {
	if h.hook.ParentID == "" {
		return "", nil
	}
	return h.s.sessionOf(ctx, h.by, SessionRef{Client: h.hook.Client, ClientSessionID: h.hook.ParentID, Project: h.req.Project}, SessionOpening{Folder: h.req.Folder})
}

// toolUsed records a call and its result under the keys that the transcript will give
// them. A call without an id is left to the transcript; without a transcript it gets
// an id here.
func (h *hooking) toolUsed(ctx context.Context) error {
	t := h.hook.Tool
	if t.ID == "" && !h.transcribed() && t.Name != "" {
		t.ID = cmp.Or(h.req.ID, h.s.newEventID())
	}
	if t.ID == "" {
		return nil
	}
	call, err := domain.NewEvent(h.at(), domain.ToolCallKey(t.ID), domain.Message{
		Role: domain.RoleAssistant, ToolCalls: []domain.ToolCall{{ID: t.ID, Name: t.Name, Arguments: t.Input}}, AgentID: h.hook.AgentID})
	if err != nil {
		return err
	}
	answer := domain.Message{Role: domain.RoleTool, ToolCallID: t.ID, ToolName: t.Name, Content: t.Response, AgentID: h.hook.AgentID}
	if t.Failed {
		answer.Content, answer.Error = "", t.Response
	}
	result, err := domain.NewEvent(h.at(), domain.ToolResultKey(t.ID), answer)
	if err != nil {
		return err
	}
	return h.record(ctx, call, result)
}

// preCompact makes a checkpoint of what the client is about to condense.
func (h *hooking) preCompact(ctx context.Context) error {
	if h.id == "" {
		return nil
	}
	trigger, label := domain.TriggerPreCompaction, "before the client's compaction"
	switch {
	case h.hook.Trigger == "auto" && h.hook.Client == transcript.ClientGemini:
		// Gemini says so before each turn, and only then looks whether it needs to
		// compress.
		label = "before the client sees whether to compress"
	case h.hook.Trigger == "auto":
		trigger = domain.TriggerEmergency
	}
	if held, err := h.holdsCheckpoint(ctx, trigger); err != nil || held {
		return err
	}
	_, err := h.s.Checkpoint(ctx, CheckpointRequest{By: h.by, Action: CheckpointCreate, Ref: SessionRef{SessionID: h.id}, Trigger: trigger, Label: label})
	return err
}

// holdsCheckpoint reports whether a spooled call already has its checkpoint: nothing
// was added to the session after the last one.
func (h *hooking) holdsCheckpoint(ctx context.Context, trigger domain.Trigger) (bool, error) {
	if h.req.At.IsZero() {
		return false, nil
	}
	last, err := h.s.Store.Checkpoints(ctx, domain.CheckpointQuery{SessionID: h.id, Trigger: trigger, Limit: 1})
	return len(last) > 0 && last[0].Seq == h.last.LastSeq, err
}

// answer is what the model is told at this moment. Nothing is looked up for moments at
// which the client passes nothing on: it would count as told.
func (h *hooking) answer(ctx context.Context, seen counted) (string, error) {
	if !h.hook.Heard() {
		return "", nil
	}
	switch h.hook.Moment {
	case transcript.HookStart:
		return h.atStart(ctx)
	case transcript.HookPrompt:
		if text, err := h.owed(ctx, seen); text != "" || err != nil {
			return text, err
		}
		project, err := h.project(ctx)
		if err != nil {
			return "", err
		}
		return h.s.Related(ctx, h.asked(), project, h.hook.Prompt, relatedChars)
	}
	return "", nil
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
