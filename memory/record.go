package memory

import "wake/prediction"

// PredictionRecord is how right predictions were, on the user's own history:
// every use of the past was a question, asked just before it.
type PredictionRecord struct {
	Questions int64          `json:"questions"`
	Methods   []MethodRecord `json:"methods,omitempty"`
	Day       *ChanceRecord  `json:"day,omitempty"`  // chances of a use within 24 hours
	Week      *ChanceRecord  `json:"week,omitempty"` // within 7 days
}

// MethodRecord is how high one method ranked what was used.
type MethodRecord struct {
	Name  string  `json:"name"` // wake, activation, newest, lru, wakeiqx
	Hit1  float64 `json:"hit_1"`
	Hit5  float64 `json:"hit_5"`
	Hit10 float64 `json:"hit_10"`
	MRR   float64 `json:"mrr"` // mean reciprocal rank
}

// ChanceRecord compares the chances given with what came.
type ChanceRecord struct {
	Given            float64    `json:"given"` // how many chances, by weight
	BaseRate         float64    `json:"base_rate"`
	Brier            float64    `json:"brier"`
	Skill            float64    `json:"brier_skill"` // against always saying the base rate; 1 is perfect
	CalibrationError float64    `json:"calibration_error"`
	Curve            []CurveBin `json:"curve,omitempty"`
}

// CurveBin is a tenth of the calibration curve.
type CurveBin struct {
	Given  float64 `json:"given"` // the mean chance
	Used   float64 `json:"used"`  // the share that was used
	Weight float64 `json:"weight"`
}

// recordOf puts the model's counters in the form that doors show.
func recordOf(r prediction.Record) PredictionRecord {
	out := PredictionRecord{Questions: r.Ranks[prediction.MethodWake].Questions, Day: chancesOf(r.Day), Week: chancesOf(r.Week)}
	if out.Questions == 0 {
		return out
	}
	for i, name := range prediction.MethodNames() {
		h1, h5, h10 := r.Ranks[i].HitRates()
		out.Methods = append(out.Methods, MethodRecord{Name: name, Hit1: round5(h1), Hit5: round5(h5), Hit10: round5(h10), MRR: round5(r.Ranks[i].MRR())})
	}
	return out
}

func chancesOf(o prediction.Odds) *ChanceRecord {
	if o.Weight == 0 {
		return nil
	}
	c := &ChanceRecord{Given: round5(o.Weight), BaseRate: round5(o.Base()), Brier: round5(o.Brier()), Skill: round5(o.Skill()), CalibrationError: round5(o.CalibrationError())}
	for _, b := range o.Bins {
		if b.Weight > 0 {
			c.Curve = append(c.Curve, CurveBin{Given: round5(b.Given / b.Weight), Used: round5(b.Used / b.Weight), Weight: round5(b.Weight)})
		}
	}
	return c
}
