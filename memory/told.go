package memory

import (
	"context"
	"slices"
	"strconv"

	"wake/domain"
)

// toldKey is the key of the event that says a session's model was told of a context
// in an epoch. After a compaction it may have lost it.
func toldKey(epoch int64, contextID string) domain.Key {
	return domain.RowKey("told to the model, epoch "+strconv.FormatInt(epoch, 10), contextID)
}

// untold leaves out the contexts that a session's model was told of in the present
// epoch.
func (s *Service) untold(ctx context.Context, sessionID string, contexts []domain.ContextSnapshot) ([]domain.ContextSnapshot, error) {
	if sessionID == "" || len(contexts) == 0 {
		return contexts, nil
	}
	owner, err := s.Store.Session(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	keys := make([]domain.Key, len(contexts))
	for i, c := range contexts {
		keys[i] = toldKey(owner.Epoch, c.ID)
	}
	told, err := s.Store.EventPlaces(ctx, sessionID, keys)
	return slices.DeleteFunc(contexts, func(c domain.ContextSnapshot) bool {
		_, there := told[toldKey(owner.Epoch, c.ID)]
		return there
	}), err
}

// markTold keeps that a session's model was told of contexts. A client waits for the
// answer, so nobody waits for the disk here: should a power cut take the note back, the
// model is told once more.
func (s *Service) markTold(ctx context.Context, sessionID string, contexts []domain.ContextSnapshot) error {
	if sessionID == "" || len(contexts) == 0 {
		return nil
	}
	owner, err := s.Store.Session(ctx, sessionID)
	if err != nil {
		return err
	}
	events := make([]domain.Event, len(contexts))
	for i, c := range contexts {
		if events[i], err = domain.NewEvent(s.now(), toldKey(owner.Epoch, c.ID), domain.Note{Kind: "context_told", Text: c.ID}); err != nil {
			return err
		}
	}
	_, err = s.Append(ctx, AppendRequest{Ref: SessionRef{SessionID: sessionID}, Events: events, Relaxed: true})
	return err
}
