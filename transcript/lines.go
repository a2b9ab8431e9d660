package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine is the longest line that is read; longer ones are skipped without being kept
// in memory. Real lines reach 1 MB, or more with images.
const maxLine = 64 << 20

// lineSource splits a stream into lines of any length. bufio.Scanner would stop at its
// first long line (I6).
type lineSource struct {
	in     *bufio.Reader
	buf    []byte
	offset int64 // where the next line begins
}

// sourceLine is one line. Data is valid until the next one is read.
type sourceLine struct {
	Data     []byte // without its newline
	Offset   int64  // where it begins
	End      int64  // where the next begins
	Finished bool   // it ended in a newline
	TooLong  bool   // longer than maxLine: Data is empty
}

func newLineSource(r io.Reader, offset int64) *lineSource {
	return &lineSource{in: bufio.NewReaderSize(r, 64<<10), offset: offset}
}

// next returns io.EOF after the last line.
func (s *lineSource) next() (sourceLine, error) {
	line := sourceLine{Offset: s.offset}
	s.buf = s.buf[:0]
	for {
		part, err := s.in.ReadSlice('\n')
		s.offset += int64(len(part))
		whole := len(s.buf) == 0 && err == nil
		if !whole && !line.TooLong {
			s.buf = append(s.buf, part...)
			part = s.buf
		}
		if len(part) > maxLine || line.TooLong {
			line.TooLong, s.buf, part = true, s.buf[:0], nil
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return line, err
		}
		line.End, line.Finished, line.Data = s.offset, err == nil, trimLine(part)
		if err != nil && s.offset == line.Offset {
			return line, io.EOF
		}
		return line, nil
	}
}

func trimLine(b []byte) []byte {
	return bytes.TrimRight(bytes.TrimPrefix(b, byteOrderMark), "\r\n")
}
