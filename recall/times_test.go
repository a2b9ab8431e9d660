package recall

import (
	"testing"
	"time"
)

// said is what questions say of a time, and how it is read; "" if they name none.
type said map[string]string

func (s said) check(t *testing.T, asked time.Time) {
	t.Helper()
	for question, want := range s {
		got := ""
		if from, to, ok := Understand(question).Span(asked); ok {
			got = clock(from) + " " + clock(to)
		}
		if got != want {
			t.Errorf("%q asked on %s is %q, want %q", question, asked.Format("Mon 2006-01-02 15:04"), got, want)
		}
	}
}

// wednesday is when most of the questions below are asked.
var wednesday = time.Date(2024, 5, 15, 10, 0, 0, 0, time.UTC)

func TestPartsOfDays(t *testing.T) {
	said{
		"what did we decide last evening about the port?": "2024-05-14T17:00 2024-05-15",
		"yesterday evening":                  "2024-05-14T17:00 2024-05-15",
		"late last night":                    "2024-05-14T18:00 2024-05-15T06:00",
		"the night before last":              "2024-05-13T18:00 2024-05-14T06:00",
		"what broke overnight":               "2024-05-14T18:00 2024-05-15T06:00",
		"why does the overnight build fail":  "",
		"overnight batch jobs":               "",
		"which overnight build failed":       "",
		"what broke overnight on the server": "2024-05-14T18:00 2024-05-15T06:00",
		"yesterday in the afternoon":         "2024-05-14T12:00 2024-05-14T18:00",
		"around noon yesterday":              "2024-05-14T11:00 2024-05-14T14:00",
		"yesterday at lunch":                 "2024-05-14T11:00 2024-05-14T14:00",
		"on Tuesday morning":                 "2024-05-14T04:00 2024-05-14T12:00",
		"what did we decide friday night":    "2024-05-10T18:00 2024-05-11T06:00",
		"the morning of May":                 "2024-05-01 2024-06-01",
		"two days ago in the evening":        "2024-05-13T17:00 2024-05-14",
		"yesterday at 14:30":                 "2024-05-14T13:30 2024-05-14T15:30",
		"at 2 pm yesterday":                  "2024-05-14T13:00 2024-05-14T15:00",
		"yesterday at 12am":                  "2024-05-13T23:00 2024-05-14T01:00",
		"since last night":                   "2024-05-14T18:00 2024-05-16",
		"what changed since 14:30 yesterday": "2024-05-14T13:30 2024-05-16",
		"this evening":                       "2024-05-15 2024-05-16", // which has not begun
		"what did we do at 14:30?":           "2024-05-14T13:30 2024-05-14T15:30",
		"what happened around noon?":         "2024-05-14T11:00 2024-05-14T14:00",
		"what have we done since 9 am?":      "2024-05-15T08:00 2024-05-16",
		"what changed since noon":            "2024-05-14T11:00 2024-05-16",
		"what has failed since noon":         "",
		"which job runs at 3am":              "",
		"what is the ratio 16:9":             "",
		"what does the night build do":       "",
		"yesterday we named the night build": "2024-05-14 2024-05-15",
	}.check(t, wednesday)
}

