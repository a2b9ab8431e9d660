package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"wake/domain"
	"wake/transcript"
)

// A spool keeps what hooks could not store: one file for each, written under
// another name, synced and renamed, so that none is ever half there.
type spool struct {
	dir string
}

// spoolSize is how many bytes a spool may hold. Prompts are kept beyond it: they
// are small, and nothing else has them.
const spoolSize = 256 << 20

const (
	spoolSuffix = ".json"
	// claimedSuffix marks one that a process takes in just now; after claimTime
	// that process is taken for dead.
	claimedSuffix = ".taken"
	claimTime     = time.Minute
	// spoolAtOnce bounds how many are taken in at once, so that a hook ends in time.
	spoolAtOnce = 200
)

// spooled is one hook that waits.
type spooled struct {
	hookCall
	path string
}

// spool is the folder of what waits for the database at an address.
func (a *app) spool(db string) spool {
	return spool{dir: filepath.Join(a.xdg("XDG_STATE_HOME", ".local/state"), "wake", "spool", domain.HashText(a.databaseAt(db))[:16])}
}

// put keeps a hook of a moment.
func (s spool) put(moment transcript.HookMoment, call hookCall) error {
	if moment != transcript.HookPrompt && s.size()+int64(len(call.Input)) > spoolSize {
		return fmt.Errorf("the spool %s is full (%d MB)", s.dir, spoolSize>>20)
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	call.At = call.At.UTC()
	data, err := json.Marshal(call)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%020d-%d", call.At.UnixNano(), os.Getpid())
	return writeSynced(filepath.Join(s.dir, name+spoolSuffix), data)
}

// writeSynced puts a file in place that survives a power cut whole, or not at all.
func writeSynced(path string, data []byte) (err error) {
	f, err := os.OpenFile(path+".part", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(path+".part", path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(path+".part"))
	}
	if runtime.GOOS == "windows" {
		return nil // it syncs no folders
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		err = dir.Sync()
		return errors.Join(err, dir.Close())
	}
	return nil
}

// others are the spools, of other databases, in which something waits.
func (s spool) others() []spool {
	root := filepath.Dir(s.dir)
	dirs, _ := os.ReadDir(root) // without the folder there are none
	var out []spool
	for _, dir := range dirs {
		if other := (spool{filepath.Join(root, dir.Name())}); other != s && other.count(time.Now()) > 0 {
			out = append(out, other)
		}
	}
	return out
}

// count is how many wait.
func (s spool) count(now time.Time) int {
	entries, _ := os.ReadDir(s.dir) // without the folder none does
	return len(slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !waits(e, now) }))
}

// oldest are those that wait, the oldest first, unread: together they may be as large as
// a spool.
func (s spool) oldest(now time.Time) iter.Seq[*spooled] {
	entries, _ := os.ReadDir(s.dir) // without the folder none does
	return func(yield func(*spooled) bool) {
		for _, e := range entries {
			if waits(e, now) && !yield(&spooled{path: filepath.Join(s.dir, e.Name())}) {
				return
			}
		}
	}
}

// read fills in what the file says.
func (w *spooled) read() error {
	data, err := os.ReadFile(w.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &w.hookCall)
}

// waits reports whether a file is a hook that nobody takes in just now.
func waits(e fs.DirEntry, now time.Time) bool {
	if strings.HasSuffix(e.Name(), spoolSuffix) {
		return true
	}
	info, err := e.Info()
	return err == nil && strings.HasSuffix(e.Name(), claimedSuffix) && now.Sub(info.ModTime()) > claimTime
}

// hasLike reports whether a hook of the same session and transcripts waits.
func (s spool) hasLike(h transcript.Hook) bool {
	for waiting := range s.oldest(time.Now()) {
		if waiting.read() != nil {
			continue
		}
		if w, err := transcript.ReadHook(waiting.Client, waiting.Input); err == nil && w.SessionID == h.SessionID &&
			w.TranscriptPath == h.TranscriptPath && w.AgentTranscript == h.AgentTranscript {
			return true
		}
	}
	return false
}

// claim keeps other processes from taking in the same hook; false when one has it.
func (w *spooled) claim() bool {
	mine := strings.TrimSuffix(w.path, claimedSuffix) + claimedSuffix
	if w.path != mine && os.Rename(w.path, mine) != nil {
		return false
	}
	w.path = mine
	now := time.Now()
	return os.Chtimes(mine, now, now) == nil
}

// release lets it wait again, unless it is gone.
func (w *spooled) release() {
	free := strings.TrimSuffix(w.path, claimedSuffix)
	_ = os.Rename(free+claimedSuffix, free)
}

// remove ends the waiting.
func (w *spooled) remove() { _ = os.Remove(w.path) } // taken in twice is taken in once, by the keys

func (s spool) size() int64 {
	var total int64
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return 0
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			total += info.Size()
		}
	}
	return total
}
