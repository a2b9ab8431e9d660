package recall_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"wake/recall"
)

func TestSnippetShowsTheAnswer(t *testing.T) {
	filler := strings.Repeat("Nothing of interest happens in this sentence at all. ", 60)
	text := filler + "We chose PostgreSQL because the operators know it. " + filler
	got := recall.NewSnippets(recall.Understand("why did we choose postgresql?"), nil).Of(text, 120)
	if !strings.Contains(got, "We chose PostgreSQL because") {
		t.Errorf("snippet %q misses the answer", got)
	}
}

// Of two places with a word, the one beside the other words is shown, with its whole line.
func TestSnippetIsTheShortestPlaceAndItsLine(t *testing.T) {
	filler := strings.Repeat("Nothing of interest.\n", 30)
	text := filler + "The plan for lunch is old. " + strings.Repeat("Nobody minds. ", 5) + "\nToday we met. The route plan moves to VROOM, as 400 stops took nine minutes.\n" + filler
	got := recall.NewSnippets(recall.Understand("plan of the route"), nil).Of(text, 120)
	if !strings.HasPrefix(got, "… Today we met. The route plan moves to VROOM, as 400 stops took nine minutes.") {
		t.Errorf("got %q", got)
	}
}

func TestSnippetOfShortTextIsTheText(t *testing.T) {
	if got := recall.NewSnippets(recall.Understand("x"), nil).Of("a\nshort  text", 100); got != "a short text" {
		t.Errorf("got %q", got)
	}
}

// Whatever the text, a snippet is valid and short.
func FuzzSnippet(f *testing.F) {
	f.Add("数据库 is the database. auth_token", "auth token 数据库", 20)
	f.Add(strings.Repeat("é", 100), "é", 7)
	f.Add("\xff\xfe bad", "bad", 3)
	f.Add("half-“quoted” x_é v–w", "quoted x", 30)
	f.Fuzz(func(t *testing.T, text, question string, size int) {
		size = min(max(size, 1), 1000)
		q := recall.Understand(question)
		for _, s := range []*recall.Snippets{recall.NewSnippets(q, nil), q.Phrase().Snippets()} {
			got := s.Of(text, size)
			if !utf8.ValidString(got) {
				t.Fatalf("%q is no UTF-8", got)
			}
			if len(got) > size+len("…  …")+4 {
				t.Fatalf("%d bytes for %d", len(got), size)
			}
		}
	})
}

func TestUnderstand(t *testing.T) {
	q := recall.Understand(`When did Caroline last use "retry budget" in auth_token on May 5, 2024, not Redis?`)
	if diff := cmp.Diff([]recall.Date{{Year: 2024, Month: 5, Day: 5}}, q.Dates); diff != "" {
		t.Errorf("dates (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]string{{"retri", "budget"}}, q.Phrases); diff != "" {
		t.Errorf("phrases (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"carolin", "may", "redi"}, q.Names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if !q.When || q.Order != recall.Newest || q.Count || q.Where {
		t.Errorf("read as %+v", q)
	}
	if diff := cmp.Diff([]string{"authtoken"}, q.Wholes); diff != "" {
		t.Errorf("compounds (-want +got):\n%s", diff)
	}
}

func TestUnderstandReadsNoOrderIntoTimes(t *testing.T) {
	for text, want := range map[string]recall.Order{"what broke last week": recall.AnyTime, "what broke last": recall.Newest, "what did we do today": recall.AnyTime,
		"the latest release": recall.Newest, "what did we try first in May 2024": recall.Oldest} {
		if q := recall.Understand(text); q.Order != want {
			t.Errorf("%q asks for %v, want %v", text, q.Order, want)
		}
	}
}

func TestUnderstandAsksForAnEndOfTime(t *testing.T) {
	for order, texts := range map[recall.Order][]string{
		recall.Newest: {"aktueller Port der API", "was ist die neueste Version", "la dernière version", "l'adresse actuelle du serveur", "¿cuál es la última versión?",
			"porta atual", "ultima versione", "de huidige poort", "текущий порт", "最新のビルド", "当前端口", "现在的端口", "현재 포트", "welcher Port gilt jetzt", "quel est le port maintenant", "qual é a porta agora", "versões atuais", "güncel sürüm", "şu anda hangi port"},
		recall.Oldest: {"der erste Build", "la première version", "la primera versión", "изначально какой порт", "最初のビルド", "estado inicial", "valores iniciales", "estados iniciais", "port inicialmente"},
		recall.AnyTime: {"ultimate frisbee", "the actual cause", "prima del rilascio", "Adobe Premiere", "premier league", "a primer on Go", "primary key", "lastUsed", "nowhere", "en son nom",
			"letztendlich Valkey", "die letztere Lösung", "recenter the map", "como atualizar o certificado", "atualização do banco", "error al inicializar la base",
			"bağımlılıkları güncelleme", "şu anahtar nerede"},
	} {
		for _, text := range texts {
			if q := recall.Understand(text); q.Order != order {
				t.Errorf("%q asks for %v, want %v", text, q.Order, order)
			}
		}
	}
}

// Words that begin a question may also be nouns or names.
func TestUnderstandIsAsked(t *testing.T) {
	for text, want := range map[string]bool{"can bus wiring": false, "Will Smith": false, "can openers?": true, "can we reuse the bus": true, "can customers still phone us": true, "will it scale": true,
		"Who's on call": true, "whos on call": true, "why sqlite": true, "sqlite locks": false, "数据库在哪里？": true, "أين قاعدة البيانات؟": true} {
		if q := recall.Understand(text); q.Asks != want {
			t.Errorf("%q is put as a question: %v, want %v", text, q.Asks, want)
		}
	}
}

// Whoever leaves the apostrophe out asks for the same.
func TestUnderstandWithoutApostrophes(t *testing.T) {
	for _, text := range []string{"what's the port that doesn't need TLS", "why isn't it translated", "Where's the key, I can't find it", "won't start"} {
		want, got := recall.Understand(text), recall.Understand(strings.ReplaceAll(text, "'", ""))
		got.Text = want.Text
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-with +without):\n%s", text, diff)
		}
	}
}

