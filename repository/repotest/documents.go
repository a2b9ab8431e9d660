package repotest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/repository"
)

func testDocuments(t *testing.T, fresh Fresh) {
	run(t, fresh, map[string]func(*testing.T, repository.Store){
		"Filters":    testDocumentFilters,
		"Neighbours": testNeighbours,
		"Forgotten":  testDocumentsForgotten,
		"Behind":     testDocumentsBehind,
		"Messages":   apart(testDocumentsOfMessages),
		"Said":       apart(testSaidBetween),
		"Contexts":   testContextsByDocument,
		"Then":       testContextsThen,
		"Clear":      testClearDocuments,
		"Removals":   testDropRemovals,
		"Check":      testCheckDocuments,
		"Embeddings": testEmbeddings,
	})
	t.Run("Order", func(t *testing.T) { testDocumentOrder(t, fresh(t)) })
}

// findable returns the ids of the contexts that a search may find, in the order
// of their documents.
func findable(t testing.TB, s repository.Reader) []string {
	t.Helper()
	return ids(must(s.ContextsByN(t.Context(), contextsIn(t, s, "", domain.Filters{}), false, time.Time{}))(t))
}

// contextsIn returns the numbers of the contexts whose documents pass f.
func contextsIn(t testing.TB, s repository.Reader, project string, f domain.Filters) (out []int64) {
	t.Helper()
	q := domain.DocumentQuery{Project: project, Filters: f}
	ns := must(s.DocumentsWhere(t.Context(), q))(t)
	few, among := q, q
	if few.Limit = (len(ns) + 1) / 2; few.Limit > 0 {
		if got := must(s.DocumentsWhere(t.Context(), few))(t); len(got) != few.Limit || len(subtract(got, ns)) > 0 {
			t.Errorf("%d of %v are %v", few.Limit, ns, got)
		}
	}
	among.Among = append([]int64{1 << 40, 3, 1}, ns...)
	if got := must(s.DocumentsWhere(t.Context(), among))(t); len(subtract(ns, got)) > 0 || len(subtract(got, ns)) > 0 {
		t.Errorf("among %v are %v, want %v", among.Among, got, ns)
	}
	among.Among = ns[:len(ns)/2]
	if got := must(s.DocumentsWhere(t.Context(), among))(t); len(ns) > 1 && !cmp.Equal(got, among.Among) {
		t.Errorf("among some that pass, %v, are %v", among.Among, got)
	}
	contexts := must(s.ContextsByDocument(t.Context(), ns, f.AsOf))(t)
	for _, n := range ns {
		out = append(out, contexts[n].N)
	}
	return out
}

// subtract returns the numbers that are not among the others.
func subtract(ns, others []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(ns), func(n int64) bool { return slices.Contains(others, n) })
}

// putDocument stores a document and returns its number.
func putDocument(t testing.TB, s repository.Store, d domain.Document) (n int64) {
	t.Helper()
	do(t, s, func(ctx context.Context, tx repository.Tx) (err error) {
		n, err = tx.PutDocument(ctx, d)
		return err
	})
	return n
}

// ofMessage is a document of an event of session s.
func ofMessage(seq int64) domain.Document {
	return domain.Document{DocumentSource: domain.DocumentSource{SessionID: "s", Seq: seq}, Space: domain.MessageSpace, Scope: "demo", Stream: 9,
		Data: []byte(fmt.Sprint("message ", seq))}
}

