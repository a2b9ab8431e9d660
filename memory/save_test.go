package memory_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/transcript"
)

// 002-01, 002-07: the seed's minimal example saves, with the seed's defaults.
func TestSaveMinimal(t *testing.T) {
	s, _ := memorytest.Open(t)
	a := save(t, s, memory.SaveRequest{Project: "my-project", Content: "User asks: How do I authenticate?",
		Summary: "User question about authentication", Tags: []string{"authentication, question"}, Source: "mcp"})
	c := load(t, s, a.ID)
	if c.Causality != nil || c.HasCausality() || c.IsRootCause() || c.HasPrediction() {
		t.Errorf("causality or prediction out of nothing: %+v", c)
	}
	if diff := cmp.Diff([]string{"authentication", "question"}, c.Tags); diff != "" {
		t.Error(diff)
	}
	if c.Summary != "User question about authentication" || c.Source != "mcp" || c.Memory.Tier != domain.TierActive {
		t.Errorf("%+v", c)
	}
	if b := save(t, s, memory.SaveRequest{Content: "without a source"}); load(t, s, b.ID).Source != "unknown" {
		t.Error("the default source is not unknown")
	}
}

// 002-02, 002-07: the seed's full example saves once its placeholder ids are
// those of earlier contexts; as printed it is refused and names the missing ids.
func TestSaveFull(t *testing.T) {
	s, _ := memorytest.Open(t)
	full := memory.SaveRequest{
		Project: "auth-refactor", Content: "Decision: Use OAuth2 with PKCE for mobile app", Summary: "Authentication architecture decision",
		Tags: []string{"oauth", "security", "mobile", "architecture"}, Source: "mcp",
		Metadata:   map[string]any{"userId": "user-123", "sessionId": "session-xyz"},
		ActionType: domain.Decision, CausedBy: "research-context-id", Rationale: "PKCE prevents authorization code interception",
		Dependencies: []string{"research-1", "research-2"},
	}
	_, err := s.Save(ctx, full)
	refused(t, err, domain.KindNotFound)
	for _, id := range []string{"research-context-id", "research-1", "research-2"} {
		if !strings.Contains(err.Error(), id) {
			t.Errorf("%q does not name %s", err, id)
		}
	}
	cause := save(t, s, memory.SaveRequest{Project: "auth-refactor", Content: "Research: how mobile apps authenticate"})
	dep := save(t, s, memory.SaveRequest{Project: "auth-refactor", Content: "Notes from the security review"})
	full.CausedBy, full.Dependencies = cause.ID, []string{dep.ID}
	c := load(t, s, save(t, s, full).ID)
	want := &domain.Causality{ActionType: domain.Decision, CausedBy: cause.ID, Rationale: full.Rationale, Dependencies: []string{dep.ID}}
	if diff := cmp.Diff(want, c.Causality); diff != "" {
		t.Error(diff)
	}
	if c.Metadata["userId"] != "user-123" || c.SessionID != "session-xyz" || c.Kind != domain.Semantic || c.IsRootCause() {
		t.Errorf("%+v", c)
	}
}

// 002-08: metadata.actionType, causedBy and rationale of the seed's own example
// are honoured; an argument wins over them.
func TestSaveHonoursMetadata(t *testing.T) {
	s, _ := memorytest.Open(t)
	root := save(t, s, memory.SaveRequest{Content: "Compared JSON support of three databases", ActionType: domain.Research})
	a := save(t, s, memory.SaveRequest{Content: "Decision: Use PostgreSQL for better JSON support", Metadata: map[string]any{
		"actionType": "decision", "causedBy": root.ID, "rationale": "Need JSONB indexing capabilities"}})
	c := load(t, s, a.ID)
	if c.Causality == nil || c.Causality.ActionType != domain.Decision || c.Causality.CausedBy != root.ID || c.Causality.Rationale == "" {
		t.Errorf("%+v", c.Causality)
	}
	b := save(t, s, memory.SaveRequest{Content: "argument wins", ActionType: domain.FileEdit, Metadata: map[string]any{"actionType": "decision"}})
	if load(t, s, b.ID).Causality.ActionType != domain.FileEdit {
		t.Error("metadata won over the argument")
	}
	d := save(t, s, memory.SaveRequest{Content: "a slip of the pen", Metadata: map[string]any{"actionType": "decison"}})
	if c := load(t, s, d.ID); c.HasCausality() || c.Metadata["actionType"] != "decison" || len(d.Notes) != 1 || !strings.Contains(d.Notes[0], `action_type "decison" is unknown`) {
		t.Errorf("a word that is no action type: %+v, %q", c.Causality, d.Notes)
	}
}

// 002-06: what was given stays exactly as it was, byte for byte.
func TestSaveKeepsContentExactly(t *testing.T) {
	s, _ := memorytest.Open(t)
	for _, content := range []string{" leading and trailing \n\n", "tabs\tand \r\n line ends", "emoji 🎯 and العربية and 日本語", strings.Repeat("x", domain.MaxContent)} {
		if got := load(t, s, save(t, s, memory.SaveRequest{Content: content}).ID).Content; got != content {
			t.Errorf("%d bytes became %d", len(content), len(got))
		}
	}
}

