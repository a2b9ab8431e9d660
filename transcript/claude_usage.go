package transcript

import (
	"slices"
	"strconv"

	"wake/domain"
)

// claudeUsage is what an API message has used so far. Later rows of a message repeat it
// with higher counts.
type claudeUsage struct {
	Input      int64 `json:"input_tokens"`
	Output     int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`

	// Calls are the calls of models of which the message consists, where the server went
	// on by itself. The counts above are the sum of its own model's.
	Calls []claudeCall `json:"iterations"`
}

// claudeCall is one of several calls of models for a message.
type claudeCall struct {
	Type  string `json:"type"`
	Model string `json:"model"`
	claudeUsage
}

func (u claudeUsage) tokens() domain.TokenUsage {
	return domain.TokenUsage{Input: max(u.Input, 0), Output: max(u.Output, 0), CacheRead: max(u.CacheRead, 0), CacheWrite: max(u.CacheWrite, 0)}
}

// aside reports whether a call is not part of the message's counts: that of an advisor, or
// of a compaction on the server.
func (c claudeCall) aside() bool { return c.Type == "advisor_message" || c.Type == "compaction" }

// window returns how many tokens the model had before it in the end. Each call reads the
// conversation anew, so their sum would count it several times.
func (u claudeUsage) window() int64 {
	for _, c := range slices.Backward(u.Calls) {
		if total := c.tokens().Total(); total > 0 && !c.aside() {
			return total
		}
	}
	return u.tokens().Total()
}

// usage reports the tokens of an API message whenever a row shows more than earlier
// rows; the highest count is the final one (I15).
func (r *claudeReading) usage(msg *claudeMsg, msgID string, u claudeUsage) {
	usage := u.tokens()
	total := usage.Total()
	for _, c := range u.Calls {
		if c.aside() {
			total += c.tokens().Total()
		}
	}
	if total <= msg.Tokens {
		return
	}
	msg.Tokens = total
	usage.Cost = domain.Dollars(max(r.row.CostUSD, 0))
	r.event(modelCall(msgID, "anthropic", r.row.Message.Model, usage))
	for i, c := range u.Calls {
		if c.aside() {
			r.event(modelCall(msgID+"#"+strconv.Itoa(i+1), "anthropic", c.Model, c.tokens()))
		}
	}
	// An older wake made this key too. Another one would bring the window of an old message behind the newest.
	r.event(domain.RowKey("window", msgID+":"+strconv.FormatInt(usage.Total(), 10)), domain.Window{Tokens: u.window()})
}
