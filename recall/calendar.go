package recall

import (
	"math"
	"time"

	"wake/domain"
)

// Date is a time that a question names by the calendar; a field of 0 was not named. If
// Days is set, it is that many days from the given day on, otherwise one day, month or
// year. If Since is set, it lasts until now.
type Date struct {
	Year, Month, Day, Days int
	Since                  bool
}

// Ago is a time counted back from when a question is asked: it begins N units earlier.
// If the unit is Day, it lasts Days days, at least one. Since is as in [Date].
type Ago struct {
	N     int
	Unit  Unit
	Days  int
	Since bool
}

// Unit is a unit for counting back.
type Unit int

// The units. With Weekday, N is the day of the week (0 is Sunday), and the most recent
// such day is meant.
const (
	Day Unit = iota
	Week
	Month
	Year
	Weekday
)

// dates returns all times that the question names as dates, if it is asked at now.
func (q Question) dates(now time.Time) []Date {
	var out []Date
	for _, d := range q.Dates {
		out = append(out, d.untilNow(now))
	}
	for _, a := range q.Ago {
		d := a.date(now)
		d.Since = a.Since
		out = append(out, d.untilNow(now))
	}
	return out
}

// untilNow extends a date with Since until now.
func (d Date) untilNow(now time.Time) Date {
	from, _, ok := d.lastSpan(now)
	if !d.Since || !ok || from.After(now) {
		return d
	}
	days := math.Round(now.Sub(from).Hours() / 24) // some days have 23 hours
	return Date{Year: from.Year(), Month: int(from.Month()), Day: from.Day(), Days: 1 + int(days)}
}

func (a Ago) date(now time.Time) Date {
	switch a.Unit {
	case Weekday:
		return Ago{N: 1 + (int(now.Weekday())-a.N+6)%7, Days: a.Days}.date(now)
	case Year:
		return Date{Year: now.Year() - a.N}
	case Month:
		first := time.Date(now.Year(), now.Month()-time.Month(a.N), 1, 0, 0, 0, 0, time.UTC)
		return Date{Year: first.Year(), Month: int(first.Month())}
	case Week:
		return Ago{N: 7*a.N + (int(now.Weekday())+6)%7, Days: 7}.date(now)
	}
	day := time.Date(now.Year(), now.Month(), now.Day()-a.N, 0, 0, 0, 0, time.UTC)
	return Date{Year: day.Year(), Month: int(day.Month()), Day: day.Day(), Days: a.Days}
}

// Weights of how close a time is to a date. People mention events some days afterwards,
// and plans some days before.
const (
	halfDays    = 4   // distance in days at which a match counts half
	dayWeight   = 1   // of a match with a day or a range of days
	monthWeight = 0.8 // of a match with a month
	yearWeight  = 0.3 // of a match with a year
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
		for d.Year = t.Year() - 1; d.Year <= t.Year()+1; d.Year++ {
			best = max(best, d.near(t))
		}
	}
	return best
}

// near is dateMatch for a single date that has a year.
func (d Date) near(t time.Time) float64 {
	from, to := d.span(t.Location())
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
		return from, domain.DayBegin(d.Year, month+1, day, zone)
	}
	return from, domain.DayBegin(d.Year, month, day+max(1, d.Days), zone)
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
