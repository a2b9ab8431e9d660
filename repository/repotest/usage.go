package repotest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/repository"
)

func testUsage(t *testing.T, fresh Fresh) {
	run(t, fresh, map[string]func(*testing.T, repository.Store){
		"Scores":          testScores,
		"Counters":        testAccessCounters,
		"ByPlace":         testAccessByPlace,
		"Log":             testAccessLog,
		"LogNumbers":      testAccessNumbers,
		"BorneOut":        testOutcomesAccessed,
		"LastSeen":        testLastSeen,
		"Births":          testBirths,
		"Outcomes":        testOutcomes,
		"PredictionStats": testPredictionStats,
		"Tiers":           testTiers,
	})
}

func access(t testing.TB, s repository.Store, accesses ...domain.Access) {
	t.Helper()
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.RecordAccesses(ctx, accesses) })
}

func used(k, minute int) domain.Access {
	return domain.Access{ContextID: id(k), At: at(minute), How: domain.Used, Via: "load_context", Actor: "claude", SessionID: "s1"}
}

// What is handed back counts, what is only shown does not (002-03); last_accessed
// never goes back.
func testAccessCounters(t *testing.T, s repository.Store) {
	for k := 1; k <= 3; k++ {
		c := sample(k)
		c.Memory.Tier = domain.TierArchived
		save(t, s, c)
	}
	handed, shown := used(1, 40), used(2, 50)
	handed.How, shown.How = domain.Handed, domain.Shown
	access(t, s, used(1, 60), handed, shown, used(99, 60))
	access(t, s, used(1, 30))
	want := domain.Memory{Tier: domain.TierActive, LastAccessed: at(60), AccessCount: 3}
	if diff := cmp.Diff(want, one(t, s, id(1)).Memory); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(domain.Memory{Tier: domain.TierArchived}, one(t, s, id(2)).Memory); diff != "" {
		t.Error(diff)
	}
}

// Whoever knows a context's number and project may name them. If one is wrong, its id
// counts; what is forgotten is not used.
func testAccessByPlace(t *testing.T, s repository.Store) {
	saveSome(t, s, 4)
	forget(t, s, 9, 4)
	by := func(k int, n int64, project string) domain.Access {
		a := used(k, 30+k)
		a.ContextN, a.Project = n, project
		return a
	}
	access(t, s, by(1, 1, "wake"), by(1, 1, "wake"), by(2, 3, "wake"), by(3, 3, "other"), by(4, 4, "wake"), used(1, 20))
	for k, want := range map[int]int64{1: 3, 2: 1, 3: 1} {
		if got := one(t, s, id(k)).Memory; got.AccessCount != want || got.LastAccessed != at(30+k) {
			t.Errorf("context %d was used %d times, last at %v; want %d times", k, got.AccessCount, got.LastAccessed, want)
		}
	}
	got := ""
	for _, x := range must(s.AccessLog(t.Context(), "", 0, 10))(t) {
		got += fmt.Sprint(x.ContextN, " ", x.Project, " ")
		if x.ContextID != id(int(x.ContextN)) {
			t.Errorf("the log calls context %d %s", x.ContextN, x.ContextID)
		}
	}
	if want := "1 wake 1 wake 2 wake 3 wake 1 wake "; got != want {
		t.Errorf("the log has %q, want %q", got, want)
	}
}

// The log holds every access in order of commit, and can be read on from any
// number.
func testAccessLog(t *testing.T, s repository.Store) {
	other := sample(2)
	other.Project = "other"
	save(t, s, sample(1), other)
	shown := used(1, 5)
	shown.How = domain.Shown
	access(t, s, used(1, 30), used(2, 20))
	access(t, s, shown)
	log := must(s.AccessLog(t.Context(), "", 0, 10))(t)
	want := []domain.Access{used(1, 30), used(2, 20), shown}
	for i := range want {
		want[i].N, want[i].Project = int64(i+1), []string{"wake", "other", "wake"}[i]
		want[i].ContextN = []int64{1, 2, 1}[i]
	}
	if diff := cmp.Diff(want, log); diff != "" {
		t.Error(diff)
	}
	if got := must(s.AccessLog(t.Context(), "wake", log[0].N, 10))(t); len(got) != 1 || got[0].N != log[2].N {
		t.Errorf("read on behind %d: %+v", log[0].N, got)
	}
	if got := must(s.AccessLog(t.Context(), "", 0, 2))(t); len(got) != 2 {
		t.Errorf("limit 2 gave %d", len(got))
	}
}

