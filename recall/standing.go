package recall

import (
	"slices"
	"strings"
	"sync"
)

// What a user wants in general ("Always show the types", "Never push to main", "I prefer
// short answers") holds for what is asked for later, in whatever words. So if a chat gets a
// request, such messages count more, and instructions are candidates even if they share no
// word with it.
const (
	standingScan    = 64  // texts with the words below that are looked at
	standingDepth   = 16  // instructions among them that become candidates
	standingPromise = 0.6 // bonus on an instruction's first estimate
	standingLong    = 40  // terms of the longest instruction; more tell a story
)

// instructs are the stems that instructions begin with, preferring that of stating a
// preference.
var instructs = []string{"alway", never}

const never = "never"

const preferring = "prefer"

// remarks are the stems that follow where nothing is instructed: "Never mind", "always
// fails", "Never seen that before".
var remarks = strings.Fields("mind see hear know happen get fail crash hang error wrong")

// pleases are the terms that may stand before an instruction.
var pleases = sync.OnceValue(func() []string { return Analyze("please pls plz kindly remember note important must ok okay yes") })

// others and settings are the terms before and behind the word where it is about a program:
// "users prefer the list", "the preferences screen".
var (
	others   = sync.OnceValue(func() []string { return Analyze("users customers people") })
	settings = sync.OnceValue(func() []string { return Analyze("screen page pane panel dialog menu") })
)

// addStanding adds the instructions of users if the question is a request, and some of the
// documents are what users said.
func (g *gatherer) addStanding(ns []int64) ([]int64, error) {
	if !g.p.q.Request || !slices.ContainsFunc(ns, g.saidByUser) {
		return ns, nil
	}
	words := make([]Weighted, len(instructs))
	for i, t := range instructs {
		words[i] = Weighted{Term: t, Weight: 1}
	}
	found, err := g.f.Top(g.ctx, words, standingScan)
	if err != nil {
		return nil, err
	}
	if err := g.loadFound(found); err != nil {
		return nil, err
	}
	left := standingDepth
	for _, h := range found {
		if v := g.views[h.N]; left == 0 || v == nil || !v.doc.instructs() {
			continue
		}
		left--
		if _, known := g.ranks[h.N]; !known {
			g.ranks[h.N] = -1
			ns = append(ns, h.N)
		}
	}
	return ns, nil
}

func (g *gatherer) saidByUser(n int64) bool {
	v := g.views[n]
	return v != nil && v.doc.Role == User
}

// instructs reports whether a user says in it what always or never to do: at once, unlike
// "the job never ends", and without asking, unlike "I've never used Redis, how do I begin?".
func (d *Document) instructs() bool {
	if d.Role != User || len(d.Seq) > standingLong {
		return false
	}
	said := d.Seq
	if len(said) > 0 && d.oneOf(pleases())(said[0]) {
		said = said[1:]
	}
	if len(said) < 2 || !d.oneOf(instructs)(said[0]) || d.oneOf(remarks)(said[1]) {
		return false
	}
	return !d.Asks || !d.oneOf([]string{never})(said[0])
}

// oneOf returns a function that reports whether a number is that of one of the terms.
func (d *Document) oneOf(terms []string) func(uint32) bool {
	return func(n uint32) bool {
		return slices.ContainsFunc(terms, func(t string) bool { id, known := d.In.Number(t); return known && id == n })
	}
}

// prefers reports whether a user says in its first passage what he prefers.
func (d *Document) prefers() bool {
	if d.Role != User || len(d.Passages) == 0 {
		return false
	}
	first := d.Seq[:min(int(d.Passages[0].End), len(d.Seq))]
	id, known := d.In.Number(preferring)
	at := slices.Index(first, id)
	if !known || at < 0 {
		return false
	}
	before, behind := first[max(0, at-1):at], first[at+1:min(at+2, len(first))]
	return !slices.ContainsFunc(before, d.oneOf(others())) && !slices.ContainsFunc(behind, d.oneOf(settings())) &&
		!slices.ContainsFunc(d.Wholes, d.namesPreference)
}

// namesPreference reports whether a number is that of a compound with the word, as in
// SharedPreferences or preferred_username.
func (d *Document) namesPreference(n uint32) bool { return strings.Contains(d.In.Word(n), preferring) }