// The same content again answers what is there; with a time of its own it is a
// new fact; in another project too.
func TestSaveTwice(t *testing.T) {
	s, _ := memorytest.Open(t)
	req := memory.SaveRequest{Content: "We use port 5433 for the test database"}
	first, again := save(t, s, req), save(t, s, req)
	if !again.Existing || again.ID != first.ID {
		t.Errorf("saved twice: %+v", again)
	}
	req.Timestamp = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if a := save(t, s, req); a.Existing {
		t.Error("one with its own time is taken for the old one")
	}
	req.Timestamp, req.Project = time.Time{}, "other"
	if a := save(t, s, req); a.Existing {
		t.Error("another project's is taken for this one's")
	}
}

// Who goes back to what was replaced, in the same words, learns that it does not hold.
func TestSaveAgainWhatWasReplaced(t *testing.T) {
	s, _ := memorytest.Open(t)
	req := memory.SaveRequest{Content: "We build with Bazel"}
	old := save(t, s, req)
	later := save(t, s, memory.SaveRequest{Content: "Ninja builds everything", Supersedes: old.ID})
	if a := save(t, s, req); !a.Existing || len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "no longer holds, because "+later.ID+" replaced it") {
		t.Errorf("%+v", a)
	}
}

// What cannot be kept is refused in words and leaves nothing behind.
func TestSaveRefuses(t *testing.T) {
	s, c := memorytest.Open(t)
	tests := map[string]memory.SaveRequest{
		"empty":          {Content: ""},
		"blank":          {Content: " \n\t "},
		"2 MiB":          {Content: strings.Repeat("x", 2<<20)},
		"64 MiB":         {Content: strings.Repeat("x", 64<<20)},
		"NUL":            {Content: "a\x00b"},
		"broken UTF-8":   {Content: "a\xffb"},
		"long project":   {Content: "x", Project: strings.Repeat("p", 10_000)},
		"all projects":   {Content: "x", Project: "*"},
		"control":        {Content: "x", Project: "a\nb"},
		"long tag":       {Content: "x", Tags: []string{strings.Repeat("t", 201)}},
		"too many tags":  {Content: "x", Tags: strings.Split(strings.Repeat("t,", 65), ",")[:65]},
		"many in one":    {Content: "x", Tags: []string{strings.Repeat("t,", 65)}},
		"long in one":    {Content: "x", Tags: []string{"a," + strings.Repeat("t", 201)}},
		"two days ahead": {Content: "x", Timestamp: c.Now().Add(48 * time.Hour)},
		"NUL in session": {Content: "x", SessionID: "a\x00b"},
		"odd session":    {Content: "x", SessionID: "a\xff"},
		"in metadata":    {Content: "x", Metadata: map[string]any{"sessionId": "a\x00b"}},
		"long metadata":  {Content: "x", Metadata: map[string]any{"log": strings.Repeat("m", 1<<20)}},
		"odd metadata":   {Content: "x", Metadata: map[string]any{"share": math.NaN()}},
		"long summary":   {Content: "x", Summary: strings.Repeat("s", domain.MaxSummary+1)},
		"NUL in summary": {Content: "x", Summary: "a\x00b"},
	}
	for name, req := range tests {
		_, err := s.Save(ctx, req)
		if refused(t, err, domain.KindInvalid); t.Failed() {
			t.Fatal(name)
		}
	}
	if a, err := s.Load(ctx, memory.LoadRequest{Project: "*"}); err != nil || len(a.Contexts) != 0 {
		t.Errorf("something was kept: %v %v", a, err)
	}
}

// Tags that a model gives as one text are limited as tags, not as a text.
func TestSaveTagsInOneText(t *testing.T) {
	s, clock := memorytest.Open(t)
	var tags []string
	for i := range domain.MaxTags {
		tags = append(tags, fmt.Sprint("quite-long-tag-", i))
	}
	id := save(t, s, memory.SaveRequest{Content: "x", Tags: []string{strings.Join(tags, ", ")}}).ID
	if c := load(t, s, id); !slices.Equal(c.Tags, tags) {
		t.Errorf("%q", c.Tags)
	}
	if _, err := s.Update(ctx, memory.UpdateRequest{ID: id, AddTags: []string{"one more"}}); domain.KindOf(err) != domain.KindInvalid {
		t.Errorf("one more: %v", err)
	}
	imported := domain.ContextSnapshot{ID: "i", Content: "y", Tags: append(tags, "one more"), Timestamp: clock.Now()}
	if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.WakeIQX, Name: "dump", Project: "demo",
		Items: items(transcript.Item{Context: &imported, Whole: true})}); err != nil {
		t.Fatal(err)
	}
	pinned := true
	if c, err := s.Update(ctx, memory.UpdateRequest{ID: "i", Pinned: &pinned}); err != nil || !c.Pinned || len(c.Tags) != domain.MaxTags+1 {
		t.Errorf("a context with more of them: %+v, %v", c, err)
	}
}

