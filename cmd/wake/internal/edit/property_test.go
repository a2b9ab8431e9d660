package edit_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pelletier/go-toml/v2"
	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"

	"wake/cmd/wake/internal/edit"
)

// For any JSON file, putting and removing entries changes nothing else, and gives back
// exactly the same file.
func TestPutAndTakeProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "mark") + "{" + blank(t) + strings.Join(members(t, 2), ","+blank(t)) + blank(t) + "}"
		entries := []edit.Entry{member, element}
		after, err := edit.Put(edit.JSON{}, before, entries)
		if errors.Is(err, edit.ErrByHand) {
			t.Skip("what is there is of another kind")
		}
		if err != nil {
			t.Fatalf("%v in %s", err, before)
		}
		keepsComments(t, before, after)
		back, err := edit.Take(edit.JSON{}, after, before, entries)
		if err != nil || back != before {
			t.Fatalf("%v\nbefore %s\nafter  %s\nback   %s", err, before, after, back)
		}
		without, err := edit.Take(edit.JSON{}, after, "", entries)
		if err != nil {
			t.Fatalf("%v\nafter %s", err, after)
		}
		if has(edit.JSON{}, without, entries) {
			t.Errorf("Take left something: %s", without)
		}
		keepsComments(t, before, without)
	})
}

func keepsComments(t *rapid.T, before, after string) {
	for _, comment := range []string{"// c\n", "/* c */"} {
		if strings.Count(after, comment) != strings.Count(before, comment) {
			t.Errorf("comments were lost:\n%s\n%s", before, after)
		}
	}
}

func blank(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", " ", "\n  ", "\n\t", " // c\n  ", "/* c */", "\r\n  "}).Draw(t, "blank")
}

func members(t *rapid.T, depth int) []string {
	keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "mcpServers", "hooks", "Stop"}), 0, 4, rapid.ID).Draw(t, "keys")
	out := make([]string, len(keys))
	for i, key := range keys {
		out[i] = fmt.Sprintf("%q:%s%s", key, blank(t), value(t, depth))
	}
	if len(out) > 0 && rapid.Bool().Draw(t, "trailing") {
		out[len(out)-1] += blank(t) + ","
	}
	return out
}

func value(t *rapid.T, depth int) string {
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	switch {
	case kind >= 3 && depth > 0:
		return "{" + blank(t) + strings.Join(members(t, depth-1), blank(t)+","+blank(t)) + blank(t) + "}"
	case kind == 2 && depth > 0:
		return "[" + blank(t) + value(t, depth-1) + rapid.SampledFrom([]string{"", ","}).Draw(t, "comma") + blank(t) + "]"
	}
	return rapid.SampledFrom([]string{"1", "true", `"// no comment"`, `"\" } // \\"`, "null"}).Draw(t, "scalar")
}

// Lines and blocks of TOML and YAML files, all of which may stand in one file.
var (
	tomlKeys = []string{
		`model = "x" # [mcp_servers.wake]`, `# mcp_servers.wake = 1`, ``, `"mcp_servers.wake" = 1`, "list = [\n  \"[b]\", # one\n]",
		`a = "# \" '''"`, `b = '"""'`, `c = """one"""`, "e = {\n}",
		"long = \"\"\"\n[mcp_servers.wake]\n = '''\ncommand = \"x\" # \"\"\"", "other = '''\n[mcp_servers.wake]\n'''\n",
	}
	tomlTables = []string{
		"[d]\ne = 1 # one\n", "[mcp_servers.a]\ncommand = \"x\"\nargs = [\n  \"[mcp_servers.wake]\",\n]", "[mcp_servers]\nwaker = 1", "[mcp_servers.'wake.x'.env]",
		"# about f\n[[f]]\n  g = 1\n[[f]]", "[wake]\ncommand = '''\n[mcp_servers.wake]'''", "[x.mcp_servers.wake]\n\n",
	}
	yamlKeys  = []string{"a: 1", "# extensions:", "", "b:\n- wake:\n    c: 1", "d: |\n  extensions:\n    wake: 1\n", "e: \"extensions:\"", "extensionsx:\n  wake: 1"}
	yamlAfter = []string{"", "# the end", "f:\n  wake:\n    command: x", "g: [1,\n  2]"}
	yamlItems = []string{"one:\n  command: x # c\n", "two: {wake: b}", "three:\n  wake:\n    command: y", "# note", "", "wakex: 1"}
)

