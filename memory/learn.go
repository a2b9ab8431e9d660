package memory

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"wake/domain"
	"wake/prediction"
	"wake/repository"
)

// Limits of learning from the access log.
const (
	learnRows  = 1000 // rows of the log per step, committed together
	learnMost  = 4000 // rows that a prediction learns before it answers; jobs learn the rest
	learntKept = 8    // projects whose models stay in memory

	answerIn = 200 * time.Millisecond // how long a prediction, or a step of a job, may learn
	turnsFor = leaseFor / 4           // how long a round of periodic work may learn
)

// rowsKept is how many items of a project stay in memory.
var rowsKept = 20_000

// learnt is what prediction has learnt about one project: the stored model, and the
// items that were loaded.
type learnt struct {
	mu      sync.Mutex
	project string
	model   *prediction.Model
	items   learntItems
	private bool      // what is learnt now is not stored
	until   time.Time // when learning stops; zero means at the end of the log
	last    int64     // the row after which it stops; zero means the same
}

// learntItems loads items from the store and keeps them.
type learntItems struct {
	ctx     context.Context
	store   repository.Reader
	rows    prediction.Memory
	unsaved prediction.Memory // the rows that are newer than the stored ones
}

// Load implements [prediction.Items].
func (li *learntItems) Load(ids []prediction.ID) ([]*prediction.Item, error) {
	absent := li.absent(ids)
	if len(li.rows)+len(absent) > rowsKept {
		li.rows = maps.Clone(li.unsaved)
		absent = li.absent(ids)
	}
	if len(absent) > 0 {
		if err := li.read(absent); err != nil {
			return nil, err
		}
	}
	return li.rows.Load(ids)
}

// absent lists the items that must be read from the store.
func (li *learntItems) absent(ids []prediction.ID) []int64 {
	var ns []int64
	for _, id := range ids {
		if _, known := li.rows[id]; !known {
			ns = append(ns, int64(id))
		}
	}
	return ns
}

func (li *learntItems) read(ns []int64) error {
	stored, err := li.store.PredictionItems(li.ctx, ns)
	if err != nil {
		return err
	}
	for _, n := range ns {
		li.rows[prediction.ID(n)] = nil // known to be missing
	}
	for _, s := range stored {
		item := new(prediction.Item)
		if err := item.UnmarshalBinary(s.State); err != nil {
			continue // from another version: it is learnt anew
		}
		li.rows[prediction.ID(s.ContextN)] = item
	}
	return nil
}

// learntOf returns what is in memory about a project. The caller locks it while using
// it.
func (s *Service) learntOf(project string) *learnt {
	s.learning.mu.Lock()
	defer s.learning.mu.Unlock()
	if s.learning.models == nil {
		s.learning.models = map[string]*learnt{}
	}
	l := s.learning.models[project]
	if l == nil {
		if len(s.learning.models) >= learntKept {
			clear(s.learning.models)
		}
		l = &learnt{project: project}
		s.learning.models[project] = l
	}
	return l
}

// learn brings a project's model up to the end of the access log, or by at most most
// rows, and reports whether it reached the end. What is learnt depends only on the
// log, so every process, and a recalculation from the beginning, arrives at the same
// model. If the stored watermark has moved meanwhile, another process did the work.
func (s *Service) learn(ctx context.Context, l *learnt, most int, progress func(rows int)) (atEnd bool, err error) {
	if err := l.load(ctx, s.Store); err != nil {
		return false, err
	}
	for done := 0; done < most; {
		rows, err := s.Store.AccessLog(ctx, l.project, l.model.Watermark, learnRows)
		if err != nil || len(rows) == 0 {
			return err == nil, err
		}
		err = s.learnRows(ctx, l, rows, len(rows) == learnRows)
		if domain.KindOf(err) == domain.KindConflict {
			l.model = nil
			return s.learn(ctx, l, most-done-len(rows), progress)
		}
		if err != nil {
			l.model = nil
			return false, err
		}
		if s.enough(l) {
			return false, nil
		}
		done += len(rows)
		if progress != nil {
			progress(len(rows))
		}
	}
	return false, nil
}

