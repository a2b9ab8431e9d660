package summarizer_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"wake/domain"
	"wake/secret"
	"wake/summarizer"
)

const adr = "# Caching layer\n\n## Context\n\nOur API is slow under load. Every request to `/users/{id}` hits the **database**.\n\n" +
	"## Decision\n\nWe will use Redis Cluster as a [cache](https://redis.io/docs) in front of the user service. Keys expire after 5 minutes.\n\n" +
	"- [x] Cache only GET requests\n- Invalidate on write\n\n" +
	"```go\nfunc (c *Cache) Get(ctx context.Context, id string) (*User, error) {\n\treturn c.redis.Get(ctx, id)\n}\n```\n\n" +
	"Reads get faster, but writes need two steps.\n"

// Ensure texts as people write them get a summary of their own sentences and the words that mark them (002-01).
func TestExtractive(t *testing.T) {
	tests := []struct {
		name, text string
		has, lacks []string // in the summary
		tags       []string
	}{
		{"decision in English",
			"We decided to use SQLite instead of PostgreSQL for the local store, because it needs no server. SQLite gives us FTS5 and one file to back up. Version 3.45.1 is the minimum, e.g. for JSONB.",
			[]string{"We decided to use SQLite instead of PostgreSQL for the local store, because it needs no server."}, nil, []string{"sqlite", "postgresql"}},
		{"bug with identifiers",
			"Fixed the login bug: auth_token was not refreshed after 15 min. The root cause was in middleware/session.go, where refreshToken() compared times in the local zone.",
			[]string{"The root cause was in middleware/session.go, where refreshToken() compared"}, nil, []string{"auth_token", "session.go", "refreshtoken"}},
		{"Markdown", adr,
			[]string{"We will use Redis Cluster as a cache in front of the user service."}, []string{"#", "**", "](", "```", "func"}, []string{"redis cluster", "cache"}},
		{"German",
			"Wir haben uns entschieden, die Authentifizierung auf OAuth umzustellen, weil die alten Sitzungen verloren gingen. Am 3. Mai wird die Anmeldung ausgerollt. Die Datenbank bleibt z.B. unverändert.",
			[]string{"Wir haben uns entschieden", "Am 3. Mai wird die Anmeldung ausgerollt."}, nil, []string{"authentifizierung", "oauth"}},
		{"answer",
			"Should the columns for status and action always be visible, whatever the settings say? → Status and action should always be visible.",
			[]string{"the settings say? → Status and action should always be visible."}, nil, []string{"status"}},
		{"French",
			"Nous avons décidé d'utiliser Kubernetes pour le déploiement, parce que l'équipe connaît déjà Helm. Le serveur de préproduction reste sur Docker Compose.",
			[]string{"parce que l'équipe connaît déjà Helm."}, nil, []string{"kubernetes", "helm", "docker compose"}},
		{"Spanish",
			"Decidimos usar colas de RabbitMQ en lugar de Kafka porque el volumen de mensajes es pequeño. ¿Qué pasa si falla la cola? Se reintenta tres veces.",
			[]string{"Decidimos usar colas de RabbitMQ"}, nil, []string{"rabbitmq", "kafka"}},
		{"Chinese",
			"我们决定使用 PostgreSQL 作为主数据库，因为它支持事务和全文搜索。用户认证服务将迁移到新的架构。用户认证的令牌存储在 Redis 中！",
			[]string{"我们决定使用 PostgreSQL 作为主数据库，因为它支持事务和全文搜索。用户认证"}, nil, []string{"postgresql", "用户认证", "全文搜索"}},
		{"Japanese",
			"認証基盤をOAuth 2.0に移行することを決定した。古いセッション管理は再起動のたびに失われるためである。データベースの変更は不要です。",
			[]string{"認証基盤をOAuth 2.0に移行することを決定した。"}, nil, []string{"oauth", "認証基盤", "セッション", "データベース"}},
		{"Persian, whose words have joiners", "تصمیم گرفتیم که داده\u200cها را در پایگاه داده نگه داریم.", []string{"داده\u200cها"}, nil, nil},
		{"line ends of all kinds", "We chose one queue.\rIt is drained by two workers.\u2028Nobody waits.", []string{"queue. It", "workers. Nobody"}, nil, []string{"queue"}},
		{"Korean",
			"우리는 인증 서버를 새로운 아키텍처로 이전하기로 결정했다. 기존 세션은 재시작할 때마다 사라지기 때문이다. 인증 토큰은 Redis에 저장한다.",
			[]string{"우리는 인증 서버를 새로운 아키텍처로 이전하기로 결정했다."}, nil, []string{"인증", "서버", "redis"}},
		{"Russian",
			"Мы решили использовать очередь сообщений RabbitMQ вместо Kafka, потому что объём небольшой. Сервис оплаты публикует события, т.е. заказы.",
			[]string{"вместо Kafka, потому что объём небольшой.", "события, т.е. заказы."}, nil, []string{"rabbitmq", "kafka", "очередь"}},
		{"Arabic", "قررنا استخدام Redis للتخزين المؤقت. هل يكفي خادم واحد؟ نعم يكفي.",
			[]string{"هل يكفي خادم واحد؟"}, nil, []string{"redis"}},
		{"code", "package main\n\nimport \"fmt\"\n\n// Greeter says hello to people in their own language.\ntype Greeter struct {\n\tlang string\n}\n",
			[]string{"Greeter says hello to people in their own language."}, []string{"import"}, []string{"greeter"}},
		{"a log", "2026-01-02T03:04:05Z INFO starting server port=8080\n2026-01-02T03:04:06Z INFO connected to db1\n2026-01-02T03:04:09Z ERROR payment worker failed: connection refused\n",
			[]string{"ERROR payment worker failed: connection refused"}, []string{"starting"}, []string{"payment", "worker"}},
		{"JSON", `{"user_id":42,"action":"checkout","items":[{"sku":"A-1"}],"total":19.99}`,
			[]string{`"action":"checkout"`}, nil, []string{"user_id", "checkout"}},
		{"lines without full stops", "Refactor payment module\nSplit PaymentService into PaymentGateway and PaymentLedger\nMove retries to a queue",
			[]string{"Refactor payment module. Split PaymentService"}, nil, []string{"paymentservice", "paymentgateway"}},
		{"lower case", "we moved the cron jobs to temporal. retries were lost because cron has no state. alice owns it.",
			[]string{"retries were lost because cron has no state."}, nil, []string{"cron", "temporal"}},
		{"prose in tags", "<opened_file>The user opened mise.toml in the editor.</opened_file>\nCreate a CODEOWNERS file for the maintainers group.",
			[]string{"The user opened mise.toml in the editor."}, []string{"opened_file"}, []string{"mise.toml", "codeowners"}},
		{"hard-wrapped prose", "We looked at three queues. The broker is the bottleneck,\nfor the reason given above, so we chose Redis Streams (it is there),\nif nothing else turns up.",
			[]string{"for the reason given above, so we chose Redis Streams (it is there), if nothing else turns up."}, nil, []string{"redis streams"}},
		{"badges", "# gocognit\n\n[![Build Status](https://ci.example/b.svg)](https://ci.example/gocognit) [![Docs][docs-img]][docs]\n[![Mentioned](https://x.example/i.svg)](https://x.example/list)\n\nGocognit counts how hard a function is to read.\n\n[docs-img]: https://docs.example/b.svg\n[docs]: https://docs.example/gocognit\n",
			[]string{"Gocognit counts how hard a function is to read."}, []string{"](", "Build Status", "Mentioned", "docs.example"}, []string{"gocognit"}},
		{"a line that ends within a phrase", "An implementation of the\n[Snowball stemmer](http://snowball.example/)\nfor language processing.\n\nBefore you send code you must sign the\nContributor Agreement of the project.",
			[]string{"implementation of the Snowball stemmer", "sign the Contributor Agreement"}, nil, []string{"snowball"}},
		{"a sentence that goes on behind code", "The decorator retries a call that failed. It is written once and used by every client of the billing service:\n\n    @retry(times=3)\n    def charge(card): ...\n\nwhich is why the billing service calls the decorator for the call that failed.",
			[]string{"The decorator retries a call that failed."}, []string{"which is why"}, []string{"decorator"}},
		{"secrets", "Deploy with token ghp_a8Kd02mXqP7vLs4TzR1wYc6NbE9hJgFu35Ot to the staging cluster. The password=Gr33nTea! works.",
			[]string{"[secret:github_token]", "[secret:password]"}, []string{"ghp_", "Gr33nTea"}, []string{"staging", "cluster"}},
		{"control characters", "The \x1b[31mdeploy\x00 of \u202eserver one\u202c is done.\r\nAll is well.",
			[]string{"The [31mdeploy of server one is done."}, []string{"\x1b", "\u202e", "\x00"}, []string{"server"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := summarizer.Extractive{}.Summarize(tt.text)
			for _, want := range tt.has {
				if !strings.Contains(got.Text, want) {
					t.Errorf("summary %q lacks %q", got.Text, want)
				}
			}
			for _, bad := range tt.lacks {
				if strings.Contains(got.Text, bad) {
					t.Errorf("summary %q has %q", got.Text, bad)
				}
			}
			for _, want := range tt.tags {
				if !slices.Contains(got.Tags, want) {
					t.Errorf("tags %q lack %q", got.Tags, want)
				}
			}
			checkSummary(t, tt.text, got)
		})
	}
}

