package session

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"wake/domain"
	"wake/secret"
)

// Line describes an event in one line of at most 120 characters.
func Line(e domain.Event) string {
	if e.Erased {
		return fmt.Sprintf("%s (erased)", e.Type)
	}
	p, err := decode(e)
	if err != nil {
		return fmt.Sprintf("%s (unreadable)", e.Type)
	}
	return short(phrase(p), 120)
}

func phrase(p domain.Payload) string {
	switch p := p.(type) {
	case domain.Message:
		return messagePhrase(p)
	case domain.OpReport:
		return opPhrase(p)
	case domain.Window:
		if p.Limit == 0 { // not known
			return fmt.Sprintf("window %d tokens", p.Tokens)
		}
		return fmt.Sprintf("window %d of %d tokens", p.Tokens, p.Limit)
	case domain.Goal:
		return fmt.Sprintf("goal %s: %s", p.Status, cmp.Or(p.Text, p.ID))
	case domain.Reasoning:
		return "thinks: " + p.Content
	case domain.Mode:
		return "mode " + p.To + suffix(": ", p.Task)
	case domain.Finding:
		return fmt.Sprintf("found %s: %s", strings.ReplaceAll(string(p.Kind), "_", " "), p.Text)
	case domain.Signal:
		return fmt.Sprintf("signal %s %s", p.Name, p.Status)
	case domain.Step:
		return fmt.Sprintf("step %s %s", p.ID, p.Status)
	case domain.Compaction:
		return compactionPhrase(p)
	}
	return ownPhrase(p)
}

// compactionPhrase says what is known about a compaction. Of Codex's, it is nothing more
// than that it happened.
func compactionPhrase(c domain.Compaction) string {
	text := "compacted"
	if c.Trigger != "" {
		text += " (" + c.Trigger + ")"
	}
	switch {
	case c.TokensBefore > 0 && c.TokensAfter > 0:
		return text + fmt.Sprintf(", %d → %d tokens", c.TokensBefore, c.TokensAfter)
	case c.TokensBefore > 0:
		return text + fmt.Sprintf(" at %d tokens", c.TokensBefore)
	case c.TokensAfter > 0:
		return text + fmt.Sprintf(" to %d tokens", c.TokensAfter)
	}
	return text
}

func aboutPhrase(a domain.About) string {
	known := []string{a.Title, a.Provider, a.Model, a.AgentID, a.Status}
	if a.ContextLimit > 0 {
		known = append(known, fmt.Sprintf("limit %d tokens", a.ContextLimit))
	}
	for _, name := range slices.Sorted(maps.Keys(a.Attributes)) {
		known = append(known, name+" "+a.Attributes[name])
	}
	return "is now " + strings.Join(nonEmpty(known...), ", ")
}

func ownPhrase(p domain.Payload) string {
	switch p := p.(type) {
	case domain.End:
		if p.Success != nil && !*p.Success {
			return "ended without success" + suffix(": ", p.Error)
		}
		return "ended"
	case domain.About:
		return aboutPhrase(p)
	case domain.ContextSaved:
		return "saved context " + p.ContextID
	case domain.Restored:
		return restoredPhrase(p)
	case domain.Note:
		return p.Kind + suffix(": ", p.Text)
	}
	return ""
}

func restoredPhrase(r domain.Restored) string {
	switch {
	case !r.ByUser():
		return fmt.Sprintf("set back to event %d (checkpoint %s)", r.Seq, r.CheckpointID)
	case r.DroppedTo > 0:
		return fmt.Sprintf("the user had gone back and dropped events %d to %d", r.DroppedFrom, r.DroppedTo)
	}
	return "two windows continue the session: nothing was dropped"
}

func messagePhrase(m domain.Message) string {
	who := string(m.Role)
	if m.Kind != domain.PlainMessage {
		who = string(m.Kind)
	}
	switch {
	case m.Role == domain.RoleTool && m.Error != "":
		return fmt.Sprintf("tool%s failed: %s", suffix(" ", m.ToolName), m.Error)
	case m.Role == domain.RoleTool:
		return fmt.Sprintf("tool%s: %s", suffix(" ", m.ToolName), m.Content)
	case m.Content != "":
		return who + ": " + m.Content
	case len(m.ToolCalls) > 0:
		var names []string
		for _, c := range m.ToolCalls {
			names = append(names, c.Name)
		}
		return who + " calls " + strings.Join(names, ", ")
	case m.Reasoning != "":
		return who + " thinks: " + m.Reasoning
	}
	return who + suffix(": ", Wordless(m))
}

// Wordless says of a message without words that there are pictures or files; it is "" for any
// other message.
func Wordless(m domain.Message) string {
	if strings.TrimSpace(m.Content) != "" || len(m.Media) == 0 {
		return ""
	}
	return fmt.Sprintf("(pictures or files without words: %d)", len(m.Media))
}

