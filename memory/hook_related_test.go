package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/transcript"
)

// Contexts come with a prompt only when they clearly belong to it: they are worth
// their room, and chatter brings nothing.
func TestRelatedIsPrecise(t *testing.T) {
	s, _ := memorytest.Open(t)
	for _, text := range []string{
		"We chose PostgreSQL for the billing service because invoices need serializable transactions",
		"The nightly backup job writes to the bucket eu-archive and keeps thirty days",
		"Root cause of the login timeout: the session cache was flushed on every deploy",
		"Use tabs in Go files and two spaces in YAML files of this repository",
		"The checkout page calls the tax API twice; the second call can go",
	} {
		save(t, s, memory.SaveRequest{Content: text, ActionType: domain.Decision})
	}
	for prompt, want := range map[string]bool{
		"why does the billing service use PostgreSQL for invoices?":                  true,
		"does the nightly backup job still write to the eu-archive bucket?":          true,
		"the login timeout is back, was it the session cache that a deploy flushed?": true,
		"what about the invoices?": true,
		"":                         false,
		"yes":                      false,
		"go on":                    false,
		"thanks, looks good to me": false,
		"please run the tests and fix what fails":                             false,
		"write a function that sorts a list of users by their last name":      false,
		"add a dark theme to the settings page":                               false,
		"what is the weather like in Lisbon in spring?":                       false,
		"rename the variable in this file and commit":                         false,
		"explain how goroutines are scheduled":                                false,
		"can you use the files in this repository?":                           false,
		"the page is slow, profile it":                                        false,
		"make a plan for the migration of the frontend to the new design":     false,
		"write the release notes for version two and keep them short, please": false,
		"日本語で説明してください":                                                        false,
	} {
		text, err := s.Related(ctx, memory.Caller{}, "demo", prompt, 1200)
		if err != nil {
			t.Fatal(err)
		}
		if (text != "") != want {
			t.Errorf("%q brings back %q", prompt, text)
		}
	}
	if err := s.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	log, err := s.Store.AccessLog(ctx, "", 0, 100)
	shown := slices.DeleteFunc(log, func(a domain.Access) bool { return a.How != domain.Shown })
	if err != nil || len(shown) != 4 {
		t.Errorf("%d contexts count as shown, want the 4 that were brought back: %v", len(shown), err)
	}
}

// Words of grammar, and those that most prompts have, tell as little in other languages as
// in English.
func TestRelatedIsPreciseInOtherLanguages(t *testing.T) {
	s, _ := memorytest.Open(t)
	for _, text := range []string{
		"Herr Brandt hat gefragt, ob man die Etiketten auch in A6 drucken kann. Ich habe ihm gesagt, dass der Drucker im Versand das nicht kann.",
		"Le transporteur Durand ne livre plus le samedi. Pour la Corse il faut passer par Marseille, avec deux jours de plus.",
		"La clienta más grande, Ferretería Ibáñez, quiere que se le avise por correo y no por teléfono cuando falta algo.",
		"Анна сказала, что она не может приходить по пятницам, так как у неё занятия в университете.",
		"夜間バックアップは東京リージョンのバケットに保存し、三十日後に削除してください。",
		"변수 이름은 영어로 쓰기로 했습니다. 주석은 한국어로 써도 괜찮습니다.",
		"支付服务使用 PostgreSQL 数据库，备份保存在上海机房。",
		"运行测试之前要先修改配置文件。",
	} {
		save(t, s, memory.SaveRequest{Content: text, ActionType: domain.Decision})
	}
	for prompt, want := range map[string]bool{
		"kann man die Etiketten im Versand auch in A6 drucken?":                   true,
		"le transporteur Durand livre-t-il le samedi en Corse ?":                  true,
		"cómo quiere que se le avise Ferretería Ibáñez?":                          true,
		"может ли Анна приходить по пятницам?":                                    true,
		"夜間バックアップはどこに保存していますか":                                                    true,
		"我们使用什么数据库？":                                                              true,
		"请运行测试":                                                                   false,
		"ich bin mir nicht sicher, ob das die richtige Lösung ist, was meinst du": false,
		"ich habe einen Fehler in der Datei, kannst du dir das bitte mal ansehen": false,
		"il faut que ce soit prêt pour demain, donc fais au plus simple":          false,
		"pourquoi est-ce que la page ne s'affiche pas sur le téléphone":           false,
		"por qué no se ve la página en el teléfono cuando la abro":                false,
		"так как это должно быть готово завтра, сделай как можно проще, что скажешь": false,
		"このファイルの間違いを直してください":                                                         false,
		"이 파일의 오류를 수정했습니다. 테스트도 실행했습니다":                                              false,
	} {
		text, err := s.Related(ctx, memory.Caller{}, "demo", prompt, 1200)
		if err != nil {
			t.Fatal(err)
		}
		if (text != "") != want {
			t.Errorf("%q brings back %q", prompt, text)
		}
	}
}

