package edit_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/cmd/wake/internal/edit"
)

// server is the entry of a server in clients' files.
type server struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

var (
	wake    = server{"/bin/wake", []string{"mcp"}}
	member  = edit.Entry{Path: []string{"mcpServers", "wake"}, Value: wake, Like: "command"}
	element = edit.Entry{Path: []string{"hooks", "Stop"}, Value: map[string]any{"command": "wake hook"}, Mine: mine}
)

func mine(v any) bool {
	m, _ := v.(map[string]any)
	command, _ := m["command"].(string)
	return strings.HasPrefix(command, "wake ")
}

// has reports whether all entries are in text as they should be.
func has(f edit.Format, text string, entries []edit.Entry) bool {
	put, err := edit.Put(f, text, entries)
	return err == nil && put == text
}

// Each case is a file before and after putting one entry: layout, comments and order of
// everything else stay the same.
func TestPut(t *testing.T) {
	for name, c := range map[string]struct {
		format        edit.Format
		entry         edit.Entry
		before, after string
	}{
		"an empty file": {edit.JSON{}, member, "", `{
  "mcpServers": {
    "wake": {
      "command": "/bin/wake",
      "args": [
        "mcp"
      ]
    }
  }
}
`},
		"a program in PowerShell, in one line": {edit.JSON{}, edit.Entry{Path: []string{"hooks"}, Value: map[string]any{"command": "& 'C:\\wake.exe'"}}, `{ "a": {} }`,
			`{ "a": {}, "hooks": {"command":"& 'C:\\wake.exe'"} }`},
		"comments, tabs and a trailing comma": {edit.JSON{}, member, `{
	// servers of mine
	"mcpServers": {
		"a": {}, // the first
	},
	/* the end */
}`, `{
	// servers of mine
	"mcpServers": {
		"a": {}, // the first
		"wake": {
			"command": "/bin/wake",
			"args": [
				"mcp"
			]
		},
	},
	/* the end */
}`},
		"a comment behind the last member": {edit.JSON{}, member, "{\n  \"mcpServers\": {\n    \"a\": 1 // one\n  }\n}\n",
			"{\n  \"mcpServers\": {\n    \"a\": 1, // one\n    \"wake\": {\n      \"command\": \"/bin/wake\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }\n  }\n}\n"},
		"all on one line": {edit.JSON{}, element, `{"hooks":{"Stop":[{"command":"bell"}]}}`,
			`{"hooks":{"Stop":[{"command":"bell"}, {"command":"wake hook"}]}}`},
		"an element in an empty file": {edit.JSON{}, element, "", "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"command\": \"wake hook\"\n      }\n    ]\n  }\n}\n"},
		"a line of blanks before the first indented one": {edit.JSON{}, element, "{\n \t \n  \"hooks\": {}\n}\n",
			"{\n \t \n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"command\": \"wake hook\"\n      }\n    ]\n  }\n}\n"},
		"an older entry of ours": {edit.JSON{}, element, "{\"hooks\": {\"Stop\": [{\"command\": \"wake old\"}, {\"command\": \"bell\"}]}}\n",
			"{\"hooks\": {\"Stop\": [{\n  \"command\": \"wake hook\"\n}, {\"command\": \"bell\"}]}}\n"},
		"an empty TOML file": {edit.TOML{}, tomlEntry(), "", "[mcp_servers.wake]\ncommand = \"/bin/wake\"\nargs = [\"mcp\"]\n"},
		"a TOML file": {edit.TOML{}, tomlEntry(), "model = \"x\" # mine\n\n[mcp_servers.a]\ncommand = \"a\"\n",
			"model = \"x\" # mine\n\n[mcp_servers.a]\ncommand = \"a\"\n\n[mcp_servers.wake]\ncommand = \"/bin/wake\"\nargs = [\"mcp\"]\n"},
		"an older TOML table": {edit.TOML{}, tomlEntry(), "[mcp_servers.\"wake\"]\ncommand = \"old\"\n\n# about b\n[b]\n",
			"[mcp_servers.wake]\ncommand = \"/bin/wake\"\nargs = [\"mcp\"]\n\n# about b\n[b]\n"},
		"an empty YAML file": {edit.YAML{}, yamlEntry(), "", "extensions:\n  wake:\n    command: \"/bin/wake\"\n    args: [\"mcp\"]\n"},
		"a YAML file": {edit.YAML{}, yamlEntry(), "extensions:\n    a: # first\n        x: 1\n\n# the model\nmodel: y\n",
			"extensions:\n    a: # first\n        x: 1\n    wake:\n        command: \"/bin/wake\"\n        args: [\"mcp\"]\n\n# the model\nmodel: y\n"},
		"a YAML block that begins with a blank line and a comment": {edit.YAML{}, yamlEntry(), "extensions:\n\n# mine\n    a:\n        x: 1\n",
			"extensions:\n\n# mine\n    a:\n        x: 1\n    wake:\n        command: \"/bin/wake\"\n        args: [\"mcp\"]\n"},
		"an empty YAML map": {edit.YAML{}, yamlEntry(), "extensions: {} # none yet\nmodel: y\n",
			"extensions: # none yet\n  wake:\n    command: \"/bin/wake\"\n    args: [\"mcp\"]\nmodel: y\n"},
		"lines that end as on Windows": {edit.JSON{}, member, "{\r\n  \"mcpServers\": {\r\n    \"a\": 1\r\n  }\r\n}\r\n",
			"{\r\n  \"mcpServers\": {\r\n    \"a\": 1,\r\n    \"wake\": {\r\n      \"command\": \"/bin/wake\",\r\n      \"args\": [\r\n        \"mcp\"\r\n      ]\r\n    }\r\n  }\r\n}\r\n"},
		"a TOML table over several lines": {edit.TOML{}, tomlEntry(), "\ufeffa = {\n  b = 1, # mine\n}\n",
			"\ufeffa = {\n  b = 1, # mine\n}\n\n[mcp_servers.wake]\ncommand = \"/bin/wake\"\nargs = [\"mcp\"]\n"},
		"a byte order mark alone": {edit.JSON{}, element, "\ufeff", "\ufeff{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"command\": \"wake hook\"\n      }\n    ]\n  }\n}\n"},
		"a byte order mark before the key": {edit.YAML{}, yamlEntry(), "\ufeffextensions: {}\nmodel: y\n",
			"\ufeffextensions:\n  wake:\n    command: \"/bin/wake\"\n    args: [\"mcp\"]\nmodel: y\n"},
		"a TOML file of Windows": {edit.TOML{}, tomlEntry(), "a = 1\r\n", "a = 1\r\n\r\n[mcp_servers.wake]\r\ncommand = \"/bin/wake\"\r\nargs = [\"mcp\"]\r\n"},
		"an older entry that somebody added to": {edit.JSON{}, member, "{\"mcpServers\": {\"wake\": {\"env\": {\"WAKE_DB\": \"x\"}, \"command\": \"wake\" /* mine */}}}\n",
			"{\"mcpServers\": {\"wake\": {\"env\": {\"WAKE_DB\": \"x\"}, \"command\": \"/bin/wake\", \"args\": [\"mcp\"] /* mine */}}}\n"},
		"an older entry of another kind": {edit.JSON{}, member, "{\"mcpServers\": {\"wake\": {\"url\": \"http://localhost:9253/mcp\"}}}\n",
			"{\"mcpServers\": {\"wake\": {\n  \"command\": \"/bin/wake\",\n  \"args\": [\n    \"mcp\"\n  ]\n}}}\n"},
		"an older TOML table that somebody added to": {edit.TOML{}, tomlEntry(), "[mcp_servers.wake]\nenv = { A = \"b\" }\nargs = [\n  # how\n  \"mcp\",\n]\n# slow here\nstartup_timeout_sec = 30\ncommand = \"old\"\nenabled_tools = [\n  \"a=b\",\n]\n\n[b]\n",
			"[mcp_servers.wake]\ncommand = \"/bin/wake\"\nargs = [\"mcp\"]\nenv = { A = \"b\" }\n  # how\n# slow here\nstartup_timeout_sec = 30\nenabled_tools = [\n  \"a=b\",\n]\n\n[b]\n"},
		"an older TOML table with a comment": {edit.TOML{}, tomlEntry(), "[mcp_servers.wake]\ncommand = \"old\"\n# how\nargs = [\"mcp\"]\n\n# about b\n[b]\n",
			"[mcp_servers.wake]\ncommand = \"/bin/wake\"\n# how\nargs = [\"mcp\"]\n\n# about b\n[b]\n"},
		"an older TOML table with a comment behind what somebody added": {edit.TOML{}, tomlEntry(), "[mcp_servers.wake]\nstartup_timeout_sec = 30\n# where it is\ncommand = \"old\"\n\n[b]\n",
			"[mcp_servers.wake]\ncommand = \"/bin/wake\"\nargs = [\"mcp\"]\n# where it is\nstartup_timeout_sec = 30\n\n[b]\n"},
		"an older TOML table of another kind": {edit.TOML{}, tomlEntry(), "[mcp_servers.wake]\nurl = \"http://localhost:9253/mcp\"\n",
			"[mcp_servers.wake]\ncommand = \"/bin/wake\"\nargs = [\"mcp\"]\n"},
		"an older YAML entry of another kind": {edit.YAML{}, yamlEntry(), "extensions:\n  wake:\n    uri: http://localhost:9253/mcp\n",
			"extensions:\n  wake:\n    command: \"/bin/wake\"\n    args: [\"mcp\"]\n"},
		"an older YAML entry with a member less": {edit.YAML{}, yamlEntry(), "extensions:\n  wake:\n    command: old\n",
			"extensions:\n  wake:\n    command: \"/bin/wake\"\n    args: [\"mcp\"]\n"},
		"an older YAML entry that somebody added to": {edit.YAML{}, yamlEntry(), "extensions:\n  wake:\n    command: old\n    envs: {A: b}\n",
			"extensions:\n  wake:\n    args: [\"mcp\"]\n    command: \"/bin/wake\"\n    envs: {\"A\":\"b\"}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			entries := []edit.Entry{c.entry}
			got, err := edit.Put(c.format, c.before, entries)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.after, got); diff != "" {
				t.Errorf("Put (-want +got):\n%s", diff)
			}
			if again, err := edit.Put(c.format, got, entries); err != nil || again != got {
				t.Errorf("Put is not idempotent: %v\n%s", err, again)
			}
			if !has(c.format, got, entries) || has(c.format, c.before, entries) {
				t.Error("Has does not tell before from after")
			}
			if strings.Contains(name, "older") || c.before == "" {
				return // what was there before is not known
			}
			if back, err := edit.Take(c.format, got, c.before, entries); err != nil || back != c.before {
				t.Errorf("Take does not give back what was there: %v\n%s", err, back)
			}
		})
	}
}

