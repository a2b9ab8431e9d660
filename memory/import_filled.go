package memory

import (
	"hash/maphash"

	"wake/domain"
)

// filled remembers the keys and operations of a session that one import has filled from
// its first event on, so that the store need not be asked about each new one. It knows
// nothing any more once others write to the session too.
type filled struct {
	session string
	last    int64 // the session's last event when the import left it
	seed    maphash.Seed
	names   map[uint64]struct{} // hashes; nil where the session may hold others
}

// filledMost is how many names are remembered at most, some 20 MB.
const filledMost = 1 << 20

// meet is told how the session stands before an append.
func (f *filled) meet(s domain.Session) {
	switch {
	case f == nil:
	case s.LastSeq == 0:
		*f = filled{session: s.ID, seed: maphash.MakeSeed(), names: map[uint64]struct{}{}}
	case s.ID != f.session || s.LastSeq != f.last:
		f.names = nil
	}
}

// lacks reports that the session surely has no such key or operation.
func (f *filled) lacks(name string) bool {
	if f == nil || f.names == nil {
		return false
	}
	_, there := f.names[maphash.String(f.seed, name)]
	return !there
}

// keep is told what an append has committed.
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