// A number of the log is never given twice: readers go on from the last they saw.
func testAccessNumbers(t *testing.T, s repository.Store) {
	saveSome(t, s, 2)
	access(t, s, used(1, 30), used(2, 31))
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.EraseContext(ctx, id(2), at(40)) })
	access(t, s, used(1, 50))
	got := must(s.AccessLog(t.Context(), "", 2, 10))(t)
	if len(got) != 1 || got[0].N != 3 {
		t.Errorf("behind number 2: %+v", got)
	}
}

// Only uses behind a prediction and within its horizon bear it out, whatever was done with
// the context since.
func testOutcomesAccessed(t *testing.T, s repository.Store) {
	saveSome(t, s, 6)
	made := make([]domain.Outcome, 6)
	for i := range made {
		made[i] = domain.Outcome{ContextID: id(i + 1), PredictedAt: at(10), Horizon: 10 * time.Minute}
	}
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.RecordPredictions(ctx, made) })
	handed := used(4, 15)
	handed.How = domain.Handed
	access(t, s, used(1, 11), used(1, 30), used(2, 20), used(3, 10), used(3, 21), handed, used(5, 15))
	forget(t, s, 40, 5)
	got := map[string]bool{}
	for _, o := range must(s.Outcomes(t.Context(), at(50), 10))(t) {
		got[o.ContextID] = o.Accessed
	}
	want := map[string]bool{id(1): true, id(2): true, id(3): false, id(4): false, id(5): true, id(6): false}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func testLastSeen(t *testing.T, s repository.Store) {
	saveSome(t, s, 5)
	seen := func(k, minute int, how domain.How) domain.Access {
		a := used(k, minute)
		a.How = how
		return a
	}
	access(t, s, used(1, 30), seen(1, 90, domain.Shown), used(2, 30), seen(2, 20, domain.Shown), seen(3, 40, domain.Handed), seen(4, 50, domain.Gone))
	want := map[string]time.Time{id(1): at(90), id(2): at(30), id(3): at(40)}
	if diff := cmp.Diff(want, must(s.LastSeen(t.Context(), idList(1, 2, 3, 4, 5)))(t)); diff != "" {
		t.Error(diff)
	}
}

// Predictions come up when their horizon has passed, and once settled not again.
func testOutcomes(t *testing.T, s repository.Store) {
	saveSome(t, s, 3)
	forget(t, s, 5, 3)
	made := domain.Outcome{ContextID: id(1), PredictedAt: at(0), Horizon: time.Hour, Rank: 1, Score: 0.5, Probability: 0.25}
	later := made
	later.ContextID, later.Horizon = id(2), 2*time.Hour
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		return tx.RecordPredictions(ctx, []domain.Outcome{later, made, {ContextID: id(99), PredictedAt: at(0)}, {ContextID: id(3), PredictedAt: at(0)}})
	})
	if got := must(s.Outcomes(t.Context(), at(59), 10))(t); len(got) != 0 {
		t.Errorf("too early: %+v", got)
	}
	due := must(s.Outcomes(t.Context(), at(60), 10))(t)
	made.N, made.Project = 2, "wake"
	if diff := cmp.Diff([]domain.Outcome{made}, due); diff != "" {
		t.Fatal(diff)
	}
	if got := must(s.Outcomes(t.Context(), at(120), 1))(t); len(got) != 1 || got[0].N != made.N {
		t.Errorf("the first that was due is not the first of those that are: %+v", got)
	}
	due[0].Accessed, due[0].SettledAt = true, at(61)
	missed := due[0]
	missed.Accessed = false
	do(t, s, func(ctx context.Context, tx repository.Tx) error { // the second settles nothing
		return tx.SettleOutcomes(ctx, append(due, missed))
	})
	if got := must(s.Outcomes(t.Context(), at(61), 10))(t); len(got) != 0 {
		t.Errorf("settled, but due: %+v", got)
	}
	p := must(s.PredictionStats(t.Context(), "wake"))(t)
	if p.Pending != 1 || p.Settled != 1 || p.Hits != 1 || p.Brier != 0.5625 || p.BrierBase != 0 {
		t.Errorf("statistics %+v", p)
	}
}

