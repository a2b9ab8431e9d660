package postgres

import (
	"bytes"
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// readEscapes teaches a connection to read bytes from a server whose bytea_output is
// set to escape. The driver reads only hex, and receives text wherever statements are
// not prepared.
func readEscapes(_ context.Context, c *pgx.Conn) error {
	c.TypeMap().RegisterType(&pgtype.Type{Name: "bytea", OID: pgtype.ByteaOID, Codec: bytea{}})
	return nil
}

type bytea struct{ pgtype.ByteaCodec }

// PlanScan implements [pgtype.Codec].
func (b bytea) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	plan := b.ByteaCodec.PlanScan(m, oid, format, target)
	if _, ok := target.(*[]byte); ok && format == pgtype.TextFormatCode {
		return escaped{plan}
	}
	return plan
}

// escaped reads hex by another plan, and the escape format itself: \\ is a backslash,
// \ooo an octal number, and every other byte stands for itself.
type escaped struct{ hex pgtype.ScanPlan }

// Scan implements [pgtype.ScanPlan].
func (e escaped) Scan(src []byte, target any) error {
	if src == nil || bytes.HasPrefix(src, []byte(`\x`)) {
		return e.hex.Scan(src, target)
	}
	out := make([]byte, 0, len(src))
	for len(src) > 0 {
		switch {
		case src[0] != '\\':
			out, src = append(out, src[0]), src[1:]
		case bytes.HasPrefix(src, []byte(`\\`)):
			out, src = append(out, '\\'), src[2:]
		default:
			end := min(4, len(src))
			octal, err := strconv.ParseUint(string(src[1:end]), 8, 8)
			if err != nil {
				return err
			}
			out, src = append(out, byte(octal)), src[end:]
		}
	}
	*target.(*[]byte) = out
	return nil
}
