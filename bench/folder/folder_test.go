// Package folder measures what a new user waits for: the import of a folder of
// transcripts, with contexts distilled from them, compared with a process that merely
// decodes the same lines.
//
//	go test -bench . -benchtime 5x ./bench/folder
//
// WAKE_TRANSCRIPTS names a folder of Claude Code transcripts to use instead of our own.
// Each is used several times, as separate sessions, until there are 300. x-clock and
// x-cpu give the time of the whole command as a multiple of decoding, plain-clock and
// plain-cpu the same without distilling.
package folder

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"
)

const sessions = 300

func BenchmarkFolder(b *testing.B) {
	dir := b.TempDir()
	wake, bare := build(b, dir, "wake", "../../cmd/wake"), build(b, dir, "bare", "./bare")
	folder := filepath.Join(dir, "transcripts")
	files := fill(b, folder)
	var decoded, whole, plain []spent
	for b.Loop() {
		decoded = append(decoded, run(b, dir, bare, files...))
		whole = append(whole, run(b, dir, wake, "import", "claude-code", folder))
		plain = append(plain, run(b, dir, wake, "import", "claude-code", "--no-distil", folder))
	}
	b.ReportMetric(0, "ns/op") // the sum of all programs is meaningless
	b.ReportMetric(times(whole, decoded, spent.byClock), "x-clock")
	b.ReportMetric(times(whole, decoded, spent.byCPU), "x-cpu")
	b.ReportMetric(times(plain, decoded, spent.byClock), "plain-clock")
	b.ReportMetric(times(plain, decoded, spent.byCPU), "plain-cpu")
	b.ReportMetric(median(whole, spent.byClock).Seconds()*1000/sessions, "ms/session")
}

func build(b *testing.B, dir, name, pkg string) string {
	b.Helper()
	binary := filepath.Join(dir, name)
	if out, err := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, pkg).CombinedOutput(); err != nil {
		b.Fatalf("build %s: %v\n%s", pkg, err, out)
	}
	return binary
}

// fill writes the transcripts, each with ids of its own.
func fill(b *testing.B, folder string) []string {
	b.Helper()
	from := cmp.Or(os.Getenv("WAKE_TRANSCRIPTS"), "../../testdata/transcripts/claude-code")
	have, err := filepath.Glob(filepath.Join(from, "*.jsonl"))
	if err == nil {
		err = os.Mkdir(folder, 0o700)
	}
	if err != nil || len(have) == 0 {
		b.Fatalf("no transcripts in %s: %v", from, err)
	}
	ids := regexp.MustCompile(`(msg_|toolu_|req_)\w+|row-\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	var files []string
	for i := range sessions {
		data, err := os.ReadFile(have[i%len(have)])
		if err != nil {
			b.Fatal(err)
		}
		data = ids.ReplaceAllFunc(data, func(id []byte) []byte {
			sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", i, id))
			return fmt.Appendf(nil, "%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
		})
		path := filepath.Join(folder, fmt.Sprintf("%d.jsonl", i))
		if err := os.WriteFile(path, data, 0o600); err != nil {
			b.Fatal(err)
		}
		files = append(files, path)
	}
	return files
}

// spent is wall-clock and processor time.
type spent struct{ clock, cpu time.Duration }

func (s spent) byClock() time.Duration { return s.clock }
func (s spent) byCPU() time.Duration   { return s.cpu }

// run runs a program in an empty home directory.
func run(b *testing.B, dir, program string, args ...string) spent {
	b.Helper()
	home, err := os.MkdirTemp(dir, "home")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(home)
	c := exec.Command(program, args...)
	c.Env = []string{"HOME=" + home, "WAKE_OLLAMA=off", "WAKE_PROJECT=bench"}
	began := time.Now()
	if out, err := c.CombinedOutput(); err != nil {
		b.Fatalf("%s: %v\n%s", program, err, out)
	}
	return spent{time.Since(began), c.ProcessState.UserTime() + c.ProcessState.SystemTime()}
}

func median(all []spent, of func(spent) time.Duration) time.Duration {
	var each []time.Duration
	for _, one := range all {
		each = append(each, of(one))
	}
	slices.Sort(each)
	return each[len(each)/2]
}

func times(all, decoded []spent, of func(spent) time.Duration) float64 {
	return float64(median(all, of)) / float64(median(decoded, of))
}
