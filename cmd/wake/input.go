package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// terminal reports whether r is a terminal.
func terminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// interruptible is standard input for a command that may wait for a person. Ctrl-C ends
// the waiting; what is read after that is dropped.
type interruptible struct {
	ctx context.Context
	in  io.Reader
}

func (a *app) interruptibleInput(ctx context.Context) io.Reader { return interruptible{ctx, a.in} }

func (t interruptible) Read(p []byte) (int, error) {
	type result struct {
		text []byte
		err  error
	}
	read := make(chan result, 1)
	go func() {
		text := make([]byte, len(p))
		n, err := t.in.Read(text)
		read <- result{text[:n], err}
	}()
	select {
	case c := <-read:
		return copy(p, c.text), c.err
	case <-t.ctx.Done():
		return 0, t.ctx.Err()
	}
}

// ask asks the person at the terminal. It returns an error if the input ends or the
// command is interrupted.
func (a *app) ask(ctx context.Context, question string) (string, error) {
	fmt.Fprint(a.err, question)
	line, err := bufio.NewReader(a.interruptibleInput(ctx)).ReadString('\n')
	if err != nil {
		fmt.Fprintln(a.err) // end the line of the question
	}
	return strings.TrimSpace(line), err
}
