package transcript

import (
	"encoding/json"
	"strings"

	"wake/domain"
)

// contentParts is the content of a message as in OpenAI's APIs: a list of parts, or a text.
// Codex, OLLM and SWE-agent write it.
type contentParts []contentPart

type contentPart struct {
	Type     string   `json:"type"`
	Text     string   `json:"text"`
	ImageURL imageURL `json:"image_url"`
}

// imageURL is the address of an image, by itself or, in SWE-agent, as the url of an
// object.
type imageURL string

// UnmarshalJSON accepts both shapes and ignores others.
func (u *imageURL) UnmarshalJSON(data []byte) error {
	var object struct {
		URL string `json:"url"`
	}
	if json.Unmarshal(data, (*string)(u)) != nil && json.Unmarshal(data, &object) == nil {
		*u = imageURL(object.URL)
	}
	return nil
}

// UnmarshalJSON accepts both shapes and ignores others.
func (p *contentParts) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		var text string
		err := json.Unmarshal(data, &text)
		*p = contentParts{{Type: "text", Text: text}}
		return err
	}
	if data[0] != '[' {
		return nil
	}
	var parts []contentPart
	err := decodeLoose(data, &parts)
	*p = parts
	return err
}

// text joins the texts with newlines.
func (p contentParts) text() string { return strings.Join(p.texts(), "\n") }

// words joins the texts without separator, as the event of a prompt does.
func (p contentParts) words() string { return strings.Join(p.texts(), "") }

// texts returns the texts without the marks around images.
func (p contentParts) texts() []string {
	var texts []string
	for _, part := range p {
		mark := strings.HasPrefix(part.Text, "<image") && strings.HasSuffix(part.Text, ">") || part.Text == "</image>"
		if part.Text != "" && !mark {
			texts = append(texts, part.Text)
		}
	}
	return texts
}

func (p contentParts) media() []domain.Media {
	var media []domain.Media
	for _, part := range p {
		if part.ImageURL != "" {
			media = append(media, domain.Media{Type: "image", URL: string(part.ImageURL)})
		}
	}
	return media
}
