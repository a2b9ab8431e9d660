package memory_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"wake/domain"
	"wake/memory"
	"wake/repository/sqlite"
	"wake/summarizer"
)

// Environment of a child process of these tests.
const (
	childDB    = "WAKE_TEST_CHILD_DB"    // the file it works on
	childName  = "WAKE_TEST_CHILD_NAME"  // its name, in its texts
	childCount = "WAKE_TEST_CHILD_COUNT" // so many appends; 0 is until it is killed
	soakRounds = "WAKE_SOAK"             // set: the long form of a test
)

// rounds is short, or 100 where the environment asks for the long form (make soak).
func rounds(t *testing.T, short int) int {
	if os.Getenv(soakRounds) == "" {
		return short
	}
	const long = 100
	t.Logf("%d rounds", long)
	return long
}

// TestChildProcess is no test: it is what a child process runs.
func TestChildProcess(t *testing.T) {
	path := os.Getenv(childDB)
	if path == "" {
		t.Skip("runs in child processes only")
	}
	s := at(t, path)
	count, err := strconv.Atoi(os.Getenv(childCount))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; count == 0 || i < count; i++ {
		if count > 0 {
			a := record(t, s, claude, user(fmt.Sprintf("%s %d", os.Getenv(childName), i)))
			fmt.Printf("ack %d\n", a.LastSeq)
			continue
		}
		busy(t, s, i)
	}
}

// at is a service on a file of which others may have one too.
func at(t testing.TB, path string) *memory.Service {
	t.Helper()
	store, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := memory.New(store, summarizer.Extractive{})
	s.DefaultProject = "demo"
	t.Cleanup(func() { store.Close() })
	return s
}

// busy does one round of everything that writes to a session, and says so after
// each acknowledgement.
func busy(t testing.TB, s *memory.Service, i int) {
	a := record(t, s, claude, user(fmt.Sprint("round ", i)), assistant(strings.Repeat("word ", 100*(i%20))),
		fmt.Sprintf(`{"type":"op","op_id":"o%d","kind":"llm","usage":{"input":%d,"output":2,"cost_usd":0.001}}`, i%7, i), window(int64(i%110), 100))
	fmt.Printf("ack %d\n", a.LastSeq)
	a = record(t, s, claude, fmt.Sprintf(`{"type":"mode","to":"m%d"}`, i%3), fmt.Sprintf(`{"type":"step","id":"s%d","status":"completed"}`, i))
	fmt.Printf("ack %d\n", a.LastSeq)
	p := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: byID(a.SessionID)})
	switch i % 5 {
	case 2:
		back := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointRestore, ID: p.ID})
		fmt.Printf("ack %d\n", back.Restored.Seq)
	case 4:
		a = record(t, s, claude, `{"type":"compaction","trigger":"auto","summary":"S","tokens_before":99}`)
		fmt.Printf("ack %d\n", a.LastSeq)
	}
}

// child starts a child process of this test.
func child(ctx context.Context, t *testing.T, path, name string, count int) (*exec.Cmd, io.Reader) {
	t.Helper()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestChildProcess$", "-test.timeout=10m")
	cmd.Env = append(os.Environ(), childDB+"="+path, childName+"="+name, fmt.Sprintf("%s=%d", childCount, count))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// acknowledged reads what a child said to have written, to the end.
func acknowledged(out io.Reader, onAck func()) int64 {
	var last int64
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if n, ok := strings.CutPrefix(lines.Text(), "ack "); ok {
			if seq, err := strconv.ParseInt(n, 10, 64); err == nil {
				last = seq
				onAck()
			}
		}
	}
	return last
}

