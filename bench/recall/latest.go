package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"wake/recall"
)

// subject is something whose value is told again and again.
type subject struct {
	says   []string // ways to tell it; %d is the value
	beside []string // notes that have some of its words
	latest []string // questions for the newest value
	oldest []string
}

// subjects were there when the rule was made.
var subjects = []subject{
	{
		[]string{"Deployed build %d to staging.", "Build %d is on staging now.", "Staging runs build %d, deployed from main.", "Pushed build %d to the staging cluster."},
		[]string{"The staging certificate expires in %d days.", "Staging costs %d dollars a month.", "Build times are down to %d seconds."},
		[]string{"latest build on staging", "what is the last build on staging", "which build is currently deployed to staging", "most recent staging build"},
		[]string{"the first build on staging", "what was the oldest build deployed to staging"},
	},
	{
		[]string{"p95 latency of the payments API is %d ms.", "Measured the payments API again: p95 latency %d ms.", "Payments API p95 latency dropped to %d ms."},
		[]string{"The payments API has %d endpoints.", "Latency of the search API is %d ms.", "p95 is read over %d minutes."},
		[]string{"current p95 latency of the payments API", "what's the latest p95 latency for payments", "payments API p95 latency now"},
		[]string{"first p95 latency of the payments API", "initial p95 latency for payments"},
	},
	{
		[]string{"Retro: we decided to limit work in progress to %d tickets.", "Work in progress limit changed to %d tickets.", "The team agreed on a work in progress limit of %d."},
		[]string{"There are %d tickets without an owner.", "The team has %d members.", "Rate limit of the gateway is %d."},
		[]string{"current work in progress limit", "what is our latest work in progress limit"},
		[]string{"original work in progress limit", "what was our first work in progress limit"},
	},
	{
		[]string{"Nightly backup took %d minutes.", "The nightly backup finished in %d minutes.", "Backup of the night: %d minutes, all tables."},
		[]string{"Backups are kept %d days.", "The nightly report has %d pages."},
		[]string{"how long did the last nightly backup take", "latest nightly backup"},
		[]string{"how long did the first nightly backup take", "earliest nightly backup"},
	},
	{
		[]string{"The retry limit of the webhook worker is now %d.", "Set the webhook worker's retry limit to %d.", "Webhook worker: retries limited to %d."},
		[]string{"The webhook worker logs %d lines a second.", "Retry the login %d times."},
		[]string{"current retry limit of the webhook worker", "what is the webhook worker's retry limit now"},
		[]string{"original retry limit of the webhook worker", "what was the webhook worker's retry limit initially"},
	},
	{
		[]string{"Database connection pool size is %d.", "Raised the connection pool size to %d.", "Connection pool of the database set to %d after load test."},
		[]string{"The database has %d tables.", "The car pool has %d seats."},
		[]string{"current connection pool size", "what's the connection pool size these days", "most recent database connection pool size"},
		[]string{"initial connection pool size", "what was the original database connection pool size"},
	},
}

