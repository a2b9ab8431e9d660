package transcript

import (
	"encoding/json"
	"iter"
	"strconv"
	"strings"
	"time"

	"wake/domain"
)

// Row is a row of a foreign database by column name: texts, int64, float64,
// bool, []byte or nil.
type Row map[string]any

// Tables gives the rows of a foreign database's table in the order in which they
// were written. A table that is not there has no rows. It keeps the readers of
// SQLite files free of drivers.
type Tables func(table string) iter.Seq2[Row, error]

// ReadTables reads a rival's SQLite database: [Engram], [ClaudeMem] or [WakeIQX]. It
// returns an Invalid error for other formats.
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

// text is a column as text, "" where it is absent.
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
		case []any, map[string]any: // an export may write JSON where the database has a text
			data, _ := json.Marshal(v)
			return string(data)
		}
	}
	return ""
}

// number is a column as a whole number, 0 where it is absent.
func (r Row) number(columns ...string) int64 {
	n, err := strconv.ParseFloat(r.text(columns...), 64)
	if err != nil || n > 1e18 || n < -1e18 {
		return 0
	}
	return int64(n)
}

// time is the first of the columns that holds a time: text, or seconds or
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

// list is a column that holds a JSON list of texts, or a list with commas.
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

// tableReader reads tables one after the other into items.
type tableReader struct {
	tables   Tables
	out      *sink
	told     map[string]bool
	prompts  map[string]prompts
	projects map[string]string // of sessions
	yield    func(Item, error) bool
	stopped  bool
}

func newTableReader(name string, tables Tables, yield func(Item, error) bool) *tableReader {
	return &tableReader{tables: tables, out: &sink{source: name}, told: map[string]bool{}, prompts: map[string]prompts{},
		projects: map[string]string{}, yield: yield}
}

// each hands the rows of a table to read and gives what it made of them.
func (t *tableReader) each(table string, read func(Row)) {
	if t.stopped {
		return
	}
	n := 0
	for row, err := range t.tables(table) {
		if err != nil {
			t.stopped = true
			t.yield(Item{}, err)
			return
		}
		n++
		t.out.begin(n, 0)
		t.out.source = table
		read(row)
		if !t.out.flush(t.yield) {
			t.stopped = true
			return
		}
	}
}

// prompt gives a prompt as a message of its session. Rivals keep all that Claude Code's hook
// tells of, also what no person gave.
func (t *tableReader) prompt(client, session, project, id, text string, at time.Time) {
	if session == "" || text == "" {
		return
	}
	if !t.told[session] {
		t.told[session] = true
		t.prompts[session] = prompts{}
		t.out.session(&domain.Session{Client: client, ClientSessionID: session, Project: cutName(project), StartedAt: at})
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	m := domain.Message{Role: domain.RoleUser, Content: text, Kind: Hook{Client: ClientClaudeCode, Prompt: text}.PromptKind()}
	t.out.event(session, at, t.prompts[session].key(text, id), rowRef{id: id}, m)
}
