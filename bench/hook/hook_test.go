// Package hook measures what a client waits for at each prompt and each tool call: a
// hook process from start to end, compared with a bare Go process that opens a copy of
// the same database and inserts one row. The goal is a ratio of at most 1.5.
//
//	go test -bench . -benchtime 200x ./bench/hook
//
// ms-served is the median of the hook with a running server, as the client starts one,
// and ms-alone without. x-served and x-alone are the ratios to the bare process.
// x-leave is the ratio of the hook without server to a bare process that exits like a
// hook, without writing the -wal back.
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

// build compiles a program as make build does.
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

// BenchmarkHook runs all programs in turn, so that other load affects them equally.
// Each has its own copy of the database: what one leaves in a -wal must not become work
// for another.
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

// BenchmarkPrompt is a prompt in a large memory. Of the contexts outside segments, a
// hook without server only searches for the prompt's words.
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

// place holds the programs and databases that are measured.
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

// copies gives each program the same database, and starts the server.
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
	timed(b, p.wake, p.served, fmt.Sprintf(input, 0), "hook", "claude-code") // after this, the server has the index in memory
	for b.Loop() {
		closed = append(closed, timed(b, p.bare, p.alone, "", p.closing))
		left = append(left, timed(b, p.bare, p.alone, "", "-leave", p.leaving))
		in := fmt.Sprintf(input, time.Now().UnixMicro())
		alone = append(alone, timed(b, p.wake, p.alone, in, "hook", "claude-code"))
		served = append(served, timed(b, p.wake, p.served, in, "hook", "claude-code"))
	}
	b.ReportMetric(0, "ns/op") // the sum of all programs is meaningless
	for name, times := range map[string][]time.Duration{"alone": alone, "served": served} {
		b.ReportMetric(float64(median(times).Microseconds())/1000, "ms-"+name)
		b.ReportMetric(float64(median(times))/float64(median(closed)), "x-"+name)
	}
	b.ReportMetric(float64(median(alone))/float64(median(left)), "x-leave")
}

// notes returns contexts of about a hundred words each, in wake's export format.
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

// fill stores some sessions and contexts in the database.
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
