package sqlstore

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"wake/domain"
)

// coder compresses blobs. One instance serves the process: it is safe for concurrent
// use and costly to create.
var coder = sync.OnceValues(func() (*codec, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(2*domain.MaxPayload))
	return &codec{enc, dec}, err
})

type codec struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

// putBlobs stores each payload once, under its hash.
func putBlobs(ctx context.Context, q Querier, payloads map[string][]byte) error {
	if len(payloads) == 0 {
		return nil
	}
	c, err := coder()
	if err != nil {
		return err
	}
	hashes := slices.Sorted(maps.Keys(payloads))
	known, err := knownBlobs(ctx, q, hashes)
	if err != nil {
		return err
	}
	for _, hash := range without(hashes, known) {
		err := exec(ctx, q, `INSERT INTO blobs (hash, size, data) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
			hash, len(payloads[hash]), c.enc.EncodeAll(payloads[hash], nil))
		if err != nil {
			return err
		}
	}
	return nil
}

func knownBlobs(ctx context.Context, q Querier, hashes []string) ([]string, error) {
	return collectIn(ctx, q, Scalar[string], hashes, func(a *Args, some []string) string {
		return `SELECT hash FROM blobs WHERE hash IN ` + addList(a, some)
	})
}

// loadBlobs replaces light payloads by whole ones. A missing or damaged blob damages
// only its own events.
func loadBlobs(ctx context.Context, q Querier, rows []eventRow) error {
	var hashes []string
	for _, r := range rows {
		if r.blob != "" && r.Damaged == "" {
			hashes = append(hashes, r.blob)
		}
	}
	blobs, err := readBlobs(ctx, q, without(hashes, nil))
	if err != nil {
		return err
	}
	for i := range rows {
		if r := &rows[i]; r.blob != "" && r.Damaged == "" {
			r.open(blobs[r.blob])
		}
	}
	return nil
}

// open replaces the light payload by the whole one.
func (r *eventRow) open(data []byte) {
	if data == nil {
		r.damage("its text (blob " + r.blob + ") is gone")
		return
	}
	c, err := coder()
	if err == nil {
		data, err = c.dec.DecodeAll(data, nil)
	}
	switch {
	case err != nil:
		r.damage("its text (blob " + r.blob + ") cannot be unpacked: " + err.Error())
	case domain.HashBytes(data) != r.blob:
		r.damage("its text (blob " + r.blob + ") does not match its hash")
	default:
		r.Payload = data
	}
}

type blobRow struct {
	hash string
	data []byte
}

func scanBlob(rows *sql.Rows, b *blobRow) error { return rows.Scan(&b.hash, &b.data) }

func readBlobs(ctx context.Context, q Querier, hashes []string) (map[string][]byte, error) {
	found, err := collectIn(ctx, q, scanBlob, hashes, func(a *Args, some []string) string {
		return `SELECT hash, data FROM blobs WHERE hash IN ` + addList(a, some)
	})
	out := make(map[string][]byte, len(found))
	for _, b := range found {
		out[b.hash] = b.data
	}
	return out, err
}
