package prediction

import "math"

// neighbours sets what was used together with and after the current items, one and two links away.
func (s *scene) neighbours(list []*Item, x []vector) {
	beside := make([]float64, len(list))
	for _, c := range s.cues {
		s.after(c, x)
		s.beside(c, list, beside, x)
	}
	s.spread(list, beside, x)
	weights := map[ID]float64{}
	for _, c := range s.cues {
		weights[c.id] = c.weight
	}
	for k, it := range list {
		for _, e := range it.Beside {
			x[k][fBesideBack] += weights[e.To] * float64(e.Weight) / (it.BesideSum + 3)
		}
		x[k][fBeside] = math.Log1p(20 * beside[k])
		x[k][fBesideCount] = math.Log1p(3 * beside[k] * float64(it.History.Count))
		for _, f := range []int{fAfter, fAfterLast, fBesideBack, fSpread} {
			x[k][f] = math.Log1p(20 * x[k][f])
		}
		x[k][fCosine] = math.Log1p(10 * x[k][fCosine])
	}
}

// after sets what was used one step after a current item.
func (s *scene) after(c sceneCue, x []vector) {
	for _, e := range c.it.After {
		if k, ok := s.at[e.To]; ok {
			v := float64(e.Weight) / (c.it.AfterSum + 2)
			x[k][fAfter] += c.weight * v
			if c.latest {
				x[k][fAfterLast] = max(x[k][fAfterLast], v)
			}
		}
	}
}

// beside sets what was used together with a current item, and adds up how often it was.
func (s *scene) beside(c sceneCue, list []*Item, sums []float64, x []vector) {
	for _, e := range c.it.Beside {
		if k, ok := s.at[e.To]; ok {
			sums[k] += c.weight * float64(e.Weight) / (c.it.BesideSum + 3)
			cosine := float64(e.Weight) / math.Sqrt((c.it.BesideSum+1)*(list[k].BesideSum+1))
			x[k][fCosine] += c.weight * cosine
			x[k][fCosineMax] = max(x[k][fCosineMax], cosine)
		}
	}
}

const (
	spreadFrom  = 24   // candidates from which activation spreads, at most
	spreadLeast = 0.02 // what they must be linked more than
)

// spread spreads activation one link further from the best linked candidates.
func (s *scene) spread(list []*Item, beside []float64, x []vector) {
	for _, k := range best(beside, spreadFrom) {
		if beside[k] <= spreadLeast {
			return
		}
		it := list[k]
		for _, e := range it.Beside {
			if j, ok := s.at[e.To]; ok {
				x[j][fSpread] += beside[k] * float64(e.Weight) / (it.BesideSum + 3)
			}
		}
	}
}
