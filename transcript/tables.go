package transcript

import (
	"cmp"
	"encoding/json"
	"iter"
	"strconv"
	"strings"
	"time"

	"wake/domain"
)

// Row is a row of a foreign database by column name, with values of type string, int64,
// float64, bool, []byte or nil.
type Row map[string]any

// Tables yields the rows of a table of a foreign database in the order in which they
// were written. A missing table has no rows. It keeps the readers of SQLite files
// independent of drivers.
type Tables func(table string) iter.Seq2[Row, error]

// ReadTables reads the SQLite database of another product: [Engram], [ClaudeMem] or
// [WakeIQX]. It returns an Invalid error for other formats.
func ReadTables(format Format, name string, tables Tables) (iter.Seq2[Item, error], error) {
	switch format {
	case Engram:
		return readEngram(name, tables), nil
	case ClaudeMem:
		return readClaudeMem(name, tables), nil
	case WakeIQX:
		return readWakeIQXTables(name, tables), nil
	}
	return nil, domain.Invalid("%s is not read from a database; give the file itself", format)
}

// text returns the first non-empty of the columns as text, or "".
func (r Row) text(columns ...string) string {
	for _, c := range columns {
		switch v := r[c].(type) {
		case string:
			if v != "" {
				return v
			}
		case []byte:
			if len(v) > 0 {
				return string(v)
			}
		case int64:
			return strconv.FormatInt(v, 10)
		case float64:
			return strconv.FormatFloat(v, 'f', -1, 64)
		case json.Number:
			return v.String()
		case bool:
			return strconv.FormatBool(v)
		case []any, map[string]any: // an export may contain JSON where the database has a text
			data, _ := json.Marshal(v)
			return string(data)
		}
	}
	return ""
}

// number returns a column as an integer, or 0 if it is absent.
func (r Row) number(columns ...string) int64 {
	n, err := strconv.ParseFloat(r.text(columns...), 64)
	if err != nil || n > 1e18 || n < -1e18 {
		return 0
	}
	return int64(n)
}

// time returns the first of the columns that holds a time: text, or seconds or
// milliseconds since 1970.
func (r Row) time(columns ...string) time.Time {
	for _, c := range columns {
		s := r.text(c)
		if n, err := strconv.ParseFloat(s, 64); err == nil && n > 1e6 {
			return epochTime(n)
		}
		if t, err := domain.ParseTime(s); s != "" && err == nil {
			return t
		}
	}
	return time.Time{}
}

// list returns a column that holds a JSON list of texts, or a comma-separated list.
func (r Row) list(columns ...string) []string {
	s := strings.TrimSpace(r.text(columns...))
	if s == "" {
		return nil
	}
	var all []any
	if json.Unmarshal([]byte(s), &all) == nil {
		var texts []string
		for _, v := range all {
			if t, ok := v.(string); ok {
				texts = append(texts, t)
			}
		}
		return texts
	}
	return strings.Split(s, ",")
}

// tableReader reads one table after the other into items.
type tableReader struct {
	tables   Tables
	out      *sink
	told     map[string]bool
	prompts  map[string]prompts
	projects map[string]string // project by session
	titles   map[string]string // name by session
	yield    func(Item, error) bool
	stopped  bool
	broken   error // why a table could not be read to its end; the others are
}

func newTableReader(name string, tables Tables, yield func(Item, error) bool) *tableReader {
	return &tableReader{tables: tables, out: &sink{source: name}, told: map[string]bool{}, prompts: map[string]prompts{},
		projects: map[string]string{}, titles: map[string]string{}, yield: yield}
}

// end yields why a table could not be read to its end, if one could not.
func (t *tableReader) end() {
	if t.broken != nil && !t.stopped {
		t.yield(Item{}, t.broken)
	}
}

// each passes the rows of a table to read and yields the resulting items.
func (t *tableReader) each(table string, read func(Row)) {
	if t.stopped {
		return
	}
	n := 0
	for row, err := range t.tables(table) {
		if err != nil {
			t.broken = cmp.Or(t.broken, err)
			return
		}
		n++
		t.out.begin(n)
		t.out.source = table
		read(row)
		if !t.out.flush(t.yield) {
			t.stopped = true
			return
		}
	}
}

// prompt emits a prompt as a message of its session. Other products keep everything
// that Claude Code's prompt hook receives, including prompts that no person wrote.
func (t *tableReader) prompt(client, session, project, id, text string, at time.Time) {
	if session == "" || text == "" {
		return
	}
	if !t.told[session] {
		t.told[session] = true
		t.prompts[session] = prompts{}
		t.out.session(&domain.Session{Client: client, ClientSessionID: session, Project: cutName(project), Title: t.titles[session], StartedAt: at})
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	m := domain.Message{Role: domain.RoleUser, Content: text, Kind: Hook{Client: ClientClaudeCode, Prompt: text}.PromptKind()}
	t.out.event(session, at, t.prompts[session].key(text, id), rowRef{id: id}, m)
}