// The future layer is counted over what has a score and is not forgotten, per
// project or over all, alone as well as with everything else.
func testPredictionStats(t *testing.T, s repository.Store) {
	saveSome(t, s, 5)
	first := []string{"recently_accessed", "decision_node"}
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		_, err := tx.PutScores(ctx, map[string]domain.Propagation{
			id(1): {PredictionScore: 0.75, LastPredicted: at(9), PropagationReason: first},
			id(2): {PredictionScore: 0.25, LastPredicted: at(30), PropagationReason: first[:1]},
			id(3): {PredictionScore: 1, LastPredicted: at(40), PropagationReason: first},
			id(4): {PredictionScore: 0, LastPredicted: at(8)},
		})
		return err
	})
	forget(t, s, 41, 3)
	want := domain.PredictionStats{Predicted: 3, AverageScore: 1. / 3, LastRefresh: at(30),
		Reasons: map[string]int64{"recently_accessed": 2, "decision_node": 1}}
	for _, project := range []string{"wake", ""} {
		for by, got := range map[string]domain.PredictionStats{
			"alone": must(s.PredictionStats(t.Context(), project))(t),
			"whole": must(s.Stats(t.Context(), project, at(61), nil))(t).Prediction,
		} {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q, %s: %s", project, by, diff)
			}
		}
	}
	if got := must(s.PredictionStats(t.Context(), "another"))(t); got.Predicted != 0 || !got.LastRefresh.IsZero() {
		t.Errorf("of another project: %+v", got)
	}
}

// Only wrong tiers are found, at most limit at a time, and written where they still
// are wrong; a second run finds nothing to do.
func testTiers(t *testing.T, s repository.Store) {
	saveSome(t, s, 20)
	access(t, s, used(1, 60))
	spans := map[domain.Tier]domain.Span{
		domain.TierActive: {From: at(15)}, domain.TierRecent: {From: at(10), To: at(15)},
		domain.TierArchived: {From: at(5), To: at(10)}, domain.TierExpired: {To: at(5)},
	}
	set := func(project string, limit int) (total int) {
		for right, ns := range must(s.WrongTiers(t.Context(), project, spans, limit))(t) {
			total += setTier(t, s, right, spans[right], ns...)
		}
		return total
	}
	save(t, s, sample(21), sample(22))
	forget(t, s, 23, 21)
	forget(t, s, 23, 22)
	if got := setTier(t, s, domain.TierExpired, domain.Span{}, 22); got != 0 {
		t.Errorf("a forgotten one changed")
	}
	forgotten := map[domain.Tier]domain.Span{domain.TierRecent: {From: at(21), To: at(22)}}
	if got := must(s.WrongTiers(t.Context(), "", forgotten, 10))(t); len(got) != 0 {
		t.Errorf("a forgotten one is in the wrong tier: %v", got)
	}
	if got := fmt.Sprint(set("none", 100), set("wake", 4), set("wake", 100), set("", 100)); got != "0 4 9 0" {
		t.Errorf("changed %s, want 0 4 9 0", got)
	}
	if got := setTier(t, s, domain.TierExpired, spans[domain.TierExpired], one(t, s, id(15)).N); got != 0 {
		t.Errorf("one that was used since it was found changed")
	}
	for k, want := range map[int]domain.Tier{1: domain.TierActive, 4: domain.TierExpired, 5: domain.TierArchived, 14: domain.TierRecent, 15: domain.TierActive} {
		if got := one(t, s, id(k)).Memory.Tier; got != want {
			t.Errorf("context %d is %s, want %s", k, got, want)
		}
	}
	if got := must(s.Stats(t.Context(), "", at(61), spans))(t).Tiers; !cmp.Equal(got, map[domain.Tier]int64{
		domain.TierActive: 7, domain.TierRecent: 5, domain.TierArchived: 5, domain.TierExpired: 3}) {
		t.Errorf("counted %v", got)
	}
}

