package postgres

import (
	"context"
	"database/sql"

	"wake/repository/internal/sqlstore"
)

// grantsOfOthers makes a statement for each right that somebody has of the contexts and
// not of a table. Tables to which an administrator gave rights of their own are left out.
const grantsOfOthers = `SELECT format('GRANT %s ON TABLE %s TO %s%s', has.privilege_type, fresh.oid::regclass,
		CASE has.grantee WHEN 0 THEN 'PUBLIC' ELSE has.grantee::regrole::text END, CASE WHEN has.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
	FROM pg_class old, LATERAL aclexplode(coalesce(old.relacl, acldefault('r', old.relowner))) has, pg_class fresh
	WHERE old.relname = 'context_snapshots' AND old.relnamespace = quote_ident($1)::regnamespace
		AND fresh.relname = $2 AND fresh.relnamespace = old.relnamespace AND fresh.relacl IS NULL AND fresh.relowner <> has.grantee`

// shareFresh gives the tables that an upgrade has made to whom the others are given: who
// upgrades would else lock out the colleagues who have users of their own.
func (e *engine) shareFresh(ctx context.Context, q sqlstore.Querier, have int) error {
	fresh := sqlstore.Schema{Migrations: e.schema.Migrations[have:]}
	for _, table := range fresh.Tables() {
		scan := func(rows *sql.Rows, s *string) error { return rows.Scan(s) }
		grants, err := sqlstore.Collect(ctx, q, scan, grantsOfOthers, e.place.name, table)
		if err != nil {
			return err
		}
		for _, grant := range grants {
			if _, err := q.ExecContext(ctx, grant); err != nil {
				return err
			}
		}
	}
	return nil
}
