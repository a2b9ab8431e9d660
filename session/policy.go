package session

import (
	"math"
	"slices"

	"wake/domain"
)

// SnapshotDue reports whether a state snapshot is to be stored with a batch whose last
// event is last. It is due after interval events since the last snapshot, however they
// are batched (003-18), and always when a signal is waited for (003-09), the session
// was set back, or it ended.
func SnapshotDue(lastSnapshot, last, interval int64, batch []domain.Event) bool {
	return last-lastSnapshot >= interval || slices.ContainsFunc(batch, needsSnapshot)
}

func needsSnapshot(e domain.Event) bool {
	switch e.Type {
	case domain.EventRestored, domain.EventEnd:
		return true
	case domain.EventSignal:
		sig, err := domain.PayloadAs[domain.Signal](e)
		return err == nil && sig.Status == domain.SignalWaiting
	}
	return false
}

// The thresholds, as fractions of the limit at which the client compacts.
const (
	DefaultThreshold   = 0.85 // 000-04
	WarningThreshold   = 0.95 // 000-10
	EmergencyThreshold = 1.0  // 000-05
	sameThreshold      = 0.0001
)

// Fraction is how full a window is, from 0; it is 0 if the limit is not known.
func Fraction(w domain.Window) float64 {
	if w.Limit <= 0 {
		return 0
	}
	return float64(w.Tokens) / float64(w.Limit)
}

// Level returns the level of a fraction: ok, checkpoint, warning or emergency. auto is
// the threshold of checkpoint.
func Level(fraction, auto float64) string {
	switch {
	case fraction >= EmergencyThreshold:
		return "emergency"
	case fraction >= WarningThreshold:
		return "warning"
	case fraction >= auto:
		return "checkpoint"
	}
	return "ok"
}

// SameThreshold reports whether two thresholds count as one: they differ by at most
// 0.0001 (000-10).
func SameThreshold(a, b float64) bool { return math.Abs(a-b) <= sameThreshold+1e-12 }

// Crossed returns the thresholds that fraction has reached and that have not fired in
// this epoch, in rising order.
func Crossed(fraction float64, thresholds, fired []float64) []float64 {
	var out []float64
	for _, t := range Thresholds(thresholds) {
		done := slices.ContainsFunc(fired, func(f float64) bool { return SameThreshold(f, t) })
		if fraction >= t && !done {
			out = append(out, t)
		}
	}
	return out
}

// Thresholds sorts thresholds and drops duplicates and values that are not above 0.
func Thresholds(list []float64) []float64 {
	sorted := slices.Clone(list)
	slices.Sort(sorted)
	sorted = slices.DeleteFunc(sorted, func(t float64) bool { return math.IsNaN(t) || t <= 0 })
	return slices.CompactFunc(sorted, SameThreshold)
}

// TriggerAt returns the trigger of the checkpoint made at a threshold.
func TriggerAt(threshold float64) domain.Trigger {
	switch {
	case threshold >= EmergencyThreshold:
		return domain.TriggerEmergency
	case threshold >= WarningThreshold:
		return domain.TriggerWarning
	}
	return domain.TriggerThreshold
}

// TriggerBeforeCompaction returns the trigger of the checkpoint made before a
// compaction. An automatic compaction means that the window is full.
func TriggerBeforeCompaction(c domain.Compaction) domain.Trigger {
	if c.Trigger == "auto" {
		return domain.TriggerEmergency
	}
	return domain.TriggerPreCompaction
}
