package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The test binary is also the program: under the name wake it runs main.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"wake": main, "wake-parent": parentMain, "bare-server": bareMain})
}

// Each script has its own home folder, its working folder is the project "shop", and
// Ollama is off.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			home, shop := filepath.Join(e.WorkDir, "home"), filepath.Join(e.WorkDir, "shop")
			e.Cd = shop
			e.Setenv("HOME", home)
			e.Setenv("USERPROFILE", home)
			e.Setenv("DB", filepath.Join(home, ".local/share/wake/wake.db"))
			e.Setenv("WAKE_OLLAMA", "off")
			e.Setenv("TZ", "UTC")
			e.Setenv("LONG", strings.Repeat("n", 10_000))
			if err := os.MkdirAll(home, 0o700); err != nil {
				return err
			}
			return os.MkdirAll(shop, 0o700)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"capture": capture,
			"code":    code,
			"fill":    fill,
			"bytes":   putBytes,
			"empty":   empty,
			"lines":   lines,
		},
	})
}

// capture NAME PATTERN stores the first group's match in the last output.
func capture(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: capture NAME PATTERN")
	}
	m := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if m == nil {
		ts.Fatalf("no match for %q in %q", args[1], ts.ReadFile("stdout"))
	}
	ts.Setenv(args[0], m[1])
}

// code N COMMAND... runs a command that must exit with N.
func code(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := err.(interface{ ExitCode() int })
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// fill FILE BYTES writes that many letters.
func fill(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Repeat("a", n)), 0o600))
}

// bytes FILE TEXT writes a text with Go escapes.
func putBytes(ts *testscript.TestScript, _ bool, args []string) {
	text, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// empty FOLDER checks that nothing is in a folder.
func empty(ts *testscript.TestScript, _ bool, args []string) {
	found, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(found) > 0 {
		ts.Fatalf("%s holds %v", args[0], found)
	}
}

// lines N checks how many lines the last command printed.
func lines(ts *testscript.TestScript, _ bool, args []string) {
	if got := strconv.Itoa(strings.Count(ts.ReadFile("stdout"), "\n")); got != args[0] {
		ts.Fatalf("%s lines, want %s:\n%s", got, args[0], ts.ReadFile("stdout"))
	}
}