func TestTimesCountedLoosely(t *testing.T) {
	said{
		"the other day":                     "2024-05-05 2024-05-15",
		"in the last day or so":             "2024-05-13 2024-05-16",
		"the last two or three days":        "2024-05-12 2024-05-16",
		"2-3 weeks ago":                     "2024-04-21 2024-04-28",
		"two or three weeks ago":            "2024-04-21 2024-04-28",
		"30 seconds ago":                    "2024-05-15T09:30 2024-05-15T10:01",
		"one and a half hours ago":          "2024-05-15T07:00 2024-05-15T09:16",
		"two and a half weeks ago":          "2024-04-24 2024-05-01",
		"1234567890123456789d ago":          "",
		"revision 2 back":                   "",
		"100ms ago":                         "",
		"tokens last up to 18 hours":        "",
		"what have we done of late":         "2024-04-15 2024-05-16",
		"the other port":                    "",
		"a few days ago":                    "2024-05-10 2024-05-14",
		"some weeks ago":                    "2024-04-07 2024-05-05",
		"a few months ago":                  "2023-12-02 2024-03-31",
		"two weeks back":                    "2024-04-28 2024-05-05",
		"a fortnight ago":                   "2024-04-28 2024-05-05",
		"fifteen days ago":                  "2024-04-30 2024-05-01",
		"2d ago":                            "2024-05-13 2024-05-14",
		"half an hour ago":                  "2024-05-15T09:00 2024-05-15T09:46",
		"an hour or two ago":                "2024-05-15T08:00 2024-05-15T09:31",
		"a minute ago":                      "2024-05-15T09:30 2024-05-15T10:01",
		"in the last couple of hours":       "2024-05-15T08:00 2024-05-15T10:01",
		"half a year ago":                   "2023-11-01 2023-12-01",
		"a week and a half ago":             "2024-05-01 2024-05-08",
		"a year and a half ago":             "2022-11-01 2022-12-01",
		"over the last couple of weeks":     "2024-05-01 2024-05-16",
		"in the last week":                  "2024-05-08 2024-05-16",
		"over the last month":               "2024-04-15 2024-05-16",
		"what have we done lately":          "2024-04-15 2024-05-16",
		"what did we decide in recent days": "2024-04-15 2024-05-16",
		"which files changed lately":        "",
		"roll back 2 migrations":            "",
		"3 retries ago":                     "",
		"the last 5 commits":                "",
		"a while ago":                       "",
	}.check(t, wednesday)
}

func TestWeeksAndMonthsCountedBack(t *testing.T) {
	said{
		"earlier this week":                              "2024-05-13 2024-05-20",
		"the week before last":                           "2024-04-29 2024-05-06",
		"the month before last":                          "2024-03-01 2024-04-01",
		"early last week":                                "2024-05-06 2024-05-09",
		"in the middle of last week":                     "2024-05-07 2024-05-10",
		"at the end of last week":                        "2024-05-09 2024-05-13",
		"late April":                                     "2024-04-21 2024-05-01",
		"late last month":                                "2024-04-21 2024-05-01",
		"in the second week of last month":               "2024-04-08 2024-04-15",
		"the last week of last month":                    "2024-04-24 2024-05-01",
		"at the beginning of this month":                 "2024-05-01 2024-05-11",
		"since the start of the month":                   "2024-05-01 2024-05-16",
		"at the end of the month":                        "", // it is to come
		"early this year":                                "2024-01-01 2024-05-01",
		"since the end of last week":                     "2024-05-09 2024-05-16",
		"on Tuesday last week":                           "2024-05-07 2024-05-08",
		"last week on Tuesday":                           "2024-05-07 2024-05-08",
		"Tuesday of last week":                           "2024-05-07 2024-05-08",
		"what did we decide Tuesday?":                    "2024-05-14 2024-05-15",
		"on Tue":                                         "2024-05-14 2024-05-15",
		"what did we do between Monday and Wednesday":    "2024-05-13 2024-05-16",
		"what was decided between Thursday and Tuesday":  "2024-05-09 2024-05-15",
		"on the weekend of last week":                    "2024-05-11 2024-05-13",
		"between Monday and Friday the rota":             "",
		"the Tuesday before last":                        "2024-05-07 2024-05-08",
		"since the Tuesday before last":                  "2024-05-07 2024-05-16",
		"on Tuesday about last week's outage":            "2024-05-14 2024-05-15",
		"wednesday":                                      "",
		"on-call wednesday":                              "",
		"on sun hardware":                                "",
		"the Friday freeze":                              "",
		"why not deploy on a Friday":                     "",
		"the load on Black Friday":                       "",
		"over the weekend":                               "2024-05-11 2024-05-13",
		"before the weekend":                             "2024-05-06 2024-05-11",
		"the weekend before last":                        "2024-05-04 2024-05-06",
		"the previous week":                              "2024-05-06 2024-05-13",
		"Mon morning":                                    "2024-05-13T04:00 2024-05-13T12:00",
		"the mon pod":                                    "",
		"starting Monday":                                "2024-05-13 2024-05-16",
		"up to last week":                                "1974-05-13 2024-05-13",
		"prior to yesterday":                             "1974-05-14 2024-05-14",
		"later than Monday":                              "2024-05-14 2024-05-16",
		"what broke on the day before Monday":            "",
		"since the 3rd":                                  "2024-05-03 2024-05-16",
		"on the evening of the 13th":                     "2024-05-13T17:00 2024-05-14",
		"the weekend job":                                "",
		"what did we decide on the weekend job":          "",
		"what did we do on the weekend":                  "2024-05-11 2024-05-13",
		"was the rota every other Friday":                "",
		"did the cron run Monday through Friday":         "",
		"the week before yesterday":                      "2024-05-14 2024-05-15", // near enough
		"what must be done before the end of this month": "",                      // it is to come
		"on the 12th":                                    "2024-05-12 2024-05-13",
		"on the 20th":                                    "2024-04-20 2024-04-21",
		"on the 2nd attempt":                             "",
		"before yesterday":                               "1974-05-14 2024-05-14",
		"until last week":                                "1974-05-13 2024-05-13",
		"after Monday":                                   "2024-05-14 2024-05-16",
		"the day before yesterday":                       "2024-05-13 2024-05-14",
		"last quarter":                                   "2024-01-01 2024-04-01",
		"late this quarter":                              "2024-06-01 2024-07-01",
		"what did we use before last week's":             "1974-05-06 2024-05-06",
	}.check(t, wednesday)
}

