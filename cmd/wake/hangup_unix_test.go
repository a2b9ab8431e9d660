//go:build unix

package main

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
)

// A terminal that closes ends a server as cleanly as a terminate signal does.
func TestServerLeavesWithItsTerminal(t *testing.T) {
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP) // so that the server does not inherit that these tests ignore it
	defer signal.Stop(heard)
	s := startRaw(t, t.TempDir())
	send(t, s.cmd, syscall.SIGHUP)
	waitFor(t, s.cmd)
}

// What nohup starts stays when the terminal closes, and what a script starts in the
// background stays when somebody interrupts the script.
func TestServerStaysWhenToldTo(t *testing.T) {
	home := t.TempDir()
	c := exec.Command("sh", "-c", "trap '' HUP INT; exec wake mcp")
	c.Env, c.Dir = wakeEnv(home), home
	s := introduce(t, c)
	for id, sent := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		send(t, s.cmd, sent)
		s.call(id, "still there after "+sent.String())
		if _, ok := s.answer(t); !ok {
			t.Fatalf("%v ended the server", sent)
		}
	}
	end(t, s.cmd)
}
