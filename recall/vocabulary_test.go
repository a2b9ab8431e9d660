package recall_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"wake/recall"
)

func analysed(n int64, text string) *recall.Document {
	return recall.NewDocument(recall.Entry{N: n, Project: "p", Source: "Anna Smith", Content: text, Time: time.Unix(1700000000, 0)})
}

// A document says the same in a vocabulary that it shares as alone.
func TestVocabularyKeepsDocuments(t *testing.T) {
	v := recall.NewVocabulary()
	for n, text := range []string{"", "The cache_size of parseHTTP is 3. Is the cache cold?", "cold cold cache, warm tea", "茶は温かい。"} {
		alone := analysed(int64(n), text)
		data := alone.Encode()
		decoded, err := v.Decode(int64(n), data)
		if err != nil {
			t.Fatal(err)
		}
		for _, shared := range []*recall.Document{decoded, v.Keep(alone), recall.NewVocabulary().Keep(v.Keep(alone))} {
			got, want := slices.Sorted(slices.Values(shared.Terms())), slices.Sorted(slices.Values(alone.Terms()))
			if !slices.Equal(got, want) {
				t.Errorf("%q has the terms %q, alone %q", text, got, want)
			}
			again, err := recall.DecodeDocument(int64(n), shared.Encode())
			if err != nil {
				t.Fatal(err)
			}
			if kept := v.Keep(again); !slices.Equal(kept.Seq, decoded.Seq) || !slices.Equal(kept.Wholes, decoded.Wholes) {
				t.Errorf("%q is not the same text after another turn", text)
			}
		}
		if !bytes.Equal(alone.Encode(), data) {
			t.Errorf("%q is changed by being kept", text)
		}
	}
}

func TestVocabularyTakesManyAtOnce(t *testing.T) {
	v := recall.NewVocabulary()
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 50 {
				text := fmt.Sprintf("word%d word%d own%d", i, i+1, 100*g+i)
				d := v.Keep(analysed(1, text))
				if got := d.Terms(); !slices.Contains(got, fmt.Sprintf("own%d", 100*g+i)) {
					t.Errorf("%q became %q", text, got)
				}
			}
		})
	}
	all.Wait()
	if a, b := v.Keep(analysed(1, "word7")), v.Keep(analysed(2, "word7")); a.Seq[0] != b.Seq[0] {
		t.Error("a word has two numbers")
	}
}

// A damaged document is refused, or has its passages one after the other.
func TestDamagedDocuments(t *testing.T) {
	whole := analysed(1, strings.Repeat("The cache is cold. Is the tea warm? ", 40)).Encode()
	for at := 1; at < len(whole); at++ {
		for below := range uint64(64) {
			number := binary.AppendUvarint(nil, -below)
			d, err := recall.DecodeDocument(1, slices.Replace(slices.Clone(whole), at, at+1, number...))
			if err != nil {
				continue
			}
			from := uint32(0)
			for _, p := range d.Passages {
				if p.End < from || int(p.End) > len(d.Seq) {
					t.Fatalf("with %d at %d a passage goes from %d to %d of %d words", -below, at, from, p.End, len(d.Seq))
				}
				from = p.End
			}
		}
	}
}
