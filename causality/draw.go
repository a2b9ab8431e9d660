package causality

import (
	"fmt"
	"strings"

	"wake/domain"
)

// labelLength is how much of a summary fits a node of a drawing, in characters.
const labelLength = 60

// Text draws the chain as an indented list, causes above, effects below.
func Text(ch Chain) string {
	var b strings.Builder
	deepest := 0
	for _, n := range ch.Nodes {
		deepest = max(deepest, -n.Depth)
	}
	for _, n := range ch.Nodes {
		mark := "  "
		if n.Depth == 0 {
			mark = "▶ "
		}
		fmt.Fprintf(&b, "%s%s%s\n", strings.Repeat("  ", min(n.Depth+deepest, 30)), mark, title(n.Context))
	}
	for _, id := range ch.Lost {
		fmt.Fprintf(&b, "  lost: %s\n", oneLine(id))
	}
	return strings.TrimRight(b.String(), "\n")
}

// Mermaid draws the chain as a Mermaid flowchart, arrows from cause to effect.
func Mermaid(ch Chain) string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	names := nodeNames(ch)
	for _, n := range ch.Nodes {
		fmt.Fprintf(&b, "  %s[\"%s\"]\n", names[n.Context.ID], mermaidText(label(n.Context)))
	}
	for _, id := range ch.Lost {
		fmt.Fprintf(&b, "  %s[\"lost: %s\"]:::lost\n", names[id], mermaidText(oneLine(id)))
	}
	for _, l := range ch.Edges {
		fmt.Fprintf(&b, "  %s %s %s\n", names[l.To], mermaidArrow(l), names[l.From])
	}
	fmt.Fprintf(&b, "  style %s stroke-width:3px\n", names[ch.Start])
	if len(ch.Lost) > 0 {
		b.WriteString("  classDef lost stroke-dasharray:4\n")
	}
	return b.String()
}

func mermaidArrow(l domain.Link) string {
	switch {
	case l.Kind == domain.Cause:
		return "-->"
	case l.Kind == domain.Supersedes:
		return "-. superseded by .->"
	case l.Origin == domain.Auto:
		return "-. related .->"
	}
	return "-.->"
}

// mermaidText escapes what Mermaid would read as markup or as the label's end.
func mermaidText(s string) string {
	return strings.NewReplacer(`"`, "#quot;", "<", "#lt;", ">", "#gt;", "`", "#96;", "#", "#35;", "\\", "#92;").Replace(s)
}

// Dot draws the chain in the language of Graphviz.
func Dot(ch Chain) string {
	var b strings.Builder
	b.WriteString("digraph chain {\n  node [shape=box];\n")
	for _, n := range ch.Nodes {
		bold := ""
		if n.Depth == 0 {
			bold = ", penwidth=3"
		}
		fmt.Fprintf(&b, "  %s [label=%s%s];\n", dotText(n.Context.ID), dotText(label(n.Context)), bold)
	}
	for _, id := range ch.Lost {
		fmt.Fprintf(&b, "  %s [label=%s, style=dashed];\n", dotText(id), dotText("lost: "+id))
	}
	for _, l := range ch.Edges {
		fmt.Fprintf(&b, "  %s -> %s [label=%s%s];\n", dotText(l.To), dotText(l.From), dotText(string(l.Kind)), dotStyle(l))
	}
	b.WriteString("}\n")
	return b.String()
}

func dotStyle(l domain.Link) string {
	if l.Kind == domain.Cause {
		return ""
	}
	return ", style=dashed"
}

func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// label is a node's text in a drawing: one line, cut at labelLength, with its mark.
func label(c domain.ContextSnapshot) string {
	return c.Timestamp.Format("2006-01-02") + " " + domain.Clip(oneLine(c.Summary), labelLength) + mark(c)
}

// nodeNames gives each id a short name that every drawing language takes.
func nodeNames(ch Chain) map[string]string {
	names := map[string]string{}
	for _, n := range ch.Nodes {
		names[n.Context.ID] = fmt.Sprintf("c%d", len(names))
	}
	for _, id := range ch.Lost {
		names[id] = fmt.Sprintf("c%d", len(names))
	}
	return names
}
