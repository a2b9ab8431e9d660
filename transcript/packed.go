package transcript

import (
	"bytes"
	"compress/gzip"
	"io"
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
		return r, true, err
	case isZstd(head):
		r, err = zstdReader(src)
		return r, true, err
	}
	if wide := utf16Text(head); wide != nil {
		return wide.Reader(src), true, nil
	}
	return src, false, nil
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
