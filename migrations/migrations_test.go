package migrations

import (
	"strings"
	"testing"
	"testing/fstest"
)

// Both engines have the same steps, numbered from 1 without gaps.
func TestSteps(t *testing.T) {
	lite, err := SQLite()
	if err != nil {
		t.Fatal(err)
	}
	pg, err := Postgres()
	if err != nil {
		t.Fatal(err)
	}
	if len(lite) == 0 || len(lite) != len(pg) {
		t.Fatalf("%d steps for SQLite, %d for PostgreSQL", len(lite), len(pg))
	}
	for i := range lite {
		if lite[i].Name != pg[i].Name || lite[i].Version != i+1 || lite[i].OldestWriter != pg[i].OldestWriter {
			t.Errorf("step %d: %s and %s differ", i+1, lite[i].Name, pg[i].Name)
		}
	}
}

// Texts compare by their bytes on PostgreSQL too, whatever the language of the database:
// its order would change with the system's libraries under the indexes.
func TestCollations(t *testing.T) {
	steps, err := Postgres()
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range steps {
		for line := range strings.Lines(step.SQL) {
			code, _, _ := strings.Cut(line, "--")
			if strings.Contains(code, " TEXT") && !strings.Contains(code, ` TEXT COLLATE "C"`) {
				t.Errorf("step %d: %s", step.Version, line)
			}
		}
	}
}

// A file that is named or headed wrongly is a defect that is told.
func TestFiles(t *testing.T) {
	for name, text := range map[string]string{
		"1.sql": "", "x_y.sql": "", "0002_gap.sql": "", "0001_bad.sql": "-- oldest writer: soon\n",
	} {
		files := fstest.MapFS{"f/" + name: {Data: []byte(text)}}
		if _, err := load(files, "f"); err == nil {
			t.Errorf("%s went through", name)
		}
	}
	files := fstest.MapFS{"f/0001_a.sql": {Data: []byte("-- oldest writer: 0\nSELECT 1;")}, "f/0002_b.sql": {Data: []byte("SELECT 2;")}}
	got, err := load(files, "f")
	if err != nil || got[0].OldestWriter != 0 || got[1].OldestWriter != 2 || got[1].Name != "b" {
		t.Errorf("%+v, %v", got, err)
	}
}
