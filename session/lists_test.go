package session_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"wake/domain"
	"wake/session"
)

// point is a checkpoint made so many minutes after noon.
func point(id, sessionID string, minutes int, tokens int64) domain.Checkpoint {
	return domain.Checkpoint{ID: id, SessionID: sessionID, Seq: int64(minutes + 1), Epoch: 1, Class: domain.ClassManual, Trigger: domain.TriggerManual,
		CreatedAt: noon.Add(time.Duration(minutes) * time.Minute), StateHash: "h", Size: 10 * tokens,
		Manifest: domain.Manifest{TokenCount: tokens, SchemaVersion: 1}}
}

func names(list []domain.Checkpoint) string {
	var out []string
	for _, c := range list {
		out = append(out, c.ID)
	}
	return strings.Join(out, " ")
}

// The seed's list utilities, each by what it promises (000-23).
func TestListUtilities(t *testing.T) {
	list := []domain.Checkpoint{point("b", "x", 2, 200), point("a", "x", 1, 100), point("d", "y", 4, 400), point("c", "y", 3, 300)}
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	keep, remove := session.ForCleanup(list, 3)
	found, ok := session.Find(list, "c")
	_, missing := session.Find(list, "z")
	groups := session.BySession(list)
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"findSnapshotById", found.ID, "c"},
		{"findSnapshotById, known", ok, true},
		{"findSnapshotById, unknown", missing, false},
		{"findSnapshotsBySession", names(session.OfSession(list, "x")), "b a"},
		{"findSnapshotsAfter, strictly", names(session.After(list, at(2))), "d c"},
		{"findSnapshotsBefore, strictly", names(session.Before(list, at(2))), "a"},
		{"findSnapshotsBetween", names(session.Between(list, at(1), at(4))), "b c"},
		{"sortSnapshotsByAge", names(session.ByAge(list)), "a b c d"},
		{"sortSnapshotsByAgeDesc", names(session.ByAgeDesc(list)), "d c b a"},
		{"neither sort changes the list", names(list), "b a d c"},
		{"getRecentSnapshots", names(session.Recent(list, 2)), "d c"},
		{"getRecentSnapshots, more than there are", names(session.Recent(list, 9)), "d c b a"},
		{"getRecentSnapshots, none", names(session.Recent(list, -1)), ""},
		{"getOldestSnapshots", names(session.Oldest(list, 2)), "a b"},
		{"calculateTotalSnapshotSize", session.TotalTokens(list), int64(1000)},
		{"calculateTotalSnapshotFileSize", session.TotalSize(list), int64(10000)},
		{"groupSnapshotsBySession", names(groups["x"]) + "/" + names(groups["y"]), "b a/d c"},
		{"filterSnapshotsAboveThreshold", names(session.AboveTokens(list, 200)), "d c"},
		{"filterSnapshotsBelowThreshold", names(session.BelowTokens(list, 200)), "a"},
		{"getSnapshotsForCleanup", names(keep) + "/" + names(remove), "d c b/a"},
		{"exceedsMaxSnapshots, equal", session.Exceeds(list, 4), false},
		{"exceedsMaxSnapshots, over", session.Exceeds(list, 3), true},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, c.got, c.want)
		}
	}
}

// extractUserMessages and extractNonUserMessages read the old mixed list as well;
// nothing is cut (000-07, 000-19, 000-23).
func TestMessageUtilities(t *testing.T) {
	long := strings.Repeat("never cut ", 10_000)
	mixed := []domain.Message{said(long), replied("a"), {Role: domain.RoleSystem, Content: "s"}, {Role: domain.RoleTool, ToolCallID: "t"},
		{Role: domain.RoleUser, Kind: domain.SummaryMessage, Content: "not a person's"}}
	users, others := session.UserMessages(mixed), session.OtherMessages(mixed)
	if len(users) != 1 || users[0].Content != long || len(others) != 4 {
		t.Errorf("%d of users, %d others", len(users), len(others))
	}
	if session.UserMessages(nil) != nil {
		t.Error("none of none")
	}
}

