package recall

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// agoPhrases are the most common times counted back from now in languages other than
// English. The first one that matches is meant. "Hier" is among the French words below,
// because it means here in German. In Hindi one word means yesterday and tomorrow.
var agoPhrases = []struct {
	ago     Ago
	phrases []string
}{
	{Ago{N: 2}, []string{"vorgestern", "avant-hier", "anteayer", "anteontem", "eergisteren", "позавчера", "前天", "一昨日", "おととい", "그저께",
		"evvelsi gün", "เมื่อวานซืน", "أول أمس", "أمس الأول", "שלשום", "परसों", "hôm kia"}},
	{Ago{N: 1}, []string{"gestern", "ayer", "ontem", "ieri", "gisteren", "wczoraj", "igår", "dün", "вчера", "вчора", "昨天", "昨日", "어제",
		"เมื่อวาน", "أمس", "بالأمس", "אתמול", "कल", "hôm qua"}},
	{Ago{}, []string{"heute", "aujourd'hui", "hoy", "hoje", "oggi", "vandaag", "dzisiaj", "idag", "bugün", "сегодня", "сьогодні", "今天", "今日", "오늘",
		"วันนี้", "اليوم", "היום", "आज", "hôm nay"}},
	{theWeekend, []string{"am wochenende", "בסוף השבוע"}},
	{Ago{N: 1, Unit: Weekend}, []string{"letztes wochenende", "letztem wochenende", "week-end dernier", "fin de semana pasado", "fim de semana passado",
		"scorso fine settimana", "vorig weekend", "прошлых выходных", "上周末", "上週末", "先週末", "지난 주말", "geçen hafta sonu", "สุดสัปดาห์ที่แล้ว",
		"نهاية الأسبوع الماضي", "cuối tuần trước", "cuối tuần qua"}},
	{Ago{N: 1, Unit: Week}, []string{"letzte woche", "letzter woche", "semaine dernière", "semana pasada", "semana passada", "settimana scorsa",
		"scorsa settimana", "vorige week", "прошлой неделе", "上周", "上週", "上星期", "上个星期", "先週", "지난주", "지난 주", "geçen hafta", "สัปดาห์ที่แล้ว",
		"อาทิตย์ที่แล้ว", "الأسبوع الماضي", "בשבוע שעבר", "पिछले हफ्ते", "पिछले हफ़्ते", "पिछले सप्ताह", "tuần trước", "tuần qua"}},
	{Ago{Unit: Week}, []string{"diese woche", "dieser woche", "cette semaine", "esta semana", "questa settimana", "deze week", "этой неделе", "本周", "这周", "這週", "本週",
		"今週", "이번 주", "bu hafta", "สัปดาห์นี้", "هذا الأسبوع", "השבוע", "इस हफ्ते", "इस सप्ताह", "tuần này"}},
	{Ago{N: 1, Unit: Month}, []string{"letzten monat", "letztem monat", "mois dernier", "mes pasado", "mês passado", "mese scorso", "scorso mese",
		"vorige maand", "прошлом месяце", "上个月", "上個月", "先月", "지난달", "지난 달", "geçen ay", "เดือนที่แล้ว", "الشهر الماضي", "בחודש שעבר",
		"पिछले महीने", "tháng trước"}},
}

// agoInOtherLanguages finds such a time in a lower-cased text with single spaces
// between and around its words. In scripts without spaces, a phrase may be part of a
// longer word.
func agoInOtherLanguages(spaced string) []Ago {
	if found, ok := countedElsewhere(spaced); ok {
		return []Ago{found}
	}
	for _, times := range agoPhrases {
		for _, p := range times.phrases {
			if !unspaced(p) {
				p = " " + p + " "
			}
			if strings.Contains(spaced, p) {
				return []Ago{times.ago}
			}
		}
	}
	if words := strings.Fields(spaced); slices.Contains(words, "hier") && slices.ContainsFunc(words, french) && !slices.ContainsFunc(words, german) {
		return []Ago{{N: 1}}
	}
	return nil
}

// french reports whether a word is one of French questions.
func french(word string) bool {
	return strings.HasPrefix(word, "qu'") || frenchWords[word]
}

// german reports whether a word is one of German, where many a question is about a "query",
// a "Quelle" or what is "on".
func german(word string) bool { return germanWords[word] }

var (
	frenchWords = wordSet(`que qui quoi quel quelle quels quelles quand le la les nous on avons avons-nous a-t-on`)
	germanWords = wordSet(`der das den dem ein eine einen einem wir ich ist sind war wurde haben hat wird kann soll wie wo was wer wann warum wieso weshalb
	welche welcher welches welchen und oder nicht auf für mit von zu im am bei`)
)

// foreignMonths are the months whose German, French, Spanish, Portuguese, Italian, Russian
// or Turkish name is not the English one. "mars" is left out: it is a planet in English; so is
// "janeiro", for Rio.
var foreignMonths = map[string]string{
	"januar": "january", "jänner": "january", "janvier": "january", "enero": "january", "februar": "february", "février": "february",
	"febrero": "february", "märz": "march", "marzo": "march", "avril": "april", "abril": "april", "mai": "may", "mayo": "may",
	"juni": "june", "juin": "june", "junio": "june", "juli": "july", "juillet": "july", "julio": "july", "août": "august",
	"agosto": "august", "septembre": "september", "septiembre": "september", "oktober": "october", "octobre": "october",
	"octubre": "october", "novembre": "november", "noviembre": "november", "dezember": "december", "décembre": "december",
	"diciembre": "december",
	"fevereiro": "february", "março": "march", "maio": "may", "junho": "june", "julho": "july", "setembro": "september",
	"outubro": "october", "novembro": "november", "dezembro": "december",
	"gennaio": "january", "febbraio": "february", "aprile": "april", "maggio": "may", "giugno": "june", "luglio": "july",
	"settembre": "september", "ottobre": "october", "dicembre": "december",
	"января": "january", "январе": "january", "февраля": "february", "феврале": "february", "марта": "march", "марте": "march",
	"апреля": "april", "апреле": "april", "мая": "may", "мае": "may", "июня": "june", "июне": "june", "июля": "july", "июле": "july",
	"августа": "august", "августе": "august", "сентября": "september", "сентябре": "september", "октября": "october", "октябре": "october",
	"ноября": "november", "ноябре": "november", "декабря": "december", "декабре": "december",
	"ocak": "january", "şubat": "february", "nisan": "april", "mayıs": "may", "haziran": "june", "temmuz": "july", "ağustos": "august",
	"eylül": "september", "ekim": "october", "kasım": "november", "aralık": "december",
}

// englishMonths writes such months of a lower-cased text as English does, so that
// [dates] finds them: "3 de mayo de 2026" becomes "3 of may 2026".
func englishMonths(spaced string) string {
	words := strings.Fields(spaced)
	if !slices.ContainsFunc(words, func(w string) bool { return foreignMonths[w] != "" }) {
		return spaced
	}
	var out []string
	for i, w := range words {
		switch {
		case foreignMonths[w] != "":
			out = append(out, "of", foreignMonths[w])
		case w == "de" && (i > 0 && foreignMonths[words[i-1]] != "" || i+1 < len(words) && foreignMonths[words[i+1]] != ""):
		default:
			out = append(out, w)
		}
	}
	return " " + strings.Join(out, " ") + " "
}

// unspaced reports whether a phrase belongs to Thai, Chinese, Japanese or Korean, where
// words are not separated or carry endings.
func unspaced(phrase string) bool {
	r, _ := utf8.DecodeRuneInString(phrase)
	return ideographic(r)
}
