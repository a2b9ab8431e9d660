package recall

import "testing"

// A question that counts back to a time and asks for nothing else is known as such, in
// several languages; one that says what about is not.
func TestOnlyTime(t *testing.T) {
	for _, text := range []string{
		"what happened yesterday", "What did we do today?", "what did we decide last week", "what's new this month", "what did we decide this morning?", "what was finished last night", "decisions 3 weeks ago",
		"anything new since Monday?", "what did you find out two days ago?", "yesterday's decisions", "Yesterday’s decisions", "show me everything from last month", "recap of yesterday",
		"what was done in the past three days", "was wurde heute gemacht", "Was haben wir letzte Woche entschieden?", "was haben wir gestern gefunden",
		"¿qué hicimos ayer?", "qu'avons-nous décidé la semaine dernière", "o que fizemos ontem", "cosa abbiamo deciso ieri", "wat hebben we gisteren besloten",
		"что мы решили вчера", "was haben wir vor drei Tagen entschieden", "qu’avons-nous décidé il y a deux jours", "¿qué hicimos hace tres días?",
		"что мы решили 2 дня назад", "geçen hafta ne karar verdik", "hôm qua chúng ta đã quyết định gì", "ماذا قررنا أمس؟", "מה החלטנו לפני יומיים?",
		"कल हमने क्या तय किया",
	} {
		if !Understand(text).OnlyTime() {
			t.Errorf("%q asks for more than a time: %q", text, Understand(text).Terms)
		}
	}
	for _, text := range []string{
		"what did we decide about Kafka yesterday", "bugs in the last three days", "what did Helena find yesterday", "what happened", "latest decisions",
		"which tag did we add yesterday?", "what was due last week?", "what happened with DoS yesterday",
		"welche Datenbank haben wir vor drei Tagen gewählt", "dün hangi veritabanını seçtik",
		"which database did we choose last week", "welche Datenbank haben wir gestern gewählt", "what happened on 31 October", "", "yesterday and today",
	} {
		if Understand(text).OnlyTime() {
			t.Errorf("%q asks for nothing but a time", text)
		}
	}
}

// So is one for a day or a month of the calendar.
func TestOnlyDate(t *testing.T) {
	for _, text := range []string{
		"what did we do on 12 November?", "What happened on November 12th", "what was decided on the 12th of November 2025?", "decisions of 2026-11-12",
		"what changed in early May", "what did we do in March 2026?", "what happened on 12 Nov", "Was haben wir am 12. November entschieden?", "o que fizemos em 3 de abril?",
		"what happened on 3.4.2026", "what was decided in early May?", "show me the notes from 12 November",
	} {
		if !Understand(text).OnlyDate() {
			t.Errorf("%q asks for more than a date: %+v", text, Understand(text).Dates)
		}
	}
	for _, text := range []string{
		"what did Ben do on 12 November", "what happened in 2025", "what did we do on 12 November and on 14 November", "who released on 12 November?", "when is the release",
		"may I go", "what happened yesterday", "", "what happened after 12 November",
		"what did we do from 12 November on", "what have we decided as of 12 November", "what happened on 12 Nov and Dec 3", "wat is er na 12 november gebeurd?",
		"what did we decide in May?", "was haben wir im Mai beschlossen",
	} {
		if Understand(text).OnlyDate() {
			t.Errorf("%q asks for nothing but a date", text)
		}
	}
}

// A text of another day tells of a date if the words of the date stand together.
func TestTellsOf(t *testing.T) {
	for question, texts := range map[string]map[string]bool{
		"what did we do on 12 April?": {"The outage of 12 April": true, "It broke on April 12th, at noon": true, "on the 12th of April": true,
			"In April the hall had 12 gates": false, "The 12 gates open in April": false, "April fools": false},
		"qué hicimos el 12 de abril": {"la caída del 12 de abril": true, "12 puertas en abril": false},
		"log of 2026-11-12":          {"frozen on 2026-11-12": true, "2026-11-09, 12 gates": false},
		"what happened in May?":      {"Users may log in twice": false},
		"what happened in May 2026?": {"The release of May 2026": true, "Since 2026 users may log in": false},
		"what happened in March?":    {"They march on": false},
		"what happened in October?":  {"The release is in October": true},
	} {
		q := Understand(question)
		for text, want := range texts {
			if got := q.TellsOf(NewDocument(Entry{Source: "user", Content: text})); got != want {
				t.Errorf("%q: %q tells of the date: %v, want %v", question, text, got, want)
			}
		}
	}
}
