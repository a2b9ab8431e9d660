package sqlstore

import (
	"context"

	"wake/domain"
	"wake/repository"
)

// checkDocuments compares the documents of the search index with the contexts and
// messages they were made from.
func checkDocuments(said func(domain.Event) bool) func(context.Context, Querier, func(done, total int)) ([]repository.Finding, error) {
	return func(ctx context.Context, q Querier, _ func(done, total int)) ([]repository.Finding, error) {
		var out []repository.Finding
		for _, check := range []struct {
			detail string
			count  func(context.Context, Querier) (int, error)
		}{
			{"contexts that search cannot find", counting(contextsWithoutDocument)},
			{"messages that search cannot find", func(ctx context.Context, q Querier) (int, error) { return messagesWithoutDocument(ctx, q, said) }},
			{"documents of texts that are gone", counting(documentsWithoutSource)},
			{"texts that are in the index twice", counting(duplicateDocuments)},
		} {
			n, err := check.count(ctx, q)
			if err != nil {
				return nil, err
			}
			if n > 0 {
				out = append(out, repository.Finding{Subject: "index", Detail: check.detail, Remedy: remedyRepair, Count: n})
			}
		}
		return out, nil
	}
}

// A forgotten text keeps its document, hidden, so that it can come back.
const (
	contextsWithoutDocument = `SELECT count(*) FROM context_snapshots c WHERE NOT EXISTS (
		SELECT 1 FROM search_documents d WHERE d.context_n = c.n AND d.gone = (c.deleted_at IS NOT NULL))`
	documentsWithoutSource = `SELECT count(*) FROM search_documents d
		LEFT JOIN context_snapshots c ON c.n = d.context_n
		LEFT JOIN events e ON e.session_id = d.session_id AND e.seq = d.seq AND NOT e.erased
		LEFT JOIN sessions s ON s.id = e.session_id
		WHERE CASE WHEN d.context_n IS NOT NULL THEN c.n IS NULL OR d.gone <> (c.deleted_at IS NOT NULL)
			ELSE s.id IS NULL OR d.gone <> (s.deleted_at IS NOT NULL) END`
	duplicateDocuments = `SELECT count(*) FROM (
		SELECT 1 FROM search_documents GROUP BY context_n, session_id, seq HAVING count(*) > 1) AS more`
)

func counting(query string) func(context.Context, Querier) (int, error) {
	return func(ctx context.Context, q Querier) (n int, err error) {
		err = q.QueryRowContext(ctx, query).Scan(&n)
		return n, err
	}
}

// messagesWithoutDocument counts the messages without a document that, according to
// said, have words to be found. Few events have to be read for it, because most have a
// document.
func messagesWithoutDocument(ctx context.Context, q Querier, said func(domain.Event) bool) (count int, err error) {
	if said == nil {
		return 0, nil
	}
	silent, err := Collect(ctx, q, scanSource, `SELECT 0, 0, e.session_id, e.seq FROM events e
		WHERE e.type = $1 AND NOT e.erased AND NOT EXISTS (
			SELECT 1 FROM search_documents d WHERE d.session_id = e.session_id AND d.seq = e.seq)`, string(domain.EventMessage))
	if err != nil {
		return 0, err
	}
	for _, of := range silent {
		rows, err := wholeEvents(ctx, q, domain.EventQuery{SessionID: of.SessionID, After: of.Seq - 1, Until: of.Seq})
		if err != nil {
			return count, err
		}
		if len(rows) == 1 && said(rows[0].Event) {
			count++
		}
	}
	return count, nil
}
