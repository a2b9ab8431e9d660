package recall

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// countedWords are what times counted back consist of in languages that put spaces
// between words: "vor drei Tagen", "2 дня назад".
type countedWords struct {
	units  map[string]Ago // with how many of them the word stands for: two days are one Arabic word
	counts map[string]int
	before []string // the words in front of the number
	after  []string // the words behind the unit
	alone  []string // those of them that need no number: "неделю назад" is a week ago
}

// counted is made at the first question that names no time in English.
var counted = sync.OnceValue(func() countedWords {
	c := countedWords{
		units:  map[string]Ago{},
		counts: map[string]int{},
		before: []string{"vor", "il y a", "hace", "há", "قبل", "منذ", "לפני"},
		after:  []string{"fa", "geleden", "назад", "önce", "पहले", "trước"},
		alone:  []string{"قبل", "منذ", "לפני", "назад"},
	}
	for _, u := range []struct {
		ago   Ago
		words string
	}{
		{Ago{N: 1, Unit: Day}, "tag tagen jour jours día días dia dias giorno giorni dag dagen день дня дней gün ngày दिन أيام ימים"},
		{Ago{N: 2, Unit: Day}, "يومين יומיים"},
		{Ago{N: 1, Unit: Week}, `woche wochen semaine semaines semana semanas settimana settimane week weken неделю недели недель hafta tuần हफ्ते सप्ताह
			أسبوع أسابيع שבוע שבועות`},
		{Ago{N: 2, Unit: Week}, "أسبوعين שבועיים"},
		{Ago{N: 1, Unit: Month}, `monat monaten mois mes meses mês mese mesi maand maanden месяц месяца месяцев ay tháng महीने شهر أشهر شهور חודש חודשים`},
		{Ago{N: 2, Unit: Month}, "شهرين חודשיים"},
		{Ago{N: 1, Unit: Year}, "jahr jahren an ans año años ano anos anno anni jaar год года лет yıl năm साल سنة سنوات שנה שנים"},
		{Ago{N: 2, Unit: Year}, "سنتين שנתיים"},
	} {
		for word := range strings.FieldsSeq(u.words) {
			c.units[word] = u.ago
		}
	}
	for i, words := range []string{
		"ein einem einer un une uno una um uma een один одну bir một एक",
		"zwei deux dos dois duas due twee два две iki hai दो",
		"drei trois tres três tre drie три üç ba तीन ثلاثة ثلاث שלושה שלוש",
		"vier quatre cuatro quatro quattro четыре dört bốn चार أربعة أربع ארבעה ארבע",
		"fünf cinq cinco cinque vijf пять beş năm पाँच पांच خمسة خمس חמישה חמש",
		"sechs six seis sei zes шесть altı sáu छह ستة ست שישה שש",
	} {
		for word := range strings.FieldsSeq(words) {
			c.counts[word] = i + 1
		}
	}
	return c
})

// countedElsewhere finds a time counted back from now in another language than English.
func countedElsewhere(spaced string) (Ago, bool) {
	if found, ok := countedJoined(spaced); ok {
		return found, true
	}
	c, words := counted(), strings.Fields(spaced)
	for i, w := range words {
		unit, ok := c.units[w]
		if !ok {
			continue
		}
		n, start := c.count(words[:i])
		if mark := c.mark(words[:start], words[i+1:]); mark != "" && (n > 0 || unit.N > 1 || slices.Contains(c.alone, mark)) {
			return back(max(n, unit.N), unit.Unit), true
		}
	}
	return Ago{}, false
}

// countingWords are the words of times counted back.
var countingWords = sync.OnceValue(func() map[string]bool {
	set, c := map[string]bool{}, counted()
	for word := range c.units {
		set[word] = true
	}
	for word := range c.counts {
		set[word] = true
	}
	for _, phrase := range slices.Concat(c.before, c.after) {
		for word := range strings.FieldsSeq(phrase) {
			set[word] = true
		}
	}
	return set
})

// count parses the number at the end of words, and returns where it starts. Without one
// it is 0.
func (c countedWords) count(words []string) (n, start int) {
	if len(words) == 0 {
		return 0, 0
	}
	last := words[len(words)-1]
	if n = c.counts[last]; n == 0 && len(last) < 4 {
		n = max(number(last), 0)
	}
	if n == 0 {
		return 0, len(words)
	}
	return n, len(words) - 1
}

// mark returns the words around a number and its unit that say it is counted back, or "".
func (c countedWords) mark(before, after []string) string {
	for _, m := range c.before {
		if strings.HasSuffix(" "+strings.Join(before, " "), " "+m) {
			return m
		}
	}
	if len(after) > 0 && slices.Contains(c.after, after[0]) {
		return after[0]
	}
	return ""
}

// joined is a time counted back in Chinese, Japanese, Korean or Thai, where number and unit
// are one word or nearly so: 3天前, 한 달 전.
var joined = lazily(`(?:^|[^0-9])([0-9]{1,3}|[一二三四五六七八九十两兩几幾数]{1,3}|[한두세네]|สอง|สาม|สี่|ห้า|หก) ?` +
	`(?:(天|日|일|วัน)|(周|週|周間|週間|星期|个星期|個星期|礼拜|주|주일|สัปดาห์|อาทิตย์)|(个月|個月|か月|ヶ月|カ月|ヵ月|달|개월|เดือน)|(?:年|년|ปี))` +
	`(?:以|之)? ?(?:前|전|ก่อน|ที่แล้ว)`)

var joinedCounts = map[string]int{"一": 1, "한": 1, "二": 2, "两": 2, "兩": 2, "두": 2, "สอง": 2, "三": 3, "几": 3, "幾": 3, "数": 3, "세": 3, "สาม": 3,
	"四": 4, "네": 4, "สี่": 4, "五": 5, "ห้า": 5, "六": 6, "หก": 6, "七": 7, "八": 8, "九": 9}

// countedJoined finds such a time.
func countedJoined(spaced string) (Ago, bool) {
	if !strings.ContainsFunc(spaced, ideographic) {
		return Ago{}, false
	}
	m := joinedIn(spaced)
	if m == nil {
		return Ago{}, false
	}
	unit := Year
	switch {
	case m[2] != "":
		unit = Day
	case m[3] != "":
		unit = Week
	case m[4] != "":
		unit = Month
	}
	return back(joinedCount(m[1]), unit), true
}

// joinedIn returns the parts of the first such time. The sign for "ago" also begins words:
// 前端 is the front end of a program.
func joinedIn(spaced string) []string {
	for _, at := range joined().FindAllStringSubmatchIndex(spaced, -1) {
		next, _ := utf8.DecodeRuneInString(spaced[at[1]:])
		if !strings.HasSuffix(spaced[:at[1]], "前") || !strings.ContainsRune("端后後台面缀綴置提沿景", next) {
			return parts(spaced, at)
		}
	}
	return nil
}

// joinedCount parses such a number, up to 99 in Chinese numerals: 二十三. Of two side by
// side the second is meant: 两三天 is two or three days.
func joinedCount(s string) int {
	if digits(s) || joinedCounts[s] > 0 {
		return max(number(s), joinedCounts[s])
	}
	n := 0
	for _, r := range s {
		if r == '十' {
			n = max(n, 1) * 10
		} else {
			n += joinedCounts[string(r)] - n%10
		}
	}
	return n
}
