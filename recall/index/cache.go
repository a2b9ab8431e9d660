package index

import (
	"container/list"
	"sync"
)

// cache keeps the most recently used values within a budget of bytes.
type cache[K comparable, V any] struct {
	budget int

	mu    sync.Mutex // guards what follows
	used  int
	order *list.List
	items map[K]*list.Element
}

type cached[K comparable, V any] struct {
	key   K
	value V
	size  int
}

func newCache[K comparable, V any](budget int) *cache[K, V] {
	return &cache[K, V]{budget: budget, order: list.New(), items: map[K]*list.Element{}}
}

func (c *cache[K, V]) get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[key]; ok {
		c.order.MoveToFront(e)
		return e.Value.(*cached[K, V]).value, true
	}
	var none V
	return none, false
}

// has reports whether a value is kept, without counting as a use of it.
func (c *cache[K, V]) has(key K) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.items[key]
	return ok
}

// put keeps a value of about size bytes and drops the least recently used ones if the
// budget is exceeded.
func (c *cache[K, V]) put(key K, value V, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[key]; ok {
		c.drop(e)
	}
	c.items[key] = c.order.PushFront(&cached[K, V]{key, value, size})
	c.used += size
	for c.used > c.budget && c.order.Len() > 1 {
		c.drop(c.order.Back())
	}
}

func (c *cache[K, V]) drop(e *list.Element) {
	item := e.Value.(*cached[K, V])
	c.order.Remove(e)
	delete(c.items, item.key)
	c.used -= item.size
}

// remove drops the keys that match.
func (c *cache[K, V]) remove(match func(K) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, e := range c.items {
		if match(k) {
			c.drop(e)
		}
	}
}

// clear drops everything.
func (c *cache[K, V]) clear() { c.remove(func(K) bool { return true }) }
