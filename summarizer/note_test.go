package summarizer

import (
	"strings"
	"testing"
)

// Ensure a model with a small window is given the beginning of a text that has hardly any spaces.
func TestShortenWithoutSpaces(t *testing.T) {
	const begins = "标题 我们决定使用数据库"
	note := begins + strings.Repeat("因为它不需要服务器", 200)
	for _, room := range []int{200, 320, 640, 1280, 2560} { // 1280 is that of 512 tokens
		if got := shorten(note, room); !strings.HasPrefix(got, begins) || len(got) > room {
			t.Errorf("in %d bytes: %q", room, got)
		}
	}
}
