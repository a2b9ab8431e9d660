package session

import (
	"container/list"

	"wake/domain"
)

// HandoffCache keeps the most recently used hand-offs. It is not safe for
// concurrent use. The zero value keeps [domain.HandoffCache] of them.
type HandoffCache struct {
	Size  int // how many are kept; below 1 is the default
	order list.List
	items map[string]*list.Element
}

// Get returns a hand-off and marks it as used.
func (c *HandoffCache) Get(id string) (domain.Handoff, bool) {
	e, ok := c.items[id]
	if !ok {
		return domain.Handoff{}, false
	}
	c.order.MoveToFront(e)
	return e.Value.(domain.Handoff), true
}

// Put keeps a hand-off as the most recently used; the least recently used one
// goes when there is no room.
func (c *HandoffCache) Put(h domain.Handoff) {
	if c.items == nil {
		c.items = map[string]*list.Element{}
	}
	if e, ok := c.items[h.ID]; ok {
		e.Value = h
		c.order.MoveToFront(e)
		return
	}
	c.items[h.ID] = c.order.PushFront(h)
	for c.order.Len() > c.size() {
		c.Drop(c.order.Back().Value.(domain.Handoff).ID)
	}
}

// Drop forgets a hand-off.
func (c *HandoffCache) Drop(id string) {
	if e, ok := c.items[id]; ok {
		c.order.Remove(e)
		delete(c.items, id)
	}
}

// Len is how many are kept.
func (c *HandoffCache) Len() int { return c.order.Len() }

func (c *HandoffCache) size() int {
	if c.Size < 1 {
		return domain.HandoffCache
	}
	return c.Size
}
