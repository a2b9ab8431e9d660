package memory

import (
	"context"
	"fmt"

	"wake/domain"
	"wake/repository"
	"wake/session"
)

// forkCheckpoint makes a new session from the state at a checkpoint, with copies of
// its messages, goals, findings and steps as events. The costs of the original are not
// counted again.
func (s *Service) forkCheckpoint(ctx context.Context, req CheckpointRequest) (CheckpointAnswer, error) {
	c, origin, err := checkpointOf(ctx, s.Store, req.ID, req.Ref)
	if err != nil {
		return CheckpointAnswer{}, err
	}
	at, err := stateAt(ctx, s.Store, origin, c.Seq)
	if err != nil {
		return CheckpointAnswer{}, err
	}
	fork, err := s.forkOf(origin, c.Seq)
	if err != nil {
		return CheckpointAnswer{}, err
	}
	a := s.appending(AppendRequest{By: req.By, Ref: SessionRef{SessionID: fork.ID}, Import: true})
	err = a.commit(ctx, func(ctx context.Context, tx repository.Tx) error {
		if err := tx.OpenSession(ctx, fork); err != nil {
			return err
		}
		if err := a.lock(ctx, tx); err != nil {
			return err
		}
		a.answer.Opened = true
		events, err := s.copies(ctx, tx, origin, &at.State)
		if err != nil {
			return err
		}
		return a.append(ctx, tx, events)
	})
	if err != nil {
		return CheckpointAnswer{}, err
	}
	s.raise(ctx, origin.ID, at.alerts)
	return CheckpointAnswer{ID: c.ID, SessionID: origin.ID, ForkID: fork.ID, Checkpoint: &c,
		Text: s.Words.Behind(fmt.Sprintf("Forked session %s at event %d into session %s (%s)", origin.ID, c.Seq, fork.ID,
			domain.Many(a.session.LastSeq, "event")), domain.ResumeSession, fork.ID)}, nil
}

// forkOf makes the session that goes on from an event of another one, as it is before it has
// the copies.
func (s *Service) forkOf(origin domain.Session, seq int64) (domain.Session, error) {
	fork, err := s.newSession(SessionRef{Project: origin.Project, Client: origin.Client}, SessionOpening{})
	fork.Title, fork.AgentID, fork.OriginID, fork.PurgedTitles = origin.Title, origin.AgentID, origin.OriginID, origin.PurgedTitles
	fork.ForkedFrom, fork.ForkedSeq = origin.ID, seq
	fork.Opened, fork.Mode, fork.Model, fork.Provider = origin.Opened, origin.Opened.Mode, origin.Opened.Model, origin.Opened.Provider
	fork.ContextLimit, fork.LearnedLimit = origin.ContextLimit, origin.LearnedLimit
	return fork, err
}

// copies returns copies for a fork of the events in force at a state.
func (s *Service) copies(ctx context.Context, r repository.Reader, origin domain.Session, at *session.State) ([]domain.Event, error) {
	events, err := r.Events(ctx, domain.EventQuery{SessionID: origin.ID, Until: at.LastSeq, Types: forked})
	if err != nil {
		return nil, err
	}
	var out []domain.Event
	for _, e := range events {
		if !at.Covers(e.Seq) || e.Damaged != "" {
			continue
		}
		copied := domain.Event{Key: e.Key, Type: e.Type, At: e.At, Payload: e.Payload,
			Source: domain.SourcePos{Name: domain.CopiedFrom(origin.ID), Pos: e.Seq, ID: e.ID}}
		if err := s.prepareCopy(&copied, e); err != nil {
			return nil, err
		}
		out = append(out, copied)
	}
	return out, nil
}

// prepareCopy prepares a copied event. A copy of an erased event keeps the facts of
// the original, as nothing else is left.
func (s *Service) prepareCopy(copied *domain.Event, original domain.Event) error {
	copied.ID, copied.RecordedAt = s.newEventID(), s.now()
	if original.Erased {
		copied.Facts, copied.Light = original.Facts, original.Payload
		copied.Spent = domain.Totals{}
		return nil
	}
	return session.Prepare(copied)
}

// forked are the types of events that go into a fork. Operations and usage do not.
var forked = []domain.EventType{
	domain.EventMessage, domain.EventGoal, domain.EventReasoning, domain.EventMode, domain.EventFinding, domain.EventSignal, domain.EventStep,
	domain.EventCompaction, domain.EventAbout, domain.EventContextSaved, domain.EventNote,
}
