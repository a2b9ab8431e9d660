package memory

import "sync"

// Change tells subscribers that something is new. A subscriber that is slow
// misses changes rather than holding up a save.
type Change struct {
	Kind    ChangeKind
	ID      string // of the context or session
	Project string
}

// ChangeKind says what changed.
type ChangeKind string

// The kinds of change.
const (
	ContextSaved   ChangeKind = "context_saved"
	ContextChanged ChangeKind = "context_changed"
	ContextGone    ChangeKind = "context_gone"
	SessionChanged ChangeKind = "session_changed"
)

// changeFeed hands changes of this process to those who asked.
type changeFeed struct {
	mu   sync.Mutex
	next int
	subs map[int]chan Change
}

// feedLength is how many changes a subscriber may lag behind.
const feedLength = 256

// Subscribe returns a channel of the changes made through this service, and a
// function that ends it.
func (s *Service) Subscribe() (<-chan Change, func()) { return s.changes.subscribe() }

func (f *changeFeed) subscribe() (<-chan Change, func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.subs == nil {
		f.subs = map[int]chan Change{}
	}
	f.next++
	id, ch := f.next, make(chan Change, feedLength)
	f.subs[id] = ch
	return ch, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if _, ok := f.subs[id]; ok {
			delete(f.subs, id)
			close(ch)
		}
	}
}

func (f *changeFeed) publish(c Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, ch := range f.subs {
		select {
		case ch <- c:
		default:
		}
	}
}
