package recall

import (
	"math"
	"time"

	"wake/domain"
)

// Date is a time that a question names by the calendar; a field of 0 was not named. If
// Days or Months is set, it is that many of them from the given one on, otherwise one day,
// month or year.
type Date struct {
	Year, Month, Day, Days, Months int
	Part                           Part  // of a day
	From, To                       int64 // within these days in Unix seconds, if set: what lasts from one moment to another
	LastYear                       bool  // it is of the year before the one in which it is asked
	Bound                          Bound
}

// toMonthEnd as a number of days lasts until the end of the month.
const toMonthEnd = -1

// Ago is a time counted back from when a question is asked: it begins N units earlier.
// If the unit is Day, Minute or Weekday, it lasts Days of them, at least one; if it is Month and On is
// set, Days days from that one on.
type Ago struct {
	N     int
	Unit  Unit
	Days  int
	On    int  // the day of a week (1 is Monday) or of a month, 0 for all of it
	Third int  // of a week, quarter or year: 1 for its beginning, 2 its middle, 3 its end
	Part  Part // of a day
	Bound Bound
}

// Bound says whether a time is meant itself, or what was before or after it.
type Bound int

// The bounds. Since and Until include the time itself.
const (
	Within Bound = iota
	Since
	After
	Before
	Until
)

// Unit is a unit for counting back.
type Unit int

// The units.
const (
	Day Unit = iota
	Week
	Month
	Quarter
	Year
	Weekend
	Weekday  // the most recent such day before today, and N weeks before it
	Workweek // the five days before a weekend that has begun
	Monthday // the most recent such day
	LastPart // the most recent such part of a day
	Minute
)

// dates returns all times that the question names as dates, if it is asked at now.
func (q Question) dates(now time.Time) []Date {
	var out []Date
	add := func(d Date) {
		from, _, ok := d.lastSpan(now)
		if ok && from.After(now) { // this evening has not begun
			if d = d.wholeDays(); d.Bound == Before { // this morning was before it
				d.Bound = Until
			}
			from, _, _ = d.lastSpan(now)
		}
		if !ok || !from.After(now) || d.Bound < Before { // before the end of this month everything was
			out = append(out, d.bounded(now))
		}
	}
	for _, d := range q.Dates {
		if d.LastYear {
			d.Year = now.Year() - 1
		}
		add(d)
	}
	for _, a := range q.Ago {
		d := a.date(now)
		d.Bound = a.Bound
		add(d)
	}
	return out
}

// bounded returns the time before or after a date, if that is meant, until now at most.
func (d Date) bounded(now time.Time) Date {
	from, to, ok := d.lastSpan(now)
	if d.Bound == Within || !ok || from.After(now) {
		return d
	}
	today := func(days int) time.Time {
		return domain.DayBegin(now.Year(), now.Month(), now.Day()+days, now.Location())
	}
	switch d.Bound {
	case Since:
		return between(from, today(1))
	case After:
		return between(to, today(1))
	case Until:
		from = to
	}
	return between(from.AddDate(-YearsBefore, 0, 0), from)
}

// YearsBefore is how far back the time before another one reaches.
const YearsBefore = 50

// between is the time between two moments.
func between(from, to time.Time) Date {
	days := int(dayNumber(to.Add(-1))-dayNumber(from)) + 1
	d := Date{Year: from.Year(), Month: int(from.Month()), Day: from.Day(), Days: days}
	if !domain.BeginsDay(from) || !domain.BeginsDay(to) {
		d.From, d.To = from.Unix(), to.Unix()
	}
	return d
}

// dayNumber counts days, whatever their length.
func dayNumber(t time.Time) int64 {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60)
}

// date is the time that is meant, if the question is asked at now.
func (a Ago) date(now time.Time) Date {
	today := Date{Year: now.Year(), Month: int(now.Month()), Day: now.Day()}
	switch a.Unit {
	case Minute:
		from := now.Truncate(time.Minute).Add(-time.Duration(a.N) * time.Minute)
		return between(from, from.Add(time.Duration(a.Days+1)*time.Minute))
	case Monthday:
		d := Date{Year: today.Year, Month: today.Month}
		if a.On > today.Day {
			d.Month--
		}
		d = d.normal()
		d.Day, d.Part = a.On, a.Part
		return d
	case Year:
		return a.thirdOf(Date{Year: today.Year - a.N}, 12)
	case Quarter:
		return a.thirdOf(Date{Year: today.Year, Month: (today.Month-1)/3*3 + 1 - 3*a.N, Months: 3}.normal(), 3)
	case Month:
		d := Date{Year: today.Year, Month: today.Month - a.N}.normal()
		d.Day, d.Days = a.On, a.Days
		return d
	}
	back, days := a.daysBack(now)
	then := time.Date(today.Year, now.Month(), today.Day-back, 0, 0, 0, 0, time.UTC)
	return Date{Year: then.Year(), Month: int(then.Month()), Day: then.Day(), Days: days, Part: a.Part}
}

