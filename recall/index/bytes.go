package index

import (
	"encoding/binary"

	"wake/recall"
)

var errCorrupt = recall.ErrIndex

// scanner reads values from a blob. After the first error it returns zeros and bad
// stays set.
type scanner struct {
	b   []byte
	bad bool
}

func (s *scanner) uvarint() uint64 {
	v, n := binary.Uvarint(s.b)
	if n <= 0 {
		s.bad, s.b = true, nil
		return 0
	}
	s.b = s.b[n:]
	return v
}

func (s *scanner) take(n uint64) []byte {
	if n > uint64(len(s.b)) {
		s.bad, s.b = true, nil
		return nil
	}
	out := s.b[:n]
	s.b = s.b[n:]
	return out
}

func (s *scanner) byte() byte {
	b := s.take(1)
	if b == nil {
		return 0
	}
	return b[0]
}

func (s *scanner) string() string { return string(s.take(s.uvarint())) }

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
