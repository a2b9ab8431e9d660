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
		subject("new", "oauth token refresh fails mobile login", 60),
	}
	got := causality.Weigh(fresh, earlier)
	if len(got) != 1 || got[0].ID != "related" {
		t.Fatalf("related: %+v", got)
	}
	if r := got[0]; r.Confidence < causality.MinConfidence || r.Confidence > 1 || !strings.Contains(r.Reason, "oauth") || !strings.HasSuffix(r.Reason, "10 min before") {
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

// The reason names the rarest shared words first, as the text writes them, and when they were saved.
func TestWeighReason(t *testing.T) {
	fresh := subject("new", "cach key collision bug zone", 60)
	fresh.SessionID, fresh.Words = "s", map[string]string{"cach": "Caches"}
	mate := subject("mate", "key cach collision bug zone", 60)
	mate.SessionID, mate.Timestamp = "s", mate.Timestamp.Add(-59*time.Second)
	other := subject("other", "key cach collision bug zone", 0)
	other.SessionID = "t"
	got := causality.Weigh(fresh, []causality.Subject{mate, other, subject("key", "key", 30)})
	if len(got) != 2 {
		t.Fatalf("%+v", got)
	}
	for i, want := range []string{"shares bug, Caches, collision, zone, saved 59 s before in the same session", "shares bug, Caches, collision, zone, saved 60 min before"} {
		if got[i].Reason != want {
			t.Errorf("%q, want %q", got[i].Reason, want)
		}
	}
}

// One word relates nothing, nor does one that is repeated, or letters that stand alone.
func TestWeighFewWords(t *testing.T) {
	for _, words := range []string{"token", "token token", "token x y"} {
		if got := causality.Weigh(subject("new", words, 60), []causality.Subject{subject("like", words, 59)}); len(got) != 0 {
			t.Errorf("%q: %+v", words, got)
		}
	}
}

// A word that all the earlier ones share relates nothing by itself.
func TestWeighCommonWords(t *testing.T) {
	var earlier []causality.Subject
	for _, w := range strings.Fields("alpha beta gamma delta epsilon zeta eta theta") {
		earlier = append(earlier, subject(w, "project build deploy "+w+" "+w+"x "+w+"y", 30))
	}
	if got := causality.Weigh(subject("new", "project build deploy of something else that has nothing in common with them", 60), earlier); len(got) != 0 {
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
