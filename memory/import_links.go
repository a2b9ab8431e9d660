package memory

import (
	"context"

	"wake/domain"
	"wake/repository"
)

// storeLinks adds the links that are not there yet. It leaves out links that conflict
// with later changes here, and those from contexts that were erased here.
func (im *importing) storeLinks(ctx context.Context, tx repository.Tx, links []domain.Link) error {
	var from []string
	for _, l := range links {
		from = append(from, l.From)
	}
	gone, err := erasedAmong(ctx, tx, from)
	if err != nil {
		return err
	}
	for _, l := range links {
		if gone[l.From] {
			im.answer.Links.Known++
			continue
		}
		if err := im.storeLink(ctx, tx, l); err != nil {
			return err
		}
	}
	return nil
}

func (im *importing) storeLink(ctx context.Context, tx repository.Tx, l domain.Link) error {
	there, err := tx.LinkHistory(ctx, []string{l.From})
	if err != nil {
		return err
	}
	if holds(there, l) {
		im.answer.Links.Known++
		return nil
	}
	if l.AddedAt.IsZero() {
		l.AddedAt = im.s.now()
	}
	err = tx.AddLinks(ctx, []domain.Link{l})
	if domain.KindOf(err) == domain.KindConflict {
		im.answer.Skipped++
		return nil
	}
	if err == nil {
		im.answer.Links.Taken++
	}
	return err
}

// holds reports whether a link exists or existed. If both have a time, they must be
// the same addition.
func holds(links []domain.Link, l domain.Link) bool {
	for _, have := range links {
		same := have.From == l.From && have.To == l.To && have.Kind == l.Kind
		if same && (l.AddedAt.IsZero() || have.RemovedAt.IsZero() && l.RemovedAt.IsZero() || have.AddedAt.Equal(domain.Moment(l.AddedAt))) {
			return true
		}
	}
	return false
}
