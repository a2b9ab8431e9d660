//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"wake/repository"
)

// pausesWhenSuspended lets this process go on, when a person presses Ctrl-Z, until joined
// writes are committed: suspended, it would keep everybody else from writing. That
// lasts until end is called.
func pausesWhenSuspended(store repository.Store) (end func()) {
	if signal.Ignored(syscall.SIGTSTP) {
		return func() {}
	}
	asked, ended := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(asked, syscall.SIGTSTP)
	go func() {
		for {
			select {
			case <-asked:
				store.Pause(suspend)
			case <-ended:
				return
			}
		}
	}()
	return func() {
		signal.Stop(asked)
		close(ended)
	}
}

// suspend suspends this process and returns once it goes on. Go does not give SIGTSTP its
// own effect back, so another signal does it.
func suspend() {
	goesOn := make(chan os.Signal, 1)
	signal.Notify(goesOn, syscall.SIGCONT)
	defer signal.Stop(goesOn)
	_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	select {
	case <-goesOn:
	case <-time.After(time.Second): // the first process of a container is never suspended
	}
}
