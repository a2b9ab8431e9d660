package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"wake/recall"
)

// madeConversations generates conversations of two people over months, with questions,
// as training data for chats between people, for which no freely licensed set was at
// hand. The same seed gives the same text.
func madeConversations(count int, seed uint64) []conversation {
	var out []conversation
	for i := range count {
		w := &writer{rnd: rand.New(rand.NewPCG(seed, uint64(i))), now: time.Date(2023, 1, 3, 9, 0, 0, 0, time.UTC)}
		out = append(out, w.conversation(fmt.Sprintf("made-%d", i)))
	}
	return out
}

type writer struct {
	rnd     *rand.Rand
	now     time.Time
	steps   []step
	session string
	n, prev int64
	names   [2]string
	told    []story
}

// story is a frame as told once by one person.
type story struct {
	frame    *frame
	who      int
	object   string
	id       string // where it was told
	answers  []string
	followed []*followup
	at       time.Time
}

func (w *writer) pick(from []string) string { return from[w.rnd.IntN(len(from))] }

func (w *writer) conversation(id string) conversation {
	p := w.rnd.Perm(len(people))
	w.names = [2]string{people[p[0]], people[p[1]]}
	for s := range 10 + w.rnd.IntN(14) {
		w.startSession(s + 1)
		w.greet()
		for range 2 + w.rnd.IntN(4) {
			w.thread()
		}
		w.say(w.rnd.IntN(2), w.pick(partings), "")
	}
	w.questions()
	return conversation{id: id, steps: w.steps}
}

func (w *writer) startSession(n int) {
	w.session, w.prev = fmt.Sprintf("S%d", n), 0
	w.now = w.now.Add(time.Duration(60+w.rnd.IntN(400)) * time.Hour)
}

func (w *writer) greet() {
	a := w.rnd.IntN(2)
	w.say(a, w.pick(hellos), "")
	w.say(1-a, w.pick(replies), "")
}

// say saves one turn of person a and returns its id.
func (w *writer) say(a int, text, x string) string {
	w.n++
	w.now = w.now.Add(time.Minute)
	text = strings.NewReplacer("{B}", w.names[1-a], "{x}", x, "{w}", w.pick(companions), "{d1}", w.pick(ranks)).Replace(text)
	id := fmt.Sprint(w.n)
	w.steps = append(w.steps, step{id: id, entry: recall.Entry{
		N: w.n, Prev: w.prev, Project: "bench", Session: w.session, Source: w.names[a], Content: text, Time: w.now,
	}})
	w.prev = w.n
	return id
}

// thread lets one person tell something and the other ask for more. Details come in the
// first telling, in an answer that names the thing again, or in one that does not.
func (w *writer) thread() {
	f := &frames[w.rnd.IntN(len(frames))]
	st := story{frame: f, who: w.rnd.IntN(2), object: w.pick(f.object), at: w.now}
	said := capital(strings.ReplaceAll(w.pick(f.say), "{t}", w.pick(moments)))
	order := w.rnd.Perm(len(f.follow))[:1+w.rnd.IntN(len(f.follow))]
	if w.rnd.IntN(100) < 45 {
		first := &f.follow[order[0]]
		st.id = w.say(st.who, said+" "+w.answer(first, w.rnd.IntN(3) == 0), st.object)
		st.answers, st.followed = append(st.answers, st.id), append(st.followed, first)
		order = order[1:]
	} else {
		st.id = w.say(st.who, said, st.object)
	}
	for _, i := range order {
		w.followUp(&st, &f.follow[i])
	}
	if w.rnd.IntN(2) == 0 {
		w.say(1-st.who, w.pick(echoes), st.object)
	}
	if w.rnd.IntN(2) == 0 {
		w.say(st.who, w.pick(reactions), "")
	}
	w.told = append(w.told, st)
}

// followUp writes a question, sometimes after a remark, and its answer.
func (w *writer) followUp(st *story, f *followup) {
	ask := w.pick(f.ask)
	if w.rnd.IntN(3) == 0 {
		ask = w.pick(reactions) + " " + ask
	}
	w.say(1-st.who, ask, st.object)
	answer := w.answer(f, w.rnd.IntN(3) > 0)
	if w.rnd.IntN(3) == 0 {
		answer += " " + w.pick(reactions)
	}
	st.answers = append(st.answers, w.say(st.who, answer, st.object))
	st.followed = append(st.followed, f)
}

// answer returns the answer to a follow-up; a full one repeats words of the thing.
func (w *writer) answer(f *followup, full bool) string {
	text := capital(strings.ReplaceAll(w.pick(f.answer), "{d}", w.pick(f.detail)))
	if full {
		text = w.pick(takeUps) + " " + text
	}
	return text
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// questions asks for some of what was told.
func (w *writer) questions() {
	for i := range w.told {
		st := &w.told[i]
		switch w.rnd.IntN(4) {
		case 0:
			w.askWhen(st)
		case 1, 2:
			w.askDetail(st)
		}
	}
	for _, f := range []int{0, 1} {
		w.askKind(f)
	}
}

func (w *writer) ask(st *story, category, text string, gold ...string) {
	set := map[string]bool{}
	for _, g := range gold {
		set[g] = true
	}
	who := w.names[st.who]
	if w.rnd.IntN(8) == 0 { // people confuse who it was
		who, category = w.names[1-st.who], "mixed up"
	}
	text = strings.NewReplacer("{A}", who, "{x}", st.object).Replace(text)
	w.steps = append(w.steps, step{question: text, category: category, asked: w.now.Unix(), gold: set})
}

// twins returns the stories that a question about st fits too.
func (w *writer) twins(st *story) []*story {
	var out []*story
	for i := range w.told {
		if o := &w.told[i]; o.frame == st.frame && o.object == st.object && o.who == st.who {
			out = append(out, o)
		}
	}
	return out
}

func (w *writer) askWhen(st *story) {
	tail := ""
	if w.rnd.IntN(4) == 0 {
		tail = " in " + st.at.Format("January 2006")
	}
	var gold []string
	for _, o := range w.twins(st) {
		gold = append(gold, o.id)
	}
	w.ask(st, "when", "When did {A} "+w.pick(st.frame.base)+tail+"?", gold...)
}

func (w *writer) askDetail(st *story) {
	i := w.rnd.IntN(len(st.answers))
	gold := []string{st.answers[i]}
	for _, o := range w.twins(st) {
		if at := slices.Index(o.followed, st.followed[i]); at >= 0 && o != st {
			gold = append(gold, o.answers[at])
		}
	}
	w.ask(st, "detail", w.pick(st.followed[i].later), gold...)
}

// askKind asks for all stories of a kind of one person.
func (w *writer) askKind(who int) {
	byKind := map[string][]string{}
	var kinds []string
	for _, st := range w.told {
		if st.who == who {
			if byKind[st.frame.kind] == nil {
				kinds = append(kinds, st.frame.kind)
			}
			byKind[st.frame.kind] = append(byKind[st.frame.kind], st.id)
		}
	}
	for _, k := range kinds {
		if len(byKind[k]) > 1 && w.rnd.IntN(2) == 0 {
			w.ask(&story{who: who}, "several", "Which "+k+" did {A} talk about?", byKind[k]...)
		}
	}
}
