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
	said = strings.TrimSpace(said)
	if !strings.HasPrefix(said, "{") {
		said = strings.TrimSpace(thoughts().ReplaceAllString(said, ""))
	}
	if err := json.Unmarshal([]byte(unfence(said)), &answer); err != nil {
		return domain.Summary{}, domain.Invalid("the model %s did not answer in the required form: %v", name, err)
	}
	summary := cleanSummary(answer.Summary)
	if !strings.ContainsFunc(summary, unicode.IsLetter) {
		return domain.Summary{}, domain.Invalid("the model %s gave an empty summary", name)
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

// unfence removes the Markdown fence that some models put around JSON.
func unfence(s string) string {
	if rest, ok := strings.CutPrefix(s, "```"); ok {
		rest = strings.TrimPrefix(rest, "json")
		return strings.TrimSuffix(strings.TrimSpace(rest), "```")
	}
	return s
}

// cleanSummary puts a model's summary on one line, without secrets and within the
// limits.
func cleanSummary(s string) string {
	s = secret.Mask(oneLine(plain(strings.Map(readableRune, thoughts().ReplaceAllString(s, "")))))
	if width(s) <= MaxSentence {
		return s
	}
	whole := ""
	for _, sentence := range splitSentences(s) {
		if width(whole)+width(sentence) >= MaxSentence {
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
