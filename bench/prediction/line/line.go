// Package line implements the line protocol of the prediction evaluator with the real
// predictor: JSON lines, events without an answer and questions with one, using the
// times of the events.
package line

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"wake/prediction"
)

// maxLine is the longest line that is read.
const maxLine = 1 << 20

// message is an input line: an event or a question.
type message struct {
	Op      string `json:"op"`
	TS      int64  `json:"ts"`
	Session string `json:"session"`
	Step    int64  `json:"step"`
	Actor   string `json:"actor"`
	Item    string `json:"item"`
	Kind    string `json:"kind"`
	Parent  string `json:"parent"`
	Label   string `json:"label"`

	Limit    int     `json:"limit"`
	Horizons []int64 `json:"horizons"`
}

// answer is an output line.
type answer struct {
	Ranked []string             `json:"ranked"`
	P      map[string][]float64 `json:"p,omitempty"`
}

// Serve answers questions until r ends, or returns an error at the first malformed
// line.
func Serve(r io.Reader, w io.Writer) error {
	b := &bench{model: prediction.NewModel(), items: prediction.Memory{}, ids: map[string]prediction.ID{}}
	out := json.NewEncoder(w)
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 64<<10), maxLine)
	for n := 1; in.Scan(); n++ {
		var m message
		if err := json.Unmarshal(in.Bytes(), &m); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		a, err := b.take(m)
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if a != nil {
			if err := out.Encode(a); err != nil {
				return err
			}
		}
	}
	return in.Err()
}

// bench is the state between lines.
type bench struct {
	model   *prediction.Model
	items   prediction.Memory
	ids     map[string]prediction.ID
	names   []string // by id - 1
	pending []message
	taken   int64
}

func (b *bench) take(m message) (*answer, error) {
	switch m.Op {
	case "event":
		if n := len(b.pending); n > 0 && (m.Step < 0 || m.Step != b.pending[n-1].Step || m.Session != b.pending[n-1].Session) {
			if err := b.flush(); err != nil {
				return nil, err
			}
		}
		b.pending = append(b.pending, m)
		return nil, nil
	case "predict":
		if err := b.flush(); err != nil {
			return nil, err
		}
		return b.predict(m)
	}
	return nil, fmt.Errorf("op %q is unknown; use event or predict", m.Op)
}

// flush passes the rows of one step to the model.
func (b *bench) flush() error {
	if len(b.pending) == 0 {
		return nil
	}
	first := b.pending[0]
	b.taken++
	step := prediction.Step{Position: b.taken, At: time.Unix(first.TS, 0), Session: first.Session, Actor: first.Actor}
	for _, m := range b.pending {
		step.Uses = append(step.Uses, b.use(m))
	}
	b.pending = b.pending[:0]
	changed, err := b.model.Advance(step, b.items)
	for _, it := range changed {
		b.items[it.ID] = it
	}
	return err
}

func (b *bench) use(m message) prediction.Use {
	u := prediction.Use{Item: b.id(m.Item), Kind: prediction.Read, Label: m.Label}
	switch m.Kind {
	case "create":
		u.Kind = prediction.Created
		if m.Step < 0 {
			u.Kind = prediction.Known
		}
	case "modify":
		u.Kind = prediction.Changed
	case "delete":
		u.Kind = prediction.Forgotten
	}
	if m.Parent != "" {
		u.Cause = b.id(m.Parent)
	}
	return u
}

func (b *bench) id(name string) prediction.ID {
	id, ok := b.ids[name]
	if !ok {
		b.names = append(b.names, name)
		id = prediction.ID(len(b.names))
		b.ids[name] = id
	}
	return id
}

func (b *bench) predict(m message) (*answer, error) {
	now := time.Unix(m.TS, 0)
	q := prediction.Query{Now: now, Session: m.Session, Actor: m.Actor}
	forecasts, err := b.model.Predict(q, b.items)
	if err != nil {
		return nil, err
	}
	a := &answer{Ranked: []string{}}
	for _, f := range forecasts[:min(len(forecasts), max(0, m.Limit))] {
		a.Ranked = append(a.Ranked, b.names[f.ID-1])
	}
	if len(m.Horizons) > 0 {
		a.P = b.probabilities(forecasts, now, m.Horizons)
	}
	return a, nil
}

// probabilities returns the probabilities of all items: of ranked ones by rank, of the
// others by their own history.
func (b *bench) probabilities(forecasts []prediction.Forecast, now time.Time, horizons []int64) map[string][]float64 {
	p := map[string][]float64{}
	n := len(forecasts)
	ask := func(id prediction.ID, place int) {
		for _, h := range horizons {
			chance := b.model.Probability(b.items[id], now, place, n, time.Duration(h)*time.Second)
			p[b.names[id-1]] = append(p[b.names[id-1]], chance)
		}
	}
	ranked := make([]prediction.ID, n)
	for place, f := range forecasts {
		ranked[place] = f.ID
		ask(f.ID, place)
	}
	slices.Sort(ranked)
	for id, it := range b.items {
		if _, is := slices.BinarySearch(ranked, id); !is && !it.Gone {
			ask(id, n)
		}
	}
	return p
}
