package causality_test

import (
	"strings"
	"testing"
	"time"

	"wake/causality"
)

func subject(id, words string, minutes int) causality.Subject {
	return causality.Subject{ID: id, Terms: strings.Fields(words), Timestamp: start.Add(time.Duration(minutes) * time.Minute)}
}

// 002-08: at most five, from the last hour, and only when the content relates.
func TestWeigh(t *testing.T) {
	fresh := subject("new", "oauth token refresh fails mobile login", 60)
	earlier := []causality.Subject{
		subject("related", "oauth token refresh design", 50),
		subject("unrelated", "lunch menu friday pizza", 59),
		subject("one word", "token ring network history", 58),
		subject("too old", "oauth token refresh fails mobile login", -5),
		subject("later", "oauth token refresh fails mobile login", 61),
	}
	got := causality.Weigh(fresh, earlier)
	if len(got) != 1 || got[0].ID != "related" {
		t.Fatalf("related: %+v", got)
	}
	if r := got[0]; r.Confidence < causality.MinConfidence || r.Confidence > 1 || !strings.Contains(r.Reason, "oauth") || !strings.Contains(r.Reason, "10 min") {
		t.Errorf("%+v", r)
	}
}

// Nearer in time and in the same session weighs more; never more than 1.
func TestWeighOrder(t *testing.T) {
	fresh := subject("new", "cache key collision bug", 60)
	fresh.SessionID = "s"
	near, far, mate := subject("near", "cache key collision", 59), subject("far", "cache key collision", 5), subject("mate", "cache key collision", 5)
	mate.SessionID = "s"
	got := causality.Weigh(fresh, []causality.Subject{far, near, mate})
	if len(got) != 3 || got[2].ID != "far" {
		t.Fatalf("%+v", got)
	}
	for _, r := range got {
		if r.Confidence > 1 {
			t.Errorf("confidence %f", r.Confidence)
		}
	}
}

// A word that all the earlier ones share relates nothing by itself.
func TestWeighCommonWords(t *testing.T) {
	var earlier []causality.Subject
	for _, w := range strings.Fields("alpha beta gamma delta epsilon zeta eta theta") {
		earlier = append(earlier, subject(w, "project build "+w+" "+w+"x "+w+"y", 30))
	}
	if got := causality.Weigh(subject("new", "project build something else entirely", 60), earlier); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// No more than five, however many relate.
func TestWeighAtMostFive(t *testing.T) {
	var earlier []causality.Subject
	for i := range 9 {
		earlier = append(earlier, subject(string(rune('a'+i)), "database migration lock timeout", 50+i))
	}
	if got := causality.Weigh(subject("new", "database migration lock timeout", 60), earlier); len(got) != 5 {
		t.Errorf("%d links", len(got))
	}
}
