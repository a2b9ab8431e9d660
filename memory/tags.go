package memory

import (
	"slices"
	"strings"

	"wake/domain"
	"wake/secret"
)

func checkTags(tags []string) error {
	if len(tags) > domain.MaxTags {
		return domain.Invalid("%d tags are too many; the limit is %d", len(tags), domain.MaxTags)
	}
	for _, t := range tags {
		if err := domain.CheckName("tag", t); err != nil {
			return err
		}
	}
	return nil
}

// cleanTags splits tags at commas (they are stored as a comma-separated list, 002-01),
// trims them, masks secrets and drops repeats.
func cleanTags(tags []string) []string {
	out := make([]string, 0, len(tags))
	for _, t := range tags {
		for part := range strings.SplitSeq(t, ",") {
			out = append(out, secret.Mask(strings.TrimSpace(part)))
		}
	}
	return distinct(out)
}

// hasTag reports whether one of tags is the one that a filter names.
func hasTag(tags []string, named string) bool {
	return slices.ContainsFunc(domain.TagForms(named), func(form string) bool { return slices.Contains(tags, form) })
}
