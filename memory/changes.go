package memory

import "sync"

// Change is what subscribers are told. A slow subscriber misses changes rather than
// delaying a save.
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

// changeFeed passes the changes made in this process to its subscribers.
type changeFeed struct {
	mu   sync.Mutex
	next int
	subs map[int]chan Change
}

// feedLength is how many changes a subscriber may lag behind.
const feedLength = 256

// Subscribe returns a channel of the changes made through this service, and a function
// that ends the subscription and closes the channel.
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
