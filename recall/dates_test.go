package recall

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// The quick look passes no date over.
func TestMayHaveDate(t *testing.T) {
	words := append(strings.Split(monthNames, "|"), strings.Fields("jan feb mar apr jun jul aug sep sept oct nov dec decision mark 19 20 2024 1999 20240 05 5th st of é _ -")...)
	rapid.Check(t, func(t *rapid.T) {
		text := ""
		for _, word := range rapid.SliceOfN(rapid.SampledFrom(words), 0, 5).Draw(t, "words") {
			text += word + rapid.SampledFrom([]string{" ", "", "-", ", "}).Draw(t, "between")
		}
		for _, pattern := range []func() *regexp.Regexp{isoDate, yearWord, monthDay, dayMonth} {
			if found := pattern().FindString(text); found != "" && !mayHaveDate(text) {
				t.Fatalf("%q names %q", text, found)
			}
		}
	})
	if mayHaveDate("the decision of 1999999 is marked") {
		t.Error("a text without a date is looked through")
	}
}

// What a question says of a time, asked on Wednesday, 15 May 2024.
func TestTimesNamed(t *testing.T) {
	asked := time.Date(2024, 5, 15, 10, 0, 0, 0, time.UTC)
	for question, want := range map[string]string{
		"what did we do today":                     "2024-05-15 2024-05-16",
		"what did I say this morning?":             "2024-05-15T04:00 2024-05-15T12:00",
		"the port I gave you an hour ago":          "2024-05-15T08:00 2024-05-15T09:31",
		"what did we decide yesterday":             "2024-05-14 2024-05-15",
		"the build of last night":                  "2024-05-14T18:00 2024-05-15T06:00",
		"the day before yesterday's build":         "2024-05-13 2024-05-14",
		"three days ago":                           "2024-05-12 2024-05-13",
		"a couple of days ago":                     "2024-05-13 2024-05-14",
		"what broke this week?":                    "2024-05-13 2024-05-20",
		"a week ago on the train":                  "2024-05-05 2024-05-12",
		"what broke last week?":                    "2024-05-06 2024-05-13",
		"two weeks ago":                            "2024-04-28 2024-05-05",
		"in the past three days":                   "2024-05-12 2024-05-16",
		"over the last 2 weeks":                    "2024-05-01 2024-05-16",
		"what changed since yesterday":             "2024-05-14 2024-05-16",
		"what changed since monday?":               "2024-05-13 2024-05-16",
		"what was decided since last week":         "2024-05-06 2024-05-16",
		"what changed since 2024-05-10?":           "2024-05-10 2024-05-16",
		"what changed since 9 May":                 "2024-05-09 2024-05-16",
		"what did we do on 31 February 2024":       "2024-02-29 2024-03-01",
		"what did we do on 31 April":               "2024-04-30 2024-05-01",
		"what was decided since April":             "2024-04-01 2024-05-16",
		"what broke in the last hour":              "2024-05-15T09:00 2024-05-15T10:01",
		"in the past 3 hours":                      "2024-05-15T07:00 2024-05-15T10:01",
		"what did we do in the last 24 hours":      "2024-05-14 2024-05-16",
		"the past 48 hours":                        "2024-05-13 2024-05-16",
		"in the last 90 minutes":                   "2024-05-15T08:30 2024-05-15T10:01",
		"over the past twelve hours":               "2024-05-14 2024-05-16",
		"24 hours ago":                             "2024-05-14 2024-05-15",
		"what have we done since 24 hours ago":     "2024-05-14 2024-05-16",
		"since a couple of days ago":               "2024-05-13 2024-05-16",
		"36 hours ago":                             "2024-05-13 2024-05-15",
		"a few hours ago":                          "2024-05-15T04:00 2024-05-15T08:31",
		"the season 2024-25":                       "",
		"2024-13-05":                               "",
		"on 2024-05-45":                            "",
		"what did I try last weekend":              "2024-05-11 2024-05-13",
		"what broke since last weekend?":           "2024-05-11 2024-05-16",
		"was haben wir im Mai beschlossen":         "2024-05-01 2024-06-01",
		"qué cambió en mayo de 2023":               "2023-05-01 2023-06-01",
		"qué pasó el 3 de enero":                   "2024-01-03 2024-01-04",
		"ce qui a changé en février 2024":          "2024-02-01 2024-03-01",
		"Fehler am 2. März":                        "2024-03-02 2024-03-03",
		"das Release im Dezember 2023":             "2023-12-01 2024-01-01",
		"what are weekend rates":                   "",
		"上周末我们决定了什么":                               "2024-05-11 2024-05-13",
		"the past week":                            "2024-05-08 2024-05-16",
		"what did we ship last month":              "2024-04-01 2024-05-01",
		"on Monday we chose a queue":               "2024-05-13 2024-05-14",
		"what did we agree on last Wednesday":      "2024-05-08 2024-05-09",
		"the retreat on 9 February, 2023":          "2023-02-09 2023-02-10",
		"what changed on 2024-03-05":               "2024-03-05 2024-03-06",
		"what did we buy in March":                 "2024-03-01 2024-04-01",
		"what did we buy in June":                  "2023-06-01 2023-07-01",
		"the first week of April 2024":             "2024-04-01 2024-04-08",
		"in early May":                             "2024-05-01 2024-05-11",
		"mid-April deploy":                         "2024-04-11 2024-04-21",
		"during the last week of August 2023":      "2023-08-24 2023-09-01",
		"was haben wir gestern entschieden":        "2024-05-14 2024-05-15",
		"was haben wir vorgestern entschieden?":    "2024-05-13 2024-05-14",
		"was ist hier passiert":                    "",
		"Warum ist die Query hier langsam?":        "",
		"Welche Quelle haben wir hier genommen?":   "",
		"quelle décision hier ?":                   "2024-05-14 2024-05-15",
		"qu'avons-nous fait la semaine dernière ?": "2024-05-06 2024-05-13",
		"¿qué hicimos ayer?":                       "2024-05-14 2024-05-15",
		"что мы решили на прошлой неделе":          "2024-05-06 2024-05-13",
		"昨天我们决定了什么":                                "2024-05-14 2024-05-15",
		"一昨日の会議":                                   "2024-05-13 2024-05-14",
		"先月のデプロイ":                                  "2024-04-01 2024-05-01",
		"어제는 무엇을 결정했나요":                            "2024-05-14 2024-05-15",
		"3天前我们决定了什么":                               "2024-05-12 2024-05-13",
		"三天前":                                      "2024-05-12 2024-05-13",
		"两周前部署了什么":                                 "2024-04-28 2024-05-05",
		"三个月前":                                     "2024-02-01 2024-03-01",
		"本周决定了什么":                                  "2024-05-13 2024-05-20",
		"３日前に決めたこと":                                "2024-05-12 2024-05-13",
		"二週間前のデプロイ":                                "2024-04-28 2024-05-05",
		"十二日前":                                     "2024-05-03 2024-05-04",
		"两三天前":                                     "2024-05-12 2024-05-13",
		"二十三天前":                                    "2024-04-22 2024-04-23",
		"3年前端经验":                                   "",
		norm.NFD.String("先週のデプロイで変えたデータベース"): "2024-05-06 2024-05-13",
		"昨日の会議でデータベースについて何を決めたか教えてください":      "2024-05-14 2024-05-15",
		"2024年3月5日に何を決めた":                    "2024-03-05 2024-03-06",
		"3月5日":                               "2024-03-05 2024-03-06",
		"2023年12月的发布":                        "2023-12-01 2024-01-01",
		"4월 30일 배포":                          "2024-04-30 2024-05-01",
		"3일 전에 뭘 했지?":                        "2024-05-12 2024-05-13",
		"2주 전":                               "2024-04-28 2024-05-05",
		norm.NFD.String("어제 배포"):             "2024-05-14 2024-05-15",
		"지난 주에 결정한 것":                        "2024-05-06 2024-05-13",
		"เมื่อวานเราตัดสินใจอะไร":                             "2024-05-14 2024-05-15",
		"เมื่อวานซืนทำอะไร":                                   "2024-05-13 2024-05-14",
		"3 วันก่อน":                                           "2024-05-12 2024-05-13",
		"สัปดาห์ที่แล้ว":                                      "2024-05-06 2024-05-13",
		"ماذا قررنا أمس؟":                                     "2024-05-14 2024-05-15",
		"قبل 3 أيام":                                          "2024-05-12 2024-05-13",
		"قبل يومين":                                           "2024-05-13 2024-05-14",
		"الأسبوع الماضي":                                      "2024-05-06 2024-05-13",
		"מה החלטנו אתמול?":                                    "2024-05-14 2024-05-15",
		"לפני שלושה ימים":                                     "2024-05-12 2024-05-13",
		"בשבוע שעבר":                                          "2024-05-06 2024-05-13",
		"कल हमने क्या तय किया":                                "2024-05-14 2024-05-15",
		"तीन दिन पहले":                                        "2024-05-12 2024-05-13",
		"पिछले हफ़्ते":                                        "2024-05-06 2024-05-13",
		"2 дня назад":                                         "2024-05-13 2024-05-14",
		"месяц назад":                                         "2024-04-01 2024-05-01",
		"23 апреля":                                           "2024-04-23 2024-04-24",
		"geçen hafta ne karar verdik":                         "2024-05-06 2024-05-13",
		"üç gün önce":                                         "2024-05-12 2024-05-13",
		"geçen hafta sonu":                                    "2024-05-11 2024-05-13",
		"hôm qua chúng ta quyết định gì":                      "2024-05-14 2024-05-15",
		norm.NFD.String("tuần trước"):                         "2024-05-06 2024-05-13",
		"3 ngày trước":                                        "2024-05-12 2024-05-13",
		"was haben wir vor drei Tagen entschieden":            "2024-05-12 2024-05-13",
		"vor einer Woche":                                     "2024-05-05 2024-05-12",
		"vor dem Release der Woche":                           "",
		"was gilt diese Woche":                                "2024-05-13 2024-05-20",
		"am 23.04.2024":                                       "2024-04-23 2024-04-24",
		"2024/3/5":                                            "2024-03-05 2024-03-06",
		"version 1.13.2024":                                   "",
		"il y a trois jours":                                  "2024-05-12 2024-05-13",
		"qu’avons-nous décidé hier ?":                         "2024-05-14 2024-05-15",
		norm.NFD.String("le mois dernier, en février 2024"):   "2024-02-01 2024-03-01",
		"hace dos semanas":                                    "2024-04-28 2024-05-05",
		"há três dias":                                        "2024-05-12 2024-05-13",
		"5 de março":                                          "2024-03-05 2024-03-06",
		"tre giorni fa":                                       "2024-05-12 2024-05-13",
		"who went to Rio de Janeiro?":                         "",
		"the layer of hoyas":                                  "",
		"everything of 2023":                                  "",
		"the last day of school":                              "",
		"what happens last":                                   "",
		"why is this slow on linux":                           "",
		"the last three failures":                             "",
		"ago":                                                 "",
		"this":                                                "",
		"yesterday " + strings.Repeat("many other words ", 9): "2024-05-14 2024-05-15",
	} {
		got := ""
		if from, to, ok := Understand(question).Span(asked); ok {
			got = clock(from) + " " + clock(to)
		}
		if got != want {
			t.Errorf("%q is %q, want %q", question, got, want)
		}
	}
	long := "yesterday alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar papa quebec on 2024-03-05"
	if _, _, ok := Understand(long).Span(asked); ok {
		t.Error("a time that a long text tells of is asked for")
	}
}

