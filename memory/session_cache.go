package memory

import (
	"context"
	"fmt"

	"wake/domain"
	"wake/repository"
	"wake/session"
)

// cacheBudget is how many tokens of messages a cached working context holds, newest
// first. Older messages are read from the log if a budget asks for more. So updating
// the cache costs the same in sessions of any length.
const cacheBudget = 2_000

// cachedMessages is a cached working context that may be used.
type cachedMessages struct {
	newestFirst []session.Placed
	seq         int64 // last event of the log that it covers
	earlier     int64 // number of older messages of the epoch
}

// from is the first event that it covers.
func (c *cachedMessages) from() int64 {
	if n := len(c.newestFirst); n > 0 {
		return c.newestFirst[n-1].Seq
	}
	return c.seq + 1 // even the newest message was too long to cache
}

// putCache stores the working context of a session at a state.
func (s *Service) putCache(ctx context.Context, tx repository.Tx, owner domain.Session, state *session.State) error {
	log, read := logAt{tx, owner.ID, state}, reading{budget: cacheBudget, cost: session.Weight}
	if err := log.epochMessages(ctx, stretch{}, &read); err != nil {
		return err
	}
	newest := read.newestFirst
	if read.budget < 0 { // the last message read exceeded it
		newest = newest[:len(newest)-1]
	}
	promptHash, err := log.recordedPrompt(ctx, newest)
	if err != nil {
		return err
	}
	messages, err := session.CachedMessages(newest)
	if err != nil {
		return err
	}
	data, err := session.Serialize(session.Cached{AgentID: owner.AgentID, SessionID: owner.ID, Epoch: state.Epoch, Seq: state.LastSeq,
		PromptHash: promptHash, Earlier: state.Messages.Count - int64(len(newest)), Messages: messages})
	if err != nil {
		return err
	}
	return tx.PutCachedContext(ctx, domain.CachedContext{SessionID: owner.ID, AgentID: owner.AgentID, Seq: state.LastSeq,
		Epoch: state.Epoch, PromptHash: promptHash, Payload: data, SavedAt: s.now()})
}

// recordedPrompt returns the hash of the system prompt that the client recorded: of
// the newest system message among the cached ones, else of the one that the session
// began with. It is "" if there is none.
func (l logAt) recordedPrompt(ctx context.Context, newest []session.Placed) (string, error) {
	for _, m := range newest {
		if isSystemPrompt(m.Message) {
			return domain.HashText(m.Content), nil
		}
	}
	first, err := l.r.Events(ctx, domain.EventQuery{SessionID: l.sessionID, Types: []domain.EventType{domain.EventMessage}, Limit: 1})
	if err != nil || len(first) == 0 || !l.state.Covers(first[0].Seq) {
		return "", err
	}
	if m, err := first[0].Message(); err == nil && isSystemPrompt(m) && !first[0].Erased {
		return domain.HashText(m.Content), nil
	}
	return "", nil
}

func isSystemPrompt(m domain.Message) bool {
	return m.Role == domain.RoleSystem && m.Kind == domain.PlainMessage
}

// fitCache returns the cached working context, or nil if it cannot be used. A damaged
// one raises an alert, an outdated one does not (I12).
func (v *view) fitCache(ctx context.Context, promptHash string) *cachedMessages {
	row, err := v.r.CachedContext(ctx, v.owner.ID)
	if err != nil {
		return nil
	}
	c, err := session.Deserialize(row.Payload)
	if err != nil {
		v.alert(damagedCache(row, err))
		return nil
	}
	if c.PromptHash != "" && promptHash != "" && c.PromptHash != promptHash {
		v.notes = append(v.notes, "the system message that the session recorded is not the system prompt given here")
	}
	if !c.Fits(v.owner.ID, v.owner.AgentID, v.state.Epoch, v.owner.LastSeq, promptHash) || row.PromptHash != c.PromptHash {
		return nil
	}
	newest, err := c.NewestFirst()
	if err != nil {
		v.alert(damagedCache(row, err))
		return nil
	}
	return &cachedMessages{newestFirst: newest, seq: c.Seq, earlier: c.Earlier}
}

func damagedCache(row domain.CachedContext, why error) domain.Alert {
	return domain.Alert{Kind: "cache_damaged", Subject: fmt.Sprint(row.Seq), Detail: why.Error()}
}
