package memory

import (
	"context"

	"wake/domain"
	"wake/recall"
)

// longestSuccession is how many times in a row a context may have been replaced
// for the one that holds to be brought in.
const longestSuccession = 8

// successorsFirst puts what no longer holds behind what replaced it. A successor
// that was not found itself is brought in, unless the request's filters may be
// what kept it out.
func (f *finding) successorsFirst(ctx context.Context, list []text) ([]text, error) {
	at := map[string]int{}
	for i, t := range list {
		if t.context != nil {
			at[t.context.ID] = i
		}
	}
	if filters := f.s.filters(f.req.Filter); filters.Empty() {
		var err error
		if list, err = f.bringIn(ctx, list, at); err != nil {
			return nil, err
		}
	}
	return recall.Supersede(list, func(i int) int {
		if c := list[i].context; c != nil && c.SupersededBy != "" {
			if j, ok := at[c.SupersededBy]; ok {
				return j
			}
		}
		return -1
	}), nil
}

// bringIn adds the successors that are missing, and theirs in turn, at the end of
// the list and to the places in at.
func (f *finding) bringIn(ctx context.Context, list []text, at map[string]int) ([]text, error) {
	fresh := list
	for range longestSuccession {
		ids, old := absentSuccessors(fresh, at)
		if len(ids) == 0 {
			break
		}
		found, err := f.s.Store.ContextsByID(ctx, ids, true)
		if err != nil {
			return nil, err
		}
		known := len(list)
		for i := range found {
			c := &found[i]
			was := old[c.ID]
			if _, there := at[c.ID]; there || !c.DeletedAt.IsZero() || c.Project != was.context.Project {
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

// absentSuccessors are the ids of what replaced texts of a list and has no place, and
// the texts by those ids.
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
