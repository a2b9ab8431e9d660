package recall_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"wake/recall"
	"wake/recall/index"
	"wake/recall/index/indextest"
)

// shelf is a small store to ask.
type shelf struct {
	t     *testing.T
	store *indextest.Memory
	ix    *index.Index
	n     int64
	last  map[string]int64
	text  map[int64]string
}

func newShelf(t *testing.T) *shelf {
	store := indextest.NewMemory()
	return &shelf{t: t, store: store, ix: index.New(store, index.Options{}), last: map[string]int64{}, text: map[int64]string{}}
}

func (s *shelf) save(session, source, text string) int64 {
	s.n++
	s.store.Save(recall.NewDocument(recall.Entry{
		N: s.n, Prev: s.last[session], Project: "p", Session: session, Source: source, Content: text,
		Time: timeOf(s.n),
	}))
	s.last[session], s.text[s.n] = s.n, text
	return s.n
}

func (s *shelf) fill(count int) {
	words := strings.Fields("alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar papa")
	for i := range count {
		s.save("filler", "mcp", words[i%16]+" "+words[i*7%16]+" "+words[i*3%13]+" notes and remarks")
	}
}

func (s *shelf) ask(question string, only []int64, cosines map[int64]float64) []recall.Ranked {
	s.t.Helper()
	return s.askAt(1800000000, question, only, cosines)
}

// between lists what was saved in a stretch of time.
func (s *shelf) between(_ context.Context, from, to time.Time) (ns []int64, err error) {
	for n := int64(1); n <= s.n; n++ {
		if at := timeOf(n); !at.Before(from) && at.Before(to) {
			ns = append(ns, n)
		}
	}
	return ns, nil
}

func timeOf(n int64) time.Time {
	return time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Hour)
}

func (s *shelf) askAt(now int64, question string, only []int64, cosines map[int64]float64) []recall.Ranked {
	s.t.Helper()
	ctx := context.Background()
	m, err := recall.DefaultModel()
	if err != nil {
		s.t.Fatal(err)
	}
	scope, err := s.ix.Scope(ctx, "p", only)
	if err != nil {
		s.t.Fatal(err)
	}
	got, err := recall.Rank(ctx, scope, m, recall.Understand(question), recall.Options{Now: time.Unix(now, 0).UTC(), Cosines: cosines, Between: s.between})
	if err != nil {
		s.t.Fatal(err)
	}
	return got
}

// What was saved at the time that a question names comes first, whether it has a word
// of the question or none, and before what has the same words at other times.
func TestTimeNamed(t *testing.T) {
	s := newShelf(t)
	for range 24*40 + 12 {
		s.save("work", "mcp", "the build is green again, says "+string(rune('a'+s.n%26)))
	}
	asked := timeOf(s.n).Unix() // 10 February, noon
	for _, question := range []string{"how was the build on January 20, 2024?", "what happened on January 20, 2024?", "what did we do yesterday",
		"how was the build two weeks ago", "which build was green on 5 January 2024"} {
		q := recall.Understand(question)
		from, to, _ := q.Span(time.Unix(asked, 0).UTC())
		got := s.askAt(asked, question, nil, nil)
		if len(got) < 10 {
			t.Errorf("%q finds %d", question, len(got))
			continue
		}
		for i, r := range got[:5] {
			at := time.Unix(r.Doc.Time, 0).UTC()
			if math.IsNaN(r.Score) || at.Before(from.AddDate(0, 0, -1)) || at.After(to.AddDate(0, 0, 1)) || i == 0 && (at.Before(from) || !at.Before(to)) {
				t.Errorf("%q finds what was saved on %v, by %v", question, at, r.Score)
			}
		}
		if why := got[0].Explain(q); !strings.Contains(why, "from the time you name") {
			t.Errorf("%q is found because %s", question, why)
		}
	}
	if got := s.askAt(asked, "what happened on January 20, 2024?", []int64{1, 2, 3}, nil); len(got) > 0 && got[0].Doc.N > 3 {
		t.Errorf("%d is found, which the list leaves out", got[0].Doc.N)
	}
}

