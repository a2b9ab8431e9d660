package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"wake/domain"
	"wake/files"
	"wake/transcript"
)

// spool is a folder of hooks that could not be stored, one file for each. A file is
// written under another name, synced and renamed, so it is always complete.
type spool struct {
	dir string
}

// spoolSize is the maximum size of a spool in bytes. Prompts may exceed it, because
// they are small and nothing else has them.
const spoolSize = 256 << 20

const (
	spoolSuffix = ".json"
	// claimedSuffix marks a file that a process is storing and has locked. Without the
	// lock that process is dead; after claimTime it counts as dead or suspended.
	claimedSuffix = ".taken"
	claimTime     = time.Minute
	// partSuffix marks a file that a hook is writing. After claimTime the hook counts as dead.
	partSuffix = ".part"
	// spoolAtOnce limits how many are stored at once, so that a hook ends in time.
	spoolAtOnce = 200
)

// spooled is one hook in a spool.
type spooled struct {
	hookCall
	path string
	lock *os.File // while this process has claimed it; nil if there are no locks
}

// spool returns the spool for the database at an address.
func (a *app) spool(db string) spool {
	return a.spoolOf(a.databaseAt(whichDatabase(db)))
}

func (a *app) spoolOf(name string) spool {
	return spool{dir: filepath.Join(a.xdg("XDG_STATE_HOME", ".local/state"), "wake", "spool", domain.HashText(name)[:16])}
}

// whichDatabase leaves out of a PostgreSQL URL what only says how the database is reached,
// such as the password: who changes that still means the same one.
func whichDatabase(address string) string {
	if !isPostgres(address) {
		return address
	}
	u, err := url.Parse(address)
	if err != nil { // the password may have to be escaped
		address = withoutPassword(address)
		u, err = url.Parse(address)
	}
	if err != nil {
		return address
	}
	u.Scheme = "postgres"
	u.User = url.User(u.User.Username())
	which := url.Values{}
	for _, key := range []string{"host", "port", "user", "dbname", "service", "servicefile", "options", "search_path"} {
		if value, given := u.Query()[key]; given {
			which[key] = value
		}
	}
	u.RawQuery = which.Encode()
	return u.String()
}

// withoutPassword cuts the password out of a URL that cannot be parsed.
func withoutPassword(address string) string {
	scheme, rest, _ := strings.Cut(address, "://")
	at := strings.LastIndex(rest, "@")
	if at < 0 {
		return address
	}
	user, _, _ := strings.Cut(rest[:at], ":")
	return scheme + "://" + user + rest[at:]
}

// put adds a hook to the spool.
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
	path := filepath.Join(s.dir, fmt.Sprintf("%020d-%d-%s", call.At.UnixNano(), os.Getpid(), call.ID)+spoolSuffix)
	err = writeSynced(path, data)
	if errors.Is(err, fs.ErrNotExist) { // this process was suspended, and its file taken for that of a dead one
		err = writeSynced(path, data)
	}
	return err
}

// writeSynced writes a file that after a power cut is complete or absent.
func writeSynced(path string, data []byte) (err error) {
	f, err := os.OpenFile(path+partSuffix, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = files.Rename(path+partSuffix, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(path+partSuffix))
	}
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		err = dir.Sync()
		return errors.Join(err, dir.Close())
	}
	return nil
}

// others returns the spools of other databases with hooks in them.
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

// count is the number of hooks in the spool.
func (s spool) count(now time.Time) int {
	entries, _ := os.ReadDir(s.dir) // without the folder there are none
	return len(slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !s.isWaiting(e, now) }))
}

// oldest yields the hooks in the spool, oldest first. Their files are not read yet:
// together they may be as large as the whole spool.
func (s spool) oldest(now time.Time) iter.Seq[*spooled] {
	entries, _ := os.ReadDir(s.dir) // without the folder there are none
	return func(yield func(*spooled) bool) {
		for _, e := range entries {
			if s.isWaiting(e, now) && !yield(&spooled{path: filepath.Join(s.dir, e.Name())}) {
				return
			}
		}
	}
}

// read fills in the content of the file.
func (w *spooled) read() error {
	data, err := readRegular(w.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &w.hookCall)
}

// isWaiting reports whether a file is a hook that no process is writing or storing.
func (s spool) isWaiting(e fs.DirEntry, now time.Time) bool {
	if strings.HasSuffix(e.Name(), spoolSuffix) {
		return true
	}
	claimed, part := strings.HasSuffix(e.Name(), claimedSuffix), strings.HasSuffix(e.Name(), partSuffix)
	info, err := e.Info()
	if err != nil || !claimed && !part {
		return false
	}
	ago := now.Sub(info.ModTime()).Abs() // (a time in the future comes from a clock that was set back)
	return ago > claimTime || claimed && !isLocked(filepath.Join(s.dir, e.Name()))
}

// isLocked reports whether another process has locked a file, as far as that can be told.
func isLocked(path string) bool {
	lock, err := lockFile(path)
	_ = lock.Close() // only the lock was wanted
	return err != nil
}

// hasLike reports whether the spool has a hook of the same session with the same
// transcripts.
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

// claim reserves the hook for this process. It returns false if another process has
// it.
func (w *spooled) claim() bool {
	lock, err := lockFile(w.path)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return false
	}
	mine := strings.TrimSuffix(w.path, claimedSuffix) + claimedSuffix
	if files.Rename(w.path, mine) != nil {
		_ = lock.Close()
		return false
	}
	w.path, w.lock = mine, lock
	now := time.Now()
	if os.Chtimes(mine, now, now) != nil {
		w.release()
		return false
	}
	return true
}

// release ends the reservation, if the file still exists.
func (w *spooled) release() {
	free := strings.TrimSuffix(w.path, claimedSuffix)
	_ = files.Rename(free+claimedSuffix, free)
	_ = w.lock.Close()
}

// leave ends the reservation of a file that cannot be read, and deletes it if its hook was
// killed while writing it.
func (w *spooled) leave() {
	if strings.HasSuffix(w.path, spoolSuffix+partSuffix+claimedSuffix) {
		w.remove()
		return
	}
	w.release()
}

// remove deletes the file. If that fails, keys prevent that the hook is stored twice.
func (w *spooled) remove() {
	_ = files.Remove(w.path)
	_ = w.lock.Close()
}

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
