package memory

import (
	"context"
	"slices"

	"wake/domain"
	"wake/recall"
)

// longestSuccession is how many successors in a row are followed to find the context
// that holds.
const longestSuccession = 8

// successorsFirst puts superseded contexts after their successors. A missing successor
// is added unless the filters exclude it. None scores less than what it replaced. Contexts in
// placed are left out, and those that get a place are added to it.
func (f *searching) successorsFirst(ctx context.Context, list []text, placed map[string]bool) ([]text, error) {
	list = slices.DeleteFunc(list, func(t text) bool { return t.context != nil && placed[t.context.ID] })
	at := map[string]int{}
	for i, t := range list {
		if t.context != nil {
			at[t.context.ID] = i
		}
	}
	list, err := f.bringIn(ctx, list, at, placed)
	for id := range at {
		placed[id] = true
	}
	return raised(recall.Supersede(list, func(i int) int {
		if c := list[i].context; c != nil && c.SupersededBy != "" {
			if j, ok := at[c.SupersededBy]; ok {
				return j
			}
		}
		return -1
	})), err
}

// raised gives each successor at least the score of what it replaced, which stands behind it.
func raised(list []text) []text {
	least := map[string]float64{} // by a successor's id
	for i := range slices.Backward(list) {
		t := &list[i]
		if t.context == nil {
			continue
		}
		t.score = max(t.score, least[t.context.ID])
		if by := t.context.SupersededBy; by != "" {
			least[by] = max(least[by], t.score)
		}
	}
	return list
}

// bringIn appends missing successors to the list, and their successors in turn, and
// adds their places to at. Contexts in placed are not added.
func (f *searching) bringIn(ctx context.Context, list []text, at map[string]int, placed map[string]bool) ([]text, error) {
	fresh := list
	for range longestSuccession {
		ids, old := absentSuccessors(fresh, at)
		if len(ids) == 0 {
			break
		}
		found, err := f.s.namedThat(ctx, ids, f.filters, true)
		if err != nil {
			return nil, err
		}
		known := len(list)
		for i := range found {
			c := &found[i]
			was := old[c.ID]
			if _, there := at[c.ID]; there || placed[c.ID] || c.Project != was.context.Project {
				continue
			}
			at[c.ID] = len(list)
			list = append(list, text{
				candidate: candidate{space: domain.ContextSpace, of: domain.DocumentSource{ContextN: c.N}, score: was.score},
				context:   c, said: c.Content, instead: was.context.ID,
			})
		}
		fresh = list[known:]
	}
	return list, nil
}

// absentSuccessors returns the ids of successors without a place, and the texts that
// they replace, by those ids.
func absentSuccessors(list []text, at map[string]int) (ids []string, old map[string]text) {
	old = map[string]text{}
	for _, t := range list {
		if t.context == nil || t.context.SupersededBy == "" {
			continue
		}
		by := t.context.SupersededBy
		if _, there := at[by]; !there {
			ids = append(ids, by)
			old[by] = t
		}
	}
	return ids, old
}
