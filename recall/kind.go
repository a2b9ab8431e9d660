package recall

import (
	"slices"
	"strings"
)

// Kind says what sort of store a question searches, judged by its candidates: the share
// of each sort. The first share is always 1 and stands for what holds in every store.
type Kind [numKinds]float64

// The kinds of stores.
const (
	anyStore   = iota // every store
	chatStore         // a person and an assistant, with long answers
	PeopleKind        // a few people talking in short turns
	notesStore        // everything else: decisions, commits, notes
	numKinds
)

var kindNames = [numKinds]string{"all", "chat", "people", "notes"}

// KindNames lists the kinds of stores in order.
func KindNames() []string { return slices.Clone(kindNames[:]) }

const briefTurn = 40 // terms

// kind estimates the kind of store from the candidates.
func (s *scene) kind() Kind {
	chat, brief := 0.0, 0.0
	speakers := map[string]float64{}
	for _, c := range s.cands {
		d := c.view.doc
		switch {
		case d.Role == User || d.Role == Assistant:
			chat++
		case d.Role == Other:
			speakers[strings.Join(d.Speaker, " ")]++
			brief += oneIf(len(d.Seq) <= briefTurn)
		}
	}
	n := float64(len(s.cands))
	talk := brief / n * groupTalk(speakers)
	return Kind{1, chat / n, talk, 1 - chat/n - talk}
}

// groupTalk is 1 for two to six people who speak about equally often, falls for more,
// and is 0 for one speaker or for twelve or more.
func groupTalk(speakers map[string]float64) float64 {
	if len(speakers) < 2 {
		return 0
	}
	sum, squares := 0.0, 0.0
	for _, n := range speakers {
		sum += n
		squares += n * n
	}
	return min(1, max(0, (12-sum*sum/squares)/6))
}
