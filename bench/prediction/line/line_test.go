package line_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"wake/bench/prediction/line"
)

type answer struct {
	Ranked []string             `json:"ranked"`
	P      map[string][]float64 `json:"p"`
}

// talk plays lines in and returns the answers.
func talk(t *testing.T, lines ...string) []answer {
	t.Helper()
	var out bytes.Buffer
	if err := line.Serve(strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	var list []answer
	for dec := json.NewDecoder(&out); dec.More(); {
		var a answer
		if err := dec.Decode(&a); err != nil {
			t.Fatal(err)
		}
		list = append(list, a)
	}
	return list
}

func event(ts, step int, session, item, kind string) string {
	return fmt.Sprintf(`{"op":"event","ts":%d,"session":%q,"step":%d,"actor":"u0","item":%q,"kind":%q,"label":"dir/%s"}`, ts, session, step, item, kind, item)
}

// Events have no answer, a question has one line; what is deleted is not ranked, what is only known has a probability.
func TestServe(t *testing.T) {
	got := talk(t,
		event(100, -1, "s-1", "old", "create"),
		event(200, 1, "s1", "a", "create"),
		event(300, 2, "s1", "b", "create"),
		event(300, 2, "s1", "c", "create"),
		event(400, 3, "s1", "c", "delete"),
		`{"op":"predict","ts":500,"session":"s1","actor":"u0","start":false,"limit":10}`,
		event(600, 4, "s1", "a", "access"),
		`{"op":"predict","ts":700,"session":"s2","actor":"u0","start":true,"limit":1,"horizons":[86400,604800]}`,
	)
	if len(got) != 2 {
		t.Fatalf("%d answers to 2 questions", len(got))
	}
	if strings.Contains(strings.Join(got[0].Ranked, " "), "c") || len(got[0].Ranked) != 3 || got[0].P != nil {
		t.Errorf("first answer %+v", got[0])
	}
	if len(got[1].Ranked) != 1 || len(got[1].P) != 3 {
		t.Errorf("second answer %+v", got[1])
	}
	for id, p := range got[1].P {
		if len(p) != 2 || p[0] < 0 || p[1] < p[0] || p[1] > 1 {
			t.Errorf("probabilities of %s: %v", id, p)
		}
	}
}

// A question for less than nothing is answered with nothing.
func TestServeNoLimit(t *testing.T) {
	var out bytes.Buffer
	talk := `{"op":"event","ts":1,"session":"s","step":1,"item":"a","kind":"create"}` + "\n" + `{"op":"predict","ts":2,"limit":-1}`
	if err := line.Serve(strings.NewReader(talk), &out); err != nil || out.String() != `{"ranked":[]}`+"\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// Broken lines end the talk with an error that names the line.
func TestServeBadLines(t *testing.T) {
	for _, bad := range []string{"no json", `{"op":"dance"}`, strings.Repeat("x", 2<<20)} {
		if err := line.Serve(strings.NewReader(bad), &bytes.Buffer{}); err == nil {
			t.Errorf("no error for %.20q", bad)
		}
	}
}