// Ensure of a long text only the sentences that matter are taken, and in its order.
func TestExtractiveChooses(t *testing.T) {
	text := strings.Repeat("The weather stayed grey for most of the afternoon and nobody minded much. ", 6) +
		"We chose Temporal for the billing workflows because retries were lost on every restart. " +
		strings.Repeat("Lunch was served at noon in the small room upstairs, as on every other day. ", 6)
	got := summarizer.Extractive{}.Summarize(text)
	if !strings.Contains(got.Text, "We chose Temporal") {
		t.Errorf("summary %q lacks the decision", got.Text)
	}
	if n := strings.Count(got.Text, "The weather"); n > 1 {
		t.Errorf("summary %q repeats itself", got.Text)
	}
}

// Ensure a sentence that is too long is cut at a word and says so.
func TestExtractiveCutsLongSentences(t *testing.T) {
	got := summarizer.Extractive{}.Summarize(strings.Repeat("considerable deliberations ", 100))
	if !strings.HasSuffix(got.Text, "deliberations…") && !strings.HasSuffix(got.Text, "considerable…") {
		t.Errorf("summary %q is not cut at a word", got.Text)
	}
	got = summarizer.Extractive{}.Summarize("a" + strings.Repeat("\u0301", 100_000))
	if n := utf8.RuneCountInString(got.Text); n > domain.MaxSummary {
		t.Errorf("the summary of a letter with many accents has %d characters", n)
	}
}