func TestDatesNamed(t *testing.T) {
	said{
		"in Q3":                       "2023-07-01 2023-10-01",
		"in q1 2023":                  "2023-01-01 2023-04-01",
		"the first half of last year": "2023-01-01 2023-07-01",
		"H1 this year":                "2024-01-01 2024-07-01",
		"prior to April":              "1974-04-01 2024-04-01",
		"13 May at 14:30":             "2024-05-13T13:30 2024-05-13T15:30",
		"today, 15 May, at 14:30":     "2024-05-15 2024-05-16", // which is to come
		"before 15 May at 14:30":      "1974-05-16 2024-05-16", // the morning too
		"since 15 May at 9:30":        "2024-05-15T08:30 2024-05-16",
		"the evening of 13 May":       "2024-05-13T17:00 2024-05-14",
		"May 13th 10am":               "2024-05-13T09:00 2024-05-13T11:00",
		"what did we do on 13 May with the night build": "2024-05-13 2024-05-14",
		"Q4 of last year":                          "2023-10-01 2024-01-01",
		"in Q4 of last year":                       "2023-10-01 2024-01-01",
		"in the third quarter":                     "2023-07-01 2023-10-01",
		"the first half of 2023":                   "2023-01-01 2023-07-01",
		"the last half of 2022":                    "2022-07-01 2023-01-01",
		"the fourth quarter of 2022":               "2022-10-01 2023-01-01",
		"H2 2023":                                  "2023-07-01 2024-01-01",
		"in h2 headings":                           "",
		"the second half of the list":              "",
		"in the first half of May":                 "2024-05-01 2024-05-16",
		"which q4 quantization":                    "",
		"early 2023":                               "2023-01-01 2023-05-01",
		"at the end of 2023":                       "2023-09-01 2024-01-01",
		"October of last year":                     "2023-10-01 2023-11-01",
		"in April last year":                       "2023-04-01 2023-05-01",
		"between 3 and 7 April":                    "2024-04-03 2024-04-08",
		"from April 3 to April 7":                  "2024-04-03 2024-04-08",
		"April 3–7":                                "2024-04-03 2024-04-08",
		"the 3rd to the 7th of April, 2023":        "2023-04-03 2023-04-08",
		"on 3 and 7 April":                         "2024-04-07 2024-04-08",
		"before April":                             "1974-04-01 2024-04-01",
		"before mid-April":                         "1974-04-11 2024-04-11",
		"after 9 May":                              "2024-05-10 2024-05-16",
		"since the end of April":                   "2024-04-21 2024-05-16",
		"on 2024-05-01T10:00:00Z":                  "2024-05-01 2024-05-02",
		"why does the may build fail":              "",
		"march through the list":                   "",
		"step 5 may fail":                          "",
		"may 5 workers run at once":                "",
		"what happened May 5?":                     "2024-05-05 2024-05-06",
		"what did we plan for the May 13 deadline": "2024-05-13 2024-05-14",
		"the May 13 releases":                      "2024-05-13 2024-05-14",
		"Tuesday, May 14 retro":                    "2024-05-14 2024-05-15",
		"12 March release notes":                   "2024-03-12 2024-03-13",
		"what is unstable and may change":          "",
		"between March and May":                    "2024-03-01 2024-04-01",
		"the Monday before 24 July 2023":           "2023-07-24 2023-07-25", // near enough
		"what did we find a week after 2 May":      "2024-05-02 2024-05-03",
		"shortly before the 9th of May":            "2024-05-09 2024-05-10",
		"on 5 May":                                 "2024-05-05 2024-05-06",
		"why this may be slow":                     "",
		"what did we do this May?":                 "2024-05-01 2024-06-01",
		"the sep argument":                         "",
		"in Dec":                                   "2023-12-01 2024-01-01",
		"port 80 may be closed":                    "",
		"what did June say":                        "",
		"what did we say in June":                  "2023-06-01 2023-07-01",
	}.check(t, wednesday)
	for _, text := range []string{"version 2024.1 of the editor", "port 2049", "RFC 2045", "error 2003"} {
		if q := Understand(text); q.Dates != nil {
			t.Errorf("%q names %v", text, q.Dates)
		}
	}
}

