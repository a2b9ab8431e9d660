package memory

import (
	"context"
	"strconv"
	"strings"

	"wake/domain"
	"wake/repository"
	"wake/transcript"
)

// known gives keys to human messages without one and takes out what the session
// holds already. What is held and did not know its place in the source learns it.
func (a *appending) known(ctx context.Context, tx repository.Tx) ([]domain.Event, error) {
	events, err := a.keyed(ctx, tx)
	if err != nil {
		return nil, err
	}
	var keys []domain.Key
	for _, e := range events {
		if e.Key != "" {
			keys = append(keys, e.Key)
		}
	}
	seqs, err := tx.EventSeqs(ctx, a.session.ID, keys)
	if err != nil {
		return nil, err
	}
	a.answer.Seqs = make([]int64, len(events))
	var fresh []domain.Event
	next := a.session.LastSeq
	rows := keyRows{a: a, tx: tx, seqs: seqs, fresh: map[domain.Key]domain.SourcePos{}}
	for i, e := range events {
		if e.Key, err = rows.keyOf(ctx, e); err != nil {
			return nil, err
		}
		seq, held := seqs[e.Key]
		if e.Key != "" && held {
			a.answer.Repeated++
			a.answer.Seqs[i] = seq
			if err := a.learnPlace(ctx, tx, seq, e.Source); err != nil {
				return nil, err
			}
			continue
		}
		next++
		a.answer.Seqs[i] = next
		if e.Key != "" {
			seqs[e.Key], rows.fresh[e.Key] = next, e.Source
		}
		fresh = append(fresh, e)
	}
	return fresh, nil
}

func (a *appending) learnPlace(ctx context.Context, tx repository.Tx, seq int64, at domain.SourcePos) error {
	if at.Name == "" || seq > a.before.LastSeq {
		return nil
	}
	return tx.PlaceEvent(ctx, a.session.ID, seq, at)
}

// keyed gives each human message without a key the key of its next occurrence.
func (a *appending) keyed(ctx context.Context, tx repository.Tx) ([]domain.Event, error) {
	events := append([]domain.Event(nil), a.req.Events...)
	seen := map[domain.Key]int64{}
	for i := range events {
		e := &events[i]
		if !e.Human || e.Key != "" {
			continue
		}
		m, err := e.Message()
		if err != nil {
			return nil, err
		}
		prefix := domain.HumanKeyPrefix(m.Content)
		if _, counted := seen[prefix]; !counted {
			if seen[prefix], err = tx.CountKeys(ctx, a.session.ID, prefix); err != nil {
				return nil, err
			}
		}
		seen[prefix]++
		e.Key = domain.HumanKey(m.Content, int(seen[prefix]))
	}
	return events, nil
}

// keyRows finds the rows behind keys that count: the nth prompt of some words, the
// nth compaction. Files of one session may hold different stretches of it, and each
// counts from its own beginning; the ids of rows tell them apart (I5).
type keyRows struct {
	a     *appending
	tx    repository.Tx
	seqs  map[domain.Key]int64            // what is known to be held
	fresh map[domain.Key]domain.SourcePos // rows of this append
}

// keyOf is the key of an event: that under which the session holds its row, or
// the next one when its own stands for another row.
func (k keyRows) keyOf(ctx context.Context, e domain.Event) (domain.Key, error) {
	if !counts(e) || e.Source.ID == "" || k.a.session.Client != transcript.ClientClaudeCode { // others' ids are not the same in every file
		return e.Key, nil
	}
	if _, held := k.seqs[e.Key]; !held {
		return e.Key, nil
	}
	if row, _, err := k.row(ctx, e.Key); err != nil || row.ID == "" || row.ID == e.Source.ID {
		return e.Key, err
	}
	stem := e.Key[:strings.LastIndexByte(string(e.Key), ':')+1]
	for n := 1; ; n++ {
		key := stem + domain.Key(strconv.Itoa(n))
		row, held, err := k.row(ctx, key)
		if err != nil || !held || row.ID == e.Source.ID || row.Name == "" { // a hook's, which knows no row
			return key, err
		}
	}
}

// counts reports whether the event's key ends in a number that a file counted.
func counts(e domain.Event) bool {
	return e.Key != "" && (e.Human || e.Type == domain.EventCompaction)
}

// row is where the event of a key stands in its source, and whether there is one.
func (k keyRows) row(ctx context.Context, key domain.Key) (domain.SourcePos, bool, error) {
	if at, ok := k.fresh[key]; ok {
		return at, true, nil
	}
	seq, held := k.seqs[key]
	if !held {
		found, err := k.tx.EventSeqs(ctx, k.a.session.ID, []domain.Key{key})
		if seq, held = found[key]; err != nil || !held {
			return domain.SourcePos{}, false, err
		}
		k.seqs[key] = seq
	}
	events, err := k.tx.Events(ctx, domain.EventQuery{SessionID: k.a.session.ID, After: seq - 1, Until: seq, Light: true})
	if err != nil || len(events) == 0 {
		return domain.SourcePos{}, false, err
	}
	return events[0].Source, true, nil
}
