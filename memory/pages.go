package memory

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"wake/domain"
)

// bounded returns a number that a request names: standard for 0, else n. It is an Invalid
// error unless it is 1 to most.
func bounded(name string, n, standard, most int) (int, error) {
	switch {
	case n == 0:
		return standard, nil
	case n < 1 || n > most:
		return 0, domain.Invalid("%s is %d; it may be 1 to %d", name, n, most)
	}
	return n, nil
}

// howMany says how many items a list has, and whether there are more.
func howMany(n int, more bool) string {
	if more {
		return fmt.Sprintf("%d of more", n)
	}
	return fmt.Sprint(n)
}

// sessionList is the default length of lists of sessions, checkpoints and hand-offs.
const sessionList = 20

// maxBudget caps budgets of tokens.
const maxBudget = 1_000_000

// budgetOf is how many tokens an answer may take: standard for 0, at most maxBudget. A
// negative number is an Invalid error.
func budgetOf(tokens, standard int) (int64, error) {
	switch {
	case tokens < 0:
		return 0, domain.Invalid("token_budget is %d; it may not be below 0", tokens)
	case tokens == 0:
		return int64(standard), nil
	}
	return int64(min(tokens, maxBudget)), nil
}

// bookmark is the place where a list continues.
type bookmark struct {
	domain.Position
	Began time.Time `json:"b,omitzero"` // when the first page was read; only used for [domain.LeastRecent]
	order domain.Order
	pages pages
}

// read continues q from the cursor. Reading a page touches its contexts, which would
// put them at the end of the least recently touched ones again. So those that were
// touched since the first page are left out.
func (m *bookmark) read(cursor string, q *domain.ContextQuery) error {
	if cursor == "" {
		return nil
	}
	m.Began = time.Time{}
	if err := m.pages.read(cursor, m); err != nil {
		return err
	}
	q.After = &m.Position
	if m.order == domain.LeastRecent {
		q.IdleSince = m.Began
	}
	return nil
}

// behind returns the cursor to what follows c.
func (m *bookmark) behind(c domain.ContextSnapshot) string {
	next := bookmark{Position: position(c, m.order)}
	if m.order == domain.LeastRecent {
		next.Began = m.Began
	}
	return m.pages.cursor(next)
}

// pages identifies a list that is read in parts: by its name, and by a hash of the
// arguments that must be the same for each part. Times are left out, because "three
// days ago" changes from page to page.
type pages struct {
	list string
	args string
}

func pagesOf(list string, args ...any) pages {
	raw, _ := json.Marshal(args)
	return pages{list, domain.HashText(string(raw))[:8]}
}

// cursor makes a next_cursor from the place where this answer ended.
func (p pages) cursor(at any) string {
	raw, _ := json.Marshal(at)
	return p.list + "." + p.args + "." + base64.RawURLEncoding.EncodeToString(raw)
}

// read decodes a cursor of this list. Any other is an Invalid error.
func (p pages) read(cursor string, into any) error {
	list, rest, _ := strings.Cut(cursor, ".")
	args, at, ok := strings.Cut(rest, ".")
	raw, err := base64.RawURLEncoding.DecodeString(at)
	switch {
	case !ok || err != nil:
	case list != p.list:
		return domain.Invalid("that cursor belongs to the list %q, not to %q; pass it where it came from, or leave it out to start here", domain.Clip(list, 40), p.list)
	case args != p.args:
		return domain.Invalid("that cursor belongs to the list %q with other arguments; repeat project, query and filters exactly, or leave the cursor out to start again", p.list)
	case json.Unmarshal(raw, into) == nil:
		return nil
	}
	return domain.Invalid("the cursor %q is not one of ours; give it exactly as the last answer did, or leave it out", domain.Clip(cursor, 40))
}

// position is the place in a list of the given order that follows c.
func position(c domain.ContextSnapshot, order domain.Order) domain.Position {
	if order == domain.LeastRecent {
		return domain.Position{Key: domain.FormatTime(c.Touched()), N: c.N}
	}
	return domain.Position{Key: domain.FormatTime(c.Timestamp), N: c.N}
}
