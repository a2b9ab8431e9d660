package transcript_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/unicode"

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
	res := collect(t, transcript.ReadMemoryFolder(fsys))
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
		"empty":      {"---\n---\n" + want, "", []string{"memory"}},
		"folded":     {"---\ndescription: >-\n  whole\n  cents: always\ntype: project\n---\n" + want, "whole cents: always", []string{"memory", "project"}},
		"kept lines": {"---\ndescription: |\n  whole\n  cents\n---\n" + want, "whole\ncents", []string{"memory"}},
		"goes on":    {"---\ndescription: whole\n  cents\n---\n" + want, "whole cents", []string{"memory"}},
		"list":       {"---\ndescription: whole cents\ntags:\n  - money\n  - \"db\"\n---\n" + want, "whole cents", []string{"memory", "money", "db"}},
		"flat list":  {"---\ntags:\n- money\n- db\ndescription: whole cents\n---\n" + want, "whole cents", []string{"memory", "money", "db"}},
		"nested":     {"---\ndescription: whole cents\nmetadata:\n  type: feedback\n---\n" + want, "whole cents", []string{"memory", "feedback"}},
		"siblings":   {"---\ndescription: whole cents\nmetadata: \n  node_type: memory\n  type: project\n  tags: [money, db]\n---\n" + want, "whole cents", []string{"memory", "project", "money", "db"}},
		"escapes": {`---
description: "\"whole\" cents: a\\b"
tags: ["money", 'db']
---
` + want, `"whole" cents: a\b`, []string{"memory", "money", "db"}},
		"one quote":      {"---\ndescription: 'it''s whole cents'\n---\n" + want, "it's whole cents", []string{"memory"}},
		"two quotes":     {"---\ndescription: \"whole\" and \"cents\"\n---\n" + want, `"whole" and "cents"`, []string{"memory"}},
		"goes on quoted": {"---\ndescription: \"whole\n  \\\"cents\\\"\"\ntype: user\n---\n" + want, `whole "cents"`, []string{"memory", "user"}},
	} {
		res := read(t, transcript.MemoryMD, "prices.md", []byte(c.text), domain.IngestCursor{})
		if len(res.contexts) != 1 || res.contexts[0].Content != want || res.contexts[0].Summary != c.summary {
			t.Errorf("%s: %+v", name, res.contexts)
		} else if diff := cmp.Diff(c.tags, res.contexts[0].Tags); diff != "" {
			t.Errorf("%s: tags %s", name, diff)
		}
	}
}

// A file in a folder may be UTF-16, as some Windows editors write it.
func TestMemoryWide(t *testing.T) {
	wide, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String("---\nname: prices\n---\nuse int64, für alle")
	if err != nil {
		t.Fatal(err)
	}
	for item, err := range transcript.ReadMemoryFolder(fstest.MapFS{"prices.md": &fstest.MapFile{Data: []byte(wide)}}) {
		if err != nil || item.Context == nil || item.Context.Content != "use int64, für alle" || item.Context.Summary != "prices" {
			t.Errorf("%+v, %v", item.Context, err)
		}
	}
}

// A file may be compressed. No note is made of the bytes of a damaged one, which is an error
// if it is the only one.
func TestMemoryPacked(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte("# Prices\n\nuse int64\n")); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	for n, whole := range map[int]bool{packed.Len(): true, packed.Len() - 9: false} {
		fsys := fstest.MapFS{"prices.md.gz": &fstest.MapFile{Data: packed.Bytes()[:n]}}
		items := 0
		for item, err := range transcript.ReadMemoryFile(fsys, "prices.md.gz") {
			items++
			if (err == nil) != whole || (item.Context != nil) != whole || whole && !strings.Contains(item.Context.Content, "use int64") {
				t.Errorf("%d bytes: %+v, %v", n, item, err)
			}
		}
		if items != 1 {
			t.Errorf("%d bytes: %d items", n, items)
		}
	}
}

