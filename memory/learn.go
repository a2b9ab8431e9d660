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
	learnLeast = 20   // steps that are learnt however long reading the log took: they cost next to nothing
	stepsAhead = 128  // steps whose items are read together
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
}

// learning says how much of a project's access log is learnt.
type learning struct {
	rows    int       // at most
	until   time.Time // when it stops; zero means at the end of the log
	last    int64     // the row after which it stops; 0 means the same
	private bool      // what is learnt is not stored
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

// loadUsed loads the items that steps use, together: each step would ask for its own.
func (li *learntItems) loadUsed(steps []prediction.Step) error {
	var ids []prediction.ID
	for _, st := range steps {
		for _, u := range st.Uses {
			ids = append(ids, u.Item)
		}
	}
	_, err := li.Load(distinct(ids))
	return err
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

// learn brings a project's model up to the end of the access log, or as far as how says,
// and reports whether it reached the end. What is learnt depends only on the log, so every
// process, and a recalculation from the beginning, arrives at the same model. If the stored
// watermark has moved meanwhile, another process did the work.
func (s *Service) learn(ctx context.Context, l *learnt, how learning, progress func()) (atEnd bool, err error) {
	if err := l.load(ctx, s.Store, how.private); err != nil {
		return false, err
	}
	for how.rows > 0 {
		rows, err := s.Store.AccessLog(ctx, l.project, l.model.Watermark, learnRows)
		if err != nil || len(rows) == 0 {
			return err == nil, err
		}
		how.rows -= len(rows)
		if err := s.learnRows(ctx, l, rows, how); err != nil {
			l.model = nil
			if domain.KindOf(err) == domain.KindConflict {
				return s.learn(ctx, l, how, progress)
			}
			return false, err
		}
		if l.reached(how) || s.timeOver(how) {
			return false, nil
		}
		if progress != nil {
			progress()
		}
	}
	return false, nil
}

// catchUp learns as much of the log as an answer may wait for, for at most wait (0
// means no bound). If the result cannot be stored, because the database is read-only,
// full or locked, it is used for this answer only.
func (s *Service) catchUp(ctx context.Context, l *learnt, wait time.Duration) (atEnd bool, err error) {
	how := learning{rows: learnMost}
	if s.Hurried {
		how.rows = learnRows
	}
	quick := how
	if wait > 0 {
		quick.until = s.now().Add(wait)
	}
	atEnd, err = s.learn(ctx, l, quick, nil)
	if domain.KindOf(err) != domain.KindUnavailable {
		return atEnd, err
	}
	l.model, how.private = nil, true
	return s.learn(ctx, l, how, nil)
}

// timeOver reports whether the time for learning is over.
func (s *Service) timeOver(how learning) bool {
	return !how.until.IsZero() && !s.now().Before(how.until)
}

// reached reports whether the last row was learnt.
func (l *learnt) reached(how learning) bool { return how.last > 0 && l.model.Watermark >= how.last }

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
	return s.learn(ctx, l, learning{rows: learnRows, until: s.now().Add(answerIn)}, nil)
}

// load reads the stored model unless the one in memory is as new. A model that cannot
// be read, for instance one of another version, is learnt anew from the beginning of
// the log.
func (l *learnt) load(ctx context.Context, store repository.Store, private bool) error {
	l.items.ctx, l.items.store = ctx, store
	stored, err := store.PredictionModel(ctx, l.project)
	if err != nil || l.model != nil && l.model.Watermark == stored.Watermark {
		return err
	}
	l.model, l.items.rows, l.items.unsaved = prediction.NewModel(), prediction.Memory{}, prediction.Memory{}
	if len(stored.State) == 0 || l.model.UnmarshalBinary(stored.State) == nil || private {
		return nil
	}
	return store.Write(ctx, repository.Relaxed, func(tx repository.Tx) error { return tx.ClearPrediction(ctx, l.project) })
}

// learnRows learns from rows of the log and stores what changed.
func (s *Service) learnRows(ctx context.Context, l *learnt, rows []domain.Access, how learning) error {
	was := l.model.Watermark
	steps, last := stepsOf(rows, len(rows) == learnRows)
	if err := s.tellBirths(ctx, steps); err != nil {
		return err
	}
	for i, st := range steps {
		if i > 0 && l.reached(how) || i >= learnLeast && s.timeOver(how) {
			last = steps[i-1].Position
			break
		}
		if i%stepsAhead == 0 {
			if err := l.items.loadUsed(steps[i:min(i+stepsAhead, len(steps))]); err != nil {
				return err
			}
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
	if how.private {
		return nil
	}
	return s.storeLearnt(ctx, l, was)
}

func (s *Service) storeLearnt(ctx context.Context, l *learnt, was int64) error {
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
