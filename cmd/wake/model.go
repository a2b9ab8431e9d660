package main

import (
	"context"

	"wake/memory"
	"wake/summarizer"
)

// off is the setting for no Ollama.
const off = "off"

// model is the Ollama model that improves summaries; nil if it is off.
func model(set settings) (memory.Model, error) {
	if set.Ollama == off {
		return nil, nil
	}
	return summarizer.NewOllama(set.Ollama, set.Model, set.EmbedModel)
}

// ollama checks the model. Without one only the improved summaries are missing, so
// that is a warning only to those who configured one.
func (d *doctor) ollama(ctx context.Context, set settings) {
	if set.Ollama == off {
		d.ok("ollama", "off; summaries are made without a model")
		return
	}
	o, err := summarizer.NewOllama(set.Ollama, set.Model, set.EmbedModel)
	if err != nil {
		d.tell(check{"ollama", "problem", err.Error(), ""})
		return
	}
	status := o.Check(ctx)
	level := "warning"
	if set.Ollama+set.Model+set.EmbedModel == "" {
		level = "note"
	}
	for _, problem := range status.Problems {
		d.tell(check{"ollama", level, problem, "or turn it off: --ollama off; summaries are then made without a model"})
	}
	if len(status.Problems) == 0 {
		d.ok("ollama", "%s at %s, model %s", status.Version, status.Address, o.Name())
	}
}
