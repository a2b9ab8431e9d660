package recall

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
)

// relatedList lists words about the same thing, one group per line. A word before a
// colon names a category: asking for it finds its members, but asking for a member does
// not find the others.
const relatedList = `kid child son daughter toddler baby
mom mother mum
dad father
parent: mother father mom dad
grandma grandmother granny
grandpa grandfather
sibling: brother sister
relative: cousin aunt uncle niece nephew grandma grandpa
family: mother father mom dad brother sister son daughter husband wife kid child parent cousin aunt uncle
spouse husband wife partner
friend buddy pal
job work career position employment occupation
boss manager supervisor
colleague coworker teammate
company firm business employer
movie film
show series episode
book novel
author writer
song music track tune
band: group concert music
instrument: guitar piano violin drum flute cello trumpet clarinet saxophone ukulele keyboard
sport: football soccer basketball tennis baseball hockey running swimming cycling volleyball golf
exercise workout gym fitness training
hobby: painting pottery guitar hiking running reading gardening photography dancing cooking knitting chess
activity: hiking camping painting running swimming pottery dancing cooking reading cycling
pet: dog cat puppy kitten rabbit hamster parrot turtle fish bird
dog puppy
cat kitten
car vehicle
bike bicycle
trip travel vacation journey holiday
visit trip
hike trail mountain
camp tent campfire
beach sea ocean coast
country: germany france spain italy england canada mexico japan china india brazil sweden norway america australia ireland scotland
city: paris london berlin rome tokyo boston chicago seattle barcelona
house home apartment flat
move relocate
food: meal dish dinner lunch breakfast pizza pasta salad soup cake
meal dinner lunch breakfast
dish recipe
dessert: cake cookie pie chocolate
drink: coffee tea wine beer juice
restaurant cafe diner
buy purchase order
shop store
gift present
price cost expense fee
money dollar budget fund
doctor physician hospital
ill sick illness disease
injury hurt pain
medicine medication pill
therapy therapist counseling
happy glad joy
sad upset unhappy
angry mad furious
afraid scared fear nervous anxious worry
feel emotion feeling
love enjoy like
favorite: love best enjoy
start begin launch
stop quit end
finish complete done
make create build
plan intend
goal aim target
idea concept
try attempt
help support assist
teach teacher instructor lesson
class course lesson workshop
school college university
study learn
student pupil
degree diploma graduate
exam test quiz
win award prize trophy medal
contest competition tournament race
event: party festival concert wedding meeting conference
party celebration celebrate
wedding marry marriage
birthday anniversary
baby pregnant
die death pass
adopt adoption
volunteer charity
paint painting painter
picture photo image photograph
draw sketch drawing
art: painting sculpture drawing pottery
garden gardening plant flower
color: red blue green yellow black white orange purple pink
game play
computer laptop
phone smartphone mobile
email mail
talk speak chat discuss
tell say mention
meet encounter
inspire inspiration motivate
reason why because cause
symbol symbolize represent stand
challenge difficulty obstacle struggle problem
advice recommend suggest tip
decide decision choose choice pick select
prefer preference
big large huge
small little tiny
fast quick rapid
begin initially
bug defect issue error fault
fix repair solve resolve patch
crash panic abort segfault
leak free
fail failure broken
remove delete drop
add introduce
change modify update
rename move
slow latency performance
speed fast performance
db database
database: sqlite postgres postgresql mysql mariadb mongodb redis cassandra dynamodb duckdb oracle clickhouse sql
language: go golang python rust java javascript typescript kotlin swift ruby php scala elixir haskell
framework: react vue angular svelte django flask fastapi rails spring laravel express
cloud: aws azure gcp kubernetes
container docker podman kubernetes
queue: kafka rabbitmq nats sqs
cache: redis memcached
editor: vim neovim emacs vscode
browser: chrome firefox safari
linter: eslint staticcheck golangci ruff pylint
license: mit apache gpl bsd
protocol: http https grpc rest websocket mqtt tcp udp
format: json yaml toml xml csv protobuf
auth authentication login
config configuration setting
repo repository
doc documentation
deploy deployment release
test testing unittest
dependency library package
func function
param parameter argument
env environment
dir directory folder
msg message
req request
resp response
postgres postgresql
js javascript
ts typescript
k8s kubernetes
async asynchronous
sync synchronize
mem memory
buffer buf
packet pkt
connection conn
address addr
interface iface
length len
number num count
server backend
client frontend
ui interface frontend
user account
password credential
token secret
schedule timeline deadline calendar
meeting appointment call
budget cost spending
invest investment savings
salary wage pay
rent lease landlord
tax deduction
loan mortgage debt
resume cv
interview application
essay paper article
draft manuscript
feedback review comment
math algebra equation
probability odds chance
triangle geometry angle`

