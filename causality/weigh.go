package causality

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Limits of automatic links (002-08 has the first two).
const (
	Window  = time.Hour // how far back an automatic dependency may reach
	MaxAuto = 5         // automatic dependencies of one context
	// MinConfidence keeps out what shares only a word or two by chance.
	MinConfidence = 0.3
)

// Subject is the part of a context that is compared: its analysed terms and its
// circumstances.
type Subject struct {
	ID        string
	Terms     []string          // as recall analyses them, any order, repeats allowed
	Words     map[string]string // of a new context: how its text writes a term, for the reason
	SessionID string
	Timestamp time.Time
}

// Relation is how strongly a context relates to an earlier one.
type Relation struct {
	ID         string
	Confidence float64 // 0 to 1
	Reason     string  // in words, naming the shared terms
}

// Weigh compares a new context with earlier ones and returns the related ones,
// strongest first, at most [MaxAuto]. Closeness in time is not enough: the
// content must relate. A word that most of the earlier contexts have says
// little, so each shared word is weighted by its rarity among them.
func Weigh(fresh Subject, earlier []Subject) []Relation {
	w := weighing{fresh: fresh, own: map[string]bool{}, rarity: rarities(earlier)}
	own := distinct(fresh.Terms)
	for _, t := range own {
		w.own[t] = true
	}
	w.total = total(own, w.rarity)
	var related []Relation
	for _, e := range earlier {
		age := fresh.Timestamp.Sub(e.Timestamp)
		if e.ID == fresh.ID || age < 0 || age > Window {
			continue
		}
		if r := w.relate(e, age); r.Confidence >= MinConfidence {
			related = append(related, r)
		}
	}
	slices.SortStableFunc(related, func(a, b Relation) int { return cmp.Compare(b.Confidence, a.Confidence) })
	return related[:min(len(related), MaxAuto)]
}

// weighing is one call of [Weigh].
type weighing struct {
	fresh  Subject
	own    map[string]bool // its terms
	total  float64         // their weight
	rarity map[string]float64
}

// relate weighs one pair: the share of the smaller one's weighted words that
// both have, damped while only a few words are shared, then raised a little by
// a common session and by nearness in time.
func (w weighing) relate(e Subject, age time.Duration) Relation {
	theirs := distinct(e.Terms)
	var common []string
	for _, t := range theirs {
		if w.own[t] {
			common = append(common, t)
		}
	}
	if len(common) < 2 {
		return Relation{}
	}
	smaller := math.Min(w.total, total(theirs, w.rarity))
	content := total(common, w.rarity) / smaller * (1 - math.Exp(-float64(len(common))/2))
	nearness := 1 - float64(age)/float64(Window)
	confidence := content * (0.8 + 0.2*nearness)
	sameSession := e.SessionID != "" && e.SessionID == w.fresh.SessionID
	if sameSession {
		confidence = math.Min(1, confidence*1.2)
	}
	slices.SortFunc(common, func(a, b string) int {
		return cmp.Or(cmp.Compare(weight(w.rarity, b), weight(w.rarity, a)), cmp.Compare(a, b))
	})
	return Relation{ID: e.ID, Confidence: math.Round(confidence*1000) / 1000, Reason: reason(common, w.fresh.Words, age, sameSession)}
}

func reason(common []string, words map[string]string, age time.Duration, sameSession bool) string {
	var shared []string
	for _, term := range common[:min(len(common), 4)] {
		shared = append(shared, cmp.Or(words[term], term))
	}
	text := fmt.Sprintf("shares %s, saved %s before", strings.Join(shared, ", "), ago(age))
	if sameSession {
		text += " in the same session"
	}
	return text
}

func ago(age time.Duration) string {
	if age < time.Minute {
		return fmt.Sprintf("%d s", int(age.Seconds()))
	}
	return fmt.Sprintf("%d min", int(age.Minutes()))
}

// rarities gives each term of the earlier contexts a weight that falls with the
// share of them that hold it.
func rarities(earlier []Subject) map[string]float64 {
	df := map[string]int{}
	for _, e := range earlier {
		for _, t := range distinct(e.Terms) {
			df[t]++
		}
	}
	rarity := make(map[string]float64, len(df))
	for t, n := range df {
		rarity[t] = math.Log(1 + (float64(len(earlier))+0.5)/(float64(n)+0.5))
	}
	return rarity
}

// weight is the rarity of a term. A term that no earlier context holds cannot be shared, so
// it gets the least weight: that of one which all of them hold.
func weight(rarity map[string]float64, t string) float64 {
	if w, ok := rarity[t]; ok {
		return w
	}
	return math.Log(2)
}

// total is the weight of terms, added up in their order, so that it is always the same.
func total(terms []string, rarity map[string]float64) float64 {
	sum := 0.0
	for _, t := range terms {
		sum += weight(rarity, t)
	}
	return sum
}

// distinct drops repeats and one-letter terms.
func distinct(terms []string) []string {
	seen := make(map[string]bool, len(terms))
	return slices.DeleteFunc(slices.Clone(terms), func(t string) bool {
		drop := len(t) <= 1 || seen[t]
		seen[t] = true
		return drop
	})
}
