package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"wake/domain"
	"wake/recall"
)

// What a search looks in.
const (
	InAll      = "all"
	InContexts = "contexts"
	InMessages = "messages"
)

// searchDepth is how many candidates a search ranks at least.
const searchDepth = 100

// Search answers a question as a person asks it, best hits first. Hits do not
// count as accesses; they are logged as shown. A question without any content
// word answers the newest contexts and says so.
func (s *Service) Search(ctx context.Context, req SearchRequest) (SearchAnswer, error) {
	limit, err := clampLimit(req.Limit, domain.DefaultList, domain.MaxList)
	if err != nil {
		return SearchAnswer{}, err
	}
	offset, err := readOffset(req.Cursor)
	if err != nil {
		return SearchAnswer{}, err
	}
	query, notes, err := checkQuery(req.Query)
	if err != nil {
		return SearchAnswer{}, err
	}
	question := recall.Understand(query)
	found, err := s.find(ctx, req, question, max(searchDepth, offset+limit+1))
	if err != nil {
		return SearchAnswer{}, err
	}
	a := SearchAnswer{Hits: []domain.Hit{}, Notes: notes}
	if len(question.Terms) == 0 {
		a.Notes = append(a.Notes, "the question has no word to look for; these are the newest contexts")
	}
	page := found[min(offset, len(found)):min(offset+limit, len(found))]
	if len(found) > offset+limit {
		a.NextCursor = writeOffset(offset + limit)
	}
	a.Hits = append(a.Hits, s.hits(question, page, req.Explain)...)
	if req.Explain {
		a.Searched = len(found)
	}
	shown := make([]domain.ContextSnapshot, len(page))
	for i := range page {
		shown[i] = page[i].context
	}
	s.touch(req.By, domain.Shown, shown)
	return a, nil
}

// checkQuery refuses an empty question and cuts one of more than 8 KB.
func checkQuery(q string) (string, []string, error) {
	q = strings.ToValidUTF8(q, " ")
	if strings.TrimSpace(q) == "" {
		return "", nil, domain.Invalid("query is empty; ask as you would ask a person, or use load_context to list what is newest")
	}
	if len(q) > domain.MaxQuery {
		return strings.ToValidUTF8(q[:domain.MaxQuery], ""), []string{fmt.Sprintf("the query has %d bytes; it was searched by its first %d", len(q), domain.MaxQuery)}, nil
	}
	return q, nil, nil
}

// found is one candidate with its context, content included.
type found struct {
	context domain.ContextSnapshot
	score   float64
}

// find ranks what the index brings.
func (s *Service) find(ctx context.Context, req SearchRequest, q recall.Question, depth int) ([]found, error) {
	project, filters := s.readProject(req.Project), s.filters(req.Filter)
	if len(q.Terms) == 0 {
		newest, err := s.Store.Contexts(ctx, domain.ContextQuery{Project: project, Filters: filters, Order: domain.Newest, Limit: depth, WithContent: true})
		return scored(newest, nil), err
	}
	matches, err := s.Store.Search(ctx, domain.TermQuery{Project: project, Filters: filters, Terms: append(q.Terms, q.Wholes...), Limit: depth})
	if err != nil {
		return nil, err
	}
	ns := make([]int64, len(matches))
	scores := make(map[int64]float64, len(matches))
	for i, m := range matches {
		ns[i], scores[m.N] = m.N, m.Score
	}
	contexts, err := s.Store.ContextsByN(ctx, ns, true)
	return supersededLast(scored(contexts, scores)), err
}

func scored(contexts []domain.ContextSnapshot, scores map[int64]float64) []found {
	out := make([]found, len(contexts))
	for i, c := range contexts {
		out[i] = found{context: c, score: scores[c.N]}
	}
	return out
}

// supersededLast moves what no longer holds right behind what replaced it, when
// both are in the list.
func supersededLast(list []found) []found {
	at := make(map[string]int, len(list))
	for i, f := range list {
		at[f.context.ID] = i
	}
	out := make([]found, 0, len(list))
	late := map[string][]found{} // by what superseded them
	for i, f := range list {
		if j, ok := at[f.context.SupersededBy]; ok && j > i {
			late[f.context.SupersededBy] = append(late[f.context.SupersededBy], f)
			continue
		}
		out = append(out, f)
		out = append(out, takeLate(late, f.context.ID)...)
	}
	return out
}

// takeLate returns what waits for id, and what waits for that in turn.
func takeLate(late map[string][]found, id string) []found {
	var out []found
	for _, f := range late[id] {
		out = append(out, f)
		out = append(out, takeLate(late, f.context.ID)...)
	}
	delete(late, id)
	return out
}

// hits turns candidates into answers.
func (s *Service) hits(q recall.Question, page []found, explain bool) []domain.Hit {
	now := s.now()
	hits := make([]domain.Hit, len(page))
	for i, f := range page {
		c := f.context
		hits[i] = domain.Hit{
			ID: c.ID, Score: f.score, Snippet: snippet(c.Content, q), Summary: c.Summary,
			Project: c.Project, Tags: c.Tags, Tier: s.Windows.Of(c.Touched(), now), Timestamp: c.Timestamp, Metadata: c.Metadata,
			SupersededBy: c.SupersededBy, Origin: c.Origin, SessionID: c.SessionID, Seq: c.Seq,
		}
		hits[i].Why = why(q, c, explain)
	}
	return hits
}

// snippetLength is how long a snippet may be, in characters.
const snippetLength = 240

// snippet is the part of a text where the question's words begin, on one line.
func snippet(text string, q recall.Question) string {
	start := 0
	for _, t := range recall.Tokens(text) {
		if slices.Contains(q.Terms, t.Term) {
			start = t.Start
			break
		}
	}
	start = strings.LastIndexAny(text[:start], ".!?\n。！？") + 1
	return cut(domain.MaskSecrets(strings.Join(strings.Fields(strings.ToValidUTF8(text[start:], "")), " ")), snippetLength)
}

// why says in a few words what a hit has in common with the question.
func why(q recall.Question, c domain.ContextSnapshot, explain bool) string {
	in := map[string]bool{}
	for _, t := range recall.Analyze(c.Content + "\n" + c.Summary + "\n" + strings.Join(c.Tags, " ")) {
		in[t] = true
	}
	var shared []string
	for _, t := range q.Terms {
		if in[t] {
			shared = append(shared, t)
		}
	}
	text := ""
	if len(shared) > 0 {
		text = "has " + strings.Join(shared, ", ")
	}
	if explain && len(q.Terms) > 0 {
		text += fmt.Sprintf(" (%d of %d words)", len(shared), len(q.Terms))
	}
	if c.SupersededBy != "" {
		text += "; superseded by " + c.SupersededBy
	}
	return strings.TrimPrefix(text, "; ")
}

// A search cursor is only how many hits were given already.
func writeOffset(n int) string { return writeCursor(domain.Position{Key: "hits", N: int64(n)}) }

func readOffset(cursor string) (int, error) {
	p, err := readCursor(cursor)
	if err != nil || p == nil {
		return 0, err
	}
	if p.Key != "hits" || p.N < 0 || p.N > 10_000 {
		return 0, domain.Invalid("that cursor is not one of a search; leave it out to start again")
	}
	return int(p.N), nil
}