// Questions in the ways and languages people write find the one memory that
// answers. (issue 5, 2)
func TestRankFindsTheAnswer(t *testing.T) {
	for _, c := range []struct{ name, memory, question string }{
		{"plain", "We chose SQLite over Redis because operators wanted one file.", "why did we choose sqlite?"},
		{"identifier in parts", "parseHTTPRequest drops the body when auth_token is empty.", "http request parsing bug"},
		{"identifier whole", "the auth token is refreshed hourly", "auth_token refresh"},
		{"camel and snake", "Renamed maxRetryCount in the client.", "max_retry_count"},
		{"path", "The fix is in src/net/http.go", "what changed in src/net/http.go"},
		{"error code", "Deploy failed with E1234 on staging", "E1234"},
		{"short hash", "Commit 35d7a5a2e9c4f0b1d2c3e4f5a6b7c8d9e0f1a2b3 broke the parser.", "what happened in 35d7a5a"},
		{"long hash", "Taken back by 35d7a5a2e9 on Friday.", "35d7a5a2e9c4f0b1d2c3e4f5a6b7c8d9e0f1a2b3"},
		{"typo", "The scheduler deadlocks under load.", "shceduler deadlocks"},
		{"typo alone", "The scheduler deadlocks under load.", "shceduler"},
		{"letter missing", "The scheduler deadlocks under load.", "schduler"},
		{"other form", "She went swimming and bought goggles.", "when did she go buy goggles?"},
		{"accents", "Déjeuner avec Zoë au café.", "cafe Zoe"},
		{"chinese", "我们决定使用数据库保存会话。", "数据库"},
		{"japanese", "データベースの移行は明日です。", "移行はいつ"},
		{"korean", "서버를 재시작해야 합니다.", "서버 재시작"},
		{"russian", "Мы перенесли сервер в облако.", "сервер облако"},
		{"russian, other forms", "Мы решили отказаться от микросервисов в пользу монолита.", "почему монолит, а не микросервисы"},
		{"another spelling", "The color of the buttons is teal.", "favourite colour"},
		{"russian typo", "Мы перенесли сервер в облако.", "обалко"},
		{"german, other forms", "Rechnungen werden als PDF verschickt.", "Rechnung verschicken"},
		{"german without umlauts", "Die Abstände zwischen den Versuchen wachsen.", "Abstaende"},
		{"german names without umlauts", "Zugriffsrechte vergibt Jürgen Müller.", "Mueller, Juergen"},
		{"german compound", "Der Zahlungsdienst antwortet nicht.", "Zahlungs"},
		{"german, part of a compound", "Der Zahlungsdienst antwortet nicht.", "Zahlung"},
		{"french, other forms", "Le déploiement est terminée.", "deploiements terminés"},
		{"spanish, other forms", "Las copias cifradas están en Frankfurt.", "copia cifrado"},
		{"beginning of a name", "OAuth2 with PKCE for the mobile app.", "oauth"},
		{"beginning rather than typo", "The auth header is old; OAuth2 with PKCE for the mobile app.", "oauth"},
		{"greek capitals", "Αποφασίσαμε να χρησιμοποιήσουμε ουρές μηνυμάτων", "ΟΥΡΈΣ"},
		{"accents and typo", "El niño rompió la configuración.", "configuracón"},
		{"number", "The budget is 1,500 dollars.", "1500 dollars"},
		{"kin", "The physician moved my checkup.", "doctor checkup"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShelf(t)
			s.fill(60)
			want := s.save("x", "mcp", c.memory)
			s.fill(60)
			got := s.ask(c.question, nil, nil)
			if len(got) == 0 || got[0].Doc.N != want {
				t.Fatalf("%q does not find %q first: %d hits", c.question, c.memory, len(got))
			}
			if why := got[0].Explain(recall.Understand(c.question)); why == "" {
				t.Error("no reason given")
			}
		})
	}
}

func TestRankFindsSimilarWords(t *testing.T) {
	s := newShelf(t)
	s.fill(100)
	want := s.save("a", "mcp", "The attorney on Elm Street takes new people in May.")
	s.fill(100)
	if got := s.ask("Which lawyer did we find?", nil, nil); len(got) == 0 || got[0].Doc.N != want {
		t.Errorf("got %v, want %d first", got, want)
	}
}

// A word that is spelled right is not taken for another one that is in the store.
func TestRankKeepsEnglishWords(t *testing.T) {
	s := newShelf(t)
	s.fill(60)
	s.save("a", "mcp", "A decade of weekly build reports fits on one disk.")
	if got := s.ask("decide", nil, nil); len(got) > 0 {
		t.Errorf("%q answers a question for %q", got[0].Doc.Terms(), "decide")
	}
}