func tomlEntry() edit.Entry {
	return edit.Entry{Path: []string{"mcp_servers", "wake"}, Value: wake, Like: "command"}
}

func yamlEntry() edit.Entry {
	return edit.Entry{Path: []string{"extensions", "wake"}, Value: wake, Like: "command"}
}

// Later changes by others stay; only wake's entry is removed.
func TestTakeAfterOtherChanges(t *testing.T) {
	for name, c := range map[string]struct {
		format              edit.Format
		entry               edit.Entry
		before, now, result string
	}{
		"JSON, last of several": {edit.JSON{}, member, "{}", "{\n  \"mcpServers\": {\n    \"new\": 1, // theirs\n    \"wake\": {\"command\": \"x\"}\n  }\n}\n",
			"{\n  \"mcpServers\": {\n    \"new\": 1 // theirs\n  }\n}\n"},
		"JSON, first of several": {edit.JSON{}, member, "", "{\"mcpServers\": {\"wake\": {}, \"new\": 1}}", "{\"mcpServers\": {\"new\": 1}}"},
		"JSON, an empty object that was there": {edit.JSON{}, member, "{\"mcpServers\": {}}", "{\"mcpServers\": {\"wake\": 1}, \"new\": 2}",
			"{\"mcpServers\": {}, \"new\": 2}"},
		"JSON, an older form of ours":                 {edit.JSON{}, member, "{\n}\n", "{\n  \"mcpServers\": {\n    \"wake\": {\"command\": \"old\"}\n  }\n}\n", "{\n}\n"},
		"JSON, an object that we made":                {edit.JSON{}, member, "{}", "{\"mcpServers\": {\"wake\": 1}, \"new\": 2}", "{\"new\": 2}"},
		"JSON, every element of ours":                 {edit.JSON{}, element, "", "{\"hooks\": {\"Stop\": [{\"command\": \"wake a\"}, 1, {\"command\": \"wake b\"}]}}", "{\"hooks\": {\"Stop\": [1]}}"},
		"JSON, nothing of ours":                       {edit.JSON{}, member, "", "{\"a\": [1, 2]}", "{\"a\": [1, 2]}"},
		"JSON, an empty object, and nothing of ours":  {edit.JSON{}, member, "", "{\"mcpServers\": {}}", "{\"mcpServers\": {}}"},
		"JSON, ours from before, removed by hand":     {edit.JSON{}, member, "{\"mcpServers\": {\"wake\": {}}}", "{\"mcpServers\": {}}", "{\"mcpServers\": {}}"},
		"JSON, everything ours, over what was broken": {edit.JSON{}, member, "{", "{\"mcpServers\": {\"wake\": 1}}", "{}"},
		"JSON, on its lines in an object that was there": {edit.JSON{}, member, "{\"mcpServers\": {}}", "{\"mcpServers\": {\n  \"wake\": 1,\n}, \"new\": 2}",
			"{\"mcpServers\": {}, \"new\": 2}"},
		"JSON, with a comment before its comma": {edit.JSON{}, member, "", "{\n  \"mcpServers\": {\n    \"wake\": 1 // mine\n    , \"other\": 2\n  }\n}\n",
			"{\n  \"mcpServers\": {\n    // mine\n     \"other\": 2\n  }\n}\n"},
		"JSON, before a comment": {edit.JSON{}, member, "{}", "{\n  \"mcpServers\": {\n    \"wake\": {\"command\": \"x\"}\n    // \"other\": {\"command\": \"y\"}\n  },\n  \"new\": 1\n}\n",
			"{\n  \"mcpServers\": {\n    // \"other\": {\"command\": \"y\"}\n  },\n  \"new\": 1\n}\n"},
		"JSON, a comment behind the comma": {edit.JSON{}, element, "{}", "{\"hooks\": {\"Stop\": [\n  {\"command\": \"wake a\"}, // none\n]}}", "{\"hooks\": {\"Stop\": [\n  // none\n]}}"},
		"TOML, names with brackets and dots": {edit.TOML{}, tomlEntry(), "", "a = 1\n\n[mcp_servers.wake] # \"\"\" and ''\u0027\ncommand = \"x\"\n\n[projects.\"/home/a/[id].b\"]\ntrust = 1\n\n[mcp_servers.\"wake.b\"]\nc = 1\n\n[projects.'/x/[id]']\n",
			"a = 1\n\n[projects.\"/home/a/[id].b\"]\ntrust = 1\n\n[mcp_servers.\"wake.b\"]\nc = 1\n\n[projects.'/x/[id]']\n"},
		"TOML":                   {edit.TOML{}, tomlEntry(), "", "[mcp_servers.wake]\ncommand = \"x\"\nargs = [\n  \"mcp\",\n]\n\n[new]\na = 1\n", "\n[new]\na = 1\n"},
		"TOML, tables below":     {edit.TOML{}, tomlEntry(), "", "a = 1\n\n[mcp_servers.wake]\ncommand = \"x\"\n\n[mcp_servers.wake.tools.search]\nok = true\n\n[mcp_servers.waker]\nb = 1\n\n[mcp_servers.wake.env]\nA = \"b\"\n", "a = 1\n\n[mcp_servers.waker]\nb = 1\n"},
		"TOML, the table above":  {edit.TOML{}, tomlEntry(), "", "[mcp_servers]\na = 1\n\n[mcp_servers.wake]\ncommand = \"x\"\n", "[mcp_servers]\na = 1\n"},
		"TOML, before a comment": {edit.TOML{}, tomlEntry(), "", "a = 1\n\n[mcp_servers.wake]\ncommand = \"x\"\n\n# about b\n[b]\nc = 1\n", "a = 1\n\n# about b\n[b]\nc = 1\n"},
		"YAML, nothing of ours":  {edit.YAML{}, yamlEntry(), "", "extensions:\n  a: 1\n", "extensions:\n  a: 1\n"},
		"YAML, on one line":      {edit.YAML{}, yamlEntry(), "", "extensions:\n  wake: {command: x}\n  a: 1\n", "extensions:\n  a: 1\n"},
		"YAML, with a comment amid": {edit.YAML{}, yamlEntry(), "", "extensions:\n# mine\n  wake:\n# which\n\n    command: x\n  a: 1\n",
			"extensions:\n# mine\n  a: 1\n"},
		"YAML, an empty map that was there": {edit.YAML{}, yamlEntry(), "extensions: {}\n", "extensions:\n  wake:\n    command: x\nnew: 1\n", "extensions: {}\nnew: 1\n"},
		"YAML":                              {edit.YAML{}, yamlEntry(), "", "extensions:\n  wake:\n    command: x\n\n  new: # theirs\n    a: 1\n", "extensions:\n\n  new: # theirs\n    a: 1\n"},
		"YAML, the only one":                {edit.YAML{}, yamlEntry(), "", "a: 1\nextensions:\n  wake:\n    command: x\nb: 2\n", "a: 1\nb: 2\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := edit.Take(c.format, c.now, c.before, []edit.Entry{c.entry})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.result, got); diff != "" {
				t.Errorf("Take (-want +got):\n%s", diff)
			}
		})
	}
}

