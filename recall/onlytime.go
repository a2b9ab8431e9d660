package recall

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// askingWords are words that, beside a time, only ask what happened then. The English
// ones come without function words, those of other languages with them.
var askingWords = sync.OnceValue(func() map[string]bool {
	return wordSet(`happen happened happening going go went gone done make made making change changed changes changing work worked
	working learn learned learnt find found discover discovered decide decided decision decisions agree agreed conclude concluded save
	saved store stored record recorded note noted notes keep kept remember remembered add added update updated updates new news progress
	achieve achieved accomplish accomplished finish finished complete completed say said tell told talk talked discuss discussed
	discussion discussions ask asked everything anything something things thing stuff show list give see look summary summarize summarise
	recap overview please context contexts memory memories log activity
	wer haben wir ich habe hat hatten wurde wurden worden ist war gab es neues neu passiert geschehen gemacht getan entschieden
	entscheidung entscheidungen beschlossen gefunden herausgefunden gearbeitet gelernt geändert erledigt besprochen gesagt gespeichert
	notiert alles etwas der die das den dem in im am zur zu und uns
	qu que quoi qu'avons-nous qu'est-ce qui quelles quels nous avons on a s'est fait passé décidé décisions trouvé changé appris discuté la le les
	qué hicimos hemos hecho pasó decidimos decidido decisiones encontramos cambiamos cambió aprendimos aprendido el en
	o fizemos decidimos decisões aconteceu mudou mudamos encontramos aprendemos na no em
	che cosa abbiamo fatto deciso decisioni trovato successo cambiato imparato è
	wat hebben we gedaan besloten besluiten gevonden gebeurd veranderd geleerd er is de het
	что мы сделали делали решили решения нашли случилось произошло изменили узнали было на
	ne karar verdik kararlar yaptık oldu değişti değiştirdik öğrendik
	chúng ta đã quyết định gì làm có thay đổi học được
	ماذا ما قررنا فعلنا حدث حصل غيرنا تعلمنا
	מה החלטנו עשינו קרה היה שינינו למדנו
	हमने क्या तय किया हुआ बदला सीखा था`)
})

// timeWords are the words used in times counted back from now, and around them.
var timeWords = sync.OnceValue(func() map[string]bool {
	set := wordSet("late early earlier sometime around roughly approximately far back within first")
	for _, times := range agoPhrases {
		for _, phrase := range times.phrases {
			for word := range strings.FieldsSeq(phrase) {
				set[word] = true
			}
		}
	}
	return set
})

// OnlyTime reports whether a question counts back to one time and asks for nothing
// else, as in "what did we decide last week?" Its other words then occur in no answer,
// or in a wrong one.
func (q Question) OnlyTime() bool {
	if len(q.Ago) != 1 {
		return false
	}
	ask := spaced(q.Text)
	if words := timedWords(ask); len(mentions(words)) == 1 || len(vague(words)) == 1 {
		return onlyAsks(besideTimes(words), func(w string) bool { return timeWords()[w] })
	}
	counting := map[string]bool{}
	if _, ok := countedElsewhere(ask); ok { // else "tag" and "due" are English, not a German day and an Italian two
		counting = countingWords()
	}
	return onlyAsks(strings.Fields(ask), func(w string) bool { return timeWords()[w] || counting[w] || number(w) != 0 })
}

// besideTimes are the words that name no time counted back from now.
func besideTimes(words []string) []string {
	rest := slices.Clone(words)
	for _, m := range slices.Concat(mentions(words), vague(words)) {
		clear(rest[m.from:m.to])
	}
	return slices.DeleteFunc(rest, func(w string) bool { return w == "" })
}

// OnlyDate is [Question.OnlyTime] for a day or a month of the calendar: "what did we do on 12 November?"
func (q Question) OnlyDate() bool {
	if len(q.Dates) != 1 || q.Dates[0].Month == 0 {
		return false
	}
	ask := englishMonths(spaced(q.Text))
	if strings.HasSuffix(ask, " on ") { // from 12 November on
		return false
	}
	if d := q.Dates[0]; d.Day == 0 && q.Order != Oldest && slices.ContainsFunc(strings.Fields(ask), func(w string) bool { return decidingWords[w] }) {
		return false // the newest of a month may all be about something else
	}
	for _, date := range []*regexp.Regexp{yearPart(), isoDate(), dayRange(), monthRange(), dayMonth(), monthDay()} {
		if without := date.ReplaceAllString(ask, " "); without != ask {
			ask = without
			break // what else looks like a date is another one
		}
	}
	if q.Dates[0].LastYear {
		ask = strings.Replace(ask, " last year ", " ", 1)
	}
	if q.Dates[0].Days > 0 {
		ask = strings.Replace(ask, " between ", " ", 1)
	}
	return !hasPhrase(ask, besidesDate) && onlyAsks(strings.Fields(ask), func(w string) bool {
		_, part := partNamed(w)
		return partWords()[w] || part && q.Dates[0].Part != (Part{})
	})
}

// besidesDate are words beside a date that another time is asked for.
var besidesDate = []string{" before ", " after ", " until ", " till ", " by ", " between ", " through ", " to ", " as of ", " vor ", " nach ", " bis ", " na "}

// decidingWords are those of the asking words that ask what was decided.
var decidingWords = wordSet(`decide decided decision decisions agree agreed conclude concluded entschieden entscheidung entscheidungen
	beschlossen décidé décisions decidimos decidido decisiones decisões deciso decisioni besloten besluiten`)

// onlyAsks reports whether a question's words do nothing but ask what happened, or are of its
// time.
func onlyAsks(ask []string, ofTime func(word string) bool) bool {
	return !slices.ContainsFunc(ask, func(w string) bool {
		w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "-")
		return w != "" && !stopWords[w] && !askingWords()[w] && !ofTime(w)
	})
}

// partWords are the words that name a part of a month.
var partWords = sync.OnceValue(func() map[string]bool {
	set := wordSet("since")
	for _, p := range monthParts {
		for word := range strings.FieldsSeq(p.words) {
			set[word] = true
		}
	}
	return set
})

// TellsOf reports whether a document has all the words of a question for a date but those that
// only ask, side by side. The verbs may and march alone tell of no month.
func (q *Question) TellsOf(d *Document) bool {
	between := wordSet("st nd rd th")
	var date []uint32
	for i, term := range q.Terms {
		w := strings.ToLower(q.Words[i])
		if between[w] {
			continue
		}
		if askingWords()[w] {
			between[term] = true
			continue
		}
		id, ok := d.In.Number(term)
		if !ok || q.Dates[0] == (Date{Month: q.Dates[0].Month}) && (w == "may" || w == "march") {
			return false
		}
		date = append(date, id)
	}
	return len(date) > 0 && d.together(date, between)
}

// together reports whether words occur side by side in any order, whatever is between them.
func (d *Document) together(words []uint32, between map[string]bool) bool {
	seq := slices.DeleteFunc(slices.Clone(d.Seq), func(n uint32) bool { return between[d.In.Word(n)] })
	for i := range len(seq) - len(words) + 1 {
		if !slices.ContainsFunc(words, func(n uint32) bool { return !slices.Contains(seq[i:i+len(words)], n) }) {
			return true
		}
	}
	return false
}
