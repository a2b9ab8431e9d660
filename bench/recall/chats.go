package main

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"wake/recall"
)

// chats are conversations of two people over months, written for this
// program, with questions and the turns that answer them. "people A=Anna B=Ben"
// names the two, a line "@ date" opens a session, "A#label: text" is a turn, and
// "? kind | question | labels" asks for it.
//
//go:embed chats/*.txt
var chats embed.FS

// chat is one file of chats.
type chat struct {
	name      string
	people    [2]string
	initials  [2]string
	sessions  []chatSession
	questions []chatQuestion
}

type chatSession struct {
	day   time.Time
	turns []chatTurn
}

type chatTurn struct {
	who         int
	label, text string
}

type chatQuestion struct {
	kind, text string
	gold       []string
}

// mixMost is how many chats, or one fewer, are mixed into one conversation.
const mixMost = 8

// chatConversations mixes the chats: in each conversation, the same two people tell
// several of them, because a short chat alone makes finding too easy.
func chatConversations(count int, seed uint64) ([]conversation, error) {
	all, err := readChats()
	if err != nil {
		return nil, err
	}
	var out []conversation
	for i := range count {
		rnd := rand.New(rand.NewPCG(seed, uint64(i)))
		rnd.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
		out = append(out, mixChats(all[:mixMost-rnd.IntN(2)], rnd))
	}
	return out, nil
}

func readChats() ([]chat, error) {
	files, err := chats.ReadDir("chats")
	if err != nil {
		return nil, err
	}
	var out []chat
	for _, f := range files {
		data, err := chats.ReadFile("chats/" + f.Name())
		if err != nil {
			return nil, err
		}
		c, err := readChat(f.Name(), string(data))
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

func readChat(name, text string) (chat, error) {
	c := chat{name: name}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if err := c.line(line); err != nil {
			return c, fmt.Errorf("%s: %q: %w", name, line, err)
		}
	}
	return c, nil
}

func (c *chat) line(line string) error {
	if people, ok := strings.CutPrefix(line, "people "); ok {
		for i, p := range strings.Fields(people) {
			c.initials[i], c.people[i], _ = strings.Cut(p, "=")
		}
		return nil
	}
	if day, ok := strings.CutPrefix(line, "@ "); ok {
		at, err := time.Parse(time.DateOnly, day)
		c.sessions = append(c.sessions, chatSession{day: at})
		return err
	}
	if ask, ok := strings.CutPrefix(line, "? "); ok {
		return c.question(strings.Split(ask, " | "))
	}
	return c.turn(line)
}

func (c *chat) question(parts []string) error {
	if len(parts) != 3 {
		return errors.New("a question has a kind, a text and labels")
	}
	q := chatQuestion{parts[0], parts[1], strings.Fields(parts[2])}
	for _, label := range q.gold {
		if !c.told(label) {
			return fmt.Errorf("no turn is called %q", label)
		}
	}
	c.questions = append(c.questions, q)
	return nil
}

func (c *chat) turn(line string) error {
	head, text, ok := strings.Cut(line, ": ")
	initial, label, _ := strings.Cut(head, "#")
	who := slices.Index(c.initials[:], initial)
	if !ok || who < 0 || len(c.sessions) == 0 {
		return errors.New("no turn of one of the two")
	}
	s := &c.sessions[len(c.sessions)-1]
	s.turns = append(s.turns, chatTurn{who, label, text})
	return nil
}

// told reports whether a turn has the label.
func (c *chat) told(label string) bool {
	return slices.ContainsFunc(c.sessions, func(s chatSession) bool {
		return slices.ContainsFunc(s.turns, func(t chatTurn) bool { return t.label == label })
	})
}

// mixChats assigns several chats to one pair of people, with their sessions
// alternating.
func mixChats(list []chat, rnd *rand.Rand) conversation {
	p := rnd.Perm(len(people))
	m := chatMix{names: [2]string{people[p[0]], people[p[1]]}}
	type part struct {
		chat *chat
		swap int // 1 if the chat's first person is the second of the pair
		chatSession
	}
	var parts []part
	for i := range list {
		c, swap := &list[i], rnd.IntN(2)
		m.out.id += strings.TrimSuffix(c.name, ".txt")
		for j, s := range c.sessions {
			s.day = time.Date(2023, 1, 7+28*j+rnd.IntN(28), 18, 0, 0, 0, time.UTC)
			parts = append(parts, part{c, swap, s})
		}
		m.ask(c, swap)
	}
	slices.SortStableFunc(parts, func(a, b part) int { return a.day.Compare(b.day) })
	for i, p := range parts {
		m.tell(p.chat, p.swap, fmt.Sprint(i), p.chatSession)
	}
	for i := range m.asked {
		m.asked[i].asked = m.now.Unix()
	}
	m.out.steps = append(m.out.steps, m.asked...)
	return m.out
}

// chatMix is a conversation being mixed.
type chatMix struct {
	names [2]string
	out   conversation
	asked []step
	now   time.Time
	n     int64
}

// tell adds a session of a chat.
func (m *chatMix) tell(c *chat, swap int, session string, s chatSession) {
	prev := int64(0)
	for i, t := range s.turns {
		m.n++
		m.now = s.day.Add(time.Duration(i) * time.Minute)
		m.out.steps = append(m.out.steps, step{id: c.name + cmp.Or(t.label, fmt.Sprint(m.n)), entry: recall.Entry{
			N: m.n, Prev: prev, Project: "bench", Session: session, Source: m.names[t.who^swap],
			Content: c.rename(t.text, m.names, swap), Time: m.now,
		}})
		prev = m.n
	}
}

// ask adds the questions of a chat, after all its sessions.
func (m *chatMix) ask(c *chat, swap int) {
	for _, q := range c.questions {
		gold := map[string]bool{}
		for _, label := range q.gold {
			gold[c.name+label] = true
		}
		m.asked = append(m.asked, step{question: c.rename(q.text, m.names, swap), category: q.kind, gold: gold, of: c.name})
	}
}

// rename gives the people of a chat the names of the pair.
func (c *chat) rename(text string, names [2]string, swap int) string {
	return strings.NewReplacer(c.people[0], names[swap], c.people[1], names[1-swap]).Replace(text)
}
