package memory

import (
	"sync"

	"wake/domain"
)

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
	subs map[chan Change]bool
}

// feedLength is how many changes a subscriber may lag behind.
const feedLength = 256

// Subscribe returns a channel of the changes made through this service, and a function
// that ends the subscription and closes the channel.
func (s *Service) Subscribe() (<-chan Change, func()) {
	f, ch := &s.changes, make(chan Change, feedLength)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.subs == nil {
		f.subs = map[chan Change]bool{}
	}
	f.subs[ch] = true
	return ch, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.subs[ch] {
			delete(f.subs, ch)
			close(ch)
		}
	}
}

// tell publishes a change of several contexts.
func (f *changeFeed) tell(kind ChangeKind, contexts []domain.ContextSnapshot) {
	for _, c := range contexts {
		f.publish(Change{Kind: kind, ID: c.ID, Project: c.Project})
	}
}

func (f *changeFeed) publish(c Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for ch := range f.subs {
		select {
		case ch <- c:
		default:
		}
	}
}