// Notes of the same words differ by their time: a question that says when, or asks
// for the first or the last, finds those, and not what is new.
func TestRankByTheTimeAsked(t *testing.T) {
	s := newShelf(t)
	subjects := strings.Fields("budget hiring database release security travel logging dashboard payments customers")
	for i := range 40 { // every ninth day of 2024
		s.n = int64(i*9*24) + 1
		s.save(fmt.Sprint("meeting ", i), "", fmt.Sprintf("Meeting with Carl about the %s and the %s", subjects[i*7%10], subjects[i*3%7]))
	}
	day := func(r recall.Ranked) string { return time.Unix(r.Doc.Time, 0).UTC().Format("2006-01-02") }
	for question, want := range map[string]string{
		"the first meeting": "2024-01-01", "what was the oldest meeting with Carl": "2024-01-01", "the last meeting": "2024-12-17",
		"meetings in february": "2024-02-", "the last meeting in march": "2024-03-", "our first meeting in june": "2024-06-", "which meetings did we have in march 2024": "2024-03-", "meeting on March 13th": "2024-03-13",
		"meeting on 2024-05-15": "2024-05-15", "meeting": "2024-12-",
	} {
		if got := s.ask(question, nil, nil); len(got) == 0 || !strings.HasPrefix(day(got[0]), want) {
			t.Errorf("%q finds that of %s first, want %s", question, day(got[0]), want)
		}
	}
}

// What is the case now was said last, however long the text and however often it was said before. What only has some of the
// words does not come before it.
func TestRankFindsWhatHoldsNow(t *testing.T) {
	for _, times := range []int{3, 40, 200} {
		s := newShelf(t)
		s.fill(60)
		first := s.save("0", "", "Staging got build 7, its first one. Kim watched the logs of every service for an hour and nobody complained.")
		for i := range times {
			s.save(fmt.Sprint("a", i), "", fmt.Sprintf("Build %d is on staging.", 4000+i))
			s.save(fmt.Sprint("b", i), "", fmt.Sprintf("The staging certificate was renewed for %d days.", i))
		}
		last := s.save("z", "", "After two failed attempts staging got build 5000 and the smoke tests passed.")
		s.save("y", "", "Staging costs 300 dollars a month.")
		for question, want := range map[string]int64{
			"latest build on staging": last, "what build is on staging now": last, "current staging build": last,
			"the first build on staging": first, "oldest staging build": first,
		} {
			if got := s.ask(question, nil, nil); len(got) < 2 || got[0].Doc.N != want && got[1].Doc.N != want {
				t.Errorf("of %d, %q finds %q first, not %q, and not second", times, question, s.text[got[0].Doc.N], s.text[want])
			}
		}
	}
}

// Who asked the same before did not tell what holds.
func TestRankFindsWhatHoldsBeforeQuestions(t *testing.T) {
	s := newShelf(t)
	s.fill(60)
	var told []int64
	for i := range 6 {
		told = append(told, s.save("a", "", fmt.Sprintf("Set the port of the gateway to %d, please.", 8000+i)))
	}
	asked := s.save("b", "", "What is the current port of the gateway?")
	for _, question := range []string{"gateway port now", "what is the gateway's port currently"} {
		last, before := -1, -1
		for i, r := range s.ask(question, nil, nil) {
			switch r.Doc.N {
			case told[5]:
				last = i
			case asked:
				before = i
			}
		}
		if last != 0 || before < 1 {
			t.Errorf("%q finds the newest answer at %d, and a question at %d", question, last, before)
		}
	}
}

// Who types an identifier means all of it: no number of newer notes that have a part of
// it stand before the one that has it.
func TestRankPrefersAllOfFewWords(t *testing.T) {
	s := newShelf(t)
	s.fill(60)
	s.n = 100
	want := s.save("a", "", "Rate limit for partners: 600 requests a minute per key, burst 100, answered by 429 with Retry-After.")
	parts := strings.Fields("checkout basket catalog orders gateway warehouse mail invoices importer admin reports staging production scheduler webhook cache")
	for i := range 20 {
		s.n = 8000 - 24 + int64(i)*12 // seven months later and on
		s.save(fmt.Sprint("b ", i), "", parts[i%16]+": the retry policy is owned now by Anna.")
	}
	if got := s.ask("Retry-After", nil, nil); len(got) == 0 || got[0].Doc.N != want {
		t.Errorf("%d is not the first of %d", want, len(got))
	}
}

