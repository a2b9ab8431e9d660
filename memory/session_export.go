package memory

import (
	"context"
	"io"

	"wake/domain"
	"wake/transcript"
)

// exportTree writes a session with its children as gzip JSON in the shape of ai-agent's
// session files (001-14): the tree with whole requests and responses.
func (s *Service) exportTree(ctx context.Context, w io.Writer, sessionID string) error {
	tree, err := s.SessionTree(ctx, sessionID)
	if err != nil {
		return err
	}
	if err := s.tellTurns(ctx, &tree); err != nil {
		return err
	}
	return transcript.WriteAIAgent(w, "final", tree)
}

// tellTurns adds to the turns of a tree and its children what only notes have.
func (s *Service) tellTurns(ctx context.Context, node *domain.SessionNode) error {
	notes, err := s.Store.Events(ctx, domain.EventQuery{SessionID: node.Session.ID, Types: []domain.EventType{domain.EventNote}})
	if err != nil {
		return err
	}
	node.Turns = transcript.TellTurns(node.Turns, notes)
	for op := range node.Ops() {
		for c := range op.Children {
			if err := s.tellTurns(ctx, &op.Children[c]); err != nil {
				return err
			}
		}
	}
	for c := range node.Orphans {
		if err := s.tellTurns(ctx, &node.Orphans[c]); err != nil {
			return err
		}
	}
	return nil
}

// ExportAccounting writes the ledger of a session as ai-agent's accounting.jsonl
// (001-14), including that of its child sessions if children is set. It is for programs
// that bill; the commands and tools show the ledger within a session's tree.
func (s *Service) ExportAccounting(ctx context.Context, w io.Writer, sessionID string, children bool) error {
	owner, err := s.sessionOrNewest(ctx, sessionID)
	if err != nil {
		return err
	}
	depth := treeDepth
	if children {
		depth = 0
	}
	tree, err := s.tree(ctx, owner, false, depth)
	if err != nil {
		return err
	}
	return transcript.WriteAccounting(w, ledgerOf(tree))
}

// ledgerOf collects the ledger of a tree; children follow the operation that started
// them.
func ledgerOf(node domain.SessionNode) []domain.LedgerEntry {
	var out []domain.LedgerEntry
	for op := range node.Ops() {
		out = append(out, op.Accounting...)
		for _, child := range op.Children {
			out = append(out, ledgerOf(child)...)
		}
	}
	for _, child := range node.Orphans {
		out = append(out, ledgerOf(child)...)
	}
	return out
}
