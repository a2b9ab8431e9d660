//go:build !unix

package main

import "wake/repository"

// pausesWhenSuspended does nothing: on this system no key suspends a process.
func pausesWhenSuspended(repository.Store) (end func()) { return func() {} }
