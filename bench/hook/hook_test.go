// Package hook measures what a client waits for at each prompt: a hook process
// from its start to its end, side by side with a bare Go process that opens the
// same database and inserts one row. The goal is a ratio of 1.5 at most.
//
//	go test -bench . -benchtime 100x ./bench/hook
package hook

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func build(b *testing.B, dir, name, pkg string) string {
	b.Helper()
	binary := filepath.Join(dir, name)
	if out, err := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, pkg).CombinedOutput(); err != nil {
		b.Fatalf("build %s: %v\n%s", pkg, err, out)
	}
	return binary
}

// BenchmarkHook runs both in turn, so that whatever else the machine does strikes
// both alike.
func BenchmarkHook(b *testing.B) {
	dir := b.TempDir()
	db := filepath.Join(dir, "wake.db")
	bare, wake := build(b, dir, "bare", "./bare"), build(b, dir, "wake", "../../cmd/wake")
	env := []string{"HOME=" + dir, "WAKE_DB=" + db, "WAKE_PROJECT=bench", "WAKE_OLLAMA=off"}
	fill(b, wake, env)
	for _, moment := range []struct{ name, input string }{
		{"prompt", `{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"prompt number %d of this run"}`},
		{"tool", `{"session_id":"s1","hook_event_name":"PostToolUse","tool_use_id":"t%d","tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":"a b c"}`},
		{"stop", `{"session_id":"s1","hook_event_name":"Stop","n":%d}`},
	} {
		b.Run(moment.name, func(b *testing.B) {
			var hooks, bares []time.Duration
			for b.Loop() {
				bares = append(bares, timed(b, bare, env, "", db))
				hooks = append(hooks, timed(b, wake, env, fmt.Sprintf(moment.input, len(hooks)+int(time.Now().UnixMicro())), "hook", "claude-code"))
			}
			h, r := median(hooks), median(bares)
			b.ReportMetric(float64(h.Microseconds())/1000, "ms-hook")
			b.ReportMetric(float64(r.Microseconds())/1000, "ms-bare")
			b.ReportMetric(float64(h)/float64(r), "x-bare")
		})
	}
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
