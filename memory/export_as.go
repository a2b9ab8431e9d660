package memory

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"wake/domain"
	"wake/transcript"
)

// ExportFormat is a file format of exports.
type ExportFormat string

// The formats: wake's own lines, documents for people, and other products' files.
const (
	ExportWake       ExportFormat = "wake"
	ExportMarkdown   ExportFormat = "markdown"
	ExportJSON       ExportFormat = "json"
	ExportOLLM       ExportFormat = "ollm"
	ExportAIAgent    ExportFormat = "ai-agent"
	ExportAutoByteus ExportFormat = "autobyteus"
)

// ExportFormats lists the formats.
func ExportFormats() []ExportFormat {
	return []ExportFormat{ExportWake, ExportMarkdown, ExportJSON, ExportOLLM, ExportAIAgent, ExportAutoByteus}
}

// ParseExportFormat reads the name of a format.
func ParseExportFormat(name string) (ExportFormat, error) {
	var names []string
	for _, f := range ExportFormats() {
		if strings.EqualFold(name, string(f)) {
			return f, nil
		}
		names = append(names, string(f))
	}
	return "", domain.Invalid("%q is not a format of exports; use one of %s", name, strings.Join(names, ", "))
}

// ExportAs writes one document: a session, or without a sessionID the contexts of a
// project ("" or [AllProjects] means all). Other products' formats hold one session.
// [Service.Export] writes wake's own lines; [Service.ExportOLLM] and
// [Service.ExportAutoByteus] write folders.
func (s *Service) ExportAs(ctx context.Context, w io.Writer, format ExportFormat, sessionID, project string) error {
	if sessionID == "" {
		return s.exportContexts(ctx, w, format, exportProject(project))
	}
	if format == ExportAIAgent {
		return s.exportTree(ctx, w, sessionID)
	}
	owner, events, err := s.wholeSession(ctx, sessionID)
	if err != nil {
		return err
	}
	if format == ExportJSON {
		return transcript.WriteJSON(w, owner, events)
	}
	events = joinMedia(events)
	switch format {
	case ExportMarkdown:
		return transcript.WriteMarkdown(w, owner, events)
	case ExportOLLM:
		if events, err = s.inForce(ctx, owner, events); err != nil {
			return err
		}
		return transcript.WriteOLLMSnapshot(w, owner.ID, owner.UpdatedAt, owner, events)
	}
	return domain.Invalid("the format %s is not one document", format)
}

// ExportOLLM writes a session, as OLLM would continue it, and its hand-offs that have not
// expired into OLLM's folder, ~/.ollm or one like it (000-08, 000-16). read and write take
// the names of files in it; read fails with [fs.ErrNotExist] where there is none.
func (s *Service) ExportOLLM(ctx context.Context, sessionID string, read func(name string) ([]byte, error), write func(transcript.File) error) error {
	owner, events, err := s.wholeSession(ctx, sessionID)
	if err != nil {
		return err
	}
	out := transcript.OLLMSession{Session: owner}
	if out.Events, err = s.inForce(ctx, owner, joinMedia(events)); err != nil {
		return err
	}
	if out.Handoffs, err = s.Store.Handoffs(ctx, domain.HandoffQuery{SessionID: owner.ID, AliveAt: s.now()}); err != nil {
		return err
	}
	for i := range out.Handoffs {
		if err := s.fillHandoff(ctx, &out.Handoffs[i]); err != nil {
			return err
		}
	}
	files, err := out.Files(read)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := write(f); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) wholeSession(ctx context.Context, id string) (domain.Session, []domain.Event, error) {
	owner, err := s.sessionOrNewest(ctx, id)
	if err != nil {
		return owner, nil, err
	}
	events, err := s.Store.Events(ctx, domain.EventQuery{SessionID: owner.ID})
	return owner, events, err
}

