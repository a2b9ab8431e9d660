package memory

import (
	"cmp"
	"context"

	"wake/domain"
	"wake/session"
)

// treeDepth is how deep child sessions are followed. No agent nests so deep; it stops
// at damaged parents that form a cycle.
const treeDepth = 50

// SessionTree returns a session with its turns, operations, requests, responses, logs,
// ledger and child sessions, in one read. The newest session is meant by "".
func (s *Service) SessionTree(ctx context.Context, sessionID string) (domain.SessionNode, error) {
	owner, err := s.sessionOrNewest(ctx, sessionID)
	if err != nil {
		return domain.SessionNode{}, err
	}
	return s.tree(ctx, owner, true, 0)
}

// tree builds the tree of a session and its children. If whole is set, it reads
// requests, responses and logs too.
func (s *Service) tree(ctx context.Context, owner domain.Session, whole bool, depth int) (domain.SessionNode, error) {
	turns, err := s.Store.Turns(ctx, owner.ID)
	if err != nil {
		return domain.SessionNode{}, err
	}
	ops, err := s.Store.Ops(ctx, owner.ID, nil)
	if err != nil {
		return domain.SessionNode{}, err
	}
	ledger, err := s.Store.Ledger(ctx, owner.ID)
	if err != nil {
		return domain.SessionNode{}, err
	}
	var children []domain.SessionNode
	if depth < treeDepth {
		if children, err = s.children(ctx, owner, whole, depth); err != nil {
			return domain.SessionNode{}, err
		}
	}
	owner.Status = owner.StatusAt(s.now())
	node := session.Tree(owner, turns, ops, ledger, children)
	switch {
	case !owner.DeletedAt.IsZero():
		session.Hush(&node)
	case whole:
		err = s.fillOps(ctx, &node)
	}
	return node, err
}

func (s *Service) children(ctx context.Context, owner domain.Session, whole bool, depth int) ([]domain.SessionNode, error) {
	list, err := s.Store.Sessions(ctx, domain.SessionQuery{ParentID: owner.ID, Forgotten: true}) // forgotten ones still count in the totals
	if err != nil {
		return nil, err
	}
	var out []domain.SessionNode
	for i := len(list) - 1; i >= 0; i-- { // oldest first
		node, err := s.tree(ctx, list[i], whole, depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, node)
	}
	return out, nil
}

// fillOps reads the whole requests, responses, reasoning and logs of all operations
// from their events (001-09, 001-10).
func (s *Service) fillOps(ctx context.Context, node *domain.SessionNode) error {
	logs, err := s.Store.OpLogs(ctx, node.Session.ID)
	if err != nil {
		return err
	}
	for op := range node.Ops() {
		for _, seq := range distinct(append([]int64{op.RequestSeq, op.ResponseSeq, op.LastSeq}, logs[op.ID]...)) {
			if err := s.fillOp(ctx, op, seq); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Service) fillOp(ctx context.Context, op *domain.OpNode, seq int64) error {
	e, err := eventAt(ctx, s.Store, op.SessionID, seq)
	if err != nil || e == nil {
		return err
	}
	report, err := domain.PayloadAs[domain.OpReport](*e)
	if err != nil {
		return nil // the event has another type or is damaged
	}
	if seq == op.RequestSeq {
		op.Request = report.Request
	}
	if seq == op.ResponseSeq {
		op.Response = report.Response
	}
	op.Reasoning = cmp.Or(report.Reasoning, op.Reasoning)
	op.Logs = append(op.Logs, report.Logs...)
	return nil
}