// clock writes a time without the hour if it is midnight.
func clock(t time.Time) string { return strings.TrimSuffix(t.Format("2006-01-02T15:04"), "T00:00") }

// However a time is named, what lies in it fits best, and the further away the less.
func TestDateMatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := Date{Year: rapid.IntRange(1990, 2040).Draw(t, "year"), Month: rapid.IntRange(0, 12).Draw(t, "month")}
		if d.Month > 0 {
			d.Day = rapid.IntRange(0, 28).Draw(t, "day")
		}
		from, to := d.span(time.UTC)
		in := rapid.Int64Range(from.Unix(), to.Unix()-1).Draw(t, "in")
		if got := (&probe{dates: []Date{d}}).dateMatch(in); got != d.weight() {
			t.Fatalf("%v fits %v by %v", time.Unix(in, 0), d, got)
		}
		near, far := rapid.Int64Range(1, 1e7).Draw(t, "near"), rapid.Int64Range(1, 1e7).Draw(t, "far")
		near, far = min(near, far), max(near, far)
		if a, b := (&probe{dates: []Date{d}}).dateMatch(to.Unix()+near), (&probe{dates: []Date{d}}).dateMatch(to.Unix()+far); a < b || a > d.weight() || b < 0 {
			t.Fatalf("%v: %d s after it %v, %d s after it %v", d, near, a, far, b)
		}
		any := Date{Month: d.Month, Day: d.Day}
		if any.Month > 0 && (&probe{now: time.Unix(in, 0).UTC(), dates: []Date{any}}).dateMatch(in) != d.weight() {
			t.Fatalf("%v is of no %v", time.Unix(in, 0), any)
		}
	})
}

