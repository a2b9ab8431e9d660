package memory_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
)

// BenchmarkSearch asks whole questions of 1,000 contexts of some 1 KB.
func BenchmarkSearch(b *testing.B) {
	s, _ := memorytest.Open(b)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 1000 {
		save(b, s, memory.SaveRequest{Content: fmt.Sprintf("note %d: %s", i, words(r, 150))})
	}
	askIn(b, s, r)
}

// BenchmarkSearchMessages asks the same of what was said in a session.
func BenchmarkSearchMessages(b *testing.B) {
	s, _ := memorytest.Open(b)
	r := rand.New(rand.NewPCG(1, 2))
	events := make([]domain.Event, 1000)
	for i := range events {
		e, err := domain.NewEvent(s.Now(), domain.Key(fmt.Sprint(i)), domain.Message{Role: domain.RoleUser, Content: fmt.Sprintf("note %d: %s", i, words(r, 150))})
		if err != nil {
			b.Fatal(err)
		}
		events[i] = e
	}
	if _, err := s.Append(ctx, memory.AppendRequest{Ref: memory.SessionRef{Client: "claude-code", ClientSessionID: "1"}, Events: events}); err != nil {
		b.Fatal(err)
	}
	askIn(b, s, r)
}

func askIn(b *testing.B, s *memory.Service, r *rand.Rand) {
	questions := make([]string, 64)
	for i := range questions {
		questions[i] = "what did we decide about " + words(r, 6) + "?"
	}
	n := 0
	for b.Loop() {
		if a, err := s.Search(ctx, memory.SearchRequest{Query: questions[n%len(questions)]}); err != nil || len(a.Hits) == 0 {
			b.Fatal(err, "no hits")
		}
		n++
	}
}

// words makes text in which, as in every language, few words are frequent.
func words(r *rand.Rand, n int) string {
	zipf := rand.NewZipf(r, 1.1, 8, 20_000)
	parts := make([]string, n)
	for i := range parts {
		parts[i] = syllables(zipf.Uint64())
	}
	return strings.Join(parts, " ")
}

// syllables spells a number as a word.
func syllables(n uint64) string {
	const consonants, vowels = "bdfgklmnprstvz", "aeiou"
	var b strings.Builder
	for n += 70; n > 0; n /= 70 {
		b.WriteByte(consonants[n%14])
		b.WriteByte(vowels[n/14%5])
	}
	return b.String()
}