// What is chosen or picked in the product is no decision of those who ask.
func TestUnderstandAsksForADecision(t *testing.T) {
	for text, want := range map[string]bool{"which database did we choose and why?": true, "What was decided about the cart": true, "our decision on ids?": true,
		"so what are we using for queues": true, "wofür haben wir uns entschieden": true, "what does the user choose first": false, "which plan is picked most": false} {
		if q := recall.Understand(text); q.Decided != want {
			t.Errorf("%q asks for a decision: %v, want %v", text, q.Decided, want)
		}
	}
}

func TestUnderstandReadsNoDatesIntoVerbs(t *testing.T) {
	for _, text := range []string{"may I march on?", "what may break", "sunny", "decide"} {
		if q := recall.Understand(text); q.Dates != nil {
			t.Errorf("%q names %v", text, q.Dates)
		}
	}
}

// Documents come back from bytes as they were, and damaged bytes are an error.
func TestDocumentRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := recall.NewDocument(recall.Entry{
			N: rapid.Int64Range(1, 1<<40).Draw(t, "n"), Project: rapid.String().Draw(t, "project"),
			Content: rapid.String().Draw(t, "content"), Source: rapid.String().Draw(t, "source"),
			Tags: rapid.SliceOf(rapid.String()).Draw(t, "tags"), Rationale: rapid.String().Draw(t, "rationale"),
		})
		d.Prev = rapid.Int64Range(0, 1<<40).Draw(t, "prev")
		numberless := *d
		numberless.N = 0 // a row's number is known only once it is written
		data := numberless.Encode()
		got, err := recall.DecodeDocument(d.N, data)
		if err != nil {
			t.Fatal(err)
		}
		if string(got.Encode()) != string(data) {
			t.Fatal("other bytes the second time")
		}
		if got.N != d.N || got.Prev != d.Prev || got.Stream != d.Stream || got.Time != d.Time {
			t.Fatalf("got %+v, want %+v", got, d)
		}
		for cut := range len(data) {
			if _, err := recall.DecodeDocument(d.N, data[:cut]); err == nil {
				t.Fatalf("%d of %d bytes are taken for a document", cut, len(data))
			}
		}
	})
}

func TestSupersedeLiftsTheSuccessor(t *testing.T) {
	by := map[int]int{0: 2, 2: 3}
	got := recall.Supersede([]string{"a", "b", "c", "d"}, func(i int) int {
		if j, ok := by[i]; ok {
			return j
		}
		return -1
	})
	if diff := cmp.Diff([]string{"d", "c", "a", "b"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
