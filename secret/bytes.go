package secret

import "strings"

// The classes of bytes that tokens, names and values consist of.

func isQuote(c byte) bool       { return c == '"' || c == '\'' || c == '`' }
func isDigit(c byte) bool       { return c >= '0' && c <= '9' }
func isUpper(c byte) bool       { return c >= 'A' && c <= 'Z' }
func isAlnum(c byte) bool       { return isDigit(c) || isUpper(c) || c >= 'a' && c <= 'z' }
func isUpperAlnum(c byte) bool  { return isDigit(c) || isUpper(c) }
func isLowerHex(c byte) bool    { return isDigit(c) || c >= 'a' && c <= 'f' }
func isHex(c byte) bool         { return isLowerHex(c) || c >= 'A' && c <= 'F' }
func isLowerAlnum(c byte) bool  { return isDigit(c) || c >= 'a' && c <= 'z' }
func isPrintable(c byte) bool   { return c > ' ' && c < 0x7f && strings.IndexByte("\"'`\\", c) < 0 }
func isTokenByte(c byte) bool   { return isAlnum(c) || c == '_' || c == '-' }
func isBase64Byte(c byte) bool  { return isAlnum(c) || c == '+' || c == '/' || c == '=' }
func isDottedByte(c byte) bool  { return isTokenByte(c) || c == '.' }
func isHeaderByte(c byte) bool  { return isTokenByte(c) || strings.IndexByte(".~+/=", c) >= 0 }
func isWebhookByte(c byte) bool { return isHeaderByte(c) || c == '@' }
func isEscapedByte(c byte) bool { return isHeaderByte(c) || c == '%' }
func isNameByte(c byte) bool    { return isTokenByte(c) || c == '.' || c >= 0x80 }
func isNameJoint(c byte) bool   { return c == '_' || c == '-' || c == '.' }
func isURLByte(c byte) bool     { return c > ' ' && strings.IndexByte("/\"'`<>\\", c) < 0 }
func isPEMByte(c byte) bool {
	return isBase64Byte(c) || strings.IndexByte(" \t\r\n\\,:->|", c) >= 0 || c >= 0x80 // such as the arrow behind a line's number
}

// tokenByte is the set of bytes of words, partByte that of their parts, triggerByte
// that of bytes at which a secret may be recognised.
var (
	tokenByte   = byteTable(isTokenByte)
	partByte    = byteTable(func(c byte) bool { return tokenByte[c] && c != '-' })
	triggerByte = byteTable(func(c byte) bool {
		return isAlnum(c) || c == ':' || c == '=' || c == '-' || c == '>' || c == ',' || c == '~' || c == wideColon[0] || linkEnd[c]
	})
)

func byteTable(ok func(byte) bool) (table [256]bool) {
	for c := range table {
		table[c] = ok(byte(c))
	}
	return table
}
