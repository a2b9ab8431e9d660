package memory

import (
	"hash/maphash"

	"wake/domain"
)

// filled remembers the keys and operations of a session that this import has filled
// from its first event on, so that the store need not be asked about each. It forgets
// them once others write to the session too.
type filled struct {
	session string
	last    int64 // the session's last event after the import's last append
	seed    maphash.Seed
	names   map[uint64]struct{} // hashes; nil if the session may have others
}

// filledMost is how many names are remembered, some 20 MB.
const filledMost = 1 << 20

// meet compares the session as it is before an append with what is remembered of it.
func (f *filled) meet(s domain.Session) {
	switch {
	case f == nil:
	case s.LastSeq == 0:
		*f = filled{session: s.ID, seed: maphash.MakeSeed(), names: map[uint64]struct{}{}}
	case s.ID != f.session || s.LastSeq != f.last:
		f.names = nil
	}
}

// lacks reports whether the session certainly has no such key or operation.
func (f *filled) lacks(name string) bool {
	if f == nil || f.names == nil {
		return false
	}
	_, there := f.names[maphash.String(f.seed, name)]
	return !there
}

// keep remembers what an append has committed.
func (f *filled) keep(s domain.Session, events []domain.Event, ops []string) {
	if f == nil || f.names == nil {
		return
	}
	for _, e := range events {
		f.names[maphash.String(f.seed, string(e.Key))] = struct{}{}
	}
	for _, id := range ops {
		f.names[maphash.String(f.seed, id)] = struct{}{}
	}
	f.last = s.LastSeq
	if len(f.names) > filledMost {
		f.names = nil
	}
}
