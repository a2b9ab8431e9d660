// Package hook measures what a client waits for at each prompt and each use of a
// tool: a hook process from its start to its end, side by side with a bare Go
// process that opens a copy of the same database and inserts one row. The goal is
// a ratio of 1.5 at most.
//
//	go test -bench . -benchtime 200x ./bench/hook
//
// ms-served is the median of the hook where a server runs, as the client's own does,
// ms-alone where none does; x-served and x-alone say how many times as long as the
// bare process they take, and x-leave that of the latter beside a bare process that
// ends as a hook does, without writing the -wal back.
package hook

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// build makes a program as make build does.
func build(b *testing.B, dir, name, pkg string) string {
	b.Helper()
	binary := filepath.Join(dir, name)
	c := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, pkg)
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		b.Fatalf("build %s: %v\n%s", pkg, err, out)
	}
	return binary
}

const prompt = `{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"Why does part %d fail when the binary is written to a folder that is missing, and where should the retry of the decision go?"}`

// BenchmarkHook runs all in turn, so that whatever else the machine does strikes
// them alike. Each has a copy of the database of its own: what one leaves in a -wal
// is no work for another.
func BenchmarkHook(b *testing.B) {
	p := newPlace(b)
	p.fill(b, p.alone)
	p.copies(b)
	for _, moment := range []struct{ name, input string }{
		{"prompt", prompt},
		{"tool", `{"session_id":"s1","hook_event_name":"PostToolUse","tool_use_id":"t%d","tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":"a b c"}`},
		{"stop", `{"session_id":"s1","hook_event_name":"Stop","n":%d}`},
	} {
		b.Run(moment.name, func(b *testing.B) { p.measure(b, moment.input) })
	}
}

// BenchmarkPrompt is a prompt where much is known already. Of what no segment of the
// index has yet a hook without a server looks for the prompt's words alone.
func BenchmarkPrompt(b *testing.B) {
	for _, contexts := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(contexts), func(b *testing.B) {
			p := newPlace(b)
			file := filepath.Join(p.dir, "notes.jsonl")
			if err := os.WriteFile(file, []byte(notes(contexts)), 0o600); err != nil {
				b.Fatal(err)
			}
			timed(b, p.wake, p.alone, "", "import", "wake", file)
			p.copies(b)
			p.measure(b, prompt)
		})
	}
}

// place is where hooks are measured: their programs and databases.
type place struct {
	dir, bare, wake  string
	closing, leaving string   // the databases of bare processes
	alone, served    []string // the environments of hooks without and with a server
}

func newPlace(b *testing.B) *place {
	dir := b.TempDir()
	p := &place{dir: dir, bare: build(b, dir, "bare", "./bare"), wake: build(b, dir, "wake", "../../cmd/wake"),
		closing: filepath.Join(dir, "closing.db"), leaving: filepath.Join(dir, "leaving.db")}
	env := []string{"HOME=" + dir, "WAKE_PROJECT=bench", "WAKE_OLLAMA=off"}
	p.alone = append(slices.Clone(env), "WAKE_DB="+filepath.Join(dir, "alone.db"))
	p.served = append(env, "WAKE_DB="+filepath.Join(dir, "served.db"))
	return p
}

// copies gives all the same database, and starts the server.
func (p *place) copies(b *testing.B) {
	for _, path := range []string{p.closing, p.leaving, filepath.Join(p.dir, "served.db")} {
		timed(b, p.wake, p.alone, "", "backup", path)
	}
	c := exec.Command(p.wake, "mcp")
	c.Env, c.Stderr = p.served, os.Stderr
	in, err := c.StdinPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		_ = c.Wait()
	})
	for range 1000 {
		if open, _ := filepath.Glob(filepath.Join(p.dir, ".local/state/wake/desks/*/*")); len(open) > 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	b.Fatal("the server takes no hooks in")
}

func (p *place) measure(b *testing.B, input string) {
	var closed, left, alone, served []time.Duration
	timed(b, p.wake, p.served, fmt.Sprintf(input, 0), "hook", "claude-code") // from then on the server has the index in mind
	for b.Loop() {
		closed = append(closed, timed(b, p.bare, p.alone, "", p.closing))
		left = append(left, timed(b, p.bare, p.alone, "", "-leave", p.leaving))
		in := fmt.Sprintf(input, time.Now().UnixMicro())
		alone = append(alone, timed(b, p.wake, p.alone, in, "hook", "claude-code"))
		served = append(served, timed(b, p.wake, p.served, in, "hook", "claude-code"))
	}
	b.ReportMetric(0, "ns/op") // of all together says nothing
	for name, times := range map[string][]time.Duration{"alone": alone, "served": served} {
		b.ReportMetric(float64(median(times).Microseconds())/1000, "ms-"+name)
		b.ReportMetric(float64(median(times))/float64(median(closed)), "x-"+name)
	}
	b.ReportMetric(float64(median(alone))/float64(median(left)), "x-leave")
}

// notes are contexts of some hundred words each, as wake exports them.
func notes(contexts int) string {
	random := rand.New(rand.NewPCG(1, 2))
	words := rand.NewZipf(random, 1.15, 12, 50_000)
	var lines strings.Builder
	lines.WriteString(`{"wake":2}` + "\n")
	for i := range contexts {
		fmt.Fprintf(&lines, `{"context":{"id":"note-%d","project":"bench","timestamp":"2026-01-01T00:00:00Z","content":"Note %d:`, i, i)
		for range 120 {
			fmt.Fprintf(&lines, " part%d", words.Uint64())
		}
		lines.WriteString(`"}}` + "\n")
	}
	return lines.String()
}

// fill gives a database some sessions and contexts.
func (p *place) fill(b *testing.B, env []string) {
	for i := range 50 {
		timed(b, p.wake, env, fmt.Sprintf(`{"session_id":"s%d","hook_event_name":"UserPromptSubmit","prompt":"what about part %d of the work"}`, i%5, i), "hook", "claude-code")
		timed(b, p.wake, env, "", "save", fmt.Sprintf("Decision %d: part %d is written in Go because it is one binary", i, i))
	}
}

func timed(b *testing.B, program string, env []string, input string, args ...string) time.Duration {
	c := exec.Command(program, args...)
	c.Env, c.Stdin, c.Stderr = env, strings.NewReader(input), os.Stderr
	began := time.Now()
	if err := c.Run(); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}
