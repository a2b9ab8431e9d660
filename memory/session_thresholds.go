package memory

import (
	"wake/domain"
	"wake/session"
)

type thresholdCallback struct {
	threshold float64
	call      func(domain.ThresholdFiring)
}

// OnThreshold registers fn to be called when a session reaches the fraction of its
// limit, once per epoch (000-10). Several callbacks may have the same fraction;
// fractions that differ by at most 0.0001 are one threshold. The returned function
// unregisters fn. A panic of fn is logged and has no other effect. It is for programs
// that run a Service themselves: the thresholds of wake's own checkpoints need no
// callback.
func (s *Service) OnThreshold(fraction float64, fn func(domain.ThresholdFiring)) func() {
	h, cb := &s.sessions, &thresholdCallback{fraction, fn}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.callbacks == nil {
		h.callbacks = map[*thresholdCallback]bool{}
	}
	h.callbacks[cb] = true
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.callbacks, cb)
	}
}

// builtIn lists the thresholds that make checkpoints.
func (c SessionConfig) builtIn() []float64 {
	return []float64{c.AutoThreshold, session.WarningThreshold, session.EmergencyThreshold}
}

// thresholds lists the built-in thresholds and those of callbacks.
func (s *Service) thresholds(c SessionConfig) []float64 {
	list := c.builtIn()
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	for cb := range s.sessions.callbacks {
		list = append(list, cb.threshold)
	}
	return session.Thresholds(list)
}

// fire calls the callbacks of the thresholds that fired.
func (s *Service) fire(firings []domain.ThresholdFiring) {
	for _, f := range firings {
		s.sessions.mu.Lock()
		var calls []func(domain.ThresholdFiring)
		for cb := range s.sessions.callbacks {
			if session.SameThreshold(cb.threshold, f.Threshold) {
				calls = append(calls, cb.call)
			}
		}
		s.sessions.mu.Unlock()
		for _, call := range calls {
			s.guard("threshold callback", func() error { call(f); return nil })
		}
	}
}