// validateSnapshotMetadata and validateContextSnapshot (000-23).
func TestCheckpointChecks(t *testing.T) {
	good := point("a", "x", 1, 100)
	if err := session.CheckWhole(good); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*domain.Checkpoint){
		"id": func(c *domain.Checkpoint) { c.ID = "" }, "session": func(c *domain.Checkpoint) { c.SessionID = "" },
		"time": func(c *domain.Checkpoint) { c.CreatedAt = time.Time{} }, "tokens": func(c *domain.Checkpoint) { c.Manifest.TokenCount = -1 },
		"size": func(c *domain.Checkpoint) { c.Size = -1 },
	} {
		bad := good
		spoil(&bad)
		if domain.KindOf(session.CheckMetadata(bad)) != domain.KindInvalid || session.CheckWhole(bad) == nil {
			t.Errorf("%s: not refused", name)
		}
	}
	for name, spoil := range map[string]func(*domain.Checkpoint){
		"place": func(c *domain.Checkpoint) { c.Seq = -1 }, "state": func(c *domain.Checkpoint) { c.StateHash = "" },
		"class": func(c *domain.Checkpoint) { c.Class = domain.ClassAutomatic }, "version": func(c *domain.Checkpoint) { c.Manifest.SchemaVersion = 2 },
	} {
		bad := good
		spoil(&bad)
		if session.CheckMetadata(bad) != nil || domain.KindOf(session.CheckWhole(bad)) != domain.KindInvalid {
			t.Errorf("%s: not told apart", name)
		}
	}
}

// I7, 000-09: what goes is over the count of its class, and never pinned, the
// newest, the undo of the last restore, a young emergency or another session's.
func TestSurplus(t *testing.T) {
	triggers := []domain.Trigger{domain.TriggerManual, domain.TriggerThreshold, domain.TriggerWarning, domain.TriggerEmergency,
		domain.TriggerPreCompaction, domain.TriggerPreRestore}
	rapid.Check(t, func(t *rapid.T) {
		var list []domain.Checkpoint
		now := noon.Add(48 * time.Hour)
		for i := range rapid.IntRange(0, 40).Draw(t, "count") {
			c := point(fmt.Sprint(i), rapid.SampledFrom([]string{"x", "y"}).Draw(t, "session"), rapid.IntRange(0, 2880).Draw(t, "age"), 1)
			c.Trigger = rapid.SampledFrom(triggers).Draw(t, "trigger")
			c.Class, c.Pinned = c.Trigger.Class(), rapid.IntRange(0, 5).Draw(t, "pinned") == 0
			c.Seq = int64(rapid.IntRange(1, 100).Draw(t, "seq"))
			list = append(list, c)
		}
		undo := fmt.Sprint(rapid.IntRange(0, 40).Draw(t, "undo"))
		keep := rapid.IntRange(1, 6).Draw(t, "keep")
		gone := session.Surplus(list, "x", keep, undo, now)
		newest := int64(0)
		left := map[domain.CheckpointClass]int{}
		removed := map[string]bool{}
		for _, c := range gone {
			removed[c.ID] = true
		}
		for _, c := range session.OfSession(list, "x") {
			newest = max(newest, c.Seq)
			young := c.Trigger == domain.TriggerEmergency && now.Sub(c.CreatedAt) < 24*time.Hour
			if !c.Pinned && !young && !removed[c.ID] {
				left[c.Class]++
			}
			if removed[c.ID] && (c.Pinned || young || c.ID == undo) {
				t.Fatalf("%+v went", c)
			}
		}
		newestLeft := false
		for _, c := range list {
			newestLeft = newestLeft || c.Seq == newest && c.SessionID == "x" && !removed[c.ID]
			if removed[c.ID] && c.SessionID != "x" {
				t.Fatalf("another session's went: %+v", c)
			}
		}
		if len(gone) > 0 && !newestLeft {
			t.Fatal("the newest went")
		}
		for class, n := range left {
			if n > keep+2 { // the newest and the undo may be over the count
				t.Fatalf("%d of %s are left of %d", n, class, keep)
			}
		}
	})
	many := make([]domain.Checkpoint, 9)
	for i := range many {
		many[i] = point(fmt.Sprint(i), "x", i, 1)
	}
	if got := names(session.Surplus(many, "x", 5, "", noon)); got != "3 2 1 0" {
		t.Errorf("of nine, keep five: %q goes", got)
	}
	if got := session.Surplus(many, "x", 0, "", noon); got != nil {
		t.Errorf("0 keeps all, %d go", len(got))
	}
	first, second := point("0", "x", 0, 1), point("1", "x", 0, 1)
	first.Trigger, first.Class, second.Trigger, second.Class = domain.TriggerEmergency, domain.ClassAutomatic, domain.TriggerEmergency, domain.ClassAutomatic
	second.Seq++
	for age, want := range map[time.Duration]string{24*time.Hour - time.Microsecond: "", 24 * time.Hour: "0"} {
		if got := names(session.Surplus([]domain.Checkpoint{first, second}, "x", 1, "", noon.Add(age))); got != want {
			t.Errorf("of two emergencies of %s, keep one: %q goes, want %q", age, got, want)
		}
	}
}

