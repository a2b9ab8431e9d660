package transcript

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"testing"
	"testing/iotest"
)

// A document is read in little more memory than twice its size, three times under the race
// detector; one that is too large is refused in little more than the limit.
func TestReadWhole(t *testing.T) {
	const limit = 32 << 20
	broken := errors.New("broken")
	for _, c := range []struct {
		name string
		src  io.Reader
		size int
		err  error
		most uint64 // of memory
	}{
		{"small", bytes.NewReader(make([]byte, 10)), 10, nil, 1 << 20},
		{"at the limit", bytes.NewReader(make([]byte, limit)), limit, nil, 3*limit + 1<<20},
		{"too large", bytes.NewReader(make([]byte, 4*limit)), 0, errTooLarge, limit + 1<<20},
		{"breaks off", io.MultiReader(bytes.NewReader(make([]byte, 10)), iotest.ErrReader(broken)), 10, broken, 1 << 20},
		{"ends too early", io.MultiReader(bytes.NewReader(make([]byte, 10)), iotest.ErrReader(io.ErrUnexpectedEOF)), 10, io.ErrUnexpectedEOF, 1 << 20},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		data, err := readWhole(c.src, limit)
		runtime.ReadMemStats(&after)
		if len(data) != c.size || !errors.Is(err, c.err) {
			t.Errorf("%s: read %d bytes, %v", c.name, len(data), err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > c.most {
			t.Errorf("%s: it took %d KiB", c.name, took>>10)
		}
	}
}
