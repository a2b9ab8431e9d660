package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"wake/transcript"
)

// greetTime is how long a hook waits for a server's greeting. A suspended or
// overloaded server is no help.
const greetTime = 250 * time.Millisecond

// A hook tries at most serversTried servers, one more every nextServerAfter.
const (
	serversTried    = 3
	nextServerAfter = 10 * time.Millisecond
)

// hookState is what became of a hook that was offered to servers.
type hookState int

const (
	hookUnsent    hookState = iota // no server has it
	hookStored                     // a server has stored it
	hookUncertain                  // a server got it, but did not report success
)

// sendHook gives a hook to a server, usually the one that started last, and returns
// its answer if that arrives in time.
func (a *app) sendHook(set settings, h transcript.Hook, call hookCall, by time.Time) (string, hookState) {
	dir := a.socketDir(set)
	sockets, _ := os.ReadDir(dir) // without the folder there are no servers
	if len(sockets) == 0 || len(call.Input) > maxSent || !hasAbsolutePaths(h, call.Dir) || !isPrivate(dir) {
		return "", hookUnsent
	}
	slices.Reverse(sockets)
	c := firstGreeted(dir, sockets[:min(serversTried, len(sockets))])
	if c == nil {
		return "", hookUnsent
	}
	defer c.Close()
	return sendRequest(c, hookRequest{call, by.UTC()})
}

// firstGreeted returns a connection to the server that greets first, nil if none does.
// Each gets a moment before the next is tried as well. So a server that is suspended,
// for instance with its client in a shell's background, does not delay other clients'
// hooks.
func firstGreeted(dir string, sockets []os.DirEntry) net.Conn {
	greets := make(chan net.Conn, len(sockets))
	for i, e := range sockets {
		time.AfterFunc(time.Duration(i)*nextServerAfter, func() { greets <- dialGreeted(filepath.Join(dir, e.Name())) })
	}
	for range sockets {
		if c := <-greets; c != nil {
			return c
		}
	}
	return nil
}

// hasAbsolutePaths reports whether the paths of a hook that runs in dir mean the same
// files in any process.
func hasAbsolutePaths(h transcript.Hook, dir string) bool {
	return filepath.IsAbs(cmp.Or(h.Folder, dir)) && !slices.ContainsFunc([]string{h.TranscriptPath, h.AgentTranscript}, func(path string) bool {
		return path != "" && !filepath.IsAbs(path)
	})
}

// isHeld reports whether a server has the database open though its file is not there: it was
// moved away. The server may be suspended, or the hook too large to be sent.
func (a *app) isHeld(set settings) bool {
	if _, err := os.Stat(set.DB); isPostgres(set.DB) || !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	dir := a.socketDir(set)
	sockets, _ := os.ReadDir(dir) // without the folder there are no servers
	return slices.ContainsFunc(sockets, func(e os.DirEntry) bool {
		c := dialServer(filepath.Join(dir, e.Name()))
		if c != nil {
			_ = c.Close()
		}
		return c != nil
	})
}

// dialServer connects to the server at path; nil if there is none. It removes the socket
// of a dead server.
func dialServer(path string) net.Conn {
	c, err := dialAt(path)
	if err == nil {
		return c
	}
	if isDead(path, err) {
		_ = os.Remove(path)
	}
	return nil
}

// dialGreeted connects to the server at path; nil if it does not greet.
func dialGreeted(path string) net.Conn {
	c := dialServer(path)
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

// sendRequest lets the server handle the hook.
func sendRequest(c net.Conn, req hookRequest) (string, hookState) {
	_ = c.SetDeadline(req.By)
	to := json.NewEncoder(c)
	to.SetEscapeHTML(false) // escaping could make the message too long
	var answer hookReply
	if to.Encode(req) != nil || json.NewDecoder(c).Decode(&answer) != nil || answer.Failed {
		return answer.Text, hookUncertain
	}
	return answer.Text, hookStored
}
