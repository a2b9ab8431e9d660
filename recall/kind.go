package recall

import (
	"slices"
	"strings"
)

// Kind says what sort of store a question searches, judged by its candidates:
// the share of each sort. The first share is always 1, for what holds
// everywhere.
type Kind [numKinds]float64

// The kinds of stores.
const (
	anyStore   = iota // what holds everywhere
	chatStore         // a person talks with an assistant: long answers
	PeopleKind        // few people talk with one another in short turns
	notesStore        // the rest: decisions, commits, notes
	numKinds
)

var kindNames = [numKinds]string{"all", "chat", "people", "notes"}

// KindNames lists the kinds of stores in order.
func KindNames() []string { return slices.Clone(kindNames[:]) }

const briefTurn = 40 // terms

// kind looks at the candidates of a scene.
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

// groupTalk is 1 for two to six people who speak about equally often, less for
// more, and 0 for one or a crowd of twelve.
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
