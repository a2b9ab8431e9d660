package transcript

import (
	"cmp"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"math"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"wake/domain"
)

// readWakeIQXDump reads a dump of a WakeIQX database: SQL text or JSON rows. Its contexts
// keep their ids, times, causes, accesses and predictions.
func readWakeIQXDump(_ string, doc []byte, out *sink) error {
	found := 0
	take := func(row Row) {
		found++
		out.begin(found)
		readWakeIQX(row, out)
	}
	if beginsJSON(doc) {
		wakeIQXRows(doc, out.fault, take)
	} else {
		d := &sqlDump{text: string(doc), fault: out.fault}
		d.row = func(table string, row Row) {
			if strings.EqualFold(table, "context_snapshots") {
				take(row)
			}
		}
		d.read()
	}
	if found == 0 {
		return errors.New("it holds no rows of context_snapshots")
	}
	return nil
}

// readWakeIQXTables reads the SQLite file of a local D1 database.
func readWakeIQXTables(name string, tables Tables) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		t := newTableReader(name, tables, yield)
		defer t.end()
		t.each("context_snapshots", func(r Row) { readWakeIQX(r, t.out) })
	}
}

// wakeIQXRows reads rows that are JSON: a list, lines, or inside D1's answers, as
// `wrangler d1 execute --json` and Cloudflare's API give them. What cannot be read is
// reported to fault.
func wakeIQXRows(doc []byte, fault func(reason string), take func(Row)) {
	for raw, err := range spreadRows(doc) {
		row := decodeRow(raw)
		switch {
		case err != nil:
			fault("it is not JSON: " + err.Error())
		case row == nil:
			fault("it is not a row")
		default:
			wakeIQXAnswer(row, fault, take)
		}
	}
}

// wakeIQXAnswer reads a row, or the rows in an answer, which may be in one themselves.
func wakeIQXAnswer(row Row, fault func(reason string), take func(Row)) {
	rows, ok := row["results"].([]any)
	if !ok {
		rows, ok = row["result"].([]any)
	}
	if !ok {
		take(row)
	}
	for _, r := range rows {
		if inner, ok := r.(map[string]any); ok {
			wakeIQXAnswer(inner, fault, take)
		} else {
			fault("it is not a row")
		}
	}
}

func readWakeIQX(r Row, out *sink) {
	content := r.text("content", "summary")
	c := importedContext(WakeIQX, r.text("id"), r.time("timestamp"), content)
	if id, err := uuid.Parse(r.text("id")); err == nil {
		c.ID = id.String()
	}
	c.Project = cutName(r.text("project"))
	c.Source = cmp.Or(r.text("source"), "unknown")
	summarize(c, r.text("summary"))
	c.Tags = cutTags(r.list("tags")...)
	readMetadata(r, c)
	c.Causality = wakeIQXCausality(r)
	if c.Causality != nil {
		c.Kind = domain.KindFor(c.Causality.ActionType, false)
	}
	tier, err := domain.ParseTier(cmp.Or(r.text("memory_tier"), "active"))
	if err != nil {
		tier = domain.TierActive
	}
	c.Memory = domain.Memory{Tier: tier, LastAccessed: r.time("last_accessed"), AccessCount: max(r.number("access_count"), 0)}
	c.Propagation = wakeIQXPropagation(r)
	out.context(c)
}

// readMetadata copies the row's metadata; the session named in it becomes the
// context's.
func readMetadata(r Row, c *domain.ContextSnapshot) {
	var metadata map[string]any
	if json.Unmarshal([]byte(r.text("metadata")), &metadata) != nil {
		return
	}
	maps.Copy(c.Metadata, metadata)
	c.SessionID, _ = metadata["sessionId"].(string)
}

func wakeIQXCausality(r Row) *domain.Causality {
	action, err := domain.ParseActionType(r.text("action_type"))
	if err != nil && r.text("caused_by", "rationale") == "" && len(r.list("dependencies")) == 0 {
		return nil
	}
	if err != nil {
		action = domain.Conversation
	}
	c := &domain.Causality{ActionType: action, CausedBy: lowerUUID(r.text("caused_by")), Rationale: r.text("rationale"), Dependencies: []string{}}
	for _, d := range r.list("dependencies") {
		if d = strings.TrimSpace(d); d != "" {
			c.Dependencies = append(c.Dependencies, lowerUUID(d))
		}
	}
	return c
}

// lowerUUID writes an id in the case that contexts use, so that links match.
func lowerUUID(id string) string {
	if u, err := uuid.Parse(id); err == nil {
		return u.String()
	}
	return id
}

func wakeIQXPropagation(r Row) *domain.Propagation {
	if r["prediction_score"] == nil {
		return nil
	}
	score, err := strconv.ParseFloat(r.text("prediction_score"), 64)
	if err != nil || math.IsNaN(score) {
		score = 0
	}
	return &domain.Propagation{PredictionScore: min(max(score, 0), 1), LastPredicted: r.time("last_predicted"),
		PredictedNextAccess: r.time("predicted_next_access"), PropagationReason: r.list("propagation_reason")}
}
