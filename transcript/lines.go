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
	data, err := s.read()
	if err != nil && (!errors.Is(err, io.EOF) || s.offset == line.Offset) {
		return line, err
	}
	line.End, line.Finished = s.offset, err == nil
	if line.TooLong = len(data) > maxLine; !line.TooLong {
		line.Data = trimLine(data)
	}
	return line, nil
}

// read returns everything up to a newline, or not the whole of it if that is too long.
func (s *lineSource) read() ([]byte, error) {
	part, err := s.in.ReadSlice('\n')
	s.offset += int64(len(part))
	if !errors.Is(err, bufio.ErrBufferFull) {
		return part, err
	}
	s.buf = append(s.buf[:0], part...)
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = s.in.ReadSlice('\n')
		s.offset += int64(len(part))
		if len(s.buf) <= maxLine {
			s.buf = append(s.buf, part...)
		}
	}
	return s.buf, err
}

func trimLine(b []byte) []byte {
	return bytes.TrimRight(bytes.TrimPrefix(b, byteOrderMark), "\r\n")
}
