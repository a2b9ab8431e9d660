package prediction

import (
	"math"
	"slices"
)

// moves learns where work goes next by folder and by kind. It predicts what is too new to have neighbours of
// its own.
type moves struct {
	Folders []move
	Kinds   []move
}

// move is what follows a folder or a kind. Its edges hold the hashes of folders or kinds as ids.
type move struct {
	From uint32
	Sum  float64
	To   []Edge
}

const (
	keptFolderMoves = 128
	keptKindMoves   = 16
)

// move learns what was used after what.
func (r *recency) move(before, used []*Item) {
	r.Moves.Folders = learnMoves(r.Moves.Folders, keptFolderMoves, groups(before, folderOf), groups(used, folderOf))
	r.Moves.Kinds = learnMoves(r.Moves.Kinds, keptKindMoves, groups(before, kindOf), groups(used, kindOf))
}

func folderOf(it *Item) uint32 { return it.Place.folder() }
func kindOf(it *Item) uint32   { return it.Place.Kind }

// groups returns the folders or kinds of the items, without repeats.
func groups(list []*Item, of func(*Item) uint32) []uint32 {
	var out []uint32
	for _, it := range list {
		if g := of(it); !slices.Contains(out, g) {
			out = append(out, g)
		}
	}
	return out
}

// learnMoves counts what followed. If the list is full, the least used entry is replaced.
func learnMoves(list []move, limit int, from, to []uint32) []move {
	for _, f := range from {
		k := slices.IndexFunc(list, func(m move) bool { return m.From == f })
		switch {
		case k >= 0:
		case len(list) < limit:
			k, list = len(list), append(list, move{From: f})
		default:
			k = leastMoved(list)
			list[k] = move{From: f}
		}
		m := &list[k]
		m.Sum = fadeEdges(m.To, m.Sum)
		for _, t := range to {
			m.To = bump(m.To, ID(t), 1)
		}
	}
	return list
}

func leastMoved(list []move) int {
	least := 0
	for k := range list {
		if list[k].Sum < list[least].Sum {
			least = k
		}
	}
	return least
}

// shares returns how often each group followed those in from.
func shares(list []move, from []uint32) map[uint32]float64 {
	out := map[uint32]float64{}
	for _, m := range list {
		if !slices.Contains(from, m.From) {
			continue
		}
		for _, e := range m.To {
			out[uint32(e.To)] += float64(e.Weight) / (m.Sum + 1) / float64(len(from))
		}
	}
	return out
}

// moved sets how often work has moved from the current folders and kinds to those of the item.
func (s *scene) moved(list []*Item, x []vector, rows *rowset) {
	before, m := rows.all(s.q.before), &s.model.recency.Moves
	folders := shares(m.Folders, groups(before, folderOf))
	kinds := shares(m.Kinds, groups(before, kindOf))
	toFolder, toKind := logOf(folders, 0.02), logOf(kinds, 0.02)
	for k, it := range list {
		x[k][fFolderMove] = toFolder(folderOf(it))
		x[k][fKindMove] = toKind(kindOf(it))
	}
}

// logOf returns a function for the logarithm of a group's share plus little.
func logOf(shares map[uint32]float64, little float64) func(group uint32) float64 {
	logs, none := make(map[uint32]float64, len(shares)), math.Log(little)
	for g, share := range shares {
		logs[g] = math.Log(little + share)
	}
	return func(group uint32) float64 {
		if l, ok := logs[group]; ok {
			return l
		}
		return none
	}
}
