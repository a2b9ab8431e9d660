package domain

import (
	"strconv"
	"strings"
)

// Key is a source's own name of an event, unique in its session: an event with a known
// key is a repeat. So a message that a hook and a later import both report is stored
// once (I5). An event without a key ("") is always new, except that a human message
// gets the key of its next occurrence.
type Key string

// HumanKey is the key of a message that a person wrote: a hash of its exact content,
// and the number of its occurrence in the session, from 1.
func HumanKey(content string, nth int) Key {
	return HumanKeyPrefix(content) + Key(strconv.Itoa(nth))
}

// HumanKeyPrefix is the common prefix of the keys of all occurrences of content.
func HumanKeyPrefix(content string) Key { return HumanKeys + Key(HashText(content)+":") }

// HumanKeys is the common prefix of all keys of messages that a person wrote.
const HumanKeys Key = "u:"

// AssistantKey is the key of one block of an assistant's message.
func AssistantKey(messageID string, block int) Key {
	return Key("a:" + messageID + ":" + strconv.Itoa(block))
}

// ToolCallKey is the key of a tool call.
func ToolCallKey(useID string) Key { return Key("t:" + useID + ":call") }

// ToolResultKey is the key of a tool's result.
func ToolResultKey(useID string) Key { return Key("t:" + useID + ":result") }

// OpKey is the key of one report on an operation. A stream repeats a report with
// growing usage: use a different mark for each, such as the number of output tokens.
func OpKey(opID string, status OpStatus, mark int64) Key {
	return Key("o:" + opID + ":" + string(status) + ":" + strconv.FormatInt(mark, 10))
}

// ClientKey is the key for one given by a caller of the record tool.
func ClientKey(key string) Key {
	if key == "" {
		return ""
	}
	return Key("k:" + key)
}

// RowKey is the key of a row that has an id in its source and no key by another rule.
func RowKey(source, id string) Key { return Key("r:" + source + ":" + id) }

// NameKey is the key that an earlier wake gave the name of a session. It quotes the name.
func NameKey(name string) Key { return RowKey("name", name) }

// WithoutQuote returns the key that an event keeps when its text is erased.
func (k Key) WithoutQuote() Key {
	if strings.HasPrefix(string(k), string(NameKey(""))) {
		return ""
	}
	return k
}

// Valid reports whether the key is short enough to index.
func (k Key) Valid() bool { return len(k) <= 1024 && !strings.ContainsRune(string(k), 0) }
