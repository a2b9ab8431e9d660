package memory_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/session"
)

// grown is a session of n events: conversation with tool calls, in the proportions
// of real ones.
func grown(b testing.TB, s *memory.Service, n int) memory.SessionRef {
	b.Helper()
	ref := memory.SessionRef{Client: "bench", ClientSessionID: fmt.Sprint(n)}
	var batch []domain.Event
	flush := func() {
		if _, err := s.Append(ctx, memory.AppendRequest{Ref: ref, Events: batch, Import: true}); err != nil {
			b.Fatal(err)
		}
		batch = nil
	}
	for i := range n {
		batch = append(batch, dialogue(b, i))
		if len(batch) == 1000 {
			flush()
		}
	}
	if len(batch) > 0 {
		flush()
	}
	found, _, err := s.Session(ctx, ref, memory.Caller{})
	if err != nil {
		b.Fatal(err)
	}
	return memory.SessionRef{SessionID: found.ID}
}

// dialogue is event i of a conversation of four: a question, a call, its answer,
// a reply.
func dialogue(b testing.TB, i int) domain.Event {
	m := domain.Message{Role: domain.RoleUser, Content: fmt.Sprintf("Question %d: why does the build of module %d fail?", i, i%17)}
	call := fmt.Sprintf("t%d", i/4)
	switch i % 4 {
	case 1:
		m = domain.Message{Role: domain.RoleAssistant, ToolCalls: []domain.ToolCall{{ID: call, Name: "read_file", Arguments: []byte(`{"path":"go.mod"}`)}}}
	case 2:
		m = domain.Message{Role: domain.RoleTool, ToolCallID: call, ToolName: "read_file", Content: fmt.Sprintf("module wake %d\n\ngo 1.26\n", i)}
	case 3:
		m = domain.Message{Role: domain.RoleAssistant, Content: fmt.Sprintf("Answer %d: the go directive is newer than the toolchain of the runner.", i)}
	}
	e, err := domain.NewEvent(time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC).Add(time.Duration(i)*time.Millisecond), "", m)
	if err != nil {
		b.Fatal(err)
	}
	return e
}

var sizes = []int{100, 10_000, 100_000}

// BenchmarkAppend appends one event to each of three sessions of growing length in
// turn, so that what else the machine does falls on all alike: the cost must not
// grow with the log. Medians, 99th percentiles and bytes written are reported, and
// how the longest compares with the shortest.
func BenchmarkAppend(b *testing.B) {
	type lane struct {
		s     *memory.Service
		ref   memory.SessionRef
		next  int
		took  []time.Duration
		bytes int64
	}
	var lanes []*lane
	for _, n := range sizes {
		s, _ := memorytest.Open(b)
		lanes = append(lanes, &lane{s: s, ref: grown(b, s, n), next: n})
	}
	for b.Loop() {
		for _, l := range lanes {
			before, began := written(), time.Now()
			if _, err := l.s.Append(ctx, memory.AppendRequest{Ref: l.ref, Events: []domain.Event{dialogue(b, l.next)}}); err != nil {
				b.Fatal(err)
			}
			l.took = append(l.took, time.Since(began))
			l.bytes += written() - before
			l.next++
		}
	}
	for i, l := range lanes {
		slices.Sort(l.took)
		n := len(l.took)
		b.ReportMetric(micros(l.took[n/2]), fmt.Sprintf("µs-median-%d", sizes[i]))
		b.ReportMetric(micros(l.took[n*99/100]), fmt.Sprintf("µs-p99-%d", sizes[i]))
		b.ReportMetric(float64(l.bytes)/float64(n), fmt.Sprintf("bytes-%d", sizes[i]))
	}
	first, last := lanes[0], lanes[len(lanes)-1]
	b.ReportMetric(micros(last.took[len(last.took)/2])/micros(first.took[len(first.took)/2]), "ratio-time")
	b.ReportMetric(float64(last.bytes)/float64(first.bytes), "ratio-bytes")
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// written is how many bytes this process has written so far; 0 where the system
// does not say.
func written() int64 {
	data, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if n, ok := strings.CutPrefix(strings.TrimSpace(line), "wchar: "); ok {
			total, _ := strconv.ParseInt(n, 10, 64)
			return total
		}
	}
	return 0
}

