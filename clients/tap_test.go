package clients

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// tapped keeps the requests that a client makes of its models.
type tapped struct {
	assistant
	url string
	mu  sync.Mutex
	all []request
}

// request is what a model is asked, without the requests for a title.
type request struct {
	Model    string
	Messages []struct {
		Role    string
		Content json.RawMessage
	}
	Tools []struct{ Name string } // in Anthropic's protocol
}

// of is what those of a role say, as JSON.
func (r request) of(role string) string {
	var said []byte
	for _, m := range r.Messages {
		if m.Role == role || role == "" {
			said = append(append(said, m.Content...), '\n')
		}
	}
	return string(said)
}

func (r request) text() string { return r.of("") }

// tap stands between the client and Ollama, for OpenAI's protocol or Anthropic's.
func (a assistant) tap() *tapped {
	a.Helper()
	ollama, err := url.Parse(a.ollama.URL)
	if err != nil {
		a.Fatal(err)
	}
	t := &tapped{assistant: a}
	forward := httputil.NewSingleHostReverseProxy(ollama)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		t.keep(body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		forward.ServeHTTP(w, r)
	}))
	a.Cleanup(s.Close)
	t.url = s.URL
	return t
}

func (t *tapped) keep(body []byte) {
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		t.Errorf("a request that is no JSON: %v", err)
	}
	if strings.Contains(r.of("user"), "Generate a title for this conversation") {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, r)
}

// of are the requests that a model was sent.
func (t *tapped) of(model string) []request {
	t.Helper()
	t.mu.Lock()
	defer t.mu.Unlock()
	sent := slices.DeleteFunc(slices.Clone(t.all), func(r request) bool { return r.Model != model })
	if len(sent) == 0 {
		t.Errorf("%s was asked nothing", model)
	}
	return sent
}

// last is the latest request that a model was sent.
func (t *tapped) last(model string) request {
	t.Helper()
	sent := t.of(model)
	if len(sent) == 0 {
		return request{}
	}
	return sent[len(sent)-1]
}