// Documents that come right behind another get the next numbers, and name the one
// before them or come as their contexts do; those that would not are refused.
func testDocumentsBehind(t *testing.T, s repository.Store) {
	chain := func(n int64, count int) (docs []domain.Document) {
		for i := range count {
			d := ofMessage(int64(i) + 2)
			d.Prev = n + int64(i)
			docs = append(docs, d)
		}
		return docs
	}
	var first int64
	do(t, s, func(ctx context.Context, tx repository.Tx) (err error) {
		if first, err = tx.PutDocument(ctx, ofMessage(1)); err != nil {
			return err
		}
		return tx.PutDocumentsBehind(ctx, first, chain(first, 150))
	})
	for i := range int64(151) {
		d, err := s.DocumentOf(t.Context(), ofMessage(i+1).DocumentSource)
		if err != nil || d.N != first+i || i > 0 && d.Prev != d.N-1 {
			t.Fatalf("message %d is document %d behind %d, %v; want %d", i+1, d.N, d.Prev, err, first+i)
		}
	}
	err := try(t, s, func(ctx context.Context, tx repository.Tx) error {
		return tx.PutDocumentsBehind(ctx, first, chain(first, 2))
	})
	wantKind(t, err, domain.KindConflict)
	behind := func(contexts ...*domain.ContextSnapshot) error {
		return try(t, s, func(ctx context.Context, tx repository.Tx) error {
			var docs []domain.Document
			for _, c := range contexts {
				if err := tx.InsertContext(ctx, c); err != nil {
					return err
				}
				docs = append(docs, document(c))
			}
			n, err := tx.PutDocument(ctx, docs[0])
			if err != nil {
				return err
			}
			return tx.PutDocumentsBehind(ctx, n, docs[1:])
		})
	}
	if err := behind(sample(1), sample(2), sample(3)); err != nil {
		t.Error(err)
	}
	number := func(k int64) int64 {
		return must(s.DocumentOf(t.Context(), domain.DocumentSource{ContextN: k}))(t).N
	}
	if first := number(1); number(2) != first+1 || number(3) != first+2 {
		t.Errorf("contexts 1 to 3 are documents %d, %d and %d", first, number(2), number(3))
	}
	if err := behind(sample(4)); err != nil {
		t.Errorf("none behind the first: %v", err)
	}
	gap, last := sample(6), sample(7)
	err = try(t, s, func(ctx context.Context, tx repository.Tx) error { // the numbers of the contexts have a gap, those of the documents have none
		for _, c := range []*domain.ContextSnapshot{sample(5), gap, last} {
			if err := tx.InsertContext(ctx, c); err != nil {
				return err
			}
		}
		n, err := tx.PutDocument(ctx, document(gap))
		if err != nil {
			return err
		}
		return tx.PutDocumentsBehind(ctx, n, []domain.Document{document(last), document(gap)})
	})
	wantKind(t, err, domain.KindConflict)
}

