package domain_test

import (
	"testing"
	"time"

	"wake/domain"
)

// 002-05: a context expires by its age alone, what nothing is known of has no root, and a
// cause that is named makes none.
func TestContextSaysOfItself(t *testing.T) {
	now := time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC)
	month := domain.ContextSnapshot{Timestamp: now.Add(-domain.ExpiryAge), Memory: domain.Memory{LastAccessed: now}}
	if month.IsExpired(now) || !month.IsExpired(now.Add(time.Second)) {
		t.Error("30 days old is not expired, a second later is, used or not")
	}
	for _, c := range []struct {
		causality *domain.Causality
		has, root bool
	}{
		{nil, false, false},
		{&domain.Causality{}, true, true},
		{&domain.Causality{CausedBy: "another"}, true, false},
	} {
		s := domain.ContextSnapshot{Causality: c.causality}
		if s.HasCausality() != c.has || s.IsRootCause() != c.root {
			t.Errorf("%+v: has %v, root %v", c.causality, s.HasCausality(), s.IsRootCause())
		}
	}
	if month.HasPrediction() || !(&domain.ContextSnapshot{Propagation: &domain.Propagation{}}).HasPrediction() {
		t.Error("a prediction is there once one was made")
	}
}