// catchUp learns as much of the log as an answer may wait for, for at most wait (0
// means no bound). If the result cannot be stored, because the database is read-only,
// full or locked, it is used for this answer only.
func (s *Service) catchUp(ctx context.Context, l *learnt, wait time.Duration) (atEnd bool, err error) {
	most := learnMost
	if s.Hurried {
		most = learnRows
	}
	atEnd, err = s.learnAwhile(ctx, l, most, wait)
	if domain.KindOf(err) != domain.KindUnavailable {
		return atEnd, err
	}
	l.model, l.private = nil, true
	defer func() { l.private = false }()
	return s.learn(ctx, l, most, nil)
}

// learnAwhile learns at most most rows, for at most wait; 0 means no bound.
func (s *Service) learnAwhile(ctx context.Context, l *learnt, most int, wait time.Duration) (atEnd bool, err error) {
	if wait > 0 {
		l.until = s.now().Add(wait)
		defer func() { l.until = time.Time{} }()
	}
	return s.learn(ctx, l, most, nil)
}

// enough reports whether the time for learning is over, or the last row was learnt.
func (s *Service) enough(l *learnt) bool {
	return !l.until.IsZero() && !s.now().Before(l.until) || l.last > 0 && l.model.Watermark >= l.last
}

// learnInTurns brings the projects to the ends of their logs, one step of each in
// turn. So a project with a long log, as after an import, does not delay the others,
// and a question waits for one step at most.
func (s *Service) learnInTurns(ctx context.Context, projects []string) (err error) {
	began := s.now()
	for late := projects; len(late) > 0 && s.now().Sub(began) < turnsFor; {
		var still []string
		for _, p := range late {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			atEnd, failed := s.learnStep(ctx, p)
			if err = errors.Join(err, failed); failed == nil && !atEnd {
				still = append(still, p)
			}
		}
		late = still
	}
	return err
}

func (s *Service) learnStep(ctx context.Context, project string) (atEnd bool, err error) {
	l := s.learntOf(project)
	l.mu.Lock()
	defer l.mu.Unlock()
	return s.learnAwhile(ctx, l, learnRows, answerIn)
}

// load reads the stored model unless the one in memory is as new. A model that cannot
// be read, for instance one of another version, is learnt anew from the beginning of
// the log.
func (l *learnt) load(ctx context.Context, store repository.Store) error {
	l.items.ctx, l.items.store = ctx, store
	stored, err := store.PredictionModel(ctx, l.project)
	if err != nil || l.model != nil && l.model.Watermark == stored.Watermark {
		return err
	}
	l.model, l.items.rows, l.items.unsaved = prediction.NewModel(), prediction.Memory{}, prediction.Memory{}
	if len(stored.State) == 0 {
		return nil
	}
	if l.model.UnmarshalBinary(stored.State) == nil {
		return nil
	}
	if l.private {
		l.model = prediction.NewModel()
		return nil
	}
	return store.Write(ctx, repository.Relaxed, func(tx repository.Tx) error { return tx.ClearPrediction(ctx, l.project) })
}

// learnRows learns from rows of the log and stores what changed.
func (s *Service) learnRows(ctx context.Context, l *learnt, rows []domain.Access, more bool) error {
	was := l.model.Watermark
	steps, last := stepsOf(rows, more)
	if err := s.tellBirths(ctx, steps); err != nil {
		return err
	}
	for i, st := range steps {
		if i > 0 && s.enough(l) {
			last = steps[i-1].Position
			break
		}
		if len(st.Uses) == 0 {
			continue
		}
		items, err := l.model.Advance(st, &l.items)
		if err != nil {
			return err
		}
		for _, item := range items {
			l.items.rows[item.ID], l.items.unsaved[item.ID] = item, item
		}
	}
	l.model.Watermark = last
	return s.storeLearnt(ctx, l, was)
}

func (s *Service) storeLearnt(ctx context.Context, l *learnt, was int64) error {
	if l.private {
		return nil
	}
	state, err := l.model.MarshalBinary()
	if err != nil {
		return err
	}
	rows := make([]domain.LearntItem, 0, len(l.items.unsaved))
	for id, item := range l.items.unsaved {
		data, err := item.MarshalBinary()
		if err != nil {
			return err
		}
		rows = append(rows, domain.LearntItem{ContextN: int64(id), State: data})
	}
	model := domain.LearntModel{Project: l.project, Watermark: l.model.Watermark, State: state}
	err = s.Store.Write(ctx, repository.Relaxed, func(tx repository.Tx) error {
		return tx.PutPrediction(ctx, model, was, rows, s.now())
	})
	if err == nil {
		clear(l.items.unsaved)
	}
	return err
}