// How a time is typed does not matter.
func TestTimesHoweverTyped(t *testing.T) {
	said{
		"24 April, 6:00  PM to 9":               "2024-04-24T17:00 2024-04-24T19:00",
		"since 9\tpm yesterday":                 "2024-05-14T20:00 2024-05-16",
		"24 April at 4 pm – and then?":          "2024-04-24T15:00 2024-04-24T17:00",
		"what does 'yesterday evening' mean":    "2024-05-14T17:00 2024-05-15",
		"what is meant by ‘on Tuesday morning’": "2024-05-14T04:00 2024-05-14T12:00",
	}.check(t, wednesday)
	for _, text := range []string{"yesterday - what did we do?", "‘what did we do yesterday?’"} {
		if !Understand(text).OnlyTime() {
			t.Errorf("%q asks for more than a time", text)
		}
	}
	for _, text := range []string{"12 November's decisions", "12 November – what did we do?"} {
		if !Understand(text).OnlyDate() {
			t.Errorf("%q asks for more than a date", text)
		}
	}
}

// A month without a year is rather the last such month, but a text of another year is not far off.
func TestMonthOfOtherYears(t *testing.T) {
	match := func(year int) float64 {
		p := probe{now: wednesday, dates: Understand("what did we choose in April").Dates}
		return p.dateMatch(time.Date(year, 4, 10, 0, 0, 0, 0, time.UTC).Unix())
	}
	if last, before := match(2024), match(2023); last <= before || before <= 0 {
		t.Errorf("last April fits by %v, the one before by %v", last, before)
	}
}

