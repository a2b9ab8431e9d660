package mcp_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// readsResource stands for a tool that reads a resource.
const readsResource = "resources/read"

// caller generates random tool calls, most of them about the results of earlier calls.
type caller struct {
	*rand.Rand
	contexts, sessions, points []string // by their numbers
	cursors                    int
	last                       drawn
	pages                      bool // of the last call there are more
}

type drawn struct {
	tool string
	args args
}

var vocabulary = strings.Fields(`port redis postgres cache session token login timeout retry queue worker Zürich Straße naïve
	数据库 キャッシュ api_key config.yaml 8080 v1.2.3 because decided use instead of the fix error crash schema databases caching`)

func (c *caller) next() (string, args) {
	if c.pages && c.some(.7) {
		c.last.args["cursor"] = fmt.Sprintf("«cursor %d»", c.cursors-1)
	} else {
		c.last = c.draw()
	}
	return c.last.tool, c.last.args
}

// learn collects ids from an answer.
func (c *caller) learn(tool, answer string) {
	if c.pages = strings.Contains(answer, `"next_cursor":"CURSOR"`); c.pages {
		c.cursors++
	}
	for _, m := range numberedID.FindAllString(answer, -1) {
		switch {
		case slices.Contains(c.contexts, m) || slices.Contains(c.sessions, m) || slices.Contains(c.points, m):
		case strings.Contains(answer, `"session_id":"`+m), strings.Contains(answer, "Session "+m):
			c.sessions = append(c.sessions, m)
		case tool == "save_context":
			c.contexts = append(c.contexts, m)
		case tool == "record", tool == "checkpoint", tool == "handoff":
			c.points = append(c.points, m)
		}
	}
}

func (c *caller) some(chance float64) bool { return c.Float64() < chance }

func (c *caller) one(of ...string) string { return of[c.IntN(len(of))] }

func (c *caller) words(most int) string {
	var list []string
	for range 1 + c.IntN(most) {
		list = append(list, c.one(vocabulary...))
	}
	return strings.Join(list, " ")
}

// id returns a random id from a list, mostly one of the newest.
func (c *caller) id(of []string) string {
	if len(of) == 0 || c.some(.03) {
		return "unknown"
	}
	if c.some(.6) {
		of = of[max(0, len(of)-8):]
	}
	return c.one(of...)
}

func (c *caller) list(most int, one func() string) (list []string) {
	for range 1 + c.IntN(most) {
		list = append(list, one())
	}
	return list
}

func (c *caller) context() string { return c.id(c.contexts) }
func (c *caller) session() string { return c.id(c.sessions) }
func (c *caller) tag() string     { return c.one("a", "ops", "ops:db", "Ünï") }
func (c *caller) action() string {
	return c.one("conversation", "decision", "file_edit", "tool_use", "research")
}

// with adds a field to some calls.
func (c *caller) with(a args, chance float64, name string, value func() any) {
	if c.some(chance) {
		a[name] = value()
	}
}

func (c *caller) draw() drawn {
	project := func() any { return c.one(memoryProjects...) }
	switch k := c.IntN(100); {
	case k < 22:
		return drawn{"save_context", c.save()}
	case k < 33:
		a := args{}
		if c.some(.3) {
			return drawn{"load_context", args{"ids": c.list(3, c.context), "include_content": c.some(.5)}}
		}
		c.with(a, .5, "mode", func() any { return c.one("recent", "likely", "forgotten") })
		c.with(a, .2, "project", project)
		return drawn{"load_context", c.filtered(a)}
	case k < 50:
		a := args{"query": c.words(4)}
		c.with(a, .2, "project", project)
		c.with(a, .3, "in", func() any { return c.one("all", "contexts", "messages") })
		c.with(a, .2, "explain", func() any { return true })
		return drawn{"search_context", c.filtered(a)}
	case k < 56:
		a := args{"id": c.context(), "direction": c.one("causes", "effects", "both"), "format": c.one("text", "json", "mermaid", "dot")}
		c.with(a, .3, "limit", func() any { return 1 + c.IntN(6) })
		return drawn{"causal_chain", a}
	case k < 59:
		a := args{}
		c.with(a, .3, "after", func() any { return c.context() })
		c.with(a, .3, "project", project)
		return drawn{"predict", a}
	case k < 65:
		return drawn{"update_context", c.update()}
	case k < 70:
		a := args{"ids": c.list(2, c.context), "dry_run": c.some(.3), "undo": c.some(.3)}
		if c.some(.2) {
			a = args{"session_id": c.session()}
		}
		return drawn{"forget_context", a}
	case k < 73:
		return drawn{c.one("memory_stats", "recalculate"), args{"project": project()}}
	case k < 85:
		return drawn{"record", c.record()}
	case k < 92:
		return c.point()
	case k < 96:
		a := args{"session_id": c.session()}
		c.with(a, .5, "token_budget", func() any { return 100 + c.IntN(3000) })
		return drawn{"resume", a}
	}
	return drawn{readsResource, args{"uri": c.one("wake://status", "wake://projects", "wake://sessions", "wake://projects/demo/brief",
		"wake://contexts/"+c.context(), "wake://sessions/"+c.session(), "wake://sessions/"+c.session()+"/events",
		"wake://sessions/"+c.session()+"/optree", "wake://sessions/"+c.session()+"/working-context")}}
}