// A day begins at midnight where the question is asked.
func TestDaysOfTheZone(t *testing.T) {
	zone := time.FixedZone("west", -8*3600)
	from, to, ok := Understand("what did we do today").Span(time.Date(2024, 5, 15, 2, 0, 0, 0, time.UTC).In(zone))
	if want := time.Date(2024, 5, 14, 8, 0, 0, 0, time.UTC); !ok || !from.Equal(want) || !to.Equal(want.AddDate(0, 0, 1)) {
		t.Errorf("today is %v to %v", from.UTC(), to.UTC())
	}
}

// Where clocks go forward at midnight, a day begins an hour later, and none is skipped by
// counting back to that hour.
func TestDayWithoutMidnight(t *testing.T) {
	cairo, err := time.LoadLocation("Africa/Cairo")
	if err != nil {
		t.Skip(err)
	}
	begin, end := time.Date(2024, 4, 26, 1, 0, 0, 0, cairo), time.Date(2024, 4, 27, 0, 0, 0, 0, cairo)
	for _, asked := range []struct {
		text string
		at   time.Time
	}{
		{"what did we do on 2024-04-26", end.AddDate(0, 1, 0)},
		{"what did we do today", begin.Add(time.Hour)},
		{"what did we do yesterday", end.Add(30 * time.Minute)},
	} {
		if from, to, ok := Understand(asked.text).Span(asked.at); !ok || !from.Equal(begin) || !to.Equal(end) {
			t.Errorf("%q is from %v to %v", asked.text, from, to)
		}
	}
}

// Whatever a question says, its times are read without trouble and none is before it
// ends.
func FuzzTimesNamed(f *testing.F) {
	for _, text := range []string{"since last week", "a couple of weeks ago", "on 31 February, 2023", "in the last 0 days", "999 years ago", "9999 years ago", "since 99 december 0000", "mid-may"} {
		f.Add(text, int64(1_700_000_000))
	}
	f.Fuzz(func(t *testing.T, text string, asked int64) {
		now := time.Unix(asked%1e11, 0).UTC()
		q := Understand(text)
		if from, to, ok := q.Span(now); ok && !from.Before(to) {
			t.Errorf("%q asked at %v is %v to %v", text, now, from, to)
		}
		p := &probe{now: now, dates: q.dates(now)}
		if fits := p.dateMatch(asked % 1e11); fits < 0 || fits > 1 {
			t.Errorf("%q asked at %v fits by %v", text, now, fits)
		}
	})
}