// joinMedia puts pictures and files that are an event of their own into the message that they
// were given with.
func joinMedia(events []domain.Event) []domain.Event {
	joined := make([]domain.Event, 0, len(events))
	at := map[domain.Key]int{} // in joined
	for _, e := range events {
		message, is := mediaOf(e)
		if i, known := at[message]; is && known && takeMedia(&joined[i], e) {
			continue
		}
		at[e.Key] = len(joined)
		joined = append(joined, e)
	}
	return joined
}

// takeMedia adds the media of another event to a message, and reports whether both can be
// read.
func takeMedia(message *domain.Event, beside domain.Event) bool {
	said, err := message.Message()
	media, also := beside.Message()
	if err != nil || also != nil || message.Erased || beside.Erased {
		return false
	}
	said.Media = append(slices.Clip(said.Media), media.Media...)
	return message.SetPayload(said) == nil
}

func (s *Service) exportContexts(ctx context.Context, w io.Writer, format ExportFormat, project string) error {
	if format != ExportMarkdown && format != ExportJSON {
		return domain.Invalid("the format %s holds one session; name it: --session-id ID (wake session list has them)", format)
	}
	contexts, err := s.Store.Contexts(ctx, domain.ContextQuery{Project: project, Order: domain.Oldest, WithContent: true})
	if err != nil {
		return err
	}
	if format == ExportMarkdown {
		return transcript.WriteContextsMarkdown(w, contexts)
	}
	return transcript.WriteContextsJSON(w, contexts)
}

// ExportAutoByteus writes a session as the memory folder of an AutoByteus agent
// (004-03). agent is the name of the folder and of the agent. put writes a file of the
// folder.
func (s *Service) ExportAutoByteus(ctx context.Context, sessionID, agent string, put func(name string, write func(io.Writer) error) error) error {
	owner, events, err := s.wholeSession(ctx, sessionID)
	if err != nil {
		return err
	}
	contexts, err := s.Store.Contexts(ctx, domain.ContextQuery{SessionID: owner.ID, Order: domain.Oldest, WithContent: true})
	if err != nil {
		return err
	}
	working, err := s.autoByteusContext(ctx, owner, events)
	if err != nil {
		return err
	}
	working.AgentID = cmp.Or(agent, working.AgentID)
	events = joinMedia(events)
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"raw_traces.jsonl", func(w io.Writer) error { return transcript.WriteAutoByteusTraces(w, events) }},
		{"episodic.jsonl", func(w io.Writer) error { return transcript.WriteAutoByteusMemories(w, domain.Episodic, contexts) }},
		{"semantic.jsonl", func(w io.Writer) error { return transcript.WriteAutoByteusMemories(w, domain.Semantic, contexts) }},
		{"working_context_snapshot.json", func(w io.Writer) error { return transcript.WriteAutoByteusContext(w, working) }},
	} {
		if err := put(file.name, file.write); err != nil {
			return err
		}
	}
	return nil
}

// autoByteusContext returns the working context that AutoByteus would give the model
// again.
func (s *Service) autoByteusContext(ctx context.Context, owner domain.Session, events []domain.Event) (transcript.AutoByteusContext, error) {
	out := transcript.AutoByteusContext{AgentID: cmp.Or(owner.AgentID, owner.ID), Epoch: owner.Epoch}
	bySeq := map[int64]domain.Event{}
	for _, e := range events {
		bySeq[e.Seq] = e
		if e.Type == domain.EventCompaction {
			out.LastCompaction = e.At
		}
	}
	messages, err := s.WorkingContext(ctx, owner.ID)
	at := map[domain.Key]int{} // in out
	for _, m := range messages {
		message, is := mediaOf(bySeq[m.Seq])
		if i, known := at[message]; is && known {
			out.Messages[i].Media = append(slices.Clip(out.Messages[i].Media), m.Media...)
			continue
		}
		at[bySeq[m.Seq].Key] = len(out.Messages)
		out.Messages = append(out.Messages, m.Message)
	}
	return out, err
}
