package memory

import (
	"context"
	"slices"
	"strconv"

	"wake/domain"
)

// toldKey is the key of the event that records that a session's model was told of a
// context in an epoch. After a compaction the model may have lost it.
func toldKey(epoch int64, contextID string) domain.Key {
	return domain.RowKey("told to the model, epoch "+strconv.FormatInt(epoch, 10), contextID)
}

// untold drops the contexts of which a session's model was told in the present epoch.
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

// markTold records that a session's model was told of contexts. The commit does not
// wait for the disk, because a client waits for the answer; if a power cut loses it,
// the model is just told again.
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
