package prediction_test

import (
	"fmt"
	"testing"
	"time"

	"wake/prediction"
)

// crowd is a project of n items of which the first part was used in the order of a story.
func crowd(b *testing.B, n int) (*prediction.Model, prediction.Memory) {
	b.Helper()
	m, rows := prediction.NewModel(), prediction.Memory{}
	known := prediction.Step{Position: 1, At: noon.AddDate(-1, 0, 0)}
	for id := range n {
		known.Uses = append(known.Uses, prediction.Use{Item: prediction.ID(id + 1), Kind: prediction.Known, Label: fmt.Sprintf("part%d/item%d", id%97, id)})
	}
	replay(b, m, rows, []prediction.Step{known})
	steps := story(1, 2000, min(n, 4000))
	for k := range steps {
		steps[k].Position += 1
	}
	replay(b, m, rows, steps)
	return m, rows
}

// BenchmarkPredict shows that a question costs the same whatever the size of the project.
func BenchmarkPredict(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m, rows := crowd(b, n)
			q := prediction.Query{Now: time.Unix(m.Now, 0), Session: "s160", Actor: "u1"}
			for b.Loop() {
				if _, err := m.Predict(q, rows); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAdvance is one step of the log, with its question and lesson.
func BenchmarkAdvance(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m, rows := crowd(b, n)
			at, position := time.Unix(m.Now, 0), m.Watermark
			for b.Loop() {
				position++
				at = at.Add(time.Minute)
				id := prediction.ID(1 + position*7%int64(n))
				replay(b, m, rows, []prediction.Step{{Position: position, At: at, Session: fmt.Sprint(position / 20), Uses: []prediction.Use{{Item: id}}}})
			}
		})
	}
}

// BenchmarkState is storing and reading the state of a project, without its rows.
func BenchmarkState(b *testing.B) {
	m, _ := crowd(b, 1000)
	data, _ := m.MarshalBinary()
	b.ReportMetric(float64(len(data)), "bytes")
	for b.Loop() {
		data, _ := m.MarshalBinary()
		if err := prediction.NewModel().UnmarshalBinary(data); err != nil {
			b.Fatal(err)
		}
	}
}
