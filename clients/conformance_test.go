package clients

import (
	"path/filepath"
	"regexp"
	"testing"
)

// tries is how often the conformance suite may be run: it waits less than a second for some messages, which
// may not be enough on a busy machine.
const tries = 3

// The protocol's conformance suite passes, but for what conformance.yaml excuses: what each version of the
// protocol requires, and all scenarios there are.
func TestConformance(t *testing.T) {
	excused, err := filepath.Abs("conformance.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range [][]string{{"--requirements", "2025-11-25"}, {"--requirements", "2026-07-28"}, {"--suite", "all"}} {
		t.Run(set[1], func(t *testing.T) {
			m := newMachine(t)
			server := m.serve("--no-token") // the suite knows of no token
			line := append([]string{"conformance", "server", "--url", server.url, "--expected-failures", excused}, set...)
			for range tries {
				s := m.run(line...)
				if s.code == 0 {
					t.Logf("%s; all that failed is excused", regexp.MustCompile(`(?m)^Total: .*`).FindString(s.out))
					return
				}
				t.Logf("failed: %s", s)
			}
			t.Fail()
		})
	}
}
