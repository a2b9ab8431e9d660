package transcript

import (
	"cmp"

	"wake/domain"
)

// codexUsage counts cache reads and writes as part of the input.
type codexUsage struct {
	Input  int64 `json:"input_tokens"`
	Cached int64 `json:"cached_input_tokens"`
	Write  int64 `json:"cache_write_input_tokens"`
	Output int64 `json:"output_tokens"`
	Total  int64 `json:"total_tokens"`
}

func (u codexUsage) plus(v codexUsage) codexUsage {
	return codexUsage{Input: u.Input + v.Input, Cached: u.Cached + v.Cached, Write: u.Write + v.Write, Output: u.Output + v.Output, Total: u.Total + v.Total}
}

func (u codexUsage) minus(v codexUsage) codexUsage {
	return u.plus(codexUsage{Input: -v.Input, Cached: -v.Cached, Write: -v.Write, Output: -v.Output, Total: -v.Total})
}

// tokens reads a token count. The same count may be written several times. A call used
// the increase of the total, or what the call itself reports if the total fell or is of
// this call alone: early versions count anew in each process.
func (r codexReading) tokens(e codexEvent) {
	total, before, last := e.Info.Total, r.Total, e.Info.Last
	if total == (codexUsage{}) { // other programs write no totals
		total = before
		if last != r.Single {
			total = before.plus(last)
		}
		r.Single = last
	}
	if total == before {
		return
	}
	spent := total.minus(before)
	if min(spent.Input, spent.Cached, spent.Write, spent.Output) < 0 || last == total || before == (codexUsage{}) && last != (codexUsage{}) {
		spent = last
	}
	recorded := r.Counted
	r.Total, r.Counted = total, &codexUsage{}
	if r.out.copied != "" {
		return
	}
	switch {
	case !r.Recorded:
		r.called("call-"+r.place(), spent)
	case recorded != nil: // otherwise an older version may have read the record
		if rest := spent.minus(*recorded); max(rest.Input, rest.Output) > 0 {
			r.called("call-"+r.place(), rest)
		}
	}
	if last.Total > 0 {
		r.emit(r.rowKey(), "", domain.Window{Tokens: last.Total})
	}
}

// called reports the usage of a model call.
func (r codexReading) called(opID string, spent codexUsage) {
	usage := domain.TokenUsage{Input: max(spent.Input-max(spent.Cached, 0)-max(spent.Write, 0), 0), CacheRead: max(spent.Cached, 0), CacheWrite: max(spent.Write, 0), Output: max(spent.Output, 0)}
	key, call := modelCall(opID, "openai", r.Model, usage)
	r.emit(key, "", call)
}

// recorded reads the usage of one call, which newer versions write before the count
// that includes it. It is the only record for a compaction on the provider's side.
// Usage of other threads is ignored.
func (r codexReading) recorded(payload []byte) error {
	var call struct {
		Thread   string     `json:"thread_id"`
		Response string     `json:"response_id"`
		Usage    codexUsage `json:"usage"`
	}
	if err := decodeLoose(payload, &call); err != nil || call.Usage == (codexUsage{}) {
		return err
	}
	if !r.Recorded && r.Counted == nil {
		r.Counted = &codexUsage{}
	}
	r.Recorded = true
	r.session()
	if r.out.copied == "" && (call.Thread == "" || call.Thread == r.Session) {
		if r.Counted != nil {
			sum := r.Counted.plus(call.Usage)
			r.Counted = &sum
		}
		r.called(cmp.Or(call.Response, "call-"+r.place()), call.Usage)
	}
	return nil
}
