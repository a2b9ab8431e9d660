package ollamatest_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/ollama/ollama/api"

	"wake/summarizer/ollamatest"
)

// Ensure the models behave as they are described, since the tests of others lean on them.
func TestModels(t *testing.T) {
	server := ollamatest.Start(t)
	server.Chat(t, "scripted", "Yes, it is «so».")
	server.Noise(t, "noise")
	base, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := api.NewClient(base, http.DefaultClient)
	if got := ask(t, client, "scripted"); got != "Yes, it is «so»." {
		t.Errorf("the scripted model said %q", got)
	}
	if got := ask(t, client, "noise"); got == "" {
		t.Error("the noise model said nothing")
	}
}

func ask(t *testing.T, client *api.Client, model string) string {
	t.Helper()
	stream, answer := false, ""
	req := &api.ChatRequest{Model: model, Stream: &stream, Messages: []api.Message{{Role: "user", Content: "Is it so?"}}, Options: map[string]any{"num_predict": 50}}
	err := client.Chat(t.Context(), req, func(r api.ChatResponse) error {
		answer += r.Message.Content
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return answer
}
