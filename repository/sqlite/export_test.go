package sqlite

import (
	"context"

	"wake/domain"
	"wake/migrations"
	"wake/repository"
)

// OpenOn is Open on a file system of the given name.
func OpenOn(ctx context.Context, path, fsName string) (repository.Store, error) {
	known, err := migrations.SQLite()
	if err != nil {
		return nil, err
	}
	return open(ctx, path, Options{}, known, func(string) (string, error) { return fsName, nil })
}

// OpenKnowing is Open by a wake that knows other migrations.
func OpenKnowing(ctx context.Context, path string, opts Options, known []migrations.Migration) (repository.Store, error) {
	return open(ctx, path, opts, known, fileSystem)
}

// SearchSQL is the query of a search.
func SearchSQL(tq domain.TermQuery) (string, []any) { return searchSQL(tq) }