// Words that the question quotes count more where they stand in their order.
func TestRankPrefersQuoted(t *testing.T) {
	s := newShelf(t)
	quoted := s.save("work", "mcp", "the cart: retry payment window is closed on Sundays")
	s.save("work", "mcp", "the cart: window of payment on Sundays, closed to retry")
	ahead := func(question string) float64 {
		got := s.ask(question, nil, nil)
		if len(got) != 2 || got[0].Doc.N != quoted {
			t.Fatalf("%q finds %+v", question, got)
		}
		return got[0].Score - got[1].Score
	}
	if plain, marked := ahead("when is the retry payment window closed"), ahead(`when is the "retry payment window" closed`); marked <= plain {
		t.Errorf("by %.3f better than without the quotation marks, when by %.3f", marked, plain)
	}
}

// Who puts a question asks for what is old as well: a new text with a part of its words
// does not stand before the one that answers it.
func TestRankFindsOldAnswersToQuestions(t *testing.T) {
	s := newShelf(t)
	s.fill(60)
	s.n = 100
	want := s.save("a", "", "Servers are two machines in Falkenstein, deployed with Kamal. Kubernetes was tried for a week and nobody but Marek could debug it.")
	s.n = 8000 // seven months later
	s.save("b", "", "A migration dropped a column in the release that still read it; half of the servers failed for two minutes.")
	s.save("c", "", "Yuki drops support for the old scanner, which nobody uses any more.")
	for _, question := range []string{"why did we drop kubernetes", "Did we drop kubernetes for our servers at some time?", "warum haben wir kubernetes dropped"} {
		if got := s.ask(question, nil, nil); len(got) == 0 || got[0].Doc.N != want {
			t.Errorf("%q does not find the old answer first", question)
		}
	}
}

// A name that is written as a compound (SQLite) is measured like one that is not.
func TestRankMeasuresCompoundsAsWords(t *testing.T) {
	s := newShelf(t)
	s.fill(60)
	for _, text := range []string{"We use SQLite: one file, no server", "We use Sqlite: one file, no server"} {
		s.save(text, "", text)
	}
	got := s.ask("sqlite", nil, nil)
	if len(got) != 2 {
		t.Fatalf("%d found", len(got))
	}
	names := recall.FeatureNames()
	for _, name := range []string{"head_coverage", "soft_turn"} {
		i := slices.Index(names, name)
		if a, b := got[0].Features[i], got[1].Features[i]; a != 1 || b != 1 {
			t.Errorf("%s is %v and %v", name, a, b)
		}
	}
}

// Where one of a kind is asked for and a text names one, texts with the name of the kind
// are still found.
func TestRankFindsTheKindBesideItsMembers(t *testing.T) {
	s := newShelf(t)
	s.fill(60)
	s.save("a", "", "We use SQLite: one file, no server")
	want := s.save("b", "", "The database is the one in Falkenstein")
	got := s.ask("which database is it", nil, nil)
	if !slices.ContainsFunc(got, func(r recall.Ranked) bool { return r.Doc.N == want }) {
		t.Errorf("not among %d found", len(got))
	}
}

// In a store that is mostly English, function words of another language are rare and say
// as little as anywhere.
func TestRankPassesOverFunctionWords(t *testing.T) {
	for question, answer := range map[string]string{
		"was ist das und welche Regel haben wir für den Tresor": "Tresor: Zugriff nur zu zweit.",
		"pourquoi est-ce que nous avons coupé le serveur":       "serveur coupé, trop cher",
		"por qué fueron las quejas por las que fue el cliente":  "cliente perdido: precios",
		"почему мы не можем из этой таблицы и для чего индекс":  "индекс удалён",
	} {
		s := newShelf(t)
		s.fill(60)
		want := s.save("a", "", answer)
		s.fill(60)
		s.save("b", "", "Das ist für uns und für welche wir es wollen, was wir haben. Nous avons ce que nous voulons, pourquoi est-ce le cas. "+
			"Fueron las que fue por qué el sol de la tarde. Мы не знаем почему и для чего из этого.")
		if got := s.ask(question, nil, nil); len(got) == 0 || got[0].Doc.N != want {
			t.Errorf("%q does not find %q first", question, answer)
		}
	}
}

