package transcript

import (
	"encoding/base64"
	"slices"
	"strings"

	"wake/domain"
)

// mediaType returns image, audio, video or file for a MIME type.
func mediaType(mime string) string {
	kind, _, _ := strings.Cut(mime, "/")
	switch kind {
	case "image", "audio", "video":
		return kind
	}
	return "file"
}

// mediaAt returns media of one type by their addresses.
func mediaAt(kind string, urls []string) (all []domain.Media) {
	for _, url := range urls {
		all = append(all, domain.Media{Type: kind, URL: url})
	}
	return all
}

// inBase64 gives a medium its data. What is not quite base64 is kept as it is, too.
func inBase64(m domain.Media, data string) domain.Media {
	var err error
	if m.Data, err = base64.StdEncoding.DecodeString(data); err != nil {
		m.URL = "data:" + m.Mime + ";base64," + data
	}
	return m
}

// mediaURL returns the address of a medium, or its contents as a data: URL.
func mediaURL(m domain.Media) string {
	if m.URL != "" || len(m.Data) == 0 {
		return m.URL
	}
	return "data:" + m.Mime + ";base64," + base64.StdEncoding.EncodeToString(m.Data)
}

// withoutMedia replaces images and files by their descriptions.
func withoutMedia(m domain.Message) domain.Message {
	m.Media = slices.Clone(m.Media)
	for i := range m.Media {
		m.Media[i].Data = nil
		if len(m.Media[i].URL) > domain.MaxID { // a data: URL
			m.Media[i].URL = ""
		}
	}
	return m
}
