package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"wake/memory/memorytest"
)

// What a recalculation may hold at most, in KiB, however long the log.
const recalculateMost = 256 << 10

// All predictions are learnt anew from the beginning of the log in bounded memory:
// 1,000,000 accesses of 100,000 contexts under make soak, which reports the time.
func TestSoakRecalculate(t *testing.T) {
	home, contexts, accesses := t.TempDir(), rounds(1000, 100_000), rounds(5000, 1_000_000)
	db := filepath.Join(home, "crowd.db")
	t.Run("fill", func(t *testing.T) {
		s, _ := memorytest.OpenFile(t, db)
		memorytest.Crowd(t, s.Store, contexts, accesses)
	})
	c := command(home, "--db", db, "--project", "wake", "recalculate", "predictions")
	began := time.Now()
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	usage := c.ProcessState.SysUsage().(*syscall.Rusage)
	t.Logf("%d accesses of %d contexts: %v, %v of CPU time, at most %d MiB resident: %s", accesses, contexts,
		time.Since(began).Round(time.Millisecond), c.ProcessState.UserTime()+c.ProcessState.SystemTime(), usage.Maxrss>>10, out)
	if usage.Maxrss > recalculateMost {
		t.Errorf("%d KiB resident", usage.Maxrss)
	}
	record := run(t, home, "--json", "--db", db, "--project", "wake", "stats", "--prediction")
	if !strings.Contains(record, fmt.Sprintf(`"contexts":%d`, contexts)) {
		t.Errorf("after the recalculation: %.300s", record)
	}
}
