package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wake/memory/memorytest"
)

// The most memory that a recalculation may use, in KiB, however long the log.
const recalculateMost = 256 << 10

// Recalculating all predictions from the beginning of the log takes bounded memory:
// 1,000,000 accesses of 100,000 contexts under make soak, which reports the time.
func TestSoakRecalculate(t *testing.T) {
	home, contexts, accesses := t.TempDir(), rounds(300, 100_000), rounds(1000, 1_000_000)
	db := filepath.Join(home, "crowd.db")
	t.Run("fill", func(t *testing.T) {
		s, _ := memorytest.OpenFile(t, db)
		memorytest.Crowd(t, s.Store, contexts, accesses)
	})
	c := command(home, "--db", db, "--project", "wake", "recalculate", "predictions")
	began := time.Now()
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	peak := watchMemory(c.Process.Pid)
	if err := c.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	most := peak()
	t.Logf("%d accesses of %d contexts: %v, %v of CPU time, at most %d MiB resident: %s", accesses, contexts,
		time.Since(began).Round(time.Millisecond), c.ProcessState.UserTime()+c.ProcessState.SystemTime(), most>>10, &out)
	if most > recalculateMost {
		t.Errorf("%d KiB resident", most)
	}
	record := run(t, home, "--json", "--db", db, "--project", "wake", "stats", "--prediction")
	if !strings.Contains(record, fmt.Sprintf(`"contexts":%d`, contexts)) {
		t.Errorf("after the recalculation: %.300s", record)
	}
}

// watchMemory watches a process and returns a function that, once the process has
// ended, returns the most KiB that it used; 0 if unknown. The kernel's figure for an
// ended child would include its parent's memory before the exec.
func watchMemory(pid int) func() int64 {
	ended, most := make(chan struct{}), make(chan int64)
	go func() {
		peak := int64(0)
		for {
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
			if _, rest, found := strings.Cut(string(status), "VmHWM:"); found {
				_, _ = fmt.Sscan(rest, &peak)
			}
			select {
			case <-ended:
				most <- peak
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() int64 { close(ended); return <-most }
}
