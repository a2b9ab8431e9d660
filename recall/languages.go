package recall

import (
	"slices"
	"strings"
)

// agoPhrases are the most common times counted back from now in languages other than
// English. If two match, the first one is meant. "hier" is left out: it means yesterday
// in French and here in German.
var agoPhrases = []struct {
	ago     Ago
	phrases []string
}{
	{Ago{N: 2}, []string{"vorgestern", "avant-hier", "anteayer", "anteontem", "eergisteren", "позавчера", "前天", "一昨日", "おととい", "그저께"}},
	{Ago{N: 1}, []string{"gestern", "ayer", "ontem", "ieri", "gisteren", "wczoraj", "igår", "dün", "вчера", "вчора", "昨天", "昨日", "어제"}},
	{Ago{}, []string{"heute", "aujourd'hui", "hoy", "hoje", "oggi", "vandaag", "dzisiaj", "idag", "bugün", "сегодня", "сьогодні", "今天", "今日", "오늘"}},
	{weekend, []string{"letztes wochenende", "letztem wochenende", "am wochenende", "week-end dernier", "fin de semana pasado", "fim de semana passado",
		"scorso fine settimana", "vorig weekend", "прошлых выходных", "上周末", "上週末", "先週末", "지난 주말"}},
	{Ago{N: 1, Unit: Week}, []string{"letzte woche", "letzter woche", "semaine dernière", "semana pasada", "semana passada", "settimana scorsa",
		"scorsa settimana", "vorige week", "прошлой неделе", "上周", "上週", "上星期", "先週", "지난주"}},
	{Ago{N: 1, Unit: Month}, []string{"letzten monat", "letztem monat", "mois dernier", "mes pasado", "mês passado", "mese scorso", "scorso mese",
		"vorige maand", "прошлом месяце", "上个月", "上個月", "先月", "지난달"}},
}

// agoInOtherLanguages finds such a time in a lower-cased text with single spaces
// between and around its words. In scripts without spaces, a phrase may be part of a
// longer word.
func agoInOtherLanguages(spaced string) []Ago {
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
	return nil
}

// foreignMonths are the months whose German, French or Spanish name is not the English
// one. "mars" is left out: it is a planet in English.
var foreignMonths = map[string]string{
	"januar": "january", "jänner": "january", "janvier": "january", "enero": "january", "februar": "february", "février": "february",
	"febrero": "february", "märz": "march", "marzo": "march", "avril": "april", "abril": "april", "mai": "may", "mayo": "may",
	"juni": "june", "juin": "june", "junio": "june", "juli": "july", "juillet": "july", "julio": "july", "août": "august",
	"agosto": "august", "septembre": "september", "septiembre": "september", "oktober": "october", "octobre": "october",
	"octubre": "october", "novembre": "november", "noviembre": "november", "dezember": "december", "décembre": "december",
	"diciembre": "december",
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

// unspaced reports whether a phrase belongs to Chinese, Japanese or Korean, where words
// are not separated or carry endings.
func unspaced(phrase string) bool { return phrase >= "\u3040" }
