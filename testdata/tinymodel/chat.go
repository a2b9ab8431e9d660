package tinymodel

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// The kinds of tokens.
const (
	normalToken  = 1
	unknownToken = 2
	controlToken = 3
)

// endToken ends an answer.
const endToken = "<|im_end|>"

// Chat returns a model that says answers[m] whole and stops, when the last token of its prompt is the
// marker m, such as "<|yes|>". A server that constrains the answer to a form that it does not have gets
// random characters instead.
func Chat(answers map[string]string) []byte {
	v := chatVocabulary(answers)
	// Each token is a direction of its own, and attention and the rest add nothing: the output weights
	// are a table of what follows what, as logarithms of probabilities.
	size := len(v.tokens)
	shape := llamaShape{name: "tiny-chat", vocabulary: v, width: size, heads: 1, head: 32, hidden: 32, layers: 1}
	embedding, output := make([]float32, size*size), make([]float32, size*size)
	scale := float32(math.Sqrt(float64(size)))
	for last := range size {
		embedding[last*size+last] = 1
		for next := range size {
			output[next*size+last] = v.follows(last, next) / scale
		}
	}
	return shape.file(embedding, output, func(n int) []float32 { return make([]float32, n) })
}

// Noise returns a model of random weights, the same for the same seed.
func Noise(seed uint64) []byte {
	v := chatVocabulary(nil)
	random := rand.New(rand.NewPCG(seed, 1))
	normal := func(n int, deviation float64) []float32 {
		out := make([]float32, n)
		for i := range out {
			out[i] = float32(random.NormFloat64() * deviation)
		}
		return out
	}
	shape := llamaShape{name: "tiny-noise", vocabulary: v, width: 64, heads: 2, head: 32, hidden: 96, layers: 2}
	n := shape.width * len(v.tokens)
	return shape.file(normal(n, 1), normal(n, 0.1), func(n int) []float32 { return normal(n, 0.08) })
}

// vocabulary is the tokens of a chat model: each byte, each answer, the markers.
type vocabulary struct {
	tokens []string
	kinds  []int32
	answer map[int]int // marker -> what is said after it
	end    int
}

func chatVocabulary(answers map[string]string) vocabulary {
	v := vocabulary{answer: map[int]int{}}
	for b := range 256 {
		v.add(byteText(string([]byte{byte(b)})), normalToken)
	}
	v.add("th", normalToken) // for the one merge that the tokenizer wants
	said := map[string]int{}
	for _, marker := range slices.Sorted(maps.Keys(answers)) {
		said[marker] = v.add(byteText(answers[marker]), normalToken)
	}
	v.add("<|begin|>", controlToken)
	v.add("<|im_start|>", controlToken)
	v.end = v.add(endToken, controlToken)
	for _, marker := range slices.Sorted(maps.Keys(answers)) {
		v.answer[v.add(marker, controlToken)] = said[marker]
	}
	for len(v.tokens)%32 != 0 {
		v.add(fmt.Sprintf("<|pad_%d|>", len(v.tokens)), controlToken)
	}
	return v
}

func (v *vocabulary) add(token string, kind int32) int {
	v.tokens, v.kinds = append(v.tokens, token), append(v.kinds, kind)
	return len(v.tokens) - 1
}

// follows is the logarithm of how likely next comes after last, up to a constant.
func (v *vocabulary) follows(last, next int) float32 {
	scripted := float32(0)
	for marker, answer := range v.answer {
		switch {
		case last == marker && next == answer, last == answer && next == v.end:
			return 0
		case next == answer:
			return -60
		case last == marker || last == answer:
			scripted = -20 // only where the answer is not allowed
		}
	}
	return scripted + v.plain(next)
}

// plain is how likely a token is outside of scripts.
func (v *vocabulary) plain(next int) float32 {
	token := v.tokens[next]
	switch {
	case v.kinds[next] == controlToken && next != v.end:
		return -30
	case strings.Contains(`"]}`, token): // lets constrained answers end
		return -2
	case token >= "a" && token <= "z":
		return -4
	}
	return -12
}