// Numbers rise in the order of commits, whichever store writes, so that one who
// has seen a number has seen all below it.
func testDocumentOrder(t *testing.T, open Open) {
	stores := []repository.Store{open(), open()}
	const writers, each = 6, 10
	together(writers, func(w int) {
		for k := range each {
			c := sample(w*each + k + 1)
			err := stores[w%2].Write(t.Context(), repository.Relaxed, func(tx repository.Tx) error { return Insert(t.Context(), tx, c) })
			if err != nil {
				t.Error(err)
			}
		}
	})
	reader := stores[0].SearchIndex(domain.ContextSpace)
	var all []int64
	for after := int64(0); ; after = all[len(all)-1] {
		before := len(all)
		rows, err := reader.Rows(t.Context(), after, 7, func(n int64, doc []byte) error {
			if len(doc) == 0 {
				t.Errorf("document %d is empty", n)
			}
			all = append(all, n)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(all)-before != rows {
			t.Fatalf("%d documents, said to be %d", len(all)-before, rows)
		}
		if rows == 0 {
			break
		}
	}
	contexts := must(stores[1].ContextsByDocument(t.Context(), all, time.Time{}))(t)
	for i, n := range all {
		if want := int64(i + 1); contexts[n].N != want || i > 0 && n <= all[i-1] {
			t.Fatalf("document %d is of context %d, want %d", n, contexts[n].N, want)
		}
	}
	if len(all) != writers*each {
		t.Errorf("%d documents, want %d", len(all), writers*each)
	}
}

// The project and the filters narrow the documents as they do lists.
func testDocumentFilters(t *testing.T, s repository.Store) {
	var all []*domain.ContextSnapshot
	for k := 1; k <= 40; k++ {
		c := sample(k)
		c.Project = []string{"wake", "Wake", "other project", "wake~2"}[k%4]
		c.Tags = []string{fmt.Sprint("t", k%5)}
		if k%2 == 0 {
			c.Causality = &domain.Causality{ActionType: domain.Decision}
		}
		all = append(all, c)
	}
	save(t, s, all...)
	for project, want := range map[string]int{"": 40, "wake": 10, "Wake": 10, "other project": 10, "wake~2": 10, "project": 0} {
		if got := contextsIn(t, s, project, domain.Filters{}); len(got) != want {
			t.Errorf("project %q: %d, want %d", project, len(got), want)
		}
	}
	for name, f := range map[string]domain.Filters{
		"action": {ActionTypes: []domain.ActionType{domain.Decision}},
		"since":  {Since: at(21)}, "until": {Until: at(21)}, "as of": {AsOf: at(20)},
		"touched": {Touched: []domain.Span{{From: at(21)}}},
	} {
		if got := contextsIn(t, s, "", f); len(got) != 20 {
			t.Errorf("filter %s: %d, want 20", name, len(got))
		}
	}
	if got := contextsIn(t, s, "wake", domain.Filters{Tags: []string{"t1"}}); len(got) != 2 {
		t.Errorf("tag and project gave %d", len(got))
	}
	if got := contextsIn(t, s, "wake", domain.Filters{Tags: []string{"T1"}}); len(got) != 2 {
		t.Errorf("a tag in capitals gave %d", len(got))
	}
	if got := must(s.DocumentsWhere(t.Context(), domain.DocumentQuery{Space: domain.MessageSpace}))(t); len(got) != 0 {
		t.Errorf("contexts are among the messages: %v", got)
	}
}

// A document knows the one before it in its stream, and is found by its source.
func testNeighbours(t *testing.T, s repository.Store) {
	saveSome(t, s, 1)
	first := must(s.LastInStream(t.Context(), 7))(t)
	c := sample(2)
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.InsertContext(ctx, c) })
	d := document(c)
	d.Prev = first
	second := putDocument(t, s, d)
	third := putDocument(t, s, ofMessage(3))
	x := s.SearchIndex(domain.ContextSpace)
	if diff := cmp.Diff([]int64{second, 0, 0}, must(x.Next(t.Context(), []int64{first, second, 99}))(t)); diff != "" {
		t.Error(diff)
	}
	want := map[int64]string{second: "document of content number 2", first: "document of content number 1"}
	if diff := cmp.Diff(want, rowsOf(t, x, second, 99, first)); diff != "" {
		t.Error(diff)
	}
	got := must(s.DocumentOf(t.Context(), domain.DocumentSource{ContextN: c.N}))(t)
	if got.N != second || got.Prev != first || got.Stream != 7 || got.Scope != "wake" {
		t.Errorf("of the context: %+v", got)
	}
	if got := must(s.DocumentOf(t.Context(), domain.DocumentSource{ContextN: 99}))(t); got.N != 0 {
		t.Errorf("of nothing: %+v", got)
	}
	for stream, want := range map[int64]int64{7: second, 9: third, 8: 0} {
		if got := must(s.LastInStream(t.Context(), stream))(t); got != want {
			t.Errorf("the last of stream %d is %d, want %d", stream, got, want)
		}
	}
}