func tomlFile(t *rapid.T) []string { return append(some(t, tomlKeys), some(t, tomlTables)...) }

func yamlFile(t *rapid.T) []string {
	return append(append(some(t, yamlKeys), yamlExtensions(t)), some(t, yamlAfter)...)
}

// yamlExtensions is the block that wake's entry belongs to, "" for none.
func yamlExtensions(t *rapid.T) string {
	items := some(t, yamlItems)
	if strings.Trim(strings.Join(items, ""), "# note") == "" {
		return rapid.SampledFrom([]string{"", "extensions: {} # none", `"extensions" : { }`}).Draw(t, "none")
	}
	indent := strings.Repeat(" ", rapid.IntRange(1, 4).Draw(t, "indent"))
	block := "extensions: # all"
	for line := range strings.SplitSeq(strings.Join(items, "\n"), "\n") {
		block += "\n" + strings.TrimRight(indent+line, " ")
	}
	return block
}

func some(t *rapid.T, from []string) []string {
	return rapid.SliceOfNDistinct(rapid.SampledFrom(from), 0, 4, rapid.ID).Draw(t, "some")
}

// For any TOML and YAML file, a parser finds the entry after Put and everything else as
// it was, and after Take only what was there before and what others have added since.
func TestPutAndTakeLines(t *testing.T) {
	for name, c := range map[string]struct {
		format edit.Format
		entry  edit.Entry
		file   func(*rapid.T) []string
		parse  func([]byte, any) error
		later  string
	}{
		"TOML": {edit.TOML{}, tomlEntry(), tomlFile, toml.Unmarshal, "# about it\n[later]\nwake = 1\n"},
		"YAML": {edit.YAML{}, yamlEntry(), yamlFile, yaml.Unmarshal, "# about it\nlater:\n  wake: 1\n"},
	} {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			before := strings.Join(c.file(t), "\n") + rapid.SampledFrom([]string{"", "\n"}).Draw(t, "end")
			entries := []edit.Entry{c.entry}
			after, err := edit.Put(c.format, before, entries)
			if err != nil {
				t.Fatalf("%v in\n%s", err, before)
			}
			if !has(c.format, after, entries) {
				t.Errorf("Put is not idempotent:\n%s", after)
			}
			now := parsed(t, c.parse, after)
			if put := takeOut(now, c.entry.Path); put == nil || put["command"] != wake.Command {
				t.Fatalf("Put %v in\n%s", put, after)
			}
			same(t, parsed(t, c.parse, before), now)
			if back, err := edit.Take(c.format, after, before, entries); err != nil || back != before {
				t.Fatalf("%v\nbefore %s\nafter  %s\nback   %s", err, before, after, back)
			}
			for _, known := range []string{before, ""} {
				left, err := edit.Take(c.format, after+"\n"+c.later, known, entries)
				if err != nil {
					t.Fatalf("%v in\n%s", err, after)
				}
				same(t, parsed(t, c.parse, before+"\n"+c.later), parsed(t, c.parse, left))
			}
		}))
	}
}

func parsed(t *rapid.T, parse func([]byte, any) error, text string) map[string]any {
	v := map[string]any{}
	if err := parse([]byte(text), &v); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return v
}

// takeOut removes the entry at a path of two keys and returns it.
func takeOut(v map[string]any, path []string) map[string]any {
	above, _ := v[path[0]].(map[string]any)
	entry, _ := above[path[1]].(map[string]any)
	delete(above, path[1])
	return entry
}

// same fails the test unless two files say the same, but for empty maps.
func same(t *rapid.T, want, got map[string]any) {
	empty := func(_ string, v any) bool { m, ok := v.(map[string]any); return v == nil || ok && len(m) == 0 }
	if diff := cmp.Diff(want, got, cmpopts.IgnoreMapEntries(empty)); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
}