// byteText writes bytes as the characters that byte-level tokenizers have for them: printable ones stand
// for themselves, the others are moved behind U+0100.
func byteText(s string) string {
	var table [256]rune
	moved := rune(256)
	for b := range 256 {
		if b >= '!' && b <= '~' || b >= 0xa1 && b <= 0xac || b >= 0xae {
			table[b] = rune(b)
			continue
		}
		table[b] = moved
		moved++
	}
	var out strings.Builder
	for i := range len(s) {
		out.WriteRune(table[s[i]])
	}
	return out.String()
}

// llamaShape is the size of a model of the Llama architecture.
type llamaShape struct {
	name                               string
	vocabulary                         vocabulary
	width, heads, head, hidden, layers int
}

// file puts the model together. weights makes those of the layers.
func (s llamaShape) file(embedding, output []float32, weights func(n int) []float32) []byte {
	size, inner := len(s.vocabulary.tokens), s.heads*s.head
	tensors := []tensor{{"token_embd.weight", []int{s.width, size}, embedding}}
	for i := range s.layers {
		matrix := func(name string, in, out int) tensor {
			return tensor{fmt.Sprintf("blk.%d.%s.weight", i, name), []int{in, out}, weights(in * out)}
		}
		tensors = append(tensors,
			tensor{fmt.Sprintf("blk.%d.attn_norm.weight", i), []int{s.width}, filled(s.width, 1)},
			matrix("attn_q", s.width, inner), matrix("attn_k", s.width, inner), matrix("attn_v", s.width, inner), matrix("attn_output", inner, s.width),
			tensor{fmt.Sprintf("blk.%d.ffn_norm.weight", i), []int{s.width}, filled(s.width, 1)},
			matrix("ffn_gate", s.width, s.hidden), matrix("ffn_up", s.width, s.hidden), matrix("ffn_down", s.hidden, s.width))
	}
	tensors = append(tensors, tensor{"output_norm.weight", []int{s.width}, filled(s.width, 1)}, tensor{"output.weight", []int{s.width, size}, output})
	return file(s.metadata(), tensors)
}

func (s llamaShape) metadata() []pair {
	v := s.vocabulary
	return []pair{
		{"general.architecture", "llama"}, {"general.name", s.name}, {"general.file_type", uint32(0)}, {"general.quantization_version", uint32(2)},
		{"llama.context_length", uint32(ContextLength)}, {"llama.vocab_size", uint32(len(v.tokens))},
		{"llama.embedding_length", uint32(s.width)}, {"llama.block_count", uint32(s.layers)}, {"llama.feed_forward_length", uint32(s.hidden)},
		{"llama.attention.head_count", uint32(s.heads)}, {"llama.attention.head_count_kv", uint32(s.heads)},
		{"llama.attention.key_length", uint32(s.head)}, {"llama.attention.value_length", uint32(s.head)},
		{"llama.attention.layer_norm_rms_epsilon", float32(1e-5)},
		{"llama.rope.dimension_count", uint32(s.head)}, {"llama.rope.freq_base", float32(10000)},
		{"tokenizer.ggml.model", "gpt2"}, {"tokenizer.ggml.pre", "default"}, {"tokenizer.ggml.tokens", v.tokens}, {"tokenizer.ggml.token_type", v.kinds},
		{"tokenizer.ggml.merges", []string{"t h"}}, {"tokenizer.ggml.add_bos_token", false},
		{"tokenizer.ggml.bos_token_id", uint32(slices.Index(v.tokens, "<|begin|>"))},
		{"tokenizer.ggml.eos_token_id", uint32(v.end)}, {"tokenizer.ggml.eot_token_id", uint32(v.end)},
	}
}

func filled(n int, value float32) []float32 { return slices.Repeat([]float32{value}, n) }
