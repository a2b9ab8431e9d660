package summarizer

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"

	"wake/domain"
)

// bytesPerToken is a conservative estimate for any language. If a text turns out to be
// too long, it is shortened again.
const bytesPerToken = 2.5

// modelInfo is what a request must know about the model.
type modelInfo struct {
	context  int // tokens of question and answer together
	thinks   bool
	byLevels bool // thinking cannot be switched off, only reduced
}

// show looks up a model and checks that it can do what is wanted and runs on the server
// itself.
func (o *Ollama) show(ctx context.Context, name string, want model.Capability) (modelInfo, error) {
	res, err := o.client.Show(ctx, &api.ShowRequest{Model: name})
	if err != nil {
		return modelInfo{}, o.failed(ctx, name, err)
	}
	if res.RemoteHost != "" || res.RemoteModel != "" {
		return modelInfo{}, domain.Unavailable("the model %s runs at %s, and notes do not leave this machine; choose a local model with %s", name, res.RemoteHost, o.option(name))
	}
	if !slices.Contains(res.Capabilities, want) {
		return modelInfo{}, domain.Unavailable("the model %s cannot do %s; choose another with %s", name, want, o.option(name))
	}
	m := modelInfo{context: maxContext, thinks: slices.Contains(res.Capabilities, model.CapabilityThinking)}
	m.byLevels = strings.HasPrefix(strings.ReplaceAll(res.Details.Family, "-", ""), "gptoss")
	for key, value := range res.ModelInfo {
		if n, ok := value.(float64); ok && strings.HasSuffix(key, ".context_length") && n >= 1 {
			m.context = min(maxContext, int(n))
		}
	}
	return m, nil
}

// option returns the command-line flag that names the model.
func (o *Ollama) option(name string) string {
	if name == o.model {
		return "--model"
	}
	return "--embed-model"
}

// think returns the setting that makes a model think as little as possible.
func (m modelInfo) think() *api.ThinkValue {
	switch {
	case !m.thinks:
		return nil
	case m.byLevels:
		return &api.ThinkValue{Value: "low"}
	}
	return &api.ThinkValue{Value: false}
}

// answerRoom returns how many tokens an answer may take.
func (m modelInfo) answerRoom() int { return min(maxAnswer, m.context/3) }

// noteRoom returns how many bytes of a note fit beside the instructions and the answer.
func (m modelInfo) noteRoom() int {
	tokens := float64(m.context-m.answerRoom()) - float64(len(prompt))/bytesPerToken
	return max(int(tokens*bytesPerToken), 200)
}

// embedRoom returns how many bytes of a text are embedded.
func (m modelInfo) embedRoom() int { return int(float64(m.context) * bytesPerToken) }

// cutOff is the error of an answer that ended early.
type cutOff struct{ begun bool }

func (cutOff) Error() string { return "the answer was cut off" }

// failed translates an error into a domain error that says what to do; its kind says
// whether to try again.
func (o *Ollama) failed(ctx context.Context, name string, err error) error {
	var known *domain.Error
	var status api.StatusError
	var login api.AuthorizationError
	var cut cutOff
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case errors.As(err, &cut) && cut.begun && ctx.Err() != nil:
		return domain.Invalid("the model %s is too slow for this text", name)
	case ctx.Err() != nil:
		return domain.Unavailable("Ollama at %s did not answer in time; try again, or see what keeps it busy: ollama ps", o.address)
	case errors.As(err, &syntax):
		return o.notOllama()
	case errors.As(err, &login):
		return domain.Unavailable("what answers at %s asks for a login; put it into the address, as in http://user:password@host", o.address)
	case !errors.As(err, &status):
		return domain.Unavailable("Ollama at %s does not answer (%v); start it with: ollama serve", o.address, domain.Reason(err))
	case behindProxy(status):
		return domain.Unavailable("what answers at %s does not reach Ollama (%s); see that Ollama runs behind it", o.address, http.StatusText(status.StatusCode))
	case isPage(status):
		return o.notOllama()
	case status.StatusCode == http.StatusNotFound:
		return domain.Unavailable("Ollama does not have the model %s; fetch it with: ollama pull %s", name, name)
	case status.StatusCode == http.StatusBadRequest:
		return domain.Invalid("Ollama refused this text for the model %s: %v", name, err)
	}
	return domain.Unavailable("Ollama cannot run %s now: %v", name, err)
}

// behindProxy reports whether an error is that of a proxy without its Ollama, which itself
// says in JSON what is wrong.
func behindProxy(status api.StatusError) bool {
	switch status.StatusCode {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		said := strings.TrimSpace(status.ErrorMessage)
		return said == "" || strings.EqualFold(said, http.StatusText(status.StatusCode)) || isPage(status)
	}
	return false
}

func isPage(status api.StatusError) bool {
	return strings.HasPrefix(strings.TrimSpace(status.ErrorMessage), "<")
}

// notOllama is the error if another program answers at the address.
func (o *Ollama) notOllama() error {
	return domain.Unavailable("what answers at %s is not Ollama; correct the address, which --ollama, WAKE_OLLAMA or OLLAMA_HOST gives", o.address)
}

// tooLong reports whether the server found a text too long for the model, which only
// its message says.
func tooLong(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "context length") || strings.Contains(err.Error(), "context size") || strings.Contains(err.Error(), "too large to process"))
}
