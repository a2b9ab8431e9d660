package memory

import (
	"slices"
	"strings"

	"wake/domain"
	"wake/secret"
)

func checkTags(tags []string) error {
	split := splitTags(tags)
	if n := len(split); n > domain.MaxTags {
		return domain.Invalid("%d tags are too many; the limit is %d", n, domain.MaxTags)
	}
	if i := slices.IndexFunc(tags, func(t string) bool { return strings.TrimSpace(t) == "" }); i >= 0 {
		return domain.CheckName("tag", tags[i])
	}
	for _, t := range split {
		if err := domain.CheckName("tag", t); err != nil {
			return err
		}
	}
	return nil
}

// splitTags splits tags at commas (they are stored as a comma-separated list, 002-01), and
// trims them.
func splitTags(tags []string) (out []string) {
	for _, t := range tags {
		for part := range strings.SplitSeq(t, ",") {
			if part = strings.TrimSpace(part); part != "" {
				out = append(out, part)
			}
		}
	}
	return out
}

// cleanTags is splitTags without repeats, with secrets masked.
func cleanTags(tags []string) []string { return distinct(each(splitTags(tags), secret.Mask)) }

// hasTag reports whether one of tags is the one that a filter names.
func hasTag(tags []string, named string) bool {
	return slices.ContainsFunc(domain.TagForms(named), func(form string) bool { return slices.Contains(tags, form) })
}
