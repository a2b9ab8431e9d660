package transcript

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
)

// Unpacked reads a source that may be compressed, or written as UTF-16, as some
// Windows tools do. packed reports that it is: then places in it are not the
// source's own, and reading cannot continue from the middle.
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
	case isUTF16(head):
		return utf16Text().Reader(src), true, nil
	}
	return src, false, nil
}

func isGzip(head []byte) bool { return bytes.HasPrefix(head, []byte{0x1f, 0x8b}) }

// isZstd reports whether a file is packed as Codex packs rollouts that are no longer
// in use.
func isZstd(head []byte) bool { return bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) }

// zstdReader unpacks while it is read, without goroutines that somebody would have to
// stop.
func zstdReader(src io.Reader) (io.Reader, error) {
	return zstd.NewReader(src, zstd.WithDecoderConcurrency(1))
}

// unpackedName is a source's name without the ending that says how it is packed.
func unpackedName(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
}

// isUTF16 reports whether a text begins with a byte order mark of UTF-16.
func isUTF16(head []byte) bool {
	return bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff})
}

func utf16Text() *encoding.Decoder {
	return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder()
}