// Files that cannot be edited safely are refused unchanged.
func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		format edit.Format
		entry  edit.Entry
		text   string
		byHand bool
	}{
		"broken JSON":            {edit.JSON{}, member, "{\"a\": ", false},
		"a list":                 {edit.JSON{}, member, "[1]", true},
		"servers as a list":      {edit.JSON{}, member, "{\"mcpServers\": []}", true},
		"hooks that are text":    {edit.JSON{}, element, "{\"hooks\": {\"Stop\": \"x\"}}", true},
		"a TOML inline table":    {edit.TOML{}, tomlEntry(), "mcp_servers = { a = {} }\n", true},
		"TOML with dotted keys":  {edit.TOML{}, tomlEntry(), "mcp_servers.wake.command = \"x\"\n", true},
		"a YAML flow map":        {edit.YAML{}, yamlEntry(), "extensions: {a: {x: 1}}\n", true},
		"YAML with an end mark":  {edit.YAML{}, yamlEntry(), "---\na: 1\n...\n", true},
		"broken YAML":            {edit.YAML{}, yamlEntry(), "a: [\n", false},
		"broken TOML":            {edit.TOML{}, tomlEntry(), "model = \"x\n", false},
		"a TOML key twice":       {edit.TOML{}, tomlEntry(), "a = 1\na = 2\n", false},
		"TOML in a conflict":     {edit.TOML{}, tomlEntry(), "a = 1\n<<<<<<< HEAD\n", false},
		"YAML that is no map":    {edit.YAML{}, yamlEntry(), "- a\n", false},
		"a JSON text":            {edit.JSON{}, member, "\"x\"", true},
		"JSON text without end":  {edit.JSON{}, member, "{\"a\": \"b", false},
		"JSON escape at the end": {edit.JSON{}, member, "{\"a\": \"b\\", false},
		"JSON number at the end": {edit.JSON{}, member, "{\"a\": 1", false},
		"no JSON value":          {edit.JSON{}, member, "{\"a\": tru}", false},
		"a comment without end":  {edit.JSON{}, member, "{} /* ", false},
		"JSON with a bare value": {edit.JSON{}, member, "{\"mcpServers\": 7}", true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := edit.Put(c.format, c.text, []edit.Entry{c.entry})
			if name == "a comment without end" {
				return // readers differ; not to panic is enough
			}
			if err == nil || got != "" {
				t.Fatalf("Put = %q, %v", got, err)
			}
			if errors.Is(err, edit.ErrByHand) != c.byHand {
				t.Errorf("error %v", err)
			}
		})
	}
}

