package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"wake/domain"
	"wake/repository"
)

// auditBatch is how many contexts are checked or repaired at a time.
const auditBatch = 200

// Check implements [repository.Maintenance].
func (s *Store) Check(ctx context.Context, said func(domain.Event) bool, progress func(done, total int)) ([]repository.Finding, error) {
	return ask(ctx, s.reads, func(q Querier) ([]repository.Finding, error) {
		var all []repository.Finding
		for _, check := range []func(context.Context, Querier, func(done, total int)) ([]repository.Finding, error){
			s.engine.CheckFiles, checkTexts, checkDocuments(said), checkColumns,
		} {
			found, err := check(ctx, q, orSilent(progress))
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
		return all, nil
	})
}

// checkTexts compares each context's text with the hash saved with it.
func checkTexts(ctx context.Context, q Querier, _ func(done, total int)) ([]repository.Finding, error) {
	var changed []string
	for after := int64(0); ; {
		batch, err := Collect(ctx, q, scanSaid, `SELECT n, id, content_hash, content FROM context_snapshots
			WHERE n > $1 ORDER BY n`+limitTo(auditBatch), after)
		if err != nil {
			return nil, err
		}
		if len(batch) == 0 {
			break
		}
		for _, c := range batch {
			if domain.HashText(c.Content) != c.ContentHash {
				changed = append(changed, c.ID)
			}
		}
		after = batch[len(batch)-1].N
	}
	if len(changed) == 0 {
		return nil, nil
	}
	return []repository.Finding{{
		Subject: "texts",
		Detail:  "the text is not the one that was saved, in " + strings.Join(changed[:min(len(changed), 5)], ", "),
		Remedy:  "a backup has the text as it was; wake load shows what is there",
		Count:   len(changed),
	}}, nil
}

func scanSaid(rows *sql.Rows, c *domain.ContextSnapshot) error {
	return rows.Scan(&c.N, &c.ID, &c.ContentHash, &c.Content)
}

const remedyRepair = "wake doctor --repair puts it right"

// checkColumns compares the rows of links and tags with the columns they index.
func checkColumns(ctx context.Context, q Querier, progress func(done, total int)) ([]repository.Finding, error) {
	total, err := countContexts(ctx, q)
	if err != nil {
		return nil, err
	}
	flawed := map[string][]string{}
	err = eachBatch(total, progress, func(after int64) ([]parts, error) {
		batch, err := auditFrom(ctx, q, after)
		for _, p := range batch {
			if !p.tagsAgree() {
				flawed["tags"] = append(flawed["tags"], p.ID)
			}
			if !p.linksAgree() {
				flawed["links"] = append(flawed["links"], p.ID)
			}
		}
		return batch, err
	})
	var out []repository.Finding
	for _, subject := range []string{"links", "tags"} {
		if ids := flawed[subject]; len(ids) > 0 {
			out = append(out, repository.Finding{
				Subject: subject,
				Detail:  fmt.Sprintf("rows differ from the columns of %s", strings.Join(ids[:min(len(ids), 5)], ", ")),
				Remedy:  remedyRepair,
				Count:   len(ids),
			})
		}
	}
	return out, err
}

// parts is a context with the rows that index its columns.
type parts struct {
	*domain.ContextSnapshot
	tags      []string
	links     []domain.Link   // live explicit links from it, and live links that supersede it
	forgotten map[string]bool // ids of forgotten contexts that supersede it
}

func (p parts) tagsAgree() bool { return sameSet(p.Tags, p.tags) }

func (p parts) linksAgree() bool {
	return len(p.missingLinks()) == 0 && len(p.extraLinks()) == 0
}

// missingLinks returns the links that the columns name and no row has.
func (p parts) missingLinks() (out []domain.Link) {
	for _, l := range linksIn(p.ContextSnapshot, p.SavedAt) {
		if !slices.ContainsFunc(p.links, sameLink(l)) {
			out = append(out, l)
		}
	}
	return out
}

// extraLinks returns the links that a row has and the columns do not name. Several
// contexts may supersede one; the column names only the last that is not forgotten.
func (p parts) extraLinks() (out []domain.Link) {
	named := linksIn(p.ContextSnapshot, p.SavedAt)
	for _, l := range p.links {
		older := l.Kind == domain.Supersedes && (p.SupersededBy != "" || p.forgotten[l.From])
		if !older && !slices.ContainsFunc(named, sameLink(l)) {
			out = append(out, l)
		}
	}
	return out
}

// countContexts counts all contexts, including forgotten ones.
func countContexts(ctx context.Context, q Querier) (n int, err error) {
	err = q.QueryRowContext(ctx, `SELECT count(*) FROM context_snapshots`).Scan(&n)
	return n, err
}

// eachBatch goes through all contexts, of which there are about total. next handles the
// next batch of those numbered above after, and returns it.
func eachBatch(total int, progress func(done, total int), next func(after int64) ([]parts, error)) error {
	done := 0
	for after := int64(0); ; {
		batch, err := next(after)
		if err != nil || len(batch) == 0 {
			return err
		}
		after = batch[len(batch)-1].N
		done += len(batch)
		progress(done, max(done, total))
	}
}

// auditFrom reads the next batch of contexts numbered above after.
func auditFrom(ctx context.Context, q Querier, after int64) ([]parts, error) {
	contexts, err := Collect(ctx, q, scanContext, selectContexts(false)+`WHERE c.n > $1 ORDER BY c.n`+limitTo(auditBatch), after)
	if err != nil || len(contexts) == 0 {
		return nil, err
	}
	tags, err := Collect(ctx, q, scanTag, `SELECT t.context_n, t.tag FROM context_tags t
		WHERE t.context_n > $1 AND t.context_n <= $2 AND t.removed_at IS NULL`, after, contexts[len(contexts)-1].N)
	if err != nil {
		return nil, err
	}
	links, err := linksOf(ctx, q, idsOf(contexts), time.Time{})
	if err != nil {
		return nil, err
	}
	forgotten, err := forgottenFrom(ctx, q, links, time.Time{})
	return gather(contexts, tags, links, forgotten), err
}

// gather groups rows by context.
func gather(contexts []domain.ContextSnapshot, tags []tagRow, links []domain.Link, forgotten map[string]bool) []parts {
	tagsOf, linksTo := map[int64][]string{}, map[string][]domain.Link{}
	for _, t := range tags {
		tagsOf[t.n] = append(tagsOf[t.n], t.tag)
	}
	for _, l := range links {
		switch {
		case l.Kind == domain.Supersedes:
			linksTo[l.To] = append(linksTo[l.To], l)
		case l.Origin == domain.Explicit:
			linksTo[l.From] = append(linksTo[l.From], l)
		}
	}
	out := make([]parts, len(contexts))
	for i := range contexts {
		c := &contexts[i]
		out[i] = parts{ContextSnapshot: c, tags: tagsOf[c.N], links: linksTo[c.ID], forgotten: forgotten}
	}
	return out
}
