package summarizer

import (
	"context"
	"errors"
	"time"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"
)

// checkTime is how long [Ollama.Check] waits for the server.
const checkTime = 5 * time.Second

// Status is the state of the server and its models.
type Status struct {
	Address  string
	Version  string   // of the server, "" if it does not answer
	Problems []string // what is wrong and what to do about it; empty if all is well
}

// Check asks the server for its version and its models, without loading any.
func (o *Ollama) Check(ctx context.Context) Status {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	s := Status{Address: o.address}
	version, err := o.client.Version(ctx)
	if status := (api.StatusError{}); errors.As(err, &status) && !behindProxy(status) { // every Ollama tells its version
		err = o.notOllama()
	}
	if err != nil {
		s.Problems = []string{o.failed(ctx, o.model, err).Error()}
		return s
	}
	s.Version = version
	if _, err := o.show(ctx, o.model, model.CapabilityCompletion); err != nil {
		s.Problems = append(s.Problems, err.Error())
	}
	if o.embedModel == "" {
		return s
	}
	if _, err := o.show(ctx, o.embedModel, model.CapabilityEmbedding); err != nil {
		s.Problems = append(s.Problems, err.Error())
	}
	return s
}
