// Package startup measures what an assistant waits for when it opens a window: the time
// from starting the server to its answer to initialize, and its memory then, compared
// with a bare mcp-go server.
//
//	go test -bench . -benchtime 50x ./bench/startup
package startup

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}` + "\n"

func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	db := filepath.Join(dir, "wake.db")
	for _, s := range []struct {
		name, pkg string
		args      []string
	}{
		{"bare", "./bare", nil},
		{"wake", "../../cmd/wake", []string{"mcp", "--db", db, "--ollama", "off", "--project", "bench"}},
	} {
		binary := filepath.Join(dir, s.name)
		if out, err := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, s.pkg).CombinedOutput(); err != nil {
			b.Fatalf("build %s: %v\n%s", s.pkg, err, out)
		}
		run(b, binary, s.args) // the first start creates the database
		b.Run(s.name, func(b *testing.B) {
			times := make([]time.Duration, 0, b.N)
			memory := 0
			for b.Loop() {
				took, kilobytes := run(b, binary, s.args)
				times, memory = append(times, took), kilobytes
			}
			slices.Sort(times)
			b.ReportMetric(milliseconds(times[len(times)/2]), "ms-median")
			b.ReportMetric(milliseconds(times[len(times)*99/100]), "ms-p99")
			b.ReportMetric(float64(memory)/1024, "MB")
		})
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// run starts a server, waits for its answer, and ends it.
func run(b *testing.B, binary string, args []string) (took time.Duration, kilobytes int) {
	b.Helper()
	c := exec.Command(binary, args...)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	if _, err := io.WriteString(in, initialize); err != nil {
		b.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		b.Fatal(err)
	}
	took = time.Since(start)
	kilobytes = resident(c.Process.Pid)
	_ = in.Close()
	if err := c.Wait(); err != nil {
		b.Fatal(err)
	}
	return took, kilobytes
}

// resident returns the memory of a process in kilobytes, or 0 if unknown.
func resident(pid int) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		var kilobytes int
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kilobytes); err == nil {
			return kilobytes
		}
	}
	return 0
}
