package clients

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os/exec"
	"testing"
)

// driven is a client that runs until the test ends, and that a program drives, as editors do:
// mostly by lines of JSON.
type driven struct {
	t       *testing.T
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
}

// start starts a client to drive.
func (m machine) start(line ...string) driven {
	m.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(m.Context()), patience)
	run := m.command(ctx, line...)
	in, err := run.StdinPipe()
	if err != nil {
		m.Fatal(err)
	}
	out, err := run.StdoutPipe()
	if err != nil {
		m.Fatal(err)
	}
	if err := run.Start(); err != nil {
		m.Fatal(err)
	}
	m.Cleanup(func() {
		cancel()
		_ = run.Wait() // it has ended, or was killed
		endGroup(run)
	})
	d := driven{m.T, run, in, bufio.NewScanner(out)}
	d.out.Buffer(nil, 1<<24)
	return d
}

// send sends a line.
func (d driven) send(line any) {
	d.t.Helper()
	raw, err := json.Marshal(line)
	if err != nil {
		d.t.Fatal(err)
	}
	if _, err := d.in.Write(append(raw, '\n')); err != nil {
		d.t.Fatal(err)
	}
}

// until reads up to a line.
func until[Line any](d driven, is func(Line) bool) Line {
	d.t.Helper()
	for d.out.Scan() {
		var l Line
		if err := json.Unmarshal(d.out.Bytes(), &l); err == nil && is(l) {
			return l
		}
	}
	d.t.Fatalf("%q ended: %v", d.process.Args, d.out.Err())
	var none Line
	return none
}