// BenchmarkResume compares resuming by snapshot and tail with a full replay.
func BenchmarkResume(b *testing.B) {
	for _, n := range sizes {
		s, _ := memorytest.Open(b)
		ref := grown(b, s, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Resume(ctx, memory.ResumeRequest{Ref: ref}); err != nil {
					b.Fatal(err)
				}
			}
			f, err := s.MeasureSnapshots(ctx, ref.SessionID)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(f.ReplayMS, "ms-replay")
			b.ReportMetric(f.SnapshotMS, "ms-snapshot")
			b.ReportMetric(f.Speedup, "x")
		})
	}
}

// BenchmarkCheckpoint (000-20) makes checkpoints of short and long sessions: pointers cost
// the same.
func BenchmarkCheckpoint(b *testing.B) {
	for _, n := range []int{10, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, _ := memorytest.Open(b)
			ref := grown(b, s, n)
			var size int64
			for b.Loop() {
				a, err := s.Checkpoint(ctx, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
				if err != nil {
					b.Fatal(err)
				}
				size = a.Checkpoint.Size
			}
			b.ReportMetric(float64(size), "bytes")
		})
	}
}

// BenchmarkFold folds the events of a conversation.
func BenchmarkFold(b *testing.B) {
	var events []domain.Event
	owner := domain.Session{ID: "s", Epoch: 1}
	for i := range 1000 {
		e := dialogue(b, i)
		if err := session.Prepare(&e); err != nil {
			b.Fatal(err)
		}
		session.Place(&owner, &e)
		e.Payload = e.Light
		events = append(events, e)
	}
	for b.Loop() {
		state := session.New()
		for _, e := range events {
			if err := session.Fold(&state, e); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkHandoff (000-21) makes a hand-off by a change of mode, and reads one
// that is in memory and one that is not, beside a bare read of one event.
func BenchmarkHandoff(b *testing.B) {
	s, _ := memorytest.Open(b)
	ref := grown(b, s, 1000)
	var last domain.Handoff
	i := 0
	b.Run("create", func(b *testing.B) {
		for b.Loop() {
			last = *record(b, s, ref, fmt.Sprintf(`{"type":"mode","to":"m%d"}`, i)).Handoff
			i++
		}
	})
	b.Run("hit", func(b *testing.B) {
		for b.Loop() {
			handoff(b, s, memory.HandoffRequest{ID: last.ID})
		}
	})
	b.Run("miss", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			fresh := memory.New(s.Store, s.Extract)
			fresh.Now = s.Now
			b.StartTimer()
			handoff(b, fresh, memory.HandoffRequest{ID: last.ID})
		}
	})
	b.Run("bare-read", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Store.Events(ctx, domain.EventQuery{SessionID: ref.SessionID, Until: 5}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkCheckpointList lists the checkpoints of a session of 10,000 events.
func BenchmarkCheckpointList(b *testing.B) {
	s, _ := memorytest.Open(b)
	ref := grown(b, s, 10_000)
	for range 10 {
		checkpoint(b, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
	}
	for b.Loop() {
		listed(b, s, memory.CheckpointRequest{Ref: ref})
	}
}

// BenchmarkRestore (000-20) sets sessions of growing length back.
func BenchmarkRestore(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, _ := memorytest.Open(b)
			ref := grown(b, s, n)
			p := checkpoint(b, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
			for b.Loop() {
				checkpoint(b, s, memory.CheckpointRequest{Action: memory.CheckpointRestore, ID: p.ID})
			}
		})
	}
}
