package postgres

import (
	"context"

	"wake/repository/internal/sqlstore"
)

// grantsOfOthers writes a GRANT statement for each privilege that others have on the
// contexts and that the new table lacks. It skips tables on which an administrator has
// granted privileges.
const grantsOfOthers = `SELECT format('GRANT %s ON TABLE %s TO %s%s', has.privilege_type, fresh.oid::regclass,
		CASE has.grantee WHEN 0 THEN 'PUBLIC' ELSE has.grantee::regrole::text END, CASE WHEN has.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
	FROM pg_class old, LATERAL aclexplode(coalesce(old.relacl, acldefault('r', old.relowner))) has, pg_class fresh
	WHERE old.relname = 'context_snapshots' AND old.relnamespace = quote_ident($1)::regnamespace
		AND fresh.relname = $2 AND fresh.relnamespace = old.relnamespace AND fresh.relacl IS NULL AND fresh.relowner <> has.grantee`

// shareFresh grants the tables created by an upgrade to everybody who may use the
// existing ones. Otherwise an upgrade would lock out colleagues with users of their
// own.
func (e *engine) shareFresh(ctx context.Context, q sqlstore.Querier, have int) error {
	fresh := sqlstore.Schema{Migrations: e.schema.Migrations[have:]}
	for _, table := range fresh.Tables() {
		grants, err := sqlstore.Collect(ctx, q, sqlstore.Scalar[string], grantsOfOthers, e.place.name, table)
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