// relatedWeight is the weight of a related word, relative to the word itself.
const relatedWeight = 0.55

// related is built on first use: a process that searches nothing need not wait for it.
var related = sync.OnceValue(func() map[string][]string { return readRelated(relatedList) })

// readRelated maps the stem of a word to the stems of its related words.
func readRelated(list string) map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(list) {
		head, members, kind := strings.Cut(line, ":")
		if kind {
			h := Analyze(head)[0]
			out[h] = append(out[h], Analyze(members)...)
			continue
		}
		group := Analyze(line)
		for _, a := range group {
			for _, b := range group {
				if a != b {
					out[a] = append(out[a], b)
				}
			}
		}
	}
	return out
}

// standIns finds, for words that occur nowhere in the scope, related words that do: a
// question about the database finds SQLite. df holds the document frequencies of words;
// an unknown word gets that of its most common stand-in.
func standIns(ctx context.Context, f Finder, words []string, df []int) (map[string][]string, error) {
	out := map[string][]string{}
	for i, w := range words {
		if df[i] > 0 || len(related()[w]) == 0 {
			continue
		}
		st, err := f.Stats(ctx, related()[w])
		if err != nil {
			return nil, err
		}
		for j, n := range st.DF {
			if k := related()[w][j]; n > 0 && !slices.Contains(words, k) && !slices.Contains(out[w], k) {
				out[w] = append(out[w], k)
				df[i] = max(df[i], n)
			}
		}
	}
	return out, nil
}

// Limits of the related words sent to the index.
const (
	relatedShare   = 0.5 // relative to a related word's own weight
	relatedMost    = 32  // words, minus relatedLess for each word of the question: a long one is specific enough
	relatedLess    = 3
	relatedLeast   = 4
	relatedLookups = 4 // how many times as many are looked up to choose from
)

// chooseRelated chooses the related words sent to the index, the rarest first: without
// them, a text that says puppy is not found by a question that says dog. None counts
// more than half of the word it is related to. In long texts, where related words occur
// by chance, they count less.
func (p *probe) chooseRelated(ctx context.Context, f Finder) ([]Weighted, error) {
	most := max(relatedLeast, relatedMost-relatedLess*len(p.terms))
	words := p.closestRelated(relatedLookups * most)
	st, err := f.Stats(ctx, words)
	if err != nil {
		return nil, err
	}
	share := relatedShare * min(1, passageTerms/max(1, p.stats.MeanTerms))
	var out []Weighted
	for i, w := range words {
		if st.DF[i] == 0 {
			continue
		}
		l, weight := p.related[w][0], p.idf(st.DF[i])
		if of := p.terms[l.term]; of.idf > 0 {
			weight = min(weight, of.idf)
		}
		out = append(out, Weighted{Term: w, Weight: share * weight * min(1, float64(l.value)/relatedWeight)})
	}
	slices.SortStableFunc(out, func(a, b Weighted) int { return cmp.Compare(b.Weight, a.Weight) })
	return out[:min(most, len(out))], nil
}

// closestRelated returns the words most closely related to the most telling terms.
func (p *probe) closestRelated(most int) []string {
	words := slices.Sorted(maps.Keys(p.related))
	tells := func(w string) float64 { l := p.related[w][0]; return float64(l.value) * p.terms[l.term].idf }
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(tells(b), tells(a)) })
	return words[:min(most, len(words))]
}
