package session

import (
	"container/list"

	"wake/domain"
)

// HandoffCache holds the [domain.HandoffCache] most recently used hand-offs. It is not
// safe for concurrent use. The zero value is empty.
type HandoffCache struct {
	order list.List // most recently used first
	items map[string]*list.Element
}

// Get returns a hand-off and marks it as most recently used.
func (c *HandoffCache) Get(id string) (domain.Handoff, bool) {
	e, ok := c.items[id]
	if !ok {
		return domain.Handoff{}, false
	}
	c.order.MoveToFront(e)
	return e.Value.(domain.Handoff), true
}

// Put adds a hand-off as the most recently used one. If there is no room, the least
// recently used one is dropped.
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
	if c.order.Len() > domain.HandoffCache {
		last := c.order.Remove(c.order.Back()).(domain.Handoff)
		delete(c.items, last.ID)
	}
}