// I4, I13: eight processes append 200 events each to one session: no gap, no loss,
// no duplicate, and everything made of the log agrees with it.
func TestManyProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	s := at(t, path)
	record(t, s, claude, user("first"))
	const processes, each = 8, 200
	var wg sync.WaitGroup
	for i := range processes {
		cmd, out := child(ctx, t, path, fmt.Sprint("p", i), each)
		wg.Go(func() {
			acknowledged(out, func() {})
			if err := cmd.Wait(); err != nil {
				t.Errorf("process %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	owner, _, err := s.Session(ctx, claude, memory.Caller{})
	if err != nil || owner.LastSeq != 1+processes*each {
		t.Fatalf("%d events, %v", owner.LastSeq, err)
	}
	users, err := s.UserMessages(ctx, owner.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	next := map[string]int{}
	for i, u := range users {
		if u.Seq != int64(i+1) {
			t.Fatalf("message %d has place %d", i+1, u.Seq)
		}
		name, n, _ := strings.Cut(u.Content, " ")
		if u.Content != "first" && n != fmt.Sprint(next[name]) {
			t.Fatalf("%q comes where %d is due", u.Content, next[name])
		}
		next[name]++
	}
	verified(t, s)
}

// I9, 001-20, 001-22: a process is killed at a random moment, again and again: the log is a prefix
// of what was acknowledged and at most what was in flight, everything made of it
// agrees, and no checkpoint is half there.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	for round := range rounds(t, 5) {
		before := lastSeq(t, path)
		cmd, out := child(ctx, t, path, fmt.Sprint("k", round), 0)
		acks := 0
		wait := 1 + rand.IntN(30)
		last := acknowledged(out, func() {
			if acks++; acks == wait {
				go func() {
					time.Sleep(time.Duration(rand.IntN(8000)) * time.Microsecond)
					cmd.Process.Kill()
				}()
			}
		})
		if err := cmd.Wait(); err == nil {
			t.Fatal("the process ended by itself")
		}
		s := at(t, path)
		owner, _, err := s.Session(ctx, claude, memory.Caller{})
		const flight = 4 // events of the largest batch
		if err != nil || owner.LastSeq < last || owner.LastSeq > max(last, before)+2*flight {
			t.Fatalf("round %d: the log ends at %d, acknowledged was %d, %v", round, owner.LastSeq, last, err)
		}
		verified(t, s)
		for _, p := range listed(t, s, memory.CheckpointRequest{Ref: byID(owner.ID), Limit: 100, Deleted: true}) {
			if p.Seq > owner.LastSeq || p.StateHash == "" {
				t.Errorf("round %d: half a checkpoint: %+v", round, p)
			}
		}
		if t.Failed() {
			return
		}
	}
}

func lastSeq(t *testing.T, path string) int64 {
	owner, _, err := at(t, path).Session(ctx, claude, memory.Caller{})
	if domain.KindOf(err) == domain.KindNotFound {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	return owner.LastSeq
}

// I13, 001-20: many racing snapshotters and threshold checks of one service and of two on
// one file leave one firing in an epoch and the latest snapshot.
func TestRacingThresholds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	services := []*memory.Service{at(t, path), at(t, path)}
	record(t, services[0], claude, user("first"))
	var mu sync.Mutex
	calls := 0
	for _, s := range services {
		defer s.OnThreshold(0.85, func(domain.ThresholdFiring) { mu.Lock(); calls++; mu.Unlock() })()
	}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for range 5 {
				if _, err := tryRecord(services[i%2], claude, window(90, 100), `{"type":"signal","name":"s","status":"waiting"}`); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	owner, _, err := services[0].Session(ctx, claude, memory.Caller{})
	if err != nil || owner.LastSeq != 161 || owner.SnapshotSeq != 161 || calls != 1 {
		t.Errorf("%d events, snapshot at %d, %d calls, %v", owner.LastSeq, owner.SnapshotSeq, calls, err)
	}
	report, err := services[1].SessionReport(ctx, memory.ReportRequest{Ref: byID(owner.ID), Format: memory.ReportUsage})
	if err != nil || len(report.Firings) != 1 || len(report.Usage) != 80 {
		t.Errorf("%d firings, %d samples, %v", len(report.Firings), len(report.Usage), err)
	}
	if n := len(listed(t, services[0], memory.CheckpointRequest{Ref: byID(owner.ID)})); n != 1 {
		t.Errorf("%d checkpoints", n)
	}
	verified(t, services[0])
}