func setTier(t testing.TB, s repository.Store, right domain.Tier, span domain.Span, ns ...int64) (n int) {
	t.Helper()
	do(t, s, func(ctx context.Context, tx repository.Tx) (err error) {
		n, err = tx.SetTier(ctx, right, span, ns)
		return err
	})
	return n
}

// Scores replace the future layer of those contexts that are there, nothing else.
func testScores(t *testing.T, s repository.Store) {
	saveSome(t, s, 3)
	forget(t, s, 5, 3)
	want := one(t, s, id(1))
	want.Propagation = &domain.Propagation{PredictionScore: 0.75, LastPredicted: at(9), PropagationReason: []string{"recently_accessed"}}
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		n, err := tx.PutScores(ctx, map[string]domain.Propagation{id(1): *want.Propagation, id(3): {PredictionScore: 1}, id(99): {PredictionScore: 1}})
		if n != 1 {
			t.Errorf("%d stored, want 1", n)
		}
		return err
	})
	if diff := cmp.Diff(want, one(t, s, id(1))); diff != "" {
		t.Error(diff)
	}
	if got := one(t, s, id(2)).Propagation; got != nil {
		t.Errorf("another context got %+v", got)
	}
}

// What a context said of itself when it was saved is the same whatever became of it:
// new tags, another cause, a forgotten cause, its own forgetting.
func testBirths(t *testing.T, s repository.Store) {
	saveSome(t, s, 2)
	c := sample(3)
	c.Tags, c.Metadata = []string{"b", "a"}, map[string]any{"path": "cart.go"}
	c.Causality = &domain.Causality{ActionType: domain.Decision, CausedBy: id(1), Dependencies: idList(2)}
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		if err := Insert(ctx, tx, c); err != nil {
			return err
		}
		auto := link(id(3), id(1), domain.Dependency, 3) // found by wake, not said
		auto.Origin = domain.Auto
		return tx.AddLinks(ctx, []domain.Link{auto, link(id(3), id(1), domain.Cause, 3), link(id(3), id(2), domain.Dependency, 3)})
	})
	want := []domain.Birth{{ContextN: c.N, CauseN: 1, Dependencies: 1, Metadata: c.Metadata, Tags: []string{"a", "b"}}}
	same := func(when string) {
		t.Helper()
		if diff := cmp.Diff(want, must(s.Births(t.Context(), []int64{c.N, 99}))(t)); diff != "" {
			t.Errorf("%s: %s", when, diff)
		}
	}
	same("saved")
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		_, err := tx.UpdateContext(ctx, id(3), at(10), func(c *domain.ContextSnapshot) error {
			c.Tags = []string{"z"}
			c.Causality.CausedBy, c.Causality.Dependencies = id(2), idList(1, 2)
			return nil
		})
		if err != nil {
			return err
		}
		return tx.AddLinks(ctx, []domain.Link{link(id(3), id(2), domain.Cause, 10)})
	})
	same("changed")
	forget(t, s, 11, 1, 3)
	same("forgotten")
	other, caused := sample(4), sample(5)
	other.Project = "other"
	save(t, s, other)
	save(t, s, caused)
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		return tx.AddLinks(ctx, []domain.Link{link(id(5), id(4), domain.Cause, 5)})
	})
	if got := must(s.Births(t.Context(), []int64{5}))(t); len(got) != 1 || got[0].CauseN != 0 {
		t.Errorf("a cause in another project is told: %+v", got)
	}
}
