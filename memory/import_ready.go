package memory

import (
	"cmp"

	"wake/domain"
	"wake/recall"
	"wake/transcript"
)

// readyContext is what is prepared for a context before it is stored.
type readyContext struct {
	document *recall.Document
	wrong    error // why it cannot be stored
}

// makeReady completes a context and analyses it for search.
func (im *importing) makeReady(c *domain.ContextSnapshot) readyContext {
	if c.Timestamp.IsZero() {
		c.Timestamp = im.req.At
	}
	if err := im.complete(c); err != nil {
		return readyContext{wrong: err}
	}
	return readyContext{document: im.s.analyse(c)}
}

// complete fills in what the source of a context did not have.
func (im *importing) complete(c *domain.ContextSnapshot) error {
	if err := domain.CheckText("content", c.Content, domain.MaxContent); err != nil {
		return err
	}
	if c.ID == "" {
		return domain.Invalid("it has no id")
	}
	if err := c.CheckNames(); err != nil {
		return err
	}
	now := im.s.now()
	c.Project = cmp.Or(im.req.Project, c.Project, im.project)
	if err := domain.CheckName("project", c.Project); err != nil {
		return err
	}
	c.Source, c.Origin = cmp.Or(c.Source, string(im.req.Format)), cmp.Or(c.Origin, domain.FromImport)
	if c.SavedAt.IsZero() {
		c.SavedAt = now
	}
	if c.Timestamp.IsZero() || c.Timestamp.After(now.Add(domain.MaxLead)) {
		c.Timestamp = now
	}
	c.Timestamp = domain.Moment(c.Timestamp)
	c.ContentHash = domain.HashText(c.Content)
	if c.Causality != nil && c.Causality.ActionType == "" {
		c.Causality.ActionType = domain.Conversation
	}
	c.Kind = cmp.Or(c.Kind, kindOf(c))
	if im.req.Format != transcript.Wake || c.Memory.Tier == "" {
		c.Memory.Tier = im.s.Windows.Of(c.Touched(), now)
	}
	if c.SummaryBy == "" || c.Summary == "" {
		im.s.summarize(c, SaveRequest{Summary: c.Summary, Tags: c.Tags})
	}
	c.Tags = distinct(c.Tags)
	return nil
}

func kindOf(c *domain.ContextSnapshot) domain.Kind {
	if c.Causality == nil {
		return domain.KindFor("", c.Pinned)
	}
	return domain.KindFor(c.Causality.ActionType, c.Pinned)
}