// What "the weekend", "last night" or a quarter is depends on the day on which it is asked.
func TestTimesAtTheirEdges(t *testing.T) {
	saturday, sunday := wednesday.AddDate(0, 0, 3), wednesday.AddDate(0, 0, 4)
	said{"this weekend": "2024-05-18 2024-05-20", "last weekend": "2024-05-11 2024-05-13", "over the weekend": "2024-05-11 2024-05-13",
		"before the weekend": "2024-05-13 2024-05-18", "the weekend before last": "2024-05-04 2024-05-06"}.check(t, saturday)
	said{"this weekend": "2024-05-18 2024-05-20", "last weekend": "2024-05-11 2024-05-13", "over the weekend": "2024-05-18 2024-05-20",
		"this week": "2024-05-13 2024-05-20", "on Sunday": "2024-05-12 2024-05-13", "on Tuesday last week": "2024-05-07 2024-05-08"}.check(t, sunday)
	said{"what did we do between Monday and Wednesday": "2024-05-13 2024-05-16", "what did we do between Sunday and Monday": "2024-05-12 2024-05-14"}.check(t, saturday)
	newYear := time.Date(2024, 1, 1, 0, 30, 0, 0, time.UTC) // a Monday
	said{"an hour ago": "2023-12-31T22:30 2024-01-01T00:01", "last night": "2023-12-31T18:00 2024-01-01T06:00", "last month": "2023-12-01 2024-01-01",
		"last quarter": "2023-10-01 2024-01-01", "this week": "2024-01-01 2024-01-08", "last week": "2023-12-25 2024-01-01", "since yesterday": "2023-12-31 2024-01-02",
		"in Q4": "2023-10-01 2024-01-01", "in December": "2023-12-01 2024-01-01", "on the 31st": "2023-12-31 2024-01-01", "this morning": "2024-01-01 2024-01-02",
		"the month before last": "2023-11-01 2023-12-01", "half a year ago": "2023-07-01 2023-08-01"}.check(t, newYear)
	said{"last month": "2024-02-01 2024-03-01", "a month ago": "2024-02-01 2024-03-01"}.check(t, time.Date(2024, 3, 30, 12, 0, 0, 0, time.UTC))
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	said{"this morning": "2024-03-31T04:00 2024-03-31T12:00", "yesterday at 14:30": "2024-03-30T13:30 2024-03-30T15:30",
		"last night": "2024-03-30T18:00 2024-03-31T06:00"}.check(t, time.Date(2024, 3, 31, 15, 0, 0, 0, berlin)) // the clocks went forward at 2
}

// The first of a time is asked for only where nothing else is.
func TestFirstOfATime(t *testing.T) {
	for text, want := range map[string]Order{
		"what was the first thing we decided last week": Oldest,
		"the first thing we decided in March":           Oldest,
		"what did we do first thing this morning":       AnyTime,
		"what did we decide last week":                  AnyTime,
		"the first port that we chose last week":        AnyTime,
	} {
		if q := Understand(text); q.Order != want {
			t.Errorf("%q asks for order %v, want %v", text, q.Order, want)
		}
	}
	if q := Understand("what was the first thing we decided in March"); !q.OnlyDate() {
		t.Error("the first of a month is asked for with something else")
	}
}

// An hour that may be of the morning or of the evening asks for nothing else than its day.
func TestHourOfADay(t *testing.T) {
	for text, want := range map[string]bool{
		"what did we do this morning at 9?":           true,
		"what happened yesterday around 11":           true,
		"what did we do at 9 on Tuesday":              true,
		"what did we do on the Tuesday before last":   true,
		"what happened at nine yesterday":             true,
		"what happened yesterday at 9 in the evening": true,
		"what happened yesterday at 404":              false,
	} {
		if q := Understand(text); q.OnlyTime() != want {
			t.Errorf("%q asks for a time alone: %t", text, !want)
		}
	}
}

// The last hour is an hour also when the clocks change.
func TestHoursWhenClocksChange(t *testing.T) {
	for zone, changes := range map[string][]string{
		"America/New_York": {"2026-03-08T07:30:00Z", "2026-11-01T06:30:00Z"},
		"Europe/Berlin":    {"2026-03-29T01:30:00Z", "2026-10-25T01:30:00Z"},
		"America/Santiago": {"2026-09-06T04:30:00Z", "2026-04-05T03:30:00Z"},
	} {
		place, err := time.LoadLocation(zone)
		if err != nil {
			t.Skip(err)
		}
		for _, change := range changes {
			changed, err := time.Parse(time.RFC3339, change)
			if err != nil {
				t.Fatal(err)
			}
			asked := changed.In(place)
			for text, ago := range map[string]time.Duration{"in the last hour": time.Minute, "an hour ago": time.Hour, "in the last 3 hours": 170 * time.Minute, "since 9 pm yesterday": time.Minute} {
				from, to, ok := Understand(text).Span(asked)
				if then := asked.Add(-ago); !ok || then.Before(from) || !then.Before(to) {
					t.Errorf("%q asked at %v is %v to %v", text, asked, from, to)
				}
			}
		}
	}
	santiago, err := time.LoadLocation("America/Santiago")
	if err != nil {
		t.Skip(err)
	}
	said{"yesterday evening": "2026-09-05T17:00 2026-09-06T01:00"}.check(t, time.Date(2026, 9, 6, 12, 0, 0, 0, santiago)) // no midnight between
}
