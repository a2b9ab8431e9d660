package transcript

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
)

// Unpacked returns the text of a source that may be compressed, or encoded as UTF-16,
// as by some Windows tools. If packed is set, positions in r are not those of the
// source, so reading cannot continue from the middle.
func Unpacked(src io.ReadSeeker) (r io.Reader, packed bool, err error) {
	head := make([]byte, 4)
	n, err := io.ReadFull(src, head)
	if notEnd(err) != nil {
		return nil, false, err
	}
	if _, err := src.Seek(0, io.SeekStart); err != nil {
		return nil, false, err
	}
	switch head = head[:n]; {
	case isGzip(head):
		r, err = gzip.NewReader(src)
		return unpacking{r}, true, err
	case isZstd(head):
		r, err = zstdReader(src)
		return unpacking{r}, true, err
	}
	if wide := utf16Text(head); wide != nil {
		return wide.Reader(src), true, nil
	}
	return src, false, nil
}

// unpacking says of damaged data what was done with them: the unpackers' own words ("unexpected
// EOF") are for programmers.
type unpacking struct{ io.Reader }

// Read implements [io.Reader].
func (u unpacking) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	var file *fs.PathError
	if err == nil || err == io.EOF || errors.As(err, &file) || errors.Is(err, context.Canceled) {
		return n, err
	}
	return n, fmt.Errorf("its compressed data are damaged or end too early (%w); what could be read was taken", err)
}

// unpackedHead unpacks the beginning of a file, as far as it goes.
func unpackedHead(head []byte) []byte {
	if r, packed, err := Unpacked(bytes.NewReader(head)); err == nil && packed {
		head, _ = io.ReadAll(io.LimitReader(r, DetectSize))
	}
	return head
}

// IsArchive reports whether a file with this beginning holds other files, compressed or not.
func IsArchive(head []byte) bool { return isArchive(unpackedHead(head)) }

// isArchive recognises tar, whose mark stands behind the first file's name, and zip.
func isArchive(head []byte) bool {
	const tarMark = 257
	return len(head) > tarMark && bytes.HasPrefix(head[tarMark:], []byte("ustar")) || bytes.HasPrefix(head, []byte("PK\x03\x04"))
}

func isGzip(head []byte) bool { return bytes.HasPrefix(head, []byte{0x1f, 0x8b}) }

// isZstd reports whether a file is compressed in the way in which Codex compresses
// rollouts no longer in use.
func isZstd(head []byte) bool { return bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) }

// zstdReader decompresses while reading, without goroutines that would have to be
// stopped.
func zstdReader(src io.Reader) (io.Reader, error) {
	return zstd.NewReader(src, zstd.WithDecoderConcurrency(1))
}

// unpackedName returns a source's name without the extension of its compression.
func unpackedName(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
}

// utf16Text returns a decoder for a text with this beginning if it is UTF-16: it has a byte
// order mark, or, without one, begins like JSON.
func utf16Text(head []byte) *encoding.Decoder {
	begins := func(marks ...string) bool {
		return slices.ContainsFunc(marks, func(mark string) bool { return bytes.HasPrefix(head, []byte(mark)) })
	}
	switch {
	case begins("\xff\xfe", "{\x00", "[\x00"):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()
	case begins("\xfe\xff", "\x00{", "\x00["):
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder()
	}
	return nil
}
