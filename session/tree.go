package session

import (
	"cmp"
	"slices"

	"wake/domain"
)

// Tree builds the tree of one session: operations in their turns, ledger rows and
// child sessions, which are trees themselves, at their operations. A child whose
// operation is not known is added to the session itself. Totals include each child
// once (001-08, 001-11).
func Tree(s domain.Session, turns []domain.Turn, ops []domain.Op, ledger []domain.LedgerEntry, children []domain.SessionNode) domain.SessionNode {
	node := domain.SessionNode{Session: s, Turns: []domain.TurnNode{}, Totals: s.Totals}
	byTurn := map[int64]int{}
	for _, t := range turns {
		byTurn[t.Index] = len(node.Turns)
		node.Turns = append(node.Turns, domain.TurnNode{Turn: t, Ops: []domain.OpNode{}})
	}
	for _, op := range ops {
		i, ok := byTurn[op.Turn]
		if !ok {
			i = len(node.Turns)
			byTurn[op.Turn] = i
			node.Turns = append(node.Turns, domain.TurnNode{Turn: domain.Turn{SessionID: s.ID, Index: op.Turn,
				FirstSeq: op.FirstSeq, LastSeq: op.LastSeq, StartedAt: op.StartedAt}})
		}
		node.Turns[i].Ops = append(node.Turns[i].Ops, domain.OpNode{Op: op})
	}
	slices.SortStableFunc(node.Turns, func(a, b domain.TurnNode) int { return cmp.Compare(a.Index, b.Index) })
	attachLedger(&node, ledger)
	attachChildren(&node, children)
	return node
}

// Hush removes the texts from the tree of a forgotten session. Its costs stay, and so
// do its children.
func Hush(node *domain.SessionNode) {
	node.Session.Title, node.Session.Error, node.Session.LatestStatus, node.Session.Attributes = "", "", "", nil
	node.Session.Opened.Title = ""
	for t := range node.Turns {
		node.Turns[t].Label = ""
	}
	for op := range node.Ops() {
		op.Label, op.Error, op.Command = "", "", ""
		for i := range op.Accounting {
			op.Accounting[i].Error, op.Accounting[i].Command = "", op.Name
		}
	}
}

func attachLedger(node *domain.SessionNode, ledger []domain.LedgerEntry) {
	byOp := map[string][]domain.LedgerEntry{}
	for _, e := range ledger {
		byOp[e.OpID] = append(byOp[e.OpID], e)
	}
	for op := range node.Ops() {
		op.Accounting = byOp[op.ID]
	}
}

func attachChildren(node *domain.SessionNode, children []domain.SessionNode) {
	ops := map[string]*domain.OpNode{}
	bySession := map[string]*domain.OpNode{}
	for op := range node.Ops() {
		ops[op.ID] = op
		if op.ChildSessionID != "" {
			bySession[op.ChildSessionID] = op
		}
	}
	for _, child := range children {
		node.Totals = node.Totals.Plus(child.Totals)
		op := ops[child.Session.ParentOpID]
		if op == nil {
			op = bySession[child.Session.ID]
		}
		if op == nil {
			node.Orphans = append(node.Orphans, child)
			continue
		}
		op.Children = append(op.Children, child)
	}
}

// TreeTotals sums up the operations of a tree, including children, as a check of its
// totals (001-11).
func TreeTotals(node domain.SessionNode) domain.Totals {
	total := domain.Totals{AgentsRun: 1}
	for op := range node.Ops() {
		total = total.Plus(costOf(op.Op))
		for _, child := range op.Children {
			total = total.Plus(TreeTotals(child))
		}
	}
	for _, child := range node.Orphans {
		total = total.Plus(TreeTotals(child))
	}
	return total
}
