package mcp

import (
	"context"
	"strconv"

	"wake/domain"
	"wake/memory"
)

// sessionResources are the resources of sessions, checkpoints and hand-offs.
func (s *Server) sessionResources() []resource {
	return []resource{
		{"wake://sessions", "sessions", "The latest sessions of all projects", jsonMedia, s.readSessions},
		{"wake://sessions/{id}", "session", "What is known of a session", jsonMedia, s.readSession},
		{"wake://sessions/{id}/user-messages{?from}", "user messages", "Every message that people wrote in a session, whole, from an event on", jsonMedia, s.readUserMessages},
		{"wake://sessions/{id}/optree", "operation tree", "Turns and operations with their costs, child sessions included", jsonMedia, s.readTree},
		{"wake://sessions/{id}/events{?after}", "events", "The log of a session, 1,000 events behind a place", jsonMedia, s.readEvents},
		{"wake://sessions/{id}/messages/{seq}", "message", "One message of a session, whole", jsonMedia, s.readMessage},
		{"wake://sessions/{id}/working-context", "working context", "The messages that a model would see now", jsonMedia, s.readWorkingContext},
		{"wake://checkpoints/{id}", "checkpoint", "A checkpoint with its manifest", jsonMedia, s.readCheckpoint},
		{"wake://handoffs/{id}", "hand-off", "What one mode left to the next", jsonMedia, s.readHandoff},
	}
}

func (s *Server) readSessions(ctx context.Context, _ memory.Caller, _ variables) (string, error) {
	found, err := s.service.Sessions(ctx, memory.SessionsRequest{Project: memory.AllProjects, Limit: domain.MaxList})
	if found.Sessions == nil {
		found.Sessions = []domain.Session{}
	}
	return asDocument(found.Sessions, err)
}

func (s *Server) readSession(ctx context.Context, by memory.Caller, vars variables) (string, error) {
	found, _, err := s.service.Session(ctx, memory.SessionRef{SessionID: vars["id"]}, by)
	return asDocument(found, err)
}

func (s *Server) readUserMessages(ctx context.Context, _ memory.Caller, vars variables) (string, error) {
	from, err := vars.place("from")
	if err != nil {
		return "", err
	}
	return asDocument(s.service.UserMessages(ctx, vars["id"], from))
}

func (s *Server) readTree(ctx context.Context, _ memory.Caller, vars variables) (string, error) {
	return asDocument(s.service.SessionTree(ctx, vars["id"]))
}

func (s *Server) readEvents(ctx context.Context, by memory.Caller, vars variables) (string, error) {
	after, err := vars.place("after")
	if err != nil {
		return "", err
	}
	return asDocument(s.service.Events(ctx, memory.EventsRequest{By: by, Ref: memory.SessionRef{SessionID: vars["id"]}, After: after, Limit: domain.MaxBatch}))
}

func (s *Server) readMessage(ctx context.Context, _ memory.Caller, vars variables) (string, error) {
	seq, err := vars.place("seq")
	if err != nil {
		return "", err
	}
	return asDocument(s.service.SessionMessage(ctx, vars["id"], seq))
}

func (s *Server) readWorkingContext(ctx context.Context, _ memory.Caller, vars variables) (string, error) {
	return asDocument(s.service.WorkingContext(ctx, vars["id"]))
}

func (s *Server) readCheckpoint(ctx context.Context, by memory.Caller, vars variables) (string, error) {
	found, err := s.service.Checkpoint(ctx, memory.CheckpointRequest{By: by, Action: memory.CheckpointShow, ID: vars["id"]})
	return asDocument(found.Checkpoint, err)
}

func (s *Server) readHandoff(ctx context.Context, by memory.Caller, vars variables) (string, error) {
	found, err := s.service.Handoff(ctx, memory.HandoffRequest{By: by, Action: memory.HandoffGet, ID: vars["id"]})
	return asDocument(found.Handoff, err)
}

// place reads an event number; 0 if it is left out.
func (vars variables) place(name string) (int64, error) {
	if vars[name] == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(vars[name], 10, 64)
	if err != nil || n < 0 {
		return 0, domain.Invalid("%s is %q; it is the number of an event", name, domain.Clip(vars[name], 40))
	}
	return n, nil
}
