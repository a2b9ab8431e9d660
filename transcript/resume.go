package transcript

import (
	"bytes"
	"errors"
	"io"

	"wake/domain"
)

// resume moves past what was read before, or decides to start over.
func (r *Reader) resume(from domain.IngestCursor, headLen int) error {
	same, err := r.sameSource(from, headLen)
	if err != nil {
		return err
	}
	if same {
		r.offset = from.Offset
		return nil
	}
	seeker, ok := r.src.(io.Seeker)
	if !ok {
		return domain.Invalid("%s was replaced by another file since it was read last; read it again without a cursor", r.name)
	}
	if _, err := seeker.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r.line, r.head, r.last, r.doc = 0, nil, lastLine{}, ""
	r.rows.restarted()
	return nil
}

// sameSource compares the source's first bytes and the last line taken with what they
// were. If they are the same, the source is at from.Offset afterwards.
func (r *Reader) sameSource(from domain.IngestCursor, headLen int) (bool, error) {
	last := r.last
	if last.Offset < 0 || last.End < last.Offset || last.End > from.Offset || last.End-last.Offset > maxLine+2 {
		return false, nil
	}
	head := make([]byte, min(max(headLen, 0), headSize))
	if ok, err := readAll(r.src, head); !ok {
		return false, err
	}
	if domain.HashBytes(head) != from.Fingerprint {
		return false, nil
	}
	r.head = head
	line, src, at := []byte(nil), r.src, int64(len(head))
	if last.Offset < at { // it begins within the head
		line = bytes.Clone(head[last.Offset:min(at, last.End)])
	} else if ok, err := discard(src, last.Offset-at); !ok {
		return false, err
	} else {
		at = last.Offset
	}
	if last.End > at {
		rest := make([]byte, last.End-at)
		if ok, err := readAll(src, rest); !ok {
			return false, err
		}
		line, at = append(line, rest...), last.End
	}
	if domain.HashBytes(trimLine(line)) != last.Hash {
		return false, nil
	}
	return discard(src, from.Offset-at)
}

// discard skips n bytes and reports whether there were that many.
func discard(r io.Reader, n int64) (bool, error) {
	if n < 0 {
		return false, nil
	}
	if seeker, ok := r.(io.Seeker); ok {
		at, err := seeker.Seek(0, io.SeekCurrent)
		if err != nil {
			return false, err
		}
		end, err := seeker.Seek(0, io.SeekEnd)
		if err != nil || end < at+n {
			return false, err
		}
		_, err = seeker.Seek(at+n, io.SeekStart)
		return err == nil, err
	}
	_, err := io.CopyN(io.Discard, r, n)
	return err == nil, notEnd(err)
}

// readAll fills buf and reports whether there were enough bytes.
func readAll(r io.Reader, buf []byte) (bool, error) {
	_, err := io.ReadFull(r, buf)
	return err == nil, notEnd(err)
}

// notEnd returns err unless it is the end of the source.
func notEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// headKeeper keeps a copy of the source's first bytes as they are read.
type headKeeper Reader

func (k *headKeeper) Write(p []byte) (int, error) {
	if room := headSize - len(k.head); room > 0 {
		k.head = append(k.head, p[:min(room, len(p))]...)
	}
	return len(p), nil
}
