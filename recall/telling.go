package recall

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Prompts to an assistant say much that is in most of them. What tells one from another is
// the rest of its terms.

// everyday lists words that occur in most prompts to an assistant, whatever they are
// about.
const everyday = `add app break build call change check class code command comment commit correct create data default
	delete describe directory do document edit error example explain fail feature file find fix folder format function give
	go good help implement issue keep last line list look make method model move need new next number output page plan please
	problem project prompt put read refactor remove rename repository request result review run same save set show start
	stop string summary task test text thing time try type update use user value variable version want way word work write`

// everydayElsewhere lists such words of German, French, Spanish, Russian, Chinese, Japanese
// and Korean, and words of grammar beside [functionWord], of which some are also
// English or names of programs.
const everydayElsewhere = `die den des war mit im am um es er du mir mich dir dich ihm ihn ihnen uns euch mein meine dein deine sein
	seine unser man hat habe hast bin bist kann kannst könnte könntest können muss musst müssen soll sollen sollte will möchte darf
	würde ob weil dann denn doch also schon wieder nur nichts etwas alle alles mal bitte danke hier dort jetzt immer nie seit bis vor
	ohne durch gegen so einfach sehr mehr viel gestern heute morgen machen mach macht gemacht gib zeig zeige schau schreib schreibe
	erklär erkläre erklären ändere ändern geändert prüfe prüfen hilf lass füge suche suchen finde finden datei dateien fehler funktion seite klasse liste neu
	neue neuen wert zeile
	le la de du des est on ne pas plus en au aux par pour mais ou où donc si se son sa ses mon ma mes tu je me te moi toi ton ta tes
	leur leurs cela ça tout toute tous comme comment combien peux peut pouvez pourrais voudrais veux veut faut fait fais faire être
	avoir avez ai as va encore aussi bien très sans sous chez depuis hier aujourd'hui demain merci écris explique montre donne ajoute
	corrige vérifie change cherche trouve fichier fichiers erreur erreurs fonction page classe liste nouveau nouvelle ligne valeur
	el lo le les de del al la y o u en un con sin se su es son era ser estar estoy estaba ha han hay he has hacer hace haz hecho
	puedes puede podrías quiero quiere quieres tengo tiene tienes que si no ya más muy también pero porque como cuando donde me te
	mi mis tu tus yo él ella nos este esta esto estos estas ese esa eso todo toda todos todas otro otra vez algo nada desde hasta
	entre sobre así ayer hoy mañana favor gracias escribe explica muestra dame añade corrige revisa cambia busca encuentra archivo archivos fichero
	errores función página clase lista nuevo nueva línea valor
	мне меня ты тебя тебе мой моя свой своя его её их ему ей нас нам вы вас нет да но а или если то же бы ли так чтобы потому
	поэтому уже ещё снова только очень есть быть будет можно нужно надо может могу хочу вчера сегодня завтра сейчас пожалуйста
	спасибо напиши объясни покажи дай добавь исправь проверь измени сделай файл файла файле файлы ошибка ошибки ошибку функция
	функцию страница страницу список строка найди
	请帮我 请你 帮忙 一下 一个 这个 那个 什么 怎么 为什么 可以 不能 不要 因为 所以 如果 但是 已经 还是 没有 我们 你们 他们 现在 然后 之后 之前 使用 修改 解释 检查
	运行 文件 代码 函数 测试 错误 问题 页面 列表 名字 时间 格式 应该
	ページ ファイル コード テスト リスト 日本語 説明 確認 修正 変更 実行 関数 表示 追加 名前 教え 書い 直し 間違
	주세요 설명해 수정해 확인해 파일 코드 함수 테스트 실행 오류 페이지 목록 이름 있습니까 있습니다 합니다 했습니다 됩니다 입니다 때문에 어떻게 무엇 그리고 하지만`

// fewestElsewhere is how many words of another language make up a prompt in it. In an
// English one, a single "die", "war" or "pour" is a word like others.
const fewestElsewhere = 2

var everydayTerms = sync.OnceValue(func() map[string]bool { return termSet(everyday) })

var everydayTermsElsewhere = sync.OnceValue(func() map[string]bool { return termSet(everydayElsewhere) })

func termSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, t := range Analyze(words) {
		set[t] = true
	}
	return set
}

// englishWords are words that most English prompts have, and ones in other languages have not.
var englishWords = []string{"the", "and", "of", "to", "is", "are", "for", "it", "this", "that", "with", "what", "how", "why", "you"}

// readsEnglish reports whether a prompt is in English, so that a hook need not read the long
// list of words of other languages.
func readsEnglish(prompt string) bool {
	return slices.ContainsFunc(strings.Fields(strings.ToLower(prompt)), func(w string) bool { return slices.Contains(englishWords, w) })
}

// Telling returns those of the terms that say what a prompt to an assistant is about.
func (q Question) Telling() []string {
	terms := slices.DeleteFunc(slices.Clone(q.Terms), func(t string) bool { return everydayTerms()[t] || japaneseGrammar(t) })
	if readsEnglish(q.Text) {
		return terms
	}
	elsewhere := func(t string) bool { return functionWord(t) || everydayTermsElsewhere()[t] }
	of := 0
	for _, t := range terms {
		if elsewhere(t) {
			of++
		}
	}
	if of < fewestElsewhere {
		return terms
	}
	terms = slices.DeleteFunc(terms, elsewhere)
	if !eastAsian(q.Text) {
		return terms
	}
	// A pair of characters across the edge of an everyday word is no word.
	apart := Analyze(everydayCutter().Replace(q.Text))
	return slices.DeleteFunc(terms, func(t string) bool { return eastAsian(t) && !slices.Contains(apart, t) })
}

// everydayCutter cuts everyday words out of a prompt without spaces between words.
var everydayCutter = sync.OnceValue(func() *strings.Replacer {
	var pairs []string
	for _, w := range strings.Fields(everydayElsewhere) {
		if eastAsian(w) {
			pairs = append(pairs, w, " ")
		}
	}
	return strings.NewReplacer(pairs...)
})

// eastAsian reports whether a text has Chinese, Japanese or Korean words, which [Analyze]
// takes apart.
func eastAsian(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
	})
}

// japaneseGrammar reports whether a term is of endings and particles of Japanese, which are
// written in hiragana, without a Chinese character.
func japaneseGrammar(term string) bool {
	in := func(script *unicode.RangeTable) bool {
		return strings.ContainsFunc(term, func(r rune) bool { return unicode.Is(script, r) })
	}
	return in(unicode.Hiragana) && !in(unicode.Han)
}
