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

// greetTime is how long a hook waits for a server's greeting. A suspended or
// overloaded server is no help.
const greetTime = 250 * time.Millisecond

// A hook tries at most desksTried servers, one more every nextTime.
const (
	desksTried = 3
	nextTime   = 10 * time.Millisecond
)

// hookState is what became of a hook that was offered to servers.
type hookState int

const (
	hookKept     hookState = iota // no server has it
	hookTaken                     // a server has stored it
	hookDoubtful                  // a server got it, but did not report success
)

// giveHook gives a hook to a server, usually the one that started last, and returns
// its answer if that arrives in time.
func (a *app) giveHook(set settings, h transcript.Hook, call hookCall, by time.Time) (string, hookState) {
	dir := a.deskDir(set)
	desks, _ := os.ReadDir(dir) // without the folder there are no servers
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

// firstGreeted returns a connection to the server that greets first, nil if none does.
// Each gets a moment before the next is tried as well. So a server that is suspended,
// for instance with its client in a shell's background, does not delay other clients'
// hooks.
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

// sameEverywhere reports whether the paths of a hook that runs in dir mean the same
// files in any process.
func sameEverywhere(h transcript.Hook, dir string) bool {
	return filepath.IsAbs(cmp.Or(h.Folder, dir)) && !slices.ContainsFunc([]string{h.TranscriptPath, h.AgentTranscript}, func(path string) bool {
		return path != "" && !filepath.IsAbs(path)
	})
}

// reached connects to the server at path; nil if there is none. It removes the socket
// of a dead server.
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

// greeted connects to the server at path; nil if it does not greet.
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

// askDesk lets the server handle the hook.
func askDesk(c net.Conn, ask deskAsk) (string, hookState) {
	_ = c.SetDeadline(ask.By)
	to := json.NewEncoder(c)
	to.SetEscapeHTML(false) // escaping could make the message too long
	var answer deskAnswer
	if to.Encode(ask) != nil || json.NewDecoder(c).Decode(&answer) != nil || answer.Failed {
		return answer.Text, hookDoubtful
	}
	return answer.Text, hookTaken
}
