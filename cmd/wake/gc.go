package main

import "runtime/debug"

// Garbage collection of a server or an import. A question allocates half a megabyte,
// and takes twice as long while the collector runs. An import allocates some ten
// kilobytes per event.
const (
	heapGrowth = 300       // percent of the live heap
	heapSpare  = 16 << 20  // bytes that count as live, so that a small heap is not collected all the time
	memoryGoal = 512 << 20 // bytes from which on it is collected as often as needed; half of a small system's
)

// relaxGC lets the heap grow further than Go does by default, unless the
// environment sets a limit; in a small container or machine not so far. The caller must keep
// the result alive for as long as this should hold. The result is never written to, so the
// system provides no memory for it.
func (a *app) relaxGC() (spare []byte) {
	goal := min(memoryGoal, availableMemory()/2) // SQLite and the files need the rest
	if a.env("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(goal)
	}
	if a.env("GOGC") != "" {
		return nil
	}
	debug.SetGCPercent(heapGrowth)
	if goal < memoryGoal {
		return nil
	}
	return make([]byte, heapSpare)
}
