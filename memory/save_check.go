package memory

import (
	"cmp"
	"time"
	"unicode/utf8"

	"wake/domain"
)

// checkSave refuses what cannot be stored, as far as that can be told without the store.
func checkSave(req SaveRequest, now time.Time) error {
	return cmp.Or(
		domain.CheckText("content", req.Content, domain.MaxContent),
		checkSummary(req.Summary),
		checkRationale(req.Rationale),
		checkOptional("source", req.Source),
		domain.CheckID("session_id", req.SessionID),
		checkMetadata(req.Metadata),
		checkTimestamp(req.Timestamp, now),
		checkTags(req.Tags),
	)
}

func checkSummary(text string) error {
	if text == "" {
		return nil
	}
	if err := domain.CheckText("summary", text, domain.MaxContent); err != nil {
		return err
	}
	if n := utf8.RuneCountInString(text); n > domain.MaxSummary {
		return domain.Invalid("summary is %d characters long; the limit is %d: the rest belongs in content", n, domain.MaxSummary)
	}
	return nil
}

func checkRationale(text string) error {
	if text == "" {
		return nil
	}
	return domain.CheckText("rationale", text, domain.MaxContent)
}

// checkOptional is [domain.CheckName] for a name that may be left out.
func checkOptional(what, name string) error {
	if name == "" {
		return nil
	}
	return domain.CheckName(what, name)
}

func checkTimestamp(at, now time.Time) error {
	if at.After(now.Add(domain.MaxLead)) {
		return domain.Invalid("timestamp %s lies more than a day ahead of this machine's clock; leave it out to use the present", shortTime(at))
	}
	return nil
}
