package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/google/uuid"

	"wake/memory"
)

// jobsAfter is the age at which a server begins periodic work. Clients that come and
// go, or start many servers at once, pay nothing for it.
const jobsAfter = 10 * time.Second

// spoolPause is how often a server looks for spooled hooks.
const spoolPause = 10 * time.Second

// backgroundJobs does periodic work and stores spooled hooks until the returned
// function is called, which waits for the current step.
func (a *app) backgroundJobs(ctx context.Context, s *memory.Service) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { a.emptySpool(ctx, s, jobsAfter, spoolPause) })
	running.Go(func() {
		select {
		case <-ctx.Done():
		case <-time.After(jobsAfter):
			s.RunJobs(ctx, holder())
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}

// emptySpool stores spooled hooks again and again while the server runs. After the
// last hook of a day, nothing else would.
func (a *app) emptySpool(ctx context.Context, s *memory.Service, first, pause time.Duration) {
	for wait := first; ; wait = pause {
		select {
		case <-ctx.Done():
			return
		case <-a.spooled:
		case <-time.After(wait):
		}
		a.drainAll(ctx, s)
	}
}

// spooledOne has [app.emptySpool] look at once.
func (a *app) spooledOne() {
	select {
	case a.spooled <- struct{}{}:
	default: // it is about to look
	}
}

// drainStep is how long a server stores spooled hooks before one that a client waits for may
// do so.
const drainStep = 500 * time.Millisecond

// drainAll stores spooled hooks as long as any can be stored, and returns their number.
func (a *app) drainAll(ctx context.Context, s *memory.Service) (taken int) {
	set, err := a.settings()
	for err == nil && ctx.Err() == nil {
		n := a.drainSpool(ctx, set.DB, s, drainStep)
		if n == 0 {
			break
		}
		taken += n
	}
	return taken
}

// holder is a unique name of this process among those that share a database.
func holder() string {
	host, _ := os.Hostname() // it is only part of the name
	return fmt.Sprintf("%s/%d/%s", host, os.Getpid(), uuid.NewString()[:8])
}
