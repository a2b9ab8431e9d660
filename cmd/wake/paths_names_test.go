package main

import "testing"

// On Windows a colon names a part that is hidden behind a file, and some names are devices.
func TestNamesOfWindows(t *testing.T) {
	for path, ok := range map[string]bool{
		`C:\Users\ann\wake.db`:             true,
		`c:wake.db`:                        true,
		`\\?\C:\Users\ann\wake.db`:         true,
		`\\server\share\wake.db`:           true,
		`console.md`:                       true,
		`C:\Users\con.ann\auxiliary\x`:     false, // also for a folder
		`wake-17:33.jsonl`:                 false,
		`C:\Users\ann\notes: today.md`:     false,
		`AUX.md`:                           false,
		`C:/Users/ann/nul`:                 false,
		`com1.tar.gz`:                      false,
		`C:\Users\ann\lpt¹ .txt`:           false,
		`.aux`:                             true,
		`C:\Users\Jürgen Groß\größe.jsonl`: true,
	} {
		if err := checkNamesOn("windows", path); (err == nil) != ok {
			t.Errorf("%s: %v", path, err)
		}
		if err := checkNamesOn("linux", path); err != nil {
			t.Errorf("elsewhere, %s: %v", path, err)
		}
	}
}
