// Package hook measures what a client waits for at each prompt and each use of a
// tool: a hook process from its start to its end, side by side with a bare Go
// process that opens a copy of the same database and inserts one row. The goal is
// a ratio of 1.5 at most.
//
//	go test -bench . -benchtime 200x ./bench/hook
//
// ms-hook is the median of the hook, x-bare how many times as long as the bare
// process it takes, x-leave the same beside a bare process that ends as a hook
// does, without writing the -wal back.
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
	dir := b.TempDir()
	db, closing, leaving := filepath.Join(dir, "wake.db"), filepath.Join(dir, "closing.db"), filepath.Join(dir, "leaving.db")
	bare, wake := build(b, dir, "bare", "./bare"), build(b, dir, "wake", "../../cmd/wake")
	env := []string{"HOME=" + dir, "WAKE_DB=" + db, "WAKE_PROJECT=bench", "WAKE_OLLAMA=off"}
	fill(b, wake, env)
	for _, path := range []string{closing, leaving} {
		timed(b, wake, env, "", "backup", path)
	}
	for _, moment := range []struct{ name, input string }{
		{"prompt", prompt},
		{"tool", `{"session_id":"s1","hook_event_name":"PostToolUse","tool_use_id":"t%d","tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":"a b c"}`},
		{"stop", `{"session_id":"s1","hook_event_name":"Stop","n":%d}`},
	} {
		b.Run(moment.name, func(b *testing.B) {
			var hooks, closed, left []time.Duration
			for b.Loop() {
				closed = append(closed, timed(b, bare, env, "", closing))
				left = append(left, timed(b, bare, env, "", "-leave", leaving))
				hooks = append(hooks, timed(b, wake, env, fmt.Sprintf(moment.input, time.Now().UnixMicro()), "hook", "claude-code"))
			}
			b.ReportMetric(0, "ns/op") // of all three together says nothing
			b.ReportMetric(float64(median(hooks).Microseconds())/1000, "ms-hook")
			b.ReportMetric(float64(median(hooks))/float64(median(closed)), "x-bare")
			b.ReportMetric(float64(median(hooks))/float64(median(left)), "x-leave")
		})
	}
}

// BenchmarkPrompt is a prompt where much is known already. Of what no segment of the
// index has yet a hook looks for the prompt's words alone.
func BenchmarkPrompt(b *testing.B) {
	dir := b.TempDir()
	bare, wake := build(b, dir, "bare", "./bare"), build(b, dir, "wake", "../../cmd/wake")
	for _, contexts := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(contexts), func(b *testing.B) {
			db, closing := filepath.Join(dir, fmt.Sprint(contexts, ".db")), filepath.Join(dir, fmt.Sprint(contexts, "-closing.db"))
			env := []string{"HOME=" + dir, "WAKE_DB=" + db, "WAKE_PROJECT=bench", "WAKE_OLLAMA=off"}
			file := filepath.Join(dir, "notes.jsonl")
			if err := os.WriteFile(file, []byte(notes(contexts)), 0o600); err != nil {
				b.Fatal(err)
			}
			timed(b, wake, env, "", "import", "wake", file)
			timed(b, wake, env, "", "backup", closing)
			var hooks, closed []time.Duration
			for b.Loop() {
				closed = append(closed, timed(b, bare, env, "", closing))
				hooks = append(hooks, timed(b, wake, env, fmt.Sprintf(prompt, time.Now().UnixMicro()), "hook", "claude-code"))
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(median(hooks).Microseconds())/1000, "ms-hook")
			b.ReportMetric(float64(median(hooks))/float64(median(closed)), "x-bare")
		})
	}
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

// fill gives the database some sessions and contexts.
func fill(b *testing.B, wake string, env []string) {
	for i := range 50 {
		timed(b, wake, env, fmt.Sprintf(`{"session_id":"s%d","hook_event_name":"UserPromptSubmit","prompt":"what about part %d of the work"}`, i%5, i), "hook", "claude-code")
		timed(b, wake, env, "", "save", fmt.Sprintf("Decision %d: part %d is written in Go because it is one binary", i, i))
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