// An entry in a form that cannot be edited is not said to be removed.
func TestTakeRefused(t *testing.T) {
	for name, c := range map[string]struct {
		format edit.Format
		entry  edit.Entry
		text   string
	}{
		"a TOML inline table":   {edit.TOML{}, tomlEntry(), "mcp_servers = { wake = { command = \"x\" } }\n"},
		"TOML with dotted keys": {edit.TOML{}, tomlEntry(), "[mcp_servers]\nwake.command = \"x\"\n"},
		"a YAML flow map":       {edit.YAML{}, yamlEntry(), "extensions: {wake: {command: x}}\n"},
		"a YAML alias":          {edit.YAML{}, yamlEntry(), "a: &a\n  wake:\n    command: x\nextensions:\n  <<: *a\n"},
		// The second object is what counts. Without it, the first would.
		"a JSON key twice": {edit.JSON{}, member, "{\"mcpServers\": {\"a\": 1}, \"mcpServers\": {\"wake\": {}}}"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := edit.Take(c.format, c.text, "", []edit.Entry{c.entry}); !errors.Is(err, edit.ErrByHand) {
				t.Errorf("Take = %q, %v", got, err)
			}
		})
	}
}

// A person finds the place that cannot be read.
func TestErrorsNameTheLine(t *testing.T) {
	for text, format := range map[string]edit.Format{
		"{\n\n\"a\": tru}": edit.JSON{}, "{\n\"a\": 1,\n": edit.JSON{}, "a = 1\n\nb = \n": edit.TOML{}, "a: 1\n\nb: [\n": edit.YAML{},
	} {
		if _, err := edit.Put(format, text, []edit.Entry{member}); err == nil || !strings.Contains(err.Error(), "line 3") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// careless is a format whose Put loses what it should leave alone.
type careless struct {
	edit.Format
	result string
}

func (c careless) Put(string, edit.Entry) (string, error) { return c.result, nil }

// Whatever else an edit would change, it is refused.
func TestGuard(t *testing.T) {
	const ours = `{"command": "wake hook"}`
	before := `{"hooks": {"Stop": [1, 2], "Start": [{}]}, "a": {"b": [1]}}`
	for after, fine := range map[string]bool{
		`{"hooks": {"Stop": [1, 2, ` + ours + `], "Start": [{}]}, "a": {"b": [1]}}`: true,
		`{"hooks": {"Stop": [` + ours + `], "Start": [{}]}, "a": {"b": [1]}}`:       false,
		`{"hooks": {"Stop": [1, 2, ` + ours + `]}, "a": {"b": [1]}}`:                false,
		`{"hooks": {"Stop": [1, 2, ` + ours + `], "Start": [{}]}, "a": {"b": [2]}}`: false,
		`{"hooks": {"Stop": [1, 2, ` + ours + `], "Start": [{}]}}`:                  false,
		`{"hooks": ` + ours + `, "a": {"b": [1]}}`:                                  false,
	} {
		if _, err := edit.Put(careless{edit.JSON{}, after}, before, []edit.Entry{element}); (err == nil) != fine {
			t.Errorf("%s: %v", after, err)
		}
	}
	lost := careless{edit.TOML{}, "[a]\nb = 1\n[mcp_servers.wake]\ncommand = \"x\"\n"}
	if _, err := edit.Put(lost, "[a]\nb = 1\nc = 2\n", []edit.Entry{tomlEntry()}); !errors.Is(err, edit.ErrByHand) {
		t.Errorf("a line of another table was lost: %v", err)
	}
}

func FuzzPut(f *testing.F) {
	f.Add("{\"mcpServers\": {}} // x")
	f.Add("[mcp_servers.wake]\n")
	f.Add("extensions:\n  wake:\n    a: 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, format := range []edit.Format{edit.JSON{}, edit.TOML{}, edit.YAML{}} {
			entry := edit.Entry{Path: []string{"extensions", "wake"}, Value: wake}
			after, err := edit.Put(format, text, []edit.Entry{entry})
			if err != nil {
				continue
			}
			back, err := edit.Take(format, after, text, []edit.Entry{entry})
			if err == nil && !has(format, text, []edit.Entry{entry}) && text != "" && back != text {
				before, _ := format.Value(text)
				got, _ := format.Value(back)
				if !reflect.DeepEqual(before, got) && entryAt(before) == nil {
					t.Errorf("%T: %q became %q", format, text, back)
				}
			}
		}
	})
}

func entryAt(v any) any {
	m, _ := v.(map[string]any)
	e, _ := m["extensions"].(map[string]any)
	return e["wake"]
}