// An answer that has none of the words is found by the question before it.
func TestRankFindsTheAnswerBesideTheMatch(t *testing.T) {
	s := newShelf(t)
	s.fill(100)
	s.save("talk", "Anna", "What color is your new kayak?")
	want := s.save("talk", "Ben", "Bright orange, you will love it.")
	s.save("talk", "Anna", "Great!")
	got := s.ask("What color is Ben's kayak?", nil, nil)
	for _, r := range got[:min(3, len(got))] {
		if r.Doc.N == want {
			return
		}
	}
	t.Errorf("the answer is not among the first three of %d", len(got))
}

// What the person said whom the question names is looked at, even where many short
// turns of others match better.
func TestRankLooksAtTheSpeakerNamed(t *testing.T) {
	s := newShelf(t)
	other := "golf hotel india juliet kilo lima mike november oscar papa quebec romeo sierra tango uniform victor "
	want := s.save("summer", "Anna", strings.Repeat(other, 12)+" This summer was the summer of summers.")
	for i := range 300 {
		s.save(fmt.Sprint("talk ", i), "Ben", "Summer, "+other)
		s.save(fmt.Sprint("talk ", i), "Ben", other)
	}
	got := s.ask("How was the summer for Anna?", nil, nil)
	if !slices.ContainsFunc(got, func(r recall.Ranked) bool { return r.Doc.N == want }) {
		t.Errorf("not among %d", len(got))
	}
}

// What a user wants in general comes with a request, but not where somebody asks what was
// said before.
func TestRankBringsStandingInstructions(t *testing.T) {
	s := newShelf(t)
	s.fill(150)
	for i := range 4 {
		s.save("chat", "user", fmt.Sprintf("My login page number %d needs help.", i))
		s.save("chat", "assistant", fmt.Sprintf("The form of page %d always checks a feature.", i))
	}
	rule := s.save("rules", "user", "Always format dates as day, month, year in tables")
	for i := range 20 {
		s.save(fmt.Sprint("aside ", i), "user", "Never mind.")
	}
	for question, want := range map[string]bool{"Could you show me how to write a login feature?": true, "Which login feature did I mention?": false, "login feature page": false,
		"Why was the login feature dropped?": false, "Where is the login feature?": false, "Who owns the login feature?": false} {
		ranked := s.ask(question, nil, nil)
		if got := slices.ContainsFunc(ranked[:min(10, len(ranked))], func(r recall.Ranked) bool { return r.Doc.N == rule }); got != want {
			t.Errorf("%q brings the instruction: %v, want %v", question, got, want)
		}
		if slices.ContainsFunc(ranked, func(r recall.Ranked) bool { return s.text[r.Doc.N] == "Never mind." }) {
			t.Errorf("%q brings remarks", question)
		}
	}
}

// What is left out by a filter is not found, not even as a neighbour.
func TestRankKeepsToTheLimit(t *testing.T) {
	s := newShelf(t)
	a := s.save("s", "mcp", "kayak one")
	s.save("s", "mcp", "kayak two")
	if found := s.ask("kayak", []int64{a}, nil); len(found) != 1 || found[0].Doc.N != a {
		t.Errorf("%d hits, want document %d alone", len(found), a)
	}
}

// A document that only its embedding brings joins the ranking.
func TestRankTakesEmbeddings(t *testing.T) {
	s := newShelf(t)
	s.fill(50)
	want := s.save("s", "mcp", "Her vessel for rivers is tangerine.")
	got := s.ask("kayak colour", nil, map[int64]float64{want: 0.9})
	if len(got) == 0 || got[0].Doc.N != want {
		t.Errorf("not found first among %d", len(got))
	}
}

func TestRankOfNothing(t *testing.T) {
	s := newShelf(t)
	for _, q := range []string{"", "the of and", "?!", "unknown words"} {
		if got := s.ask(q, nil, nil); len(got) != 0 {
			t.Errorf("%q finds %d in an empty store", q, len(got))
		}
	}
	s.fill(3)
	if got := s.ask("zebra", nil, nil); len(got) != 0 {
		t.Errorf("a word that is nowhere finds %d", len(got))
	}
}

func TestReadModelRefusesUnknownNames(t *testing.T) {
	for _, data := range []string{`{"weights":{"all":{"nonsense":1}}}`, `{"weights":{"nowhere":{"turn":1}}}`, `[`} {
		if _, err := recall.ReadModel([]byte(data)); err == nil {
			t.Errorf("%s is taken for weights", data)
		}
	}
}