// Ensure reading a list costs no more for each line the longer the list is.
func TestExtractiveManyLines(t *testing.T) {
	text := strings.Repeat("a\n", 1<<14)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	summarizer.Extractive{}.Summarize(text)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 350<<20 { // some 10, more under the race detector; to copy at each line what was read so far takes 550
		t.Errorf("it took %d MB", took>>20)
	}
}

// Ensure a text without words has a summary, because the column is NOT NULL, and no tags (002-01, 002-07).
func TestExtractiveOfNothing(t *testing.T) {
	for text, want := range map[string]string{"": "(no text)", " \n\t": "(no text)", "\x00\u202e": "(no text)", "!!! ???": "!!! ???", "42": "42", "---\n***\n": "--- ***"} {
		got := summarizer.Extractive{}.Summarize(text)
		if got.Text != want || len(got.Tags) > 0 {
			t.Errorf("Summarize(%q) = %+v, want %q without tags", text, got, want)
		}
	}
}

// Ensure tags are words: no numbers, hashes, ids, addresses or stop words.
func TestExtractiveTagsAreWords(t *testing.T) {
	text := "In 2026 commit 21e733bd0c2f and 123e4567-e89b-12d3-a456-426614174000 were at https://example.com/build?id=9f8e7d6c and 10.0.0.1 with 99.9 % of the and because."
	if tags := (summarizer.Extractive{}).Summarize(text).Tags; !slices.Equal(tags, []string{"commit"}) {
		t.Errorf("tagged %q", tags)
	}
}

// Ensure no tag says what another one says.
func TestExtractiveTagsAreSeveral(t *testing.T) {
	for text, want := range map[string][]string{
		"The queue is full because queues are drained slowly; a queue needs more workers.": {"queue", "worker"},
		"用户认证服务将迁移。用户认证的令牌存储在这里。用户认证":                                                      {"用户认证"},
	} {
		tags := (summarizer.Extractive{}).Summarize(text).Tags
		for _, w := range want {
			if n := strings.Count(strings.Join(tags, " "), w); n != 1 {
				t.Errorf("tagged %q, of which %d say %q", tags, n, w)
			}
		}
	}
}

// Ensure whatever the text, the answer is readable, bounded, never empty, and the same the next time.
func TestExtractiveProperties(t *testing.T) {
	pieces := []string{"# ", "```\n", "- ", "\n\n", "\n", ". ", "。", "we decided ", "because ", "用户认证", "データ", "인증 ", "auth_token ", "ฐานข้อมูล", "Go", "| a | b |", "    x = 1;",
		"2026-01-02T03:04:05Z ERROR ", "ghp_a8Kd02mXqP7vLs4TzR1wYc6NbE9hJgFu35Ot ", "[a](b)", "**", "\xff", "é", strings.Repeat("x", 500), "e.g. ", "?", "\"", "[secret:"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.OneOf(rapid.SampledFrom(pieces), rapid.String())).Draw(t, "pieces"), "")
		got := summarizer.Extractive{}.Summarize(text)
		checkSummary(t, text, got)
		if again := (summarizer.Extractive{}).Summarize(text); again.Text != got.Text || !slices.Equal(again.Tags, got.Tags) {
			t.Fatalf("twice, different: %+v and %+v", got, again)
		}
	})
}