// unseen were written afterwards and have changed nothing.
var unseen = []subject{
	{
		[]string{"On call this week: engineer %d.", "Handed the pager to engineer %d.", "Engineer %d takes over on-call duty.", "Swapped on-call with engineer %d because of holidays."},
		[]string{"On-call pay is %d euros a night.", "Engineer %d wrote the runbook.", "The pager rang %d times."},
		[]string{"who is on call now", "who has the pager currently", "latest on-call engineer", "which engineer took over on-call last"},
		[]string{"who was on call first", "first engineer on call"},
	},
	{
		[]string{"The pro plan costs %d dollars a month.", "Pricing: pro plan goes to %d dollars.", "We changed the price of the pro plan to %d after the survey."},
		[]string{"%d customers are on the free plan.", "The plan for the move has %d steps.", "The enterprise price list has %d rows."},
		[]string{"current price of the pro plan", "how much does the pro plan cost now", "what is the most recent pro plan price"},
		[]string{"original price of the pro plan", "what did the pro plan cost initially"},
	},
	{
		[]string{"Production database moved to host db-%d.", "db-%d is the primary of production since the failover.", "Failed over: production writes go to db-%d."},
		[]string{"The production dashboard has %d panels.", "db-%d was switched off.", "Staging database restored in %d minutes."},
		[]string{"which host is the production database on now", "current production database host", "where did production fail over last"},
		[]string{"first production database host", "what was the production database host in the beginning"},
	},
	{
		[]string{"Test coverage of the parser is %d percent.", "Coverage report for the parser: %d percent.", "Parser tests cover %d percent of the lines now."},
		[]string{"The parser reads %d lines a second.", "%d tests are flaky.", "Coverage of the linter is %d percent."},
		[]string{"latest parser test coverage", "what's the parser's coverage today", "recent coverage of the parser"},
		[]string{"initial test coverage of the parser", "earliest parser coverage"},
	},
}

// remarks make some notes longer than others.
var remarks = []string{
	"Smoke tests passed.", "Nobody complained.", "See the dashboard for the details of each step.", "Rolled out by the usual script.",
	"The change log was sent to support and to sales.", "Two flaky tests were skipped and will be looked at next week.", "No open questions.",
	"Reviewed by Kim.", "It took three attempts because the runner was out of disk.", "The feature flag stays off until the customer has agreed.",
	"Memory use is unchanged.", "Alerts were silenced for ten minutes.",
}

// tellings are how often each subject is told, about.
var tellings = []int{5, 20, 60, 150, 600}

// latestConversations are stores of notes in which values change, and questions for the newest and the oldest ones. Each
// has one right answer. The same seed gives the same text.
func latestConversations(of []subject, seed uint64) (out []conversation) {
	for _, times := range tellings {
		for i := range uint64(3) {
			w := &logbook{of: of, rnd: rand.New(rand.NewPCG(seed+i, uint64(times))), now: time.Date(2025, 1, 7, 9, 0, 0, 0, time.UTC)}
			out = append(out, w.conversation(times))
		}
	}
	return out
}

type logbook struct {
	of    []subject
	rnd   *rand.Rand
	now   time.Time
	n     int64
	steps []step
}

func (w *logbook) conversation(times int) conversation {
	first, last := map[int]string{}, map[int]string{}
	for range times * len(w.of) {
		i := w.rnd.IntN(len(w.of))
		last[i] = w.note(w.of[i].says)
		if first[i] == "" {
			first[i] = last[i]
		}
		if w.rnd.IntN(2) == 0 {
			w.note(w.of[w.rnd.IntN(len(w.of))].beside)
		}
	}
	for i, s := range w.of {
		w.ask(s.latest, fmt.Sprintf("newest of %3d", times), last[i])
		w.ask(s.oldest, fmt.Sprintf("oldest of %3d", times), first[i])
	}
	return conversation{id: fmt.Sprint("latest-", times), steps: w.steps}
}

// note saves one of the texts with up to five remarks and returns its id.
func (w *logbook) note(from []string) string {
	w.n++
	w.now = w.now.Add(time.Hour)
	text := []string{fmt.Sprintf(from[w.rnd.IntN(len(from))], 10+w.rnd.IntN(5000))}
	for range w.rnd.IntN(6) {
		text = append(text, remarks[w.rnd.IntN(len(remarks))])
	}
	id := fmt.Sprint(w.n)
	w.steps = append(w.steps, step{id: id, entry: recall.Entry{N: w.n, Project: "bench", Session: id, Content: strings.Join(text, " "), Time: w.now}})
	return id
}

func (w *logbook) ask(questions []string, category, gold string) {
	for _, q := range questions {
		w.steps = append(w.steps, step{question: q, category: category, asked: w.now.Unix(), gold: map[string]bool{gold: true}})
	}
}
