package transcript

import (
	"slices"

	"wake/domain"
)

// prompts counts which occurrence of its content each human message is, so that two
// equal prompts stay two and one prompt read twice stays one (I5). For each content, by
// its short hash, it keeps the ids of the source rows with that content, "" for rows
// without id.
type prompts map[string][]string

// key returns the key of the message with that content in the row with that id.
func (p prompts) key(content, id string) domain.Key {
	return domain.HumanKey(content, p.nth(shortHash(content), id))
}

// nth returns which occurrence of the content with that hash is in the row with that id,
// counted from 1. A row without id is always a further one.
func (p prompts) nth(hash, id string) int {
	seen := p[hash]
	if i := slices.Index(seen, id); i >= 0 && id != "" {
		return i + 1
	}
	p[hash] = append(seen, id)
	return len(seen) + 1
}

// has reports whether a row with that id has that content.
func (p prompts) has(content, id string) bool {
	return id != "" && slices.Contains(p[shortHash(content)], id)
}

// rename changes the id of the latest row with that content, when the same message
// appears again under its final id.
func (p prompts) rename(content, id string) domain.Key {
	seen := p[shortHash(content)]
	if len(seen) == 0 {
		return p.key(content, id)
	}
	if i := slices.Index(seen, id); i >= 0 {
		return domain.HumanKey(content, i+1)
	}
	seen[len(seen)-1] = id
	return domain.HumanKey(content, len(seen))
}

// forgetNameless removes what cannot be recognised when a source is read from the
// beginning again.
func (p prompts) forgetNameless() {
	for content, ids := range p {
		ids = slices.DeleteFunc(ids, func(id string) bool { return id == "" })
		if len(ids) == 0 {
			delete(p, content)
		} else {
			p[content] = ids
		}
	}
}

// shortHash is a hash long enough to distinguish texts of one session.
func shortHash(text string) string { return domain.HashText(text)[:16] }