// What Claude Code 2.1 writes: the session and the time are fields beside the type, and
// memories link to each other by name.
func TestMemoryOfClaude(t *testing.T) {
	fsys := fstest.MapFS{}
	for name, text := range map[string]string{
		"MEMORY.md": "# Index\n\n* [Prices](project_prices.md) - whole cents\n1. **[Tests](feedback_tests.md)** - real ones\n",
		"notes.md":  "# Start\n\n~~~sh\n# build first\n```\n~~~\n\n# Stop\n\nmake stop\n",
		"project_prices.md": "---\nname: whole-cents\ndescription: \"Prices are \\\"whole\\\" cents\"\nmetadata: \n  node_type: memory\n  type: project\n" +
			"  originSessionId: 6d0c2e58-91ab-4c1e-9a63-0a6d8f2b7c11\n  modified: 2026-09-03T04:05:06.789Z\n---\n\nUse int64.\n",
		"feedback_tests.md": "---\nname: real-tests\ndescription: no mocks\nmetadata: \n  node_type: memory\n  type: feedback\n---\n\nSee [[whole-cents]] and [them](project_prices.md#why).\n",
	} {
		fsys[name] = &fstest.MapFile{Data: []byte(text), ModTime: time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)}
	}
	res := collect(t, transcript.ReadMemoryFolder(fsys))
	if len(res.contexts) != 4 || len(res.skipped) != 0 {
		t.Fatalf("%+v %v", res.contexts, res.skipped)
	}
	tests, start, prices := res.contexts[0], res.contexts[1], res.contexts[3]
	if start.Content != "Start\n\n~~~sh\n# build first\n```\n~~~" {
		t.Errorf("fenced code: %q", start.Content)
	}
	if prices.SessionID != "6d0c2e58-91ab-4c1e-9a63-0a6d8f2b7c11" || prices.Metadata["node_type"] != "memory" || prices.Metadata["type"] != "project" ||
		!prices.Timestamp.Equal(time.Date(2026, 9, 3, 4, 5, 6, 789e6, time.UTC)) || prices.Summary != `Prices are "whole" cents` {
		t.Errorf("%+v", prices)
	}
	if len(res.links) != 1 || res.links[0].From != tests.ID || res.links[0].To != prices.ID {
		t.Errorf("links: %+v", res.links)
	}
}

// A section is known again by the headings above it, so that what it says later replaces what it
// said; sections with the same headings replace nothing.
func TestMemorySectionsAreNamed(t *testing.T) {
	text := "# Build\n\nmake\n\n## Notes\n\nuse go 1.25\n\n# Shop\n\n## Notes\n\nwhole cents\n\n## Rules\n\nno mocks\n\n## Rules\n\nsmall commits\n"
	got := map[string]any{}
	for _, c := range read(t, transcript.MemoryMD, "shop/notes.md", []byte(text), domain.IngestCursor{}).contexts {
		_, said, _ := strings.Cut(c.Content, "\n\n")
		got[said] = c.Metadata["source_id"]
	}
	want := map[string]any{"make": "shop/notes.md#Build", "use go 1.25": "shop/notes.md#Build/Notes", "whole cents": "shop/notes.md#Shop/Notes", "no mocks": nil, "small commits": nil}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names of sections (-want +got):\n%s", diff)
	}
}

// What looks like a heading inside code is none, also where the code holds fences itself; three
// backticks within a line begin no code.
func TestHeadingsInCode(t *testing.T) {
	text := "# Build\n\n````md\n```sh\n# install\n```\n````\n\nThen run ```make``` twice:\n\n```make```\n\n# Test\n\n~~~\n```\n# no heading\n~~~\nrun it\n"
	var titles []string
	for item, err := range transcript.ReadMemoryFolder(fstest.MapFS{"MEMORY.md": {Data: []byte(text)}}) {
		if err != nil {
			t.Fatal(err)
		}
		title, _, _ := strings.Cut(item.Context.Content, "\n")
		titles = append(titles, title)
	}
	if diff := cmp.Diff([]string{"Build", "Test"}, titles); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
}

// Rules between the parts of a text are no front matter, and no memories.
func TestMemoryBetweenRules(t *testing.T) {
	res := read(t, transcript.MemoryMD, "notes.md", []byte("---\n# Style\nWe indent with tabs.\n\n---\n\n## Empty\n\n***\n\n## Tools\nUse pnpm.\n---\n"), domain.IngestCursor{})
	var got []string
	for _, c := range res.contexts {
		got = append(got, c.Content)
	}
	if diff := cmp.Diff([]string{"Style\n\nWe indent with tabs.\n\n---", "Tools\n\nUse pnpm.\n---"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Bytes that are no text make no memory; a text in another encoding does, with what cannot be
// decoded replaced.
func TestMemoryOfNoText(t *testing.T) {
	for content, want := range map[string]int{"# A\n\x00\x01\xff": 0, "# Caf\xe9\nopens at 8\n": 1} {
		contexts, failed := 0, false
		for item, err := range transcript.ReadMemoryFile(fstest.MapFS{"x.md": {Data: []byte(content)}}, "x.md") {
			failed = failed || err != nil
			if item.Context != nil {
				contexts++
			}
		}
		if contexts != want || failed != (want == 0) {
			t.Errorf("%q: %d contexts, failed %v", content, contexts, failed)
		}
	}
}