func FuzzExtractive(f *testing.F) {
	f.Add(adr)
	f.Add("我们决定。\n- x\n```")
	f.Fuzz(func(t *testing.T, text string) { checkSummary(t, text, summarizer.Extractive{}.Summarize(text)) })
}

// checkSummary holds what is true of every summary.
func checkSummary(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string, got domain.Summary) {
	t.Helper()
	s := got.Text
	if s == "" || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) || utf8.RuneCountInString(s) > summarizer.MaxSentence+2 {
		t.Fatalf("summary %q of %q", s, text)
	}
	if found := secret.Find(s); len(found) > 0 {
		t.Fatalf("summary %q of %q tells a secret: %v", s, text, found)
	}
	if len(got.Tags) > summarizer.MaxTags {
		t.Fatalf("tags %q of %q are too many", got.Tags, text)
	}
	for i, tag := range got.Tags {
		ok := utf8.ValidString(tag) && tag == strings.ToLower(tag) && strings.ContainsFunc(tag, unicode.IsLetter) && utf8.RuneCountInString(tag) <= summarizer.MaxTag
		if !ok || slices.Contains(got.Tags[:i], tag) || len(secret.Find(tag)) > 0 || strings.Contains(tag, "secret:") {
			t.Fatalf("tag %q in %q of %q", tag, got.Tags, text)
		}
	}
}

// What a save pays for its summary, and texts made to be slow.
func BenchmarkExtractive(b *testing.B) {
	for name, text := range map[string]string{
		"note":      "We decided to use SQLite instead of PostgreSQL for the local store, because it needs no server. SQLite gives us FTS5.",
		"markdown":  strings.Repeat(adr, 1<<20/len(adr)),
		"chinese":   strings.Repeat("用户认证服务需要迁移到新的架构。", 1<<20/48),
		"one word":  strings.Repeat("x", 1<<20),
		"han run":   strings.Repeat("甲乙丙丁戊己庚辛壬癸子丑寅卯", 1<<20/42),
		"dots":      strings.Repeat("a. ", 1<<20/3),
		"brackets":  strings.Repeat("[", 1<<20),
		"asterisks": strings.Repeat("*a ", 1<<20/3),
		"newlines":  strings.Repeat("A\n", 1<<19),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				summarizer.Extractive{}.Summarize(text)
			}
		})
	}
}

// Tags are no function words, and no clauses, in whatever language.
func TestTagsOfManyLanguages(t *testing.T) {
	for _, c := range []struct{ text, has, without string }{
		{"Oturum açma başarısız oldu çünkü belirtecin süresi erken doldu. Defter için PostgreSQL kullanmaya karar verdik.", "oturum belirtecin", "oldu çünkü için karar verdik kullanmaya"},
		{"زدنا مهلة الخادم إلى ثلاثين ثانية بسبب شكاوى المستخدمين.", "مهلة الخادم", "إلى بسبب"},
		{"החלטנו להשתמש בנעילת שורות של PostgreSQL עבור ספר החשבונות.", "בנעילת החשבונות", "החלטנו להשתמש של עבור"},
		{"लॉगिन विफल हुआ क्योंकि टोकन जल्दी समाप्त हो गया।", "लॉगिन टोकन", "हुआ क्योंकि गया"},
		{"Chúng tôi quyết định dùng khóa hàng của PostgreSQL cho sổ cái.", "khóa hàng", "chúng tôi quyết định dùng của"},
		{"測試環境的資料庫密碼每九十天輪換一次,由運維組負責。", "測試環境 運維組負責", "由運維組負責"},
		{"เราตัดสินใจใช้การล็อกแถวของ PostgreSQL สำหรับบัญชีแยกประเภท ฐานข้อมูล", "postgresql ฐานข้อมูล", "เราตัดสินใจใช้การล็อกแถวของ สำหรับบัญชีแยกประเภท"},
		{"เราใช้Redisเพื่อฐานข้อมูล ฐานข้อมูลPostgreSQL", "redis postgresql", "redisเพื่อฐานข้อมูล ฐานข้อมูลPostgreSQL"},
	} {
		tags := (summarizer.Extractive{}).Summarize(c.text).Tags
		for word := range strings.FieldsSeq(c.has) {
			if !slices.Contains(tags, word) {
				t.Errorf("the tags of %q lack %q: %q", c.text, word, tags)
			}
		}
		for word := range strings.FieldsSeq(c.without) {
			if slices.Contains(tags, word) {
				t.Errorf("the tags of %q have %q: %q", c.text, word, tags)
			}
		}
		if got, want := (summarizer.Extractive{}).Summarize(norm.NFD.String(c.text)), (summarizer.Extractive{}).Summarize(c.text); got.Text != want.Text || !slices.Equal(got.Tags, want.Tags) {
			t.Errorf("decomposed, %q has %q and %q", c.text, got.Text, got.Tags)
		}
	}
}
