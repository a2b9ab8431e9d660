package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// purge overwrites and deletes files that contain the text. It is called when a text is
// purged from the database, so that a spooled hook does not bring it back.
func (s spool) purge(text string) error {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, os.ErrNotExist) || strings.TrimSpace(text) == "" {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(s.dir, e.Name())
		data, err := os.ReadFile(path)
		if err != nil || !containsText(data, text) {
			continue
		}
		if err := erase(path, len(data)); err != nil {
			return err
		}
	}
	return nil
}

// shortText is the length below which a text may occur elsewhere by chance, so that it
// must be the whole of a string to count.
const shortText = 16

// containsText reports whether a spool file contains a text, as it is or in JSON.
func containsText(data []byte, text string) bool {
	whole := len(text) < shortText
	if !whole && bytes.Contains(data, []byte(text)) {
		return true
	}
	for _, html := range []bool{false, true} {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(html)
		if enc.Encode(text) != nil {
			continue
		}
		quoted := bytes.TrimSpace(b.Bytes())
		if !whole {
			quoted = quoted[1 : len(quoted)-1]
		}
		if bytes.Contains(data, quoted) {
			return true
		}
	}
	return false
}

// erase overwrites a file before deleting it.
func erase(path string, size int) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, size))
	return errors.Join(err, f.Sync(), f.Close(), os.Remove(path))
}
