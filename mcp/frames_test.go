package mcp

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func readAll(t *testing.T, in io.Reader, limit int) []frame {
	t.Helper()
	r := newFrameReader(in)
	r.limit = limit
	var all []frame
	for {
		f, err := r.next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
}

// Blank lines are dropped, and a last line without a newline counts.
func TestFrames(t *testing.T) {
	all := readAll(t, strings.NewReader("\n\r\n{\"a\":1}\n   \n{\"b\":2}\r\n{\"c\":3}"), 1<<20)
	var got []string
	for _, f := range all {
		got = append(got, strings.TrimSpace(string(f.data)))
	}
	if want := `{"a":1} {"b":2} {"c":3}`; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A line over the limit is not kept. Its id is found at either end, and the next lines
// are read normally.
func TestTooLongFrames(t *testing.T) {
	long := strings.Repeat("x", 300_000)
	for name, tt := range map[string]struct{ line, id string }{
		"id first":      {`{"jsonrpc":"2.0","id":7,"method":"m","params":{"c":"` + long + `"}}`, "7"},
		"id last":       {`{"method":"m","params":{"id":1,"c":"` + long + `"},"jsonrpc":"2.0","id":"last-1"}`, `"last-1"`},
		"id inside":     {`{"jsonrpc":"2.0","method":"m","params":{"id":3,"c":"` + long + `","d":{"id":4}}}`, ""},
		"not JSON":      {long, ""},
		"no id":         {`{"jsonrpc":"2.0","method":"m","params":{"c":"` + long + `"}}`, ""},
		"a strange id":  {`{"id":{"x":1},"params":{"c":"` + long + `"}}`, ""},
		"blank to long": {strings.Repeat(" ", 300_000) + `{"id":5}`, "5"},
	} {
		t.Run(name, func(t *testing.T) {
			all := readAll(t, strings.NewReader(tt.line+"\n{\"id\":8}\n"), 100_000)
			if len(all) != 2 || !all[0].tooLong || all[1].tooLong {
				t.Fatalf("read %d frames", len(all))
			}
			if got := string(all[0].id); got != tt.id {
				t.Errorf("id %q, want %q", got, tt.id)
			}
		})
	}
}

// A line of exactly the limit is kept.
func TestFrameOfTheLimit(t *testing.T) {
	all := readAll(t, strings.NewReader(strings.Repeat("x", 200_000)+"\n"), 200_000)
	if len(all) != 1 || all[0].tooLong {
		t.Error("a line of the limit was refused")
	}
}

// However the input is split, frames are its lines.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("{\"id\":1}\n\n{\"id\":2}"))
	f.Add(bytes.Repeat([]byte("a"), 5000))
	f.Add(append(bytes.Repeat([]byte("a"), 1000), "\nb"...))
	f.Fuzz(func(t *testing.T, data []byte) {
		const limit = 1000
		all := readAll(t, bytes.NewReader(data), limit)
		for line := range bytes.Lines(data) {
			tooLong := len(line) > limit+1
			if !tooLong && len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			if len(all) == 0 {
				t.Fatalf("%q is lost", line)
			}
			if f := all[0]; f.tooLong != tooLong || !tooLong && !bytes.Equal(f.data, line) {
				t.Fatalf("%q is read as %q, too long: %v", line, f.data, f.tooLong)
			}
			all = all[1:]
		}
		if len(all) > 0 {
			t.Fatalf("%d frames are no lines", len(all))
		}
	})
}
