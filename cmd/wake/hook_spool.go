package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"wake/domain"
	"wake/memory"
	"wake/transcript"
)

// spoolHook stores a hook for later. why is the reason.
func (a *app) spoolHook(h transcript.Hook, call hookCall, why error) error {
	if away := (noDatabaseError{}); isPermanent(why) && !errors.As(why, &away) {
		return why
	}
	s := a.spool(a.readableSettings().DB)
	if unread := (memory.UnreadError{}); errors.As(why, &unread) && s.hasLike(h) {
		return why // the spooled hook will read the transcript to its end
	}
	if err := s.put(h.Moment, call); err != nil {
		return fmt.Errorf("%w; and it could not be kept for later: %w", why, err)
	}
	return fmt.Errorf("%w; it was kept in %s for later", why, s.dir)
}

// silence is how long hooks whose answer is not used are spooled at once after a
// server did not answer. Otherwise, without a VPN for instance, each use of a tool
// would wait for it in vain.
const silence = time.Minute

// silenceFile is a file in the spool. Its time is when a server last did not answer.
const silenceFile = "silent"

func (a *app) noteSilence() {
	if db := a.readableSettings().DB; isPostgres(db) {
		_ = os.WriteFile(filepath.Join(a.spool(db).dir, silenceFile), []byte("\n"), 0o600) // if it fails, the next hook waits too
	}
}

func (a *app) isSilent() bool {
	db := a.readableSettings().DB
	if !isPostgres(db) {
		return false
	}
	noted, err := os.Stat(filepath.Join(a.spool(db).dir, silenceFile))
	if err != nil {
		return false
	}
	ago := time.Since(noted.ModTime())
	return ago >= 0 && ago < silence // (a time in the future comes from a clock that was set back)
}

// readableSettings returns the settings as far as they are known if the configuration
// cannot be read.
func (a *app) readableSettings() settings {
	set, _ := a.settings()
	return set
}

// drainSpool stores spooled hooks, oldest first, until the database is unavailable,
// spoolAtOnce are stored or the time is over, which begins once no other goroutine does so.
// It returns their number.
func (a *app) drainSpool(ctx context.Context, db string, s *memory.Service, most time.Duration) (taken int) {
	a.draining.Lock()
	defer a.draining.Unlock()
	until := time.Now().Add(most)
	a.adoptSpool(db)
	for waiting := range a.spool(db).oldest(time.Now()) {
		if taken == spoolAtOnce || time.Now().After(until) {
			return taken
		}
		if !waiting.claim() {
			continue // another process is storing it
		}
		a.storing.Store(waiting)
		if waiting.read() != nil {
			waiting.leave() // an unreadable one stays where it is
			continue
		}
		err := a.takeSpooled(ctx, s, waiting)
		if err == nil || isPermanent(err) {
			waiting.remove()
			taken++
			continue
		}
		waiting.release()
		if affectsAll(err) {
			return taken
		}
	}
	return taken
}

// isPermanent reports whether a hook that failed with err would always fail: it is
// invalid, or its session was forgotten.
func isPermanent(err error) bool {
	kind := domain.KindOf(err)
	return kind == domain.KindInvalid || kind == domain.KindExpired
}

// affectsAll reports whether an error would currently meet every hook, because the
// database is unavailable or the time is over. Other errors concern a single hook, its
// transcript or its session.
func affectsAll(err error) bool {
	return domain.KindOf(err) == domain.KindUnavailable && !domain.IsDamaged(err) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

func (a *app) takeSpooled(ctx context.Context, s *memory.Service, w *spooled) error {
	h, err := transcript.ReadHook(w.Client, w.Input)
	if err != nil {
		return err
	}
	w.Again, w.Heard = true, func() bool { return false }
	_, err = a.remember(ctx, s, h, w.hookCall, nil)
	return err
}
