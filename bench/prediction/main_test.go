package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A trace gives a table with every method.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "small.csv")
	trace := "ts,session,step,actor,item,op,parent\n100,-1,-1,0,9,s,\n"
	for n := range 40 {
		trace += fmt.Sprintf("%d,%d,%d,0,%d,m,\n", 1000+n*600, n/8, n, n%5)
	}
	if err := os.WriteFile(file, []byte(trace), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(strings.TrimSuffix(file, ".csv")+".items.csv", []byte("item,path\n0,a/b.go\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := report(&out, file); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"40 steps, 6 items", "wake", "activation", "newest", "lru", "wakeiqx", "P(24 h)", "P(7 d)"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

// A file that is no trace is refused with its row, an empty one as such.
func TestReportBadTrace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bad.csv")
	for text, says := range map[string]string{"ts,session\n1,2\n": "row 2", "": "bad.csv: no rows"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := report(&bytes.Buffer{}, file); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "%!") {
			t.Errorf("error %v, want %q", err, says)
		}
	}
}