var memoryProjects = []string{"demo", "other", "*"}

func (c *caller) save() args {
	a := args{"content": c.words(14), "action_type": c.action(), "project": c.one("demo", "demo", "demo", "other")}
	c.with(a, .3, "tags", func() any { return c.list(3, c.tag) })
	c.with(a, .3, "caused_by", func() any { return c.context() })
	c.with(a, .2, "dependencies", func() any { return c.list(3, c.context) })
	c.with(a, .1, "supersedes", func() any { return c.context() })
	c.with(a, .2, "rationale", func() any { return c.words(8) })
	c.with(a, .2, "summary", func() any { return c.words(4) })
	c.with(a, .1, "pinned", func() any { return true })
	c.with(a, .2, "timestamp", func() any { return c.one("2026-05-01T00:00:00Z", "2026-04-01", "3d") })
	return a
}

func (c *caller) filtered(a args) args {
	c.with(a, .15, "tiers", func() any {
		return c.list(2, func() string { return c.one("active", "recent", "archived", "expired") })
	})
	c.with(a, .15, "action_types", func() any { return c.list(2, c.action) })
	c.with(a, .15, "tags", func() any { return c.list(2, c.tag) })
	c.with(a, .1, "since", func() any { return c.one("3d", "2026-05-05T10:00:00Z", "yesterday") })
	c.with(a, .1, "until", func() any { return c.one("2026-06-06", "now", "2026-05-05T10:00:00+02:00") })
	c.with(a, .4, "limit", func() any { return 1 + c.IntN(5) })
	c.with(a, .1, "token_budget", func() any { return 50 + c.IntN(500) })
	return a
}

func (c *caller) update() args {
	a := args{"id": c.context()}
	c.with(a, .3, "pinned", func() any { return c.some(.5) })
	c.with(a, .4, "add_tags", func() any { return c.list(2, c.tag) })
	c.with(a, .3, "remove_tags", func() any { return c.list(2, c.tag) })
	c.with(a, .2, "caused_by", func() any { return c.context() })
	c.with(a, .2, "add_dependencies", func() any { return c.list(2, c.context) })
	c.with(a, .2, "superseded_by", func() any { return c.context() })
	return a
}

func (c *caller) record() args {
	a := args{"client": "agent", "client_session_id": fmt.Sprint(c.IntN(4))}
	if c.some(.3) {
		a = args{"session_id": c.session()}
	}
	c.with(a, .1, "title", func() any { return c.words(3) })
	c.with(a, .1, "context_limit", func() any { return 100_000 })
	var events []args
	for range 1 + c.IntN(6) {
		events = append(events, c.event())
	}
	a["events"] = events
	return a
}

func (c *caller) event() args {
	mode := func() string { return c.one("plan", "code", "debug") }
	switch c.IntN(10) {
	case 0:
		return args{"type": "op", "op_id": c.one("1", "2", "3"), "kind": c.one("llm", "tool"), "name": c.words(2), "status": c.one("started", "ok", "failed"),
			"usage": args{"input": c.IntN(5000), "output": c.IntN(500), "cost_usd": .01}}
	case 1:
		return args{"type": "usage", "tokens": c.IntN(200_000), "limit": 200_000}
	case 2:
		return args{"type": "goal", "id": c.one("1", "2"), "text": c.words(4), "status": c.one("active", "done", "dropped")}
	case 3:
		return args{"type": "mode", "to": mode(), "task": c.words(4)}
	case 4:
		return args{"type": "finding", "mode": mode(), "kind": c.one("error", "root_cause", "fix", "note"), "text": c.words(6)}
	case 5:
		return args{"type": "step", "id": c.one("1", "2", "3"), "status": c.one("started", "completed", "failed")}
	case 6:
		return args{"type": "compaction", "trigger": c.one("manual", "auto"), "summary": c.words(10)}
	}
	return args{"type": "message", "role": c.one("user", "user", "assistant", "system"), "content": c.words(12), "key": fmt.Sprint(c.IntN(60))}
}

// point draws an action on a checkpoint or a hand-off.
func (c *caller) point() drawn {
	a := args{"session_id": c.session(), "id": c.id(c.points)}
	if c.some(.3) {
		a["action"] = c.one("get", "list", "keep")
		return drawn{"handoff", a}
	}
	a["action"] = c.one("create", "list", "show", "diff", "restore", "fork", "pin", "unpin", "delete", "undelete")
	if a["action"] == "create" || a["action"] == "list" {
		delete(a, "id")
	}
	c.with(a, .3, "other_id", func() any { return c.id(c.points) })
	return drawn{"checkpoint", a}
}
