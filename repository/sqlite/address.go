package sqlite

import (
	"net/url"
	"path/filepath"
	"strings"
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
