package summarizer

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"

	"wake/domain"
)

// DefaultModel writes summaries if no model is named: small, and good at many
// languages.
const DefaultModel = "gemma3:4b"

const (
	defaultPort = "11434"
	// keepAlive is how long a model stays in memory after the last text of a queue.
	keepAlive = 2 * time.Minute
	// summaryTime and embedTime limit one request, including loading the model.
	summaryTime = 5 * time.Minute
	embedTime   = 2 * time.Minute
	// maxContext limits the memory of a request: models support up to 128k tokens, but a
	// summary needs few.
	maxContext = 8192
	// maxAnswer is the most tokens of an answer; the schema allows about 500.
	maxAnswer = 768
)

//go:embed prompt.md
var prompt string

// answerSchema is the schema that the server enforces.
func answerSchema() json.RawMessage {
	return fmt.Appendf(nil, `{"type":"object","properties":{"summary":{"type":"string","minLength":1,"maxLength":%d},`+
		`"tags":{"type":"array","items":{"type":"string","minLength":1,"maxLength":%d},"minItems":1,"maxItems":%d}},"required":["summary","tags"]}`,
		MaxSentence, MaxTag, MaxTags)
}

// Ollama asks models that run on the user's machine. Its errors are domain errors:
// [domain.KindUnavailable] if the same call may succeed later (the server is down, the
// model is missing), else [domain.KindInvalid], if the model cannot summarise this
// text. It is safe for concurrent use.
type Ollama struct {
	client            *api.Client
	address           string
	model, embedModel string
}

// NewOllama returns a client of the server at address: a URL, host:port or a host, as
// in OLLAMA_HOST; "" means this machine. model writes summaries; "" means
// [DefaultModel]. embedModel computes embeddings; "" means none. Nothing is sent yet.
func NewOllama(address, model, embedModel string) (*Ollama, error) {
	base, err := parseAddress(address)
	if err != nil {
		return nil, err
	}
	if model == "" {
		model = DefaultModel
	}
	// A redirect could send the notes elsewhere.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client := api.NewClient(base, &http.Client{CheckRedirect: stay})
	return &Ollama{client: client, address: base.Redacted(), model: model, embedModel: embedModel}, nil
}

// parseAddress parses the value of OLLAMA_HOST as Ollama does: in quotes or not, with an
// IPv6 address in brackets or not. The server reads the same variable, so it may name all
// interfaces, while a client needs one.
func parseAddress(address string) (*url.URL, error) {
	address = strings.TrimSpace(strings.Trim(strings.TrimSpace(address), `"'`))
	scheme, rest, full := strings.Cut(address, "://")
	port := ""
	if !full {
		scheme, rest, port = "http", address, defaultPort
	}
	host, path, _ := strings.Cut(rest, "/")
	if ip, err := netip.ParseAddr(host); err == nil && ip.Is6() {
		host = "[" + strings.ReplaceAll(host, "%", "%25") + "]" // a zone is escaped in a URL
		rest = strings.TrimSuffix(host+"/"+path, "/")
	}
	base, err := url.Parse(scheme + "://" + rest)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" {
		return nil, domain.Invalid("%q is not the address of an Ollama server; write it as http://127.0.0.1:11434", address)
	}
	host = base.Hostname()
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	if p := base.Port(); p != "" {
		port = p
	}
	switch {
	case port != "":
		base.Host = net.JoinHostPort(host, port)
	case !strings.Contains(host, ":"): // an IPv6 address is kept in brackets
		base.Host = host
	}
	return base, nil
}

// Name returns the model that writes summaries.
func (o *Ollama) Name() string { return o.model }

// EmbedName returns the model that computes embeddings, or "".
func (o *Ollama) EmbedName() string { return o.embedModel }

// Summarize asks the model for the summary and tags of text. Secrets are masked before
// anything is sent; a text that is too long for the model is shortened to its beginning
// and its best sentences. An answer that is truncated, malformed or not about the text
// is an error.
func (o *Ollama) Summarize(ctx context.Context, text string) (domain.Summary, error) {
	ctx, cancel := context.WithTimeout(ctx, summaryTime)
	defer cancel()
	m, err := o.show(ctx, o.model, model.CapabilityCompletion)
	if err != nil {
		return domain.Summary{}, err
	}
	note := readable(text)
	for room := m.noteRoom(); ; room /= 2 {
		answer, err := o.chat(ctx, m, quote(shorten(note, room)))
		if tooLong(err) && room > 200 && len(note) > room/2 {
			continue
		}
		if err != nil {
			return domain.Summary{}, o.failed(ctx, o.model, err)
		}
		return readAnswer(o.model, answer, note)
	}
}

// chat sends a note and returns the model's answer.
func (o *Ollama) chat(ctx context.Context, m modelInfo, note string) (string, error) {
	var said strings.Builder
	var last api.ChatResponse
	req := &api.ChatRequest{
		Model:     o.model,
		Messages:  []api.Message{{Role: "system", Content: prompt}, {Role: "user", Content: note}},
		Format:    answerSchema(),
		Think:     m.think(),
		Truncate:  new(bool),
		Shift:     new(bool),
		KeepAlive: &api.Duration{Duration: keepAlive},
		Options:   map[string]any{"num_ctx": m.context, "num_predict": m.answerRoom(), "temperature": 0.2},
	}
	err := o.client.Chat(ctx, req, func(r api.ChatResponse) error {
		said.WriteString(r.Message.Content)
		last = r
		return nil
	})
	switch {
	case err != nil:
		return "", err
	case !last.Done: // a stream cut by a deadline or a dying server ends without an error
		return "", cutOff{begun: said.Len() > 0}
	case last.DoneReason == "length":
		return "", domain.Invalid("the model %s did not finish its answer", o.model)
	}
	return said.String(), nil
}

// Embed returns one vector for each text, in order. Secrets are masked and long texts
// shortened as in Summarize.
func (o *Ollama) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if o.embedModel == "" {
		return nil, domain.Invalid("no embedding model is set; name one with --embed-model")
	}
	if len(texts) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, embedTime)
	defer cancel()
	m, err := o.show(ctx, o.embedModel, model.CapabilityEmbedding)
	if err != nil {
		return nil, err
	}
	notes := make([]string, len(texts))
	for i, t := range texts {
		if notes[i] = readable(t); strings.TrimSpace(notes[i]) == "" {
			notes[i] = "(no text)" // an empty input has no vector
		}
	}
	for room := m.embedRoom(); ; room /= 2 {
		vectors, err := o.embed(ctx, m, notes, room)
		if tooLong(err) && room > 50 {
			continue
		}
		if err != nil {
			return nil, o.failed(ctx, o.embedModel, err)
		}
		return vectors, nil
	}
}

func (o *Ollama) embed(ctx context.Context, m modelInfo, notes []string, room int) ([][]float32, error) {
	input := make([]string, len(notes))
	for i, n := range notes {
		input[i] = shorten(n, room)
	}
	res, err := o.client.Embed(ctx, &api.EmbedRequest{
		Model: o.embedModel, Input: input, Truncate: new(bool), KeepAlive: &api.Duration{Duration: keepAlive},
		Options: map[string]any{"num_ctx": m.context},
	})
	if err != nil {
		return nil, err
	}
	if len(res.Embeddings) != len(notes) || slices.ContainsFunc(res.Embeddings, func(v []float32) bool { return len(v) == 0 }) {
		return nil, domain.Invalid("the model %s gave %d vectors for %d texts", o.embedModel, len(res.Embeddings), len(notes))
	}
	return res.Embeddings, nil
}
