package transcript_test

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/transcript"
)

// MEMORY.md folders: files with a front matter are one memory, others one a
// section; an index of pointers is none.
func TestMemoryFolder(t *testing.T) {
	fsys := fstest.MapFS{}
	for _, name := range []string{"MEMORY.md", "prices.md", "tests.md"} {
		fsys[name] = &fstest.MapFile{Data: own(t, "memory-md", name), ModTime: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
	}
	var res result
	for item, err := range transcript.ReadMemoryFolder(fsys) {
		if err != nil {
			t.Fatal(err)
		}
		res.add(item)
	}
	if len(res.contexts) != 3 || len(res.skipped) != 0 {
		t.Fatalf("%+v %v", res.contexts, res.skipped)
	}
	build, prices, tests := res.contexts[0], res.contexts[1], res.contexts[2]
	if !strings.Contains(build.Content, "# not a heading") || build.Timestamp.Month() != time.March {
		t.Errorf("section: %+v", build)
	}
	if prices.Summary != "Prices are whole cents" || prices.Timestamp.Day() != 11 || prices.Tags[1] != "project" {
		t.Errorf("front matter: %+v", prices)
	}
	if len(res.links) != 1 || res.links[0].From != prices.ID || res.links[0].To != tests.ID || tests.Metadata["type"] != "feedback" {
		t.Errorf("links: %+v, %+v", res.links, tests)
	}
}

// Front matters as editors write them: a byte order mark, Windows' line ends, lists,
// values that go on in the next lines.
func TestMemoryFrontMatter(t *testing.T) {
	const want = "use int64 for prices"
	for name, c := range map[string]struct {
		text, summary string
		tags          []string
	}{
		"plain":      {"---\nname: prices\ndescription: whole cents\ntags: [money, db]\n---\n" + want, "whole cents", []string{"memory", "money", "db"}},
		"Windows":    {"\xef\xbb\xbf---\r\nname: prices\r\ndescription: \"whole cents\"\r\n---\r\n" + want + "\r\n", "whole cents", []string{"memory"}},
		"folded":     {"---\ndescription: >-\n  whole\n  cents: always\ntype: project\n---\n" + want, "whole cents: always", []string{"memory", "project"}},
		"kept lines": {"---\ndescription: |\n  whole\n  cents\n---\n" + want, "whole\ncents", []string{"memory"}},
		"goes on":    {"---\ndescription: whole\n  cents\n---\n" + want, "whole cents", []string{"memory"}},
		"list":       {"---\ndescription: whole cents\ntags:\n  - money\n  - \"db\"\n---\n" + want, "whole cents", []string{"memory", "money", "db"}},
		"flat list":  {"---\ntags:\n- money\n- db\ndescription: whole cents\n---\n" + want, "whole cents", []string{"memory", "money", "db"}},
		"nested":     {"---\ndescription: whole cents\nmetadata:\n  type: feedback\n---\n" + want, "whole cents", []string{"memory", "feedback"}},
	} {
		res := read(t, transcript.MemoryMD, "prices.md", []byte(c.text), domain.IngestCursor{})
		if len(res.contexts) != 1 || res.contexts[0].Content != want || res.contexts[0].Summary != c.summary {
			t.Errorf("%s: %+v", name, res.contexts)
		} else if diff := cmp.Diff(c.tags, res.contexts[0].Tags); diff != "" {
			t.Errorf("%s: tags %s", name, diff)
		}
	}
}