// Thresholds are sorted, near duplicates are one, and each fires once (000-10, I13).
func TestThresholds(t *testing.T) {
	all := session.Thresholds([]float64{1, 0.85, 0.85005, 0.95, 0.8499, -1, 0})
	if got := fmt.Sprint(all); got != "[0.8499 0.95 1]" {
		t.Errorf("thresholds %v", all)
	}
	if !session.SameThreshold(0.85, 0.8501) || session.SameThreshold(0.85, 0.85011) {
		t.Error("thresholds are one up to a difference of 0.0001")
	}
	for _, c := range []struct {
		fraction float64
		fired    []float64
		want     string
	}{
		{0.84, nil, "[]"}, {0.85, nil, "[0.85]"}, {1.2, nil, "[0.85 0.95 1]"}, {0.97, []float64{0.85}, "[0.95]"},
		{2, []float64{0.85, 0.95, 1}, "[]"},
	} {
		if got := fmt.Sprint(session.Crossed(c.fraction, []float64{0.85, 0.95, 1}, c.fired)); got != c.want {
			t.Errorf("at %v after %v: %s, want %s", c.fraction, c.fired, got, c.want)
		}
	}
	for fraction, want := range map[float64]string{0: "ok", 0.849: "ok", 0.85: "checkpoint", 0.9499: "checkpoint", 0.95: "warning", 0.9999: "warning", 1: "emergency", 1.5: "emergency"} {
		if got := session.Level(fraction, 0.85); got != want {
			t.Errorf("level at %v: %s", fraction, got)
		}
	}
	for threshold, want := range map[float64]domain.Trigger{0.85: domain.TriggerThreshold, 0.9499: domain.TriggerThreshold, 0.95: domain.TriggerWarning, 1: domain.TriggerEmergency} {
		if got := session.TriggerAt(threshold); got != want || got.Class() != domain.ClassAutomatic {
			t.Errorf("trigger at %v: %s", threshold, got)
		}
	}
	for how, want := range map[string]domain.Trigger{"auto": domain.TriggerEmergency, "manual": domain.TriggerPreCompaction, "": domain.TriggerPreCompaction} {
		if got := session.TriggerBeforeCompaction(domain.Compaction{Trigger: how}); got != want {
			t.Errorf("before a compaction of trigger %q: %s", how, got)
		}
	}
	if session.Fraction(domain.Window{Tokens: 5}) != 0 {
		t.Error("without a limit there is no fraction")
	}
}

// 003-02, 003-09, 003-18: a snapshot is due by distance, which no batch jumps over,
// and always when a signal is waited for, at a restore and at the end.
func TestSnapshotDue(t *testing.T) {
	event := func(p domain.Payload) []domain.Event { return talk(t, p).events }
	for _, c := range []struct {
		name      string
		last, seq int64
		batch     []domain.Event
		want      bool
	}{
		{"99 events", 0, 99, nil, false},
		{"100 events", 0, 100, nil, true},
		{"a batch that jumps over 100", 0, 137, nil, true},
		{"150, the last at 100", 100, 150, nil, false},
		{"waiting for a signal", 0, 1, event(domain.Signal{Name: "s", Status: domain.SignalWaiting}), true},
		{"a signal that came", 0, 1, event(domain.Signal{Name: "s", Status: domain.SignalReceived}), false},
		{"the end", 0, 1, event(domain.End{}), true},
		{"a message", 0, 1, event(said("x")), false},
	} {
		if got := session.SnapshotDue(c.last, c.seq, 100, c.batch); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
