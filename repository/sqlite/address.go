package sqlite

import (
	"database/sql"
	"net/url"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// FileURL returns the address by which SQLite opens the file at path with these
// parameters: file:/home/me/wake.db, and on Windows file:///C:/Users/me/wake.db.
func FileURL(path string, params url.Values) string {
	slashed := filepath.ToSlash(path)
	if filepath.VolumeName(path) != "" && slashed[0] != '/' {
		slashed = "/" + slashed // or the drive would be taken for a host
	}
	relative := !strings.HasPrefix(slashed, "/")
	return (&url.URL{Scheme: "file", OmitHost: relative, Path: slashed, RawQuery: params.Encode()}).String()
}

// LimitValues makes queries on a connection fail that meet a value of more bytes. A file
// from elsewhere may hold columns that compute a gigabyte.
func LimitValues(c *sql.Conn, most int) error {
	_, err := sqlite.Limit(c, sqlite3.SQLITE_LIMIT_LENGTH, most)
	return err
}
