package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"wake/transcript"
)

// greetTime is how long a hook waits for a server's greeting. One that is stopped, or
// on a machine with too much to do, is no help.
const greetTime = 250 * time.Millisecond

// A hook tries desksTried servers at most, and one more each nextTime.
const (
	desksTried = 3
	nextTime   = 10 * time.Millisecond
)

// hookState tells what became of a hook that was to be given to a server.
type hookState int

const (
	hookKept     hookState = iota // no server has it
	hookTaken                     // a server has taken it in
	hookDoubtful                  // a server has it, but did not say that all is well
)

// giveHook gives a hook to a server, mostly the one that started last, and returns its
// answer if it comes by a time.
func (a *app) giveHook(set settings, h transcript.Hook, call hookCall, by time.Time) (string, hookState) {
	dir := a.deskDir(set)
	desks, _ := os.ReadDir(dir) // without the folder there is none
	if len(desks) == 0 || len(call.Input) > handedMost || !sameEverywhere(h, call.Dir) || !isPrivate(dir) {
		return "", hookKept
	}
	slices.Reverse(desks)
	c := firstGreeted(dir, desks[:min(desksTried, len(desks))])
	if c == nil {
		return "", hookKept
	}
	defer c.Close()
	return askDesk(c, deskAsk{call, by.UTC()})
}

// firstGreeted is a connection to the server that greets first, nil where none does. Each
// has a moment before the next is tried too: one that is stopped, as with its client in
// a shell's background, must not keep the hooks of others waiting.
func firstGreeted(dir string, desks []os.DirEntry) net.Conn {
	greets := make(chan net.Conn, len(desks))
	for i, e := range desks {
		time.AfterFunc(time.Duration(i)*nextTime, func() { greets <- greeted(filepath.Join(dir, e.Name())) })
	}
	for range desks {
		if c := <-greets; c != nil {
			return c
		}
	}
	return nil
}

// sameEverywhere reports whether the paths of a hook that runs in dir lead to the same
// files from the folder of any process.
func sameEverywhere(h transcript.Hook, dir string) bool {
	return filepath.IsAbs(cmp.Or(h.Folder, dir)) && !slices.ContainsFunc([]string{h.TranscriptPath, h.AgentTranscript}, func(path string) bool {
		return path != "" && !filepath.IsAbs(path)
	})
}

// reached is a connection to the server at path, nil where there is none. The name of one
// that is dead goes.
func reached(path string) net.Conn {
	c, err := net.DialTimeout("unix", path, greetTime)
	if err == nil {
		return c
	}
	if errors.Is(err, syscall.ECONNREFUSED) && !strings.HasSuffix(path, unopened) {
		_ = os.Remove(path)
	}
	return nil
}

// greeted is a connection to the server at path, nil where none greets.
func greeted(path string) net.Conn {
	c := reached(path)
	if c == nil {
		return nil
	}
	var b [1]byte
	_ = c.SetDeadline(time.Now().Add(greetTime))
	if _, err := c.Read(b[:]); err != nil || b[0] != greeting {
		_ = c.Close()
		return nil
	}
	return c
}

// askDesk has the server take the hook in.
func askDesk(c net.Conn, ask deskAsk) (string, hookState) {
	_ = c.SetDeadline(ask.By)
	to := json.NewEncoder(c)
	to.SetEscapeHTML(false) // it would make a message longer than may be
	var answer deskAnswer
	if to.Encode(ask) != nil || json.NewDecoder(c).Decode(&answer) != nil || answer.Failed {
		return answer.Text, hookDoubtful
	}
	return answer.Text, hookTaken
}
