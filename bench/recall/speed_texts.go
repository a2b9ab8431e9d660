package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

// textSource generates texts of about 1 KB and questions about them.
type textSource struct {
	name, about string
	next        func() string
	questions   func(ctx context.Context, stored *ftsStore, count int) ([]string, error)
}

// textLength is the minimum length of a generated text, in bytes.
const textLength = 1000

// texts returns generated texts or, if data is the folder of the sets, recombined
// sentences of the set ovsfix with that set's own questions.
func texts(data string) (*textSource, error) {
	if data == "" {
		p := newProse(1)
		return &textSource{
			name: "made", about: "made words, as unevenly common as in prose; questions take up seven words of a stored text",
			next: p.next, questions: p.questions,
		}, nil
	}
	convs, err := loadSet(data, "ovsfix", "open")
	if err != nil {
		return nil, err
	}
	m := newMixed(convs)
	return &textSource{
		name: "ovsfix", about: fmt.Sprintf("%d sentences of ovsfix in new order; its %d questions", len(m.sentences), len(m.asked)),
		next: m.next, questions: m.questions,
	}, nil
}

// prose generates texts of function words and content words with frequencies like those
// of real prose.
type prose struct {
	rnd   *rand.Rand
	zipf  *rand.Zipf
	words []string
}

func newProse(seed uint64) *prose {
	rnd := rand.New(rand.NewPCG(seed, 3))
	g := &prose{rnd: rnd, zipf: rand.NewZipf(rnd, 1.15, 12, 300_000)}
	var syllables []string
	for _, c := range strings.Fields("b c ch d f g h j l m n p qu r s st sh t tr v w") {
		for _, v := range []string{"a", "e", "i", "o", "u"} {
			syllables = append(syllables, c+v, c+v+"n", c+v+"rt")
		}
	}
	rnd.Shuffle(len(syllables), func(i, j int) { syllables[i], syllables[j] = syllables[j], syllables[i] })
	for i := range 300_001 {
		w := ""
		for n := i + len(syllables); ; n /= len(syllables) {
			w += syllables[n%len(syllables)]
			if n < len(syllables) {
				break
			}
		}
		g.words = append(g.words, w)
	}
	return g
}

var functionWords = strings.Fields("the and of to a in we is that for")

func (g *prose) next() string {
	var sb strings.Builder
	for i := 0; sb.Len() < textLength; i++ {
		if g.rnd.IntN(100) < 42 {
			sb.WriteString(functionWords[g.rnd.IntN(len(functionWords))])
		} else {
			sb.WriteString(g.words[g.zipf.Uint64()])
		}
		if i%12 == 11 {
			sb.WriteString(". ")
		} else {
			sb.WriteByte(' ')
		}
	}
	return sb.String()
}

func (g *prose) questions(ctx context.Context, stored *ftsStore, count int) ([]string, error) {
	rnd := rand.New(rand.NewPCG(7, 7))
	var out []string
	for range count {
		text, err := stored.random(ctx, rnd)
		if err != nil {
			return nil, err
		}
		words := contentWords(text)
		ask := "what did we decide about the"
		for range 7 {
			ask += " " + words[rnd.IntN(len(words))]
		}
		out = append(out, ask+"?")
	}
	return out, nil
}

// mixed recombines sentences of real texts.
type mixed struct {
	rnd       *rand.Rand
	sentences []string
	asked     []string
}

var sentenceBorder = regexp.MustCompile(`[.!?]\s+|\n\n+`)

func newMixed(convs []conversation) *mixed {
	m := &mixed{rnd: rand.New(rand.NewPCG(1, 5))}
	for _, c := range convs {
		for _, s := range c.steps {
			if s.question != "" {
				m.asked = append(m.asked, s.question)
				continue
			}
			for _, part := range sentenceBorder.Split(s.entry.Content, -1) {
				if part = strings.TrimSpace(part); part != "" {
					m.sentences = append(m.sentences, part)
				}
			}
		}
	}
	return m
}

func (m *mixed) next() string {
	var sb strings.Builder
	for sb.Len() < textLength {
		sb.WriteString(m.sentences[m.rnd.IntN(len(m.sentences))])
		sb.WriteString(". ")
	}
	return sb.String()
}

func (m *mixed) questions(_ context.Context, _ *ftsStore, count int) ([]string, error) {
	rnd := rand.New(rand.NewPCG(7, 7))
	var out []string
	for range count {
		out = append(out, m.asked[rnd.IntN(len(m.asked))])
	}
	return out, nil
}
