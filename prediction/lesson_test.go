package prediction

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// A lesson's candidates stand for all, each for at least itself, and what was used for itself alone.
func TestLessonStandsForAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 500).Draw(t, "candidates")
		order := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)).Perm(n)
		used := order[n-rapid.IntRange(1, min(n-1, 6)).Draw(t, "used"):]
		l := pick(make([]vector, n), order, used, rapid.Int64().Draw(t, "step"))
		if l.used != len(used) || len(l.x) > len(used)+lessonTop+max(lessonOther, n-lessonTop) || len(l.x) != len(l.many) {
			t.Fatalf("%d candidates and %d weights of %d, %d of %d used", len(l.x), len(l.many), n, l.used, len(used))
		}
		total := 0.0
		for k, many := range l.many {
			if total += math.Exp(many); many < 0 || k < l.used && many != 0 {
				t.Fatalf("candidate %d of %d stands for %v", k, l.used, math.Exp(many))
			}
		}
		if math.Abs(total-float64(n)) > 1e-6 {
			t.Fatalf("%d candidates stand for %v of %d", len(l.x), total, n)
		}
	})
}

// What counts only where another sign is missing is learned by a hidden layer. No linear score can tell it: with one, the two
// that have one sign each would together have as much as the other two.
func TestHiddenLayer(t *testing.T) {
	n, u := newHidden(), scaler{}
	rnd := rand.New(rand.NewPCG(1, 2))
	x := make([]vector, 4) // one sign, the other, neither, both
	x[0][fInSession], x[1][fEdited] = 1, 1
	x[3][fInSession], x[3][fEdited] = 1, 1
	zeros := make([]float64, len(x))
	for range 400 {
		if rnd.IntN(2) == 0 {
			x[0], x[1] = x[1], x[0]
		}
		u.observe(x)
		n.learn(&lesson{x: x, many: zeros, used: 1}, zeros, 0, &u)
	}
	var scores [4]float64
	scale := u.scale()
	for k := range x {
		z := u.standardize(&x[k], &scale)
		values := n.values(&z)
		scores[k] = n.score(&values)
	}
	if min(scores[0], scores[1]) < max(scores[2], scores[3])+1 {
		t.Errorf("one sign each %.2f and %.2f, neither %.2f, both %.2f", scores[0], scores[1], scores[2], scores[3])
	}
}