// rowsOf reads the documents with these numbers.
func rowsOf(t *testing.T, x repository.SearchIndex, ns ...int64) map[int64]string {
	t.Helper()
	out := map[int64]string{}
	err := x.Docs(t.Context(), ns, func(n int64, doc []byte) error {
		out[n] = string(doc)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Contexts are found by their documents as far as an answer shows them, as long as
// they live.
func testContextsByDocument(t *testing.T, s repository.Store) {
	message := putDocument(t, s, ofMessage(1))
	saveSome(t, s, 3)
	save(t, s, full())
	forget(t, s, 10, 2)
	want := map[int64]domain.ContextSnapshot{}
	asked := []int64{99, message}
	for _, c := range must(s.ContextsByN(t.Context(), []int64{1, 2, 3, 4}, true, time.Time{}))(t) {
		of := must(s.DocumentOf(t.Context(), domain.DocumentSource{ContextN: c.N}))(t)
		asked = append(asked, of.N)
		want[of.N] = domain.ContextSnapshot{N: c.N, ID: c.ID, Project: c.Project, Summary: c.Summary, Tags: c.Tags, Timestamp: c.Timestamp, Content: c.Content,
			Memory: domain.Memory{Tier: c.Memory.Tier, LastAccessed: c.Memory.LastAccessed}, Metadata: c.Metadata, SessionID: c.SessionID, Seq: c.Seq,
			Origin: c.Origin, SupersededBy: c.SupersededBy, SavedAt: c.SavedAt}
		if why := c.Causality; why != nil {
			shown := want[of.N]
			shown.Causality = &domain.Causality{ActionType: why.ActionType, Rationale: why.Rationale}
			want[of.N] = shown
		}
	}
	asked = append(asked, must(s.DocumentOf(t.Context(), domain.DocumentSource{ContextN: 2}))(t).N)
	if diff := cmp.Diff(want, must(s.ContextsByDocument(t.Context(), asked, time.Time{}))(t)); diff != "" || len(want) != 3 {
		t.Errorf("%d contexts are there; -by number +by document:\n%s", len(want), diff)
	}
}

// A context found by its document is known as it was then, forgotten or not since.
func testContextsThen(t *testing.T, s repository.Store) {
	saveSome(t, s, 4)
	forget(t, s, 30, 2)
	addLinks(t, s, link(id(3), id(1), domain.Supersedes, 20))
	ns := must(s.DocumentsWhere(t.Context(), domain.DocumentQuery{Filters: domain.Filters{AsOf: at(10)}}))(t)
	for asOf, want := range map[time.Time]string{at(3): id(1) + id(2) + id(3), at(10): id(1) + id(2) + id(3) + id(4),
		at(25): id(1) + "<" + id(3) + id(2) + id(3) + id(4), at(40): id(1) + "<" + id(3) + id(3) + id(4)} {
		got, found := "", must(s.ContextsByDocument(t.Context(), ns, asOf))(t)
		for _, n := range ns {
			c := found[n]
			got += c.ID
			if c.SupersededBy != "" {
				got += "<" + c.SupersededBy
			}
		}
		if got != want {
			t.Errorf("at %v: %s, want %s", asOf, got, want)
		}
	}
}

// Documents of messages are hidden by the session and dropped with the event.
func testDocumentsOfMessages(t *testing.T, s repository.Store) {
	two, long := anEvent(2, "two"), anEvent(3, strings.Repeat("three ", 10_000))
	two.RecordedAt = at(5)
	opened(t, s, anEvent(1, "one"), two, long)
	var ns []int64
	for seq := range int64(3) {
		ns = append(ns, putDocument(t, s, ofMessage(seq+1)))
	}
	said := must(s.EventsByDocument(t.Context(), append([]int64{99}, ns...)))(t)
	for i, e := range must(s.Events(t.Context(), domain.EventQuery{SessionID: "s"}))(t) {
		if diff := cmp.Diff(e, said[ns[i]]); diff != "" || len(said) != 3 {
			t.Errorf("%d events by their documents; -by place +by document:\n%s", len(said), diff)
		}
	}
	where := func(f domain.Filters) []int64 {
		return must(s.DocumentsWhere(t.Context(), domain.DocumentQuery{Space: domain.MessageSpace, Project: "demo", Filters: f}))(t)
	}
	if diff := cmp.Diff(ns, where(domain.Filters{})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(ns[1:2], where(domain.Filters{Since: at(2), Until: at(3)})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int64{ns[0], ns[2]}, where(domain.Filters{AsOf: at(4)})); diff != "" {
		t.Error(diff)
	}
	active := aSession("s")
	active.LastSeq = 3
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.SaveSession(ctx, active) })
	last := active.UpdatedAt
	for since, want := range map[time.Time]int64{last: 3, last.Add(domain.MaxLead): 3, last.Add(domain.MaxLead + 1): 3, last.Add(domain.MaxLead + time.Second): 0} {
		if n, err := s.EventsOfActive(t.Context(), "demo", since); n != want || err != nil {
			t.Errorf("%d events are of sessions active since %v, %v; want %d", n, since, err, want)
		}
	}
	if n, err := s.EventsOfActive(t.Context(), "other", last); n != 0 || err != nil {
		t.Errorf("%d events of another project, %v", n, err)
	}
	hide := func(gone bool) {
		do(t, s, func(ctx context.Context, tx repository.Tx) error {
			return tx.HideDocuments(ctx, domain.DocumentSource{SessionID: "s"}, gone)
		})
	}
	hide(true)
	if got := where(domain.Filters{}); len(got) != 0 {
		t.Errorf("hidden ones are found: %v", got)
	}
	hide(false)
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		_, err := tx.EraseEvents(ctx, domain.EventQuery{SessionID: "s", After: 1, Until: 2}, func(domain.Event) []byte { return []byte("{}") })
		return err
	})
	if diff := cmp.Diff([]int64{ns[0], ns[2]}, where(domain.Filters{})); diff != "" {
		t.Error(diff)
	}
}

