package memory

import (
	"wake/domain"
	"wake/transcript"
)

// AutoByteus numbers the calls of an agent that was started anew from the beginning, and
// moves old rows into files of their own. So two calls of one id may be in one file or in
// two, and which of them comes first differs. The first that the session gets is named by
// its id, the others by their rows.

// callKey returns the key of the event if it is a call or an answer, "" if it is neither.
func (h heldKeys) callKey(e domain.Event) domain.Key {
	named, own := callKeysOf(e)
	there, held := h.places[named]
	switch {
	case named == "":
		return ""
	case transcript.AutoByteusRow(there.Source.ID) == transcript.AutoByteusRow(e.Source.ID):
		return named
	case !held || there.Source.ID == "":
		return e.Key
	}
	if _, held := h.places[e.Key]; held && e.Key != named { // as an older wake named it
		return e.Key
	}
	return own
}

// callKeys are all keys that the calls and answers among the events may have.
func callKeys(events []domain.Event) (all []domain.Key) {
	for _, e := range events {
		if named, own := callKeysOf(e); named != "" {
			all = append(all, named, own)
		}
	}
	return all
}

// callKeysOf returns the keys of a call or an answer by its id and by its row, "" of any
// other event and of one without a row.
func callKeysOf(e domain.Event) (named, own domain.Key) {
	if e.Type != domain.EventMessage || e.Source.ID == "" {
		return "", ""
	}
	switch m, err := e.Message(); {
	case err != nil:
	case len(m.ToolCalls) == 1:
		named = domain.ToolCallKey(m.ToolCalls[0].ID)
	case m.ToolCallID != "":
		named = domain.ToolResultKey(m.ToolCallID)
	}
	return named, domain.RowKey(transcript.ClientAutoByteus, transcript.AutoByteusRow(e.Source.ID))
}
