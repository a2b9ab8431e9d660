package domain

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/google/uuid"
)

// HashText is the sha256 of text in hex.
func HashText(text string) string { return HashBytes([]byte(text)) }

// HashBytes is the sha256 of data in hex.
func HashBytes(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// DerivedID is the id of a context that is made from a source: imported, or distilled. The
// same source and content give the same id, so making it again adds nothing. It has the
// form of a version 4 UUID.
func DerivedID(source, sourceID, content string) string {
	name := source + "\x00" + sourceID + "\x00" + content
	return uuid.NewHash(sha256.New(), uuid.NameSpaceURL, []byte(name), 4).String()
}