// What people said at a time is found by its sessions, in a project or in all.
func testSaidBetween(t *testing.T, s repository.Store) {
	printed := anEvent(2, "printed")
	printed.Role, printed.Human = domain.RoleTool, false
	opened(t, s, anEvent(1, "one"), printed, anEvent(3, "three"), anEvent(4, "four"))
	var ns []int64
	for seq := range int64(4) {
		ns = append(ns, putDocument(t, s, ofMessage(seq+1)))
	}
	said := func(project string, from, to, limit int) []int64 {
		return must(s.SaidBetween(t.Context(), project, at(from), at(to), limit))(t)
	}
	for _, project := range []string{"", "demo"} {
		if diff := cmp.Diff([]int64{ns[0], ns[2]}, said(project, 0, 4, 9)); diff != "" {
			t.Errorf("in project %q: %s", project, diff)
		}
	}
	if got := said("demo", 0, 9, 2); len(got) != 2 {
		t.Errorf("2 of 3 are %v", got)
	}
	if got := append(said("other", 0, 9, 9), said("", 50, 60, 9)...); len(got) > 0 {
		t.Errorf("in another project or at another time %v", got)
	}
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		return tx.HideDocuments(ctx, domain.DocumentSource{SessionID: "s"}, true)
	})
	if got := said("", 0, 9, 9); len(got) > 0 {
		t.Errorf("hidden ones are found: %v", got)
	}
}

// Check finds texts without a document, documents without a text, and duplicates.
func testCheckDocuments(t *testing.T, s repository.Store) {
	check := func(said bool) map[string]int {
		out := map[string]int{}
		for _, f := range must(s.Check(t.Context(), func(domain.Event) bool { return said }, nil))(t) {
			if f.Subject != "index" || f.Remedy == "" {
				t.Errorf("found %+v", f)
			}
			out[f.Detail] = f.Count
		}
		return out
	}
	saveSome(t, s, 5)
	opened(t, s, anEvent(1, "one"), anEvent(2, "two"))
	putDocument(t, s, ofMessage(1))
	if got := check(false); len(got) != 0 {
		t.Errorf("found %v", got)
	}
	twin := document(sample(2))
	twin.ContextN = 2
	putDocument(t, s, twin)
	lost := document(sample(99))
	lost.ContextN = 99
	putDocument(t, s, lost)
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		if err := tx.DropDocuments(ctx, domain.DocumentSource{ContextN: 1}); err != nil {
			return err
		}
		return tx.HideDocuments(ctx, domain.DocumentSource{ContextN: 3}, true)
	})
	want := map[string]int{
		"contexts that search cannot find": 2, "messages that search cannot find": 1,
		"documents of texts that are gone": 2, "texts that are in the index twice": 1,
	}
	if diff := cmp.Diff(want, check(true)); diff != "" {
		t.Error(diff)
	}
}