// A context is brought back once an epoch: not by the next prompt, and not by the
// first where the brief told it. After a compaction it may come again.
func TestRelatedComesOnce(t *testing.T) {
	s, _ := memorytest.Open(t)
	save(t, s, memory.SaveRequest{Content: "We chose PostgreSQL for the billing service because invoices need serializable transactions", ActionType: domain.Decision})
	hook := func(session string, h transcript.Hook) bool {
		t.Helper()
		h.Client, h.SessionID, h.Name = "codex", session, string(h.Moment)
		a, err := s.Hook(ctx, memory.HookRequest{Hook: h, Project: "demo"})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(a.Text, "We chose PostgreSQL")
	}
	prompt := func(text string) transcript.Hook { return transcript.Hook{Moment: transcript.HookPrompt, Prompt: text} }
	const about = "why does the billing service use PostgreSQL for invoices?"
	if !hook("one", prompt(about)) || hook("one", prompt(about+" really")) {
		t.Error("want it with the first prompt alone")
	}
	if !hook("two", transcript.Hook{Moment: transcript.HookStart, Source: "startup"}) || hook("two", prompt(about)) {
		t.Error("want it in the brief alone")
	}
	hook("two", transcript.Hook{Moment: transcript.HookPostCompact, Summary: "all about invoices"})
	hook("two", prompt("go on")) // is given the restore text
	if !hook("two", prompt(about)) {
		t.Error("want it again after a compaction")
	}
}

// Where what belongs to a prompt was replaced, the model is told of what holds instead, though
// that has few of its words.
func TestRelatedTellsWhatHolds(t *testing.T) {
	s, _ := memorytest.Open(t)
	old := save(t, s, memory.SaveRequest{Content: "A reservation is held for ten minutes while somebody pays at the counter", ActionType: domain.Decision})
	between := save(t, s, memory.SaveRequest{Content: "Fifteen, since the bank is slow", Supersedes: old.ID, ActionType: domain.Decision})
	for _, text := range []string{"Dogs travel at half price", "Scanners sync every minute", "The shop speaks Danish", "Gate 3 has a paper shade"} {
		save(t, s, memory.SaveRequest{Content: text})
	}
	save(t, s, memory.SaveRequest{Content: "Nobody reserves any more: seats are sold at once", Supersedes: between.ID, ActionType: domain.Decision})
	text, err := s.Related(ctx, memory.Caller{}, "demo", "how long is a reservation held while somebody pays at the counter?", 1200)
	if err != nil || !strings.Contains(text, "seats are sold at once") || strings.Contains(text, "ten minutes") || strings.Contains(text, "Fifteen") {
		t.Errorf("told %q, %v", text, err)
	}
	if text, err = s.Related(ctx, memory.Caller{}, "demo", "add a dark theme to the settings page", 1200); err != nil || text != "" {
		t.Errorf("told %q, %v", text, err)
	}
}

// What only repeats the prompt is not told with it.
func TestRelatedSaysMoreThanThePrompt(t *testing.T) {
	s, _ := memorytest.Open(t)
	save(t, s, memory.SaveRequest{Content: "Prepare the release of Tuesday."})
	for prompt, want := range map[string]bool{"Please prepare the release of Tuesday.": false, "which release?": true} {
		if text, err := s.Related(ctx, memory.Caller{}, "demo", prompt, 1200); err != nil || (text != "") != want {
			t.Errorf("%q brings back %q, %v", prompt, text, err)
		}
	}
}

// "Now" begins an order as often as it asks for what holds: of like contexts none clearly belongs to an order.
func TestRelatedOfOrders(t *testing.T) {
	s, c := memorytest.Open(t)
	for i := range 6 {
		save(t, s, memory.SaveRequest{Content: fmt.Sprintf("The login test failed on runner %d because its clock was late.", 40+i)})
		c.Pass(25 * time.Hour)
	}
	for _, text := range []string{"Dogs travel at half price", "Scanners sync every minute", "The shop speaks Danish", "Gate 3 has a paper shade"} {
		save(t, s, memory.SaveRequest{Content: text})
	}
	for prompt, want := range map[string]bool{"Now fix the login test.": false, "on which runner did the login test fail last?": true} {
		if text, err := s.Related(ctx, memory.Caller{}, "demo", prompt, 1200); err != nil || (text != "") != want {
			t.Errorf("%q brings back %q, %v", prompt, text, err)
		}
	}
}
