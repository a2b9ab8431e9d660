package recall

import "strings"

// irregulars lists English words with forms that no suffix rule finds, base form first.
// Forms that are also words of their own (bit, ground, lay) are left out.
const irregulars = `go went gone
buy bought
bring brought
think thought
teach taught
catch caught
fight fought
seek sought
make made
take took taken
give gave given
see saw seen
say said
tell told
sell sold
pay paid
hold held
hear heard
stand stood
understand understood
sleep slept
keep kept
feel felt
leave left
meet met
lose lost
win won
find found
build built
send sent
spend spent
lend lent
bend bent
deal dealt
mean meant
lead led
feed fed
run ran
begin began begun
swim swam swum
sing sang sung
ring rang rung
drink drank drunk
sink sank sunk
shrink shrank shrunk
come came
become became
overcome overcame
eat ate eaten
fall fell fallen
write wrote written
rewrite rewrote rewritten
drive drove driven
ride rode ridden
rise risen
choose chose chosen
break broke broken
speak spoke spoken
steal stole stolen
freeze froze frozen
wake woke woken
wear wore worn
tear tore torn
swear swore sworn
draw drew drawn
grow grew grown
know knew known
throw threw thrown
blow blew blown
fly flew flown
show shown
forget forgot forgotten
forgive forgave forgiven
hide hid hidden
shake shook shaken
mistake mistook mistaken
strike struck stricken
stick stuck
hang hung
swing swung
dig dug
shoot shot
light lit
slide slid
shine shone
bind bound
breed bred
spread spread
arise arose arisen
undertake undertook undertaken
withdraw withdrew withdrawn
child children
man men
woman women
foot feet
tooth teeth
mouse mice
goose geese
wife wives
knife knives
index indices
matrix matrices
vertex vertices
criterion criteria
analysis analyses
good better best
bad worse worst`

var baseForms = readForms(irregulars)

func readForms(list string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(list) {
		forms := strings.Fields(line)
		for _, f := range forms[1:] {
			out[f] = forms[0]
		}
	}
	return out
}

// baseForm replaces an irregular form by its base form. w needs spare capacity, because
// a base form may be one letter longer.
func baseForm(w []byte) []byte {
	if len(w) < 3 || len(w) > 10 {
		return w
	}
	if base, ok := baseForms[string(w)]; ok {
		return append(w[:0], base...)
	}
	return w
}
