package tinymodel

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
)

// ordinaryTokens is where the tokens of words begin; before them are those of the tokenizer itself.
const ordinaryTokens = 5

// Embedding returns a model whose vectors of dim numbers are the mean of one random vector for each word
// of the text, so that texts which share words are near and others far. It knows the words of the
// vocabulary; others are read by the letter and count little. Words of one group of synonyms have nearly
// the same vector.
func Embedding(dim int, vocabulary string, synonyms ...[]string) []byte {
	words := strings.FieldsFunc(strings.ToLower(vocabulary), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	group := map[string]string{}
	for _, g := range synonyms {
		for _, w := range g {
			words = append(words, strings.ToLower(w))
			group["▁"+strings.ToLower(w)] = g[0]
		}
	}
	tokens, kinds := wordTokens(words)
	vectors := make([]float32, 0, dim*len(tokens))
	for i, t := range tokens {
		if i < ordinaryTokens {
			vectors = append(vectors, make([]float32, dim)...)
			continue
		}
		vectors = append(vectors, wordVector(t, group[t], dim)...)
	}
	return file(bertMetadata(dim, tokens, kinds), bertTensors(dim, len(tokens), vectors))
}

// wordTokens are the tokens of a BERT tokenizer: its own, each letter, each word. "▁" begins a word.
func wordTokens(words []string) (tokens []string, kinds []int32) {
	tokens = []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
	kinds = []int32{controlToken, unknownToken, controlToken, controlToken, controlToken}
	seen := map[string]bool{}
	add := func(t string) {
		if !seen[t] {
			seen[t] = true
			tokens, kinds = append(tokens, t), append(kinds, normalToken)
		}
	}
	for c := '!'; c <= '~'; c++ {
		add("▁" + string(c))
		add(string(c))
	}
	for _, w := range words {
		add("▁" + w)
	}
	return tokens, kinds
}

// wordVector depends on the token alone, or for the most part on its group where it has one.
func wordVector(token, group string, dim int) []float32 {
	v := randomVector(token, dim)
	scale := float32(1)
	if len(strings.TrimPrefix(token, "▁")) == 1 {
		scale = 0.25
	}
	if group != "" {
		scale = 0.3
	}
	for i := range v {
		v[i] *= scale
	}
	if group != "" {
		for i, x := range randomVector("group of "+group, dim) {
			v[i] += x
		}
	}
	return v
}

func randomVector(name string, dim int) []float32 {
	h := fnv.New64a()
	h.Write([]byte(name))
	random := rand.New(rand.NewPCG(1, h.Sum64()))
	v := make([]float32, dim)
	for i := range v {
		v[i] = float32(random.NormFloat64())
	}
	return v
}

func bertMetadata(dim int, tokens []string, kinds []int32) []pair {
	return []pair{
		{"general.architecture", "bert"}, {"general.name", "tiny-embedding"}, {"general.file_type", uint32(0)},
		{"bert.context_length", uint32(ContextLength)}, {"bert.embedding_length", uint32(dim)}, {"bert.block_count", uint32(1)},
		{"bert.feed_forward_length", uint32(32)}, {"bert.attention.head_count", uint32(2)}, {"bert.attention.layer_norm_epsilon", float32(1e-12)},
		{"bert.attention.causal", false}, {"bert.pooling_type", uint32(1)},
		{"tokenizer.ggml.model", "bert"}, {"tokenizer.ggml.pre", "default"}, {"tokenizer.ggml.token_type_count", uint32(2)},
		{"tokenizer.ggml.tokens", tokens}, {"tokenizer.ggml.token_type", kinds}, {"tokenizer.ggml.scores", make([]float32, len(tokens))},
		{"tokenizer.ggml.padding_token_id", uint32(0)}, {"tokenizer.ggml.unknown_token_id", uint32(1)},
		{"tokenizer.ggml.bos_token_id", uint32(2)}, {"tokenizer.ggml.cls_token_id", uint32(2)},
		{"tokenizer.ggml.eos_token_id", uint32(3)}, {"tokenizer.ggml.seperator_token_id", uint32(3)}, // so spelt in the format
		{"tokenizer.ggml.separator_token_id", uint32(3)}, {"tokenizer.ggml.mask_token_id", uint32(4)},
	}
}

// bertTensors lets the vectors of the words pass unchanged through one layer, to be averaged at its end.
func bertTensors(dim, words int, vectors []float32) []tensor {
	zero := func(name string, dims ...int) tensor {
		n := 1
		for _, d := range dims {
			n *= d
		}
		return tensor{name, dims, make([]float32, n)}
	}
	tensors := []tensor{{"token_embd.weight", []int{dim, words}, vectors}, zero("token_types.weight", dim, 2), zero("position_embd.weight", dim, ContextLength)}
	for _, part := range []string{"q", "k", "v", "output"} {
		tensors = append(tensors, zero("blk.0.attn_"+part+".weight", dim, dim), zero("blk.0.attn_"+part+".bias", dim))
	}
	tensors = append(tensors, zero("blk.0.ffn_up.weight", dim, 32), zero("blk.0.ffn_up.bias", 32), zero("blk.0.ffn_down.weight", 32, dim), zero("blk.0.ffn_down.bias", dim))
	for _, norm := range []string{"token_embd_norm", "blk.0.attn_output_norm", "blk.0.layer_output_norm"} {
		tensors = append(tensors, tensor{norm + ".weight", []int{dim}, slices.Repeat([]float32{1}, dim)}, zero(norm+".bias", dim))
	}
	return tensors
}
