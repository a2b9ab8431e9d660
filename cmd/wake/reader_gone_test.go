package main

import (
	"bytes"
	"os"
	"testing"
)

// A command whose reader is gone, as head is after its ten lines, says nothing of that.
func TestReaderGone(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	run(t, home, "save", "Nobody reads this to its end.")
	for _, args := range [][]string{{"load"}, {"load", "--json"}, {"export"}} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		c := command(home, args...)
		var stderr bytes.Buffer
		c.Stdout, c.Stderr = w, &stderr
		err = c.Run()
		w.Close()
		if err == nil || c.ProcessState.ExitCode() != exitFailed || stderr.Len() > 0 {
			t.Errorf("%v: %v, %q", args, err, stderr.String())
		}
	}
}
