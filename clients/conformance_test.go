package clients

import (
	"path/filepath"
	"regexp"
	"testing"
)

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
			s := m.must(append([]string{"conformance", "server", "--url", server.url, "--expected-failures", excused}, set...)...)
			t.Logf("%s", regexp.MustCompile(`(?m)^Total: .*`).FindString(s.out))
		})
	}
}
