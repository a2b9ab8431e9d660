package prediction

import (
	"fmt"
	"math"

	"wake/domain"
)

// EnoughQuestions is how many questions are needed to compare methods by. With 25, the standard error of a share
// is 0.1 or less.
const EnoughQuestions = 25

// Verdict sums up in words how well past predictions did.
func (r Record) Verdict() []string {
	questions := r.Ranks[MethodWake].Questions
	if questions == 0 {
		return []string{"nothing to judge by yet: each time a stored context is opened again counts as one question"}
	}
	words := []string{fmt.Sprintf("only %s so far; methods are compared from %d on", domain.Many(questions, "use"), EnoughQuestions)}
	if questions >= EnoughQuestions {
		words[0] = r.compared()
	}
	for _, odds := range []struct {
		Odds
		within string
	}{{r.Day, "24 hours"}, {r.Week, "7 days"}} {
		if odds.Weight > 0 {
			words = append(words, odds.verdict(odds.within))
		}
	}
	if r.Day.Weight == 0 {
		words = append(words, "no chance is judged yet: that takes a day, and a use after it")
	}
	return words
}

// compared compares the model with the best of the plain rules. Differences below two standard errors do not
// count.
func (r Record) compared() string {
	hits := func(method int) float64 { _, at5, _ := r.Ranks[method].HitRates(); return at5 }
	best := MethodNewest
	for method := best; method < Methods; method++ {
		if hits(method) > hits(best) {
			best = method
		}
	}
	mine, plain := hits(MethodWake), hits(best)
	questions := r.Ranks[MethodWake].Questions
	unsure := 2 * math.Sqrt((mine*(1-mine)+plain*(1-plain))/float64(questions))
	than := "better than"
	switch d := mine - plain; {
	case math.Abs(d) <= unsure:
		than = "about as well as"
	case d < 0:
		than = "worse than"
	}
	return fmt.Sprintf("in %.0f %% of %d uses what was used was among the first 5, %s the best plain rule (%s, %s: %.0f %%)",
		100*mine, questions, than, MethodNames()[best], MethodsAbout()[best], 100*plain)
}

// verdict sums up the probabilities of a use within a time.
func (o Odds) verdict(within string) string {
	switch base := o.Base(); {
	case base == 0 || base == 1:
		return fmt.Sprintf("chances within %s cannot be judged: the outcome was always the same", within)
	case o.Skill() <= 0:
		return fmt.Sprintf("chances within %s are no better than always saying %.1f %% (Brier skill %.2f)", within, 100*base, o.Skill())
	default:
		return fmt.Sprintf("chances within %s are better than always saying %.1f %% (Brier skill %.2f) and off by %.1f points on average",
			within, 100*base, o.Skill(), 100*o.CalibrationError())
	}
}