// A summary may be as long in every script: characters count, not bytes.
func TestSummaryLimitCountsCharacters(t *testing.T) {
	s, _ := memorytest.Open(t)
	summary := strings.Repeat("缓", domain.MaxSummary)
	if a := save(t, s, memory.SaveRequest{Content: "x", Summary: summary}); a.Summary != summary {
		t.Errorf("%d bytes are kept of %d", len(a.Summary), len(summary))
	}
}

// Secrets are masked in what is derived and exact in what is stored.
func TestSaveMasksSecrets(t *testing.T) {
	s, _ := memorytest.Open(t)
	content := "Deploy uses token ghp_" + strings.Repeat("aB3dE6", 6) + " for the release job."
	a := save(t, s, memory.SaveRequest{Content: content})
	if strings.Contains(a.Summary, "ghp_") || !strings.Contains(a.Summary, "[secret:github_token]") {
		t.Errorf("summary %q", a.Summary)
	}
	if load(t, s, a.ID).Content != content {
		t.Error("the stored text changed")
	}
	hits, err := s.Search(ctx, memory.SearchRequest{Query: "deploy token release"})
	if err != nil || len(hits.Hits) != 1 || strings.Contains(hits.Hits[0].Snippet, "ghp_") {
		t.Errorf("%+v %v", hits, err)
	}
}

// Related contexts of the last hour are linked by themselves, with confidence
// and reason; they are dependencies and create no causality.
func TestSaveLinksByItself(t *testing.T) {
	s, c := memorytest.Open(t)
	design := save(t, s, memory.SaveRequest{Content: "OAuth token refresh: design of the rotation for mobile clients"})
	save(t, s, memory.SaveRequest{Content: "Lunch on Friday is pizza"})
	c.Pass(10 * time.Minute)
	a := save(t, s, memory.SaveRequest{Content: "OAuth token refresh fails for mobile clients after rotation"})
	if len(a.Links) != 1 || a.Links[0].To != design.ID || a.Links[0].Kind != domain.Dependency || a.Links[0].Reason != "shares clients, mobile, OAuth, refresh, saved 10 min before" || a.Causality != nil {
		t.Errorf("%+v", a)
	}
	c.Pass(2 * time.Hour)
	if b := save(t, s, memory.SaveRequest{Content: "OAuth token refresh works for mobile clients again"}); len(b.Links) != 0 {
		t.Errorf("links over two hours: %+v", b.Links)
	}
}

// Nearly the same words are pointed out.
func TestSaveNearDuplicate(t *testing.T) {
	s, _ := memorytest.Open(t)
	first := save(t, s, memory.SaveRequest{Content: "The staging database listens on port 5433 since the move"})
	a := save(t, s, memory.SaveRequest{Content: "The staging database listens on port 5433, since the move!"})
	if len(a.NearDuplicates) != 1 || a.NearDuplicates[0].ID != first.ID {
		t.Errorf("%+v", a.NearDuplicates)
	}
}

// Who replaces what was replaced before is told what holds in its place, lest two
// contradict each other.
func TestSaveSupersedesWhatNoLongerHolds(t *testing.T) {
	s, _ := memorytest.Open(t)
	first := save(t, s, memory.SaveRequest{Content: "The port is 80"})
	second := save(t, s, memory.SaveRequest{Content: "The daemon listens at 8080 now", Supersedes: first.ID})
	third := save(t, s, memory.SaveRequest{Content: "Nobody listens below 9000 any more", Supersedes: second.ID})
	if notes := slices.Concat(second.Notes, third.Notes); len(notes) > 0 {
		t.Errorf("notes where all is well: %q", notes)
	}
	last := save(t, s, memory.SaveRequest{Content: "A socket took the place of all ports", Supersedes: first.ID})
	if len(last.Notes) != 1 || !strings.Contains(last.Notes[0], first.ID+" was replaced before, by "+third.ID) {
		t.Errorf("notes %q", last.Notes)
	}
}

// Saving what replaces something marks that as superseded, by id and time.
func TestSaveSupersedes(t *testing.T) {
	s, c := memorytest.Open(t)
	old := save(t, s, memory.SaveRequest{Content: "We cache sessions in Redis", ActionType: domain.Decision})
	c.Pass(time.Hour)
	fresh := save(t, s, memory.SaveRequest{Content: "We keep sessions in Postgres", ActionType: domain.Decision, Supersedes: old.ID})
	got := load(t, s, old.ID)
	if got.SupersededBy != fresh.ID || !got.SupersededAt.Equal(c.Now()) {
		t.Errorf("%s at %s", got.SupersededBy, got.SupersededAt)
	}
	hits, err := s.Search(ctx, memory.SearchRequest{Query: "where do we cache or keep sessions in Redis"})
	if err != nil || len(hits.Hits) != 2 || hits.Hits[0].ID != fresh.ID || hits.Hits[1].SupersededBy != fresh.ID {
		t.Errorf("%+v %v", hits.Hits, err)
	}
}
