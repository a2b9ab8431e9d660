package summarizer

import (
	"encoding/json"
	"strings"
	"unicode"

	"wake/domain"
	"wake/secret"
)

// enoughShared is the share of a summary's words that must come from the text. Models
// rephrase, but keep names and most nouns; random characters share nothing.
const enoughShared = 0.3

// thoughts matches what some models write before they answer; its beginning may be
// missing.
var thoughts = lazily(`(?s)^.*</think(?:ing)?>`)

// readAnswer checks a model's answer about a note and converts it to a summary.
func readAnswer(name, said, note string) (domain.Summary, error) {
	var answer struct {
		Summary string   `json:"summary"`
		Tags    []string `json:"tags"`
	}
	if err := json.NewDecoder(strings.NewReader(object(said))).Decode(&answer); err != nil {
		return domain.Summary{}, domain.Invalid("the model %s did not answer in the required form: %v", name, err)
	}
	summary := cleanSummary(answer.Summary)
	switch {
	case !strings.ContainsFunc(summary, unicode.IsLetter):
		return domain.Summary{}, domain.Invalid("the model %s gave an empty summary", name)
	case width(summary) < fragment && len(note) > 4*fragment:
		return domain.Summary{}, domain.Invalid("the summary by the model %s is too short to say anything", name)
	case stammers(readWords(summary)):
		return domain.Summary{}, domain.Invalid("the summary by the model %s repeats itself", name)
	}
	mine, theirs := readSentences(summary), readSentences(clean(note))
	if shareOf(mine, append(theirs, sentence{words: readWords(head(note, 4*examined))})) < enoughShared {
		return domain.Summary{}, domain.Invalid("the summary by the model %s is not about the text", name)
	}
	if otherLanguage(summary, note, mine, theirs) {
		return domain.Summary{}, domain.Invalid("the summary by the model %s is in another language than the text", name)
	}
	return domain.Summary{Text: summary, Tags: cleanTags(answer.Tags)}, nil
}

// object returns the part of an answer that begins with its JSON object. Some models think
// aloud, say a sentence or open a Markdown fence before it.
func object(said string) string {
	said = strings.TrimSpace(said)
	if !strings.HasPrefix(said, "{") {
		said = thoughts().ReplaceAllString(said, "")
	}
	return said[max(strings.IndexByte(said, '{'), 0):]
}

// stammers reports whether most words are repeated: small models may find no end. Real
// summaries have at least six different words in ten.
func stammers(words []word) bool {
	different := map[string]bool{}
	for _, w := range words {
		different[w.lower] = true
	}
	return len(words) >= 12 && 2*len(different) < len(words)
}

// cleanSummary puts a model's summary on one line, without secrets and within the
// limits. A long one that ends amid a sentence was cut by the schema and loses that
// sentence.
func cleanSummary(s string) string {
	s = secret.Mask(oneLine(plain(strings.Map(readableRune, thoughts().ReplaceAllString(s, "")))))
	if width(s) <= MaxSummary || width(s) <= MaxSentence && finish(s) == s {
		return s
	}
	whole := ""
	for _, sentence := range splitSentences(s) {
		if width(whole)+width(sentence) >= MaxSentence || finish(sentence) != sentence {
			break
		}
		whole = strings.TrimSpace(whole + " " + sentence)
	}
	if whole == "" {
		return cut(s, MaxSummary)
	}
	return whole
}

// otherLanguage reports whether a summary is clearly not in the language of its text:
// it is in another script, or has stop words of another language and none of the
// text's.
func otherLanguage(summary, note string, mine, theirs []sentence) bool {
	if a, b := mainScript(summary), mainScript(head(note, examined)); a != "" && b != "" && a != b {
		return true
	}
	here, there := countStops(mine), countStops(theirs)
	a, b := mostStops(here), mostStops(there)
	return a != b && here[a] >= 3 && here[b] == 0 && there[b] >= 5 && there[b] > 2*there[a]
}