// daysBack is how many days before today a time of days begins, and how many it lasts.
func (a Ago) daysBack(now time.Time) (back, days int) {
	sinceMonday := (int(now.Weekday()) + 6) % 7
	sinceSaturday := (int(now.Weekday()) + 1) % 7
	switch a.Unit {
	case LastPart:
		if a.Part.From > 60*now.Hour()+now.Minute() {
			return 1, 1
		}
		return 0, 1
	case Weekday:
		if a.Days > 1 { // the last of them may be today
			last := a.On + a.Days - 1
			return (sinceMonday+1-last+14)%7 + a.Days - 1, a.Days
		}
		return 1 + (sinceMonday-a.On+7)%7 + 7*a.N, 1
	case Workweek:
		return sinceSaturday + 5, 5
	case Weekend:
		if sinceSaturday > 1 { // the last one has begun
			return sinceSaturday + 7*max(0, a.N-1), 2
		}
		return sinceSaturday + 7*a.N, 2
	case Week:
		if a.On > 0 {
			return 7*a.N + sinceMonday - a.On + 1, a.Days
		}
		begins, lasts := []int{0, 0, 1, 3}, []int{7, 3, 3, 4} // those who work end a week from Thursday on
		return 7*a.N + sinceMonday - begins[a.Third], lasts[a.Third]
	}
	return a.N, a.Days
}

// thirdOf narrows a year or a quarter of so many months to a third of it.
func (a Ago) thirdOf(d Date, months int) Date {
	if a.Third == 0 {
		return d
	}
	d.Month, d.Months = max(1, d.Month)+(a.Third-1)*months/3, months/3
	return d
}

// normal brings a month outside the year into another.
func (d Date) normal() Date {
	first := time.Date(d.Year, time.Month(d.Month), 1, 0, 0, 0, 0, time.UTC)
	d.Year, d.Month = first.Year(), int(first.Month())
	return d
}

// Weights of how close a time is to a date. People mention events some days afterwards,
// and plans some days before.
const (
	halfDays    = 4   // distance in days at which a match counts half
	dayWeight   = 1   // of a match with a day or a range of days
	monthWeight = 0.8 // of a match with a month
	yearWeight  = 0.3 // of a match with a year
	otherYears  = 0.5 // of a match with a date without a year, in another year than the last
	partShare   = 0.2 // of a match with a day, for the part of it that is named
)

// dateMatch returns how close a time is to the nearest of the dates, from 0 to 1. A
// more precise date counts more.
func (p *probe) dateMatch(unix int64) float64 {
	if len(p.dates) == 0 {
		return 0
	}
	t, best := time.Unix(unix, 0).In(p.now.Location()), 0.0
	for _, d := range p.dates {
		if d.Year != 0 {
			best = max(best, d.near(t))
			continue
		}
		last := d.lastYear(p.now)
		for d.Year = t.Year() - 1; d.Year <= t.Year()+1; d.Year++ {
			match := d.near(t)
			if d.Year != last {
				match *= otherYears
			}
			best = max(best, match)
		}
	}
	return best
}

// near is dateMatch for a single date that has a year.
func (d Date) near(t time.Time) float64 {
	from, to := d.span(t.Location())
	if d.ofHours() {
		match := (1 - partShare) * d.wholeDays().near(t)
		if !t.Before(from) && t.Before(to) {
			match += partShare
		}
		return match
	}
	away := 0.0
	if t.Before(from) || !t.Before(to) {
		away = (max(from.Sub(t), t.Sub(to)).Hours() + time.Second.Hours()) / 24 // in hours: the longest duration and a second is negative
	}
	return d.weight() * math.Exp2(-away/halfDays)
}

// span returns the beginning and end of a date that has a year. Whoever names a day after
// the last of a month means its end.
func (d Date) span(zone *time.Location) (from, to time.Time) {
	month := time.Month(max(1, d.Month))
	last := time.Date(d.Year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
	day := min(max(1, d.Day), last)
	from = domain.DayBegin(d.Year, month, day, zone)
	switch {
	case d.Month == 0:
		return from, domain.DayBegin(d.Year+1, month, day, zone)
	case d.Day == 0:
		return from, domain.DayBegin(d.Year, month+time.Month(max(1, d.Months)), day, zone)
	case d.Days == toMonthEnd:
		return from, domain.DayBegin(d.Year, month+1, 1, zone)
	case d.To != 0:
		return time.Unix(d.From, 0).In(zone), time.Unix(d.To, 0).In(zone)
	case d.Part != Part{}:
		at := func(minute int) time.Time {
			if minute%minutesOfDay == 0 {
				return domain.DayBegin(d.Year, month, day+minute/minutesOfDay, zone)
			}
			return time.Date(d.Year, month, day, 0, minute, 0, 0, zone)
		}
		return at(d.Part.From), at(d.Part.To)
	}
	return from, domain.DayBegin(d.Year, month, day+max(1, d.Days), zone)
}

const minutesOfDay = 24 * 60

// ofHours reports whether a date is less than whole days.
func (d Date) ofHours() bool { return d.Part != Part{} || d.To != 0 }

// wholeDays is the days of which a date is a part.
func (d Date) wholeDays() Date {
	if d.Part != (Part{}) {
		d.Days, d.Part = max(1, (d.Part.To+minutesOfDay-1)/minutesOfDay), Part{}
	}
	d.From, d.To = 0, 0
	return d
}

func (d Date) weight() float64 {
	switch {
	case d.Month == 0:
		return yearWeight
	case d.Day == 0:
		return monthWeight
	}
	return dayWeight
}