func opPhrase(r domain.OpReport) string {
	text := fmt.Sprintf("%s %s %s", r.Kind, cmp.Or(r.Name, r.OpID), r.Status)
	if r.Usage != nil {
		text += fmt.Sprintf(", %d in, %d out", r.Usage.Input, r.Usage.Output)
	}
	return text + suffix(", in session ", r.ChildSessionID) + suffix(": ", r.Error)
}

func suffix(sep, text string) string {
	if text == "" {
		return ""
	}
	return sep + text
}

// TellTree writes a tree of operations with indentation.
func TellTree(node domain.SessionNode) string {
	var b strings.Builder
	drawSession(&b, node, "")
	return b.String()
}

func drawSession(b *strings.Builder, node domain.SessionNode, indent string) {
	s := node.Session
	name := cmp.Or(s.Title, s.AgentID, "session")
	if !s.DeletedAt.IsZero() {
		name = "forgotten session"
	}
	fmt.Fprintf(b, "%s%s %s: %s\n", indent, short(name, 60), s.ID, TellTotals(node.Totals))
	for _, turn := range node.Turns {
		if len(turn.Ops) == 0 && turn.Index == 0 {
			continue
		}
		fmt.Fprintf(b, "%s  turn %d%s\n", indent, turn.Index, suffix(" ", short(turn.Label, 60)))
		for _, op := range turn.Ops {
			drawOp(b, op, indent+"    ")
		}
	}
	for _, child := range node.Orphans {
		drawSession(b, child, indent+"  ")
	}
}

func drawOp(b *strings.Builder, op domain.OpNode, indent string) {
	fmt.Fprintf(b, "%s%s %s %s", indent, op.Kind, OneLine(cmp.Or(op.Name, op.Model, op.ID), 60), op.Status)
	if op.LatencyMS > 0 {
		fmt.Fprintf(b, " %s", time.Duration(op.LatencyMS)*time.Millisecond)
	}
	if t := op.Usage.Total(); t > 0 {
		fmt.Fprintf(b, " %d tokens%s", t, TellCost(" ", op.Usage.Cost))
	}
	fmt.Fprintf(b, "%s\n", suffix(": ", short(op.Error, 80)))
	for _, child := range op.Children {
		drawSession(b, child, indent+"  ")
	}
}

// TellTotals writes totals in one line.
func TellTotals(t domain.Totals) string {
	text := fmt.Sprintf("%d tokens in, %d out", t.TokensIn, t.TokensOut)
	if t.TokensCacheRead+t.TokensCacheWrite > 0 {
		text += fmt.Sprintf(", cache %d read, %d written", t.TokensCacheRead, t.TokensCacheWrite)
	}
	return fmt.Sprintf("%s%s, %s, %s", text, TellCost(", ", t.Cost), domain.Many(t.ToolsRun, "tool"), domain.Many(t.AgentsRun, "agent"))
}

// TellCost writes a cost behind a separator. Most clients tell of none, which is not the same
// as that nothing was paid: then it is "".
func TellCost(separator string, cost domain.USD) string {
	if cost == 0 {
		return ""
	}
	return separator + "$" + cost.String()
}

// TellStatus describes the status of a session. w is its window, with the limit that
// applies.
func TellStatus(s domain.Session, w domain.Window, totals domain.Totals, now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s), %s\n", short(cmp.Or(s.Title, "session"), 100), s.ID, s.Status)
	where := strings.Join(nonEmpty(s.Project, s.Client, s.Provider, s.Model, suffix("mode ", s.Mode)), " · ")
	if where != "" {
		fmt.Fprintln(&b, where)
	}
	if s.ForkedFrom != "" {
		fmt.Fprintf(&b, "forked from session %s at event %d\n", s.ForkedFrom, s.ForkedSeq)
	}
	if s.ParentID != "" {
		fmt.Fprintf(&b, "child of session %s\n", s.ParentID)
	}
	fmt.Fprintf(&b, "%s, %s by the user, turn %d, epoch %d; last active %s\n", domain.Many(s.LastSeq, "event"),
		domain.Many(s.HumanMsgs, "message"), s.Turn, s.Epoch, Ago(now.Sub(s.UpdatedAt)))
	if w.Limit > 0 {
		fmt.Fprintf(&b, "window: %d of %d tokens (%.0f %%)\n", w.Tokens, w.Limit, 100*Fraction(w))
	}
	fmt.Fprintf(&b, "spent: %s\n", TellTotals(totals))
	if s.LatestStatus != "" {
		fmt.Fprintf(&b, "now: %s\n", short(s.LatestStatus, 200))
	}
	if s.Error != "" {
		fmt.Fprintf(&b, "error: %s\n", short(s.Error, 200))
	}
	return b.String()
}

func nonEmpty(list ...string) []string {
	return filter(list, func(s string) bool { return s != "" })
}

// short is OneLine of a text whose secrets are masked before it is cut, which would leave
// a part that nobody recognizes. Of a long text only the beginning is looked at, up to the
// end of a word.
func short(text string, n int) string {
	head := domain.Head(text, 16*n)
	if end := strings.LastIndexAny(head, " \t\n"); len(head) < len(text) && end >= 0 {
		head = head[:end]
	}
	return OneLine(secret.Mask(head), n)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
