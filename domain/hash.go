package domain

import (
	"crypto/sha256"
	"encoding/hex"
)

// HashText is the sha256 of text in hex.
func HashText(text string) string { return HashBytes([]byte(text)) }

// HashBytes is the sha256 of data in hex.
func HashBytes(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
