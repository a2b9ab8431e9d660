package sqlstore

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strconv"

	"wake/domain"
	"wake/migrations"
)

// Schema is the version of the tables that this program knows, with the migrations that
// lead to it.
type Schema struct {
	Migrations []migrations.Migration
	Program    string // wake's version, named in messages to older programs
}

// Latest is the newest table version that this program knows.
func (s Schema) Latest() int { return len(s.Migrations) }

// Tables returns the names of all tables that the migrations create.
func (s Schema) Tables() []string {
	created := regexp.MustCompile(`(?m)^CREATE TABLE (\w+)`)
	var names []string
	for _, m := range s.Migrations {
		for _, found := range created.FindAllStringSubmatch(m.SQL, -1) {
			names = append(names, found[1])
		}
	}
	return names
}

// Apply upgrades tables of version have to the latest version. It must be called in a
// transaction, which is rolled back if it fails. The engine stores the version itself.
func (s Schema) Apply(ctx context.Context, q Querier, have int) error {
	for _, m := range s.Migrations[have:] {
		err := exec(ctx, q, m.SQL)
		if err != nil && have > 0 {
			err = fmt.Errorf("the tables could not be brought from version %d to version %d and are as they were; "+
				"go on with the wake that made them, or put a backup in their place: %w", have, m.Version, err)
		}
		if err != nil {
			return err
		}
	}
	oldest := 0
	for _, m := range s.Migrations {
		oldest = max(oldest, m.OldestWriter)
	}
	if err := SetMeta(ctx, q, "oldest_writer", strconv.Itoa(oldest)); err != nil {
		return err
	}
	return SetMeta(ctx, q, "upgraded_by", s.Program)
}

// MayOpen returns a Conflict error if tables of version have are too new for this
// program to write. It is checked when the database is opened.
func (s Schema) MayOpen(ctx context.Context, q Querier, have int) error {
	return s.tooNew(ctx, q, have, "use the newer wake")
}

// MayWrite is MayOpen for a program that is already running when the tables are
// upgraded.
func (s Schema) MayWrite(ctx context.Context, q Querier, have int) error {
	return s.tooNew(ctx, q, have, "reading goes on, writing does not; restart with the newer wake")
}

func (s Schema) tooNew(ctx context.Context, q Querier, have int, whatNow string) error {
	if have <= s.Latest() {
		return nil
	}
	text, err := Meta(ctx, q, "oldest_writer")
	if err != nil {
		return err
	}
	if oldest, err := strconv.Atoi(text); err == nil && oldest <= s.Latest() {
		return nil
	}
	by, err := Meta(ctx, q, "upgraded_by")
	if err != nil {
		return err
	}
	const unknown = "(unknown version)"
	return domain.Conflict("wake %s has upgraded this database to version %d of its tables, and this is wake %s, which knows version %d: %s",
		cmp.Or(by, unknown), have, cmp.Or(s.Program, unknown), s.Latest(), whatNow)
}

// Meta returns a value of table meta, or "" if it was never set.
func Meta(ctx context.Context, q Querier, key string) (string, error) {
	return first(ctx, q, Scalar[string], `SELECT value FROM meta WHERE key = $1`, key)
}

// SetMeta stores a value of table meta.
func SetMeta(ctx context.Context, q Querier, key, value string) error {
	return exec(ctx, q, `INSERT INTO meta (key, value) VALUES ($1, $2)
		ON CONFLICT (key) DO UPDATE SET value = excluded.value`, key, value)
}
