package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wake/domain"
	"wake/tiers"
)

// settings come from flags, environment and file, in this order of precedence. An
// empty value is not set. The file is $XDG_CONFIG_HOME/wake/config.json, or the one
// named by WAKE_CONFIG.
type settings struct {
	DB         string          `json:"db,omitempty"`      // a path or a postgres:// URL
	Project    string          `json:"project,omitempty"` // for all folders; better left out as a rule
	Ollama     string          `json:"ollama,omitempty"`  // URL, host:port or off
	Model      string          `json:"model,omitempty"`
	EmbedModel string          `json:"embed_model,omitempty"`
	Formula    string          `json:"formula,omitempty"` // of predictions; wakeiqx is the seed's
	Distil     string          `json:"distil,omitempty"`  // off: do not distil contexts from sessions
	Tiers      tierWindows     `json:"tiers,omitzero"`
	Sessions   sessionSettings `json:"sessions,omitzero"`
}

// tierWindows are the ages at which tiers end, such as "1h" or "720h".
type tierWindows struct {
	Active   string `json:"active,omitempty"`
	Recent   string `json:"recent,omitempty"`
	Archived string `json:"archived,omitempty"`
}

// or fills the empty fields of s from t.
func (s settings) or(t settings) settings {
	return settings{
		DB:         cmp.Or(s.DB, t.DB),
		Project:    cmp.Or(s.Project, t.Project),
		Ollama:     cmp.Or(s.Ollama, t.Ollama),
		Model:      cmp.Or(s.Model, t.Model),
		EmbedModel: cmp.Or(s.EmbedModel, t.EmbedModel),
		Formula:    cmp.Or(s.Formula, t.Formula),
		Distil:     cmp.Or(s.Distil, t.Distil),
		Tiers: tierWindows{
			Active:   cmp.Or(s.Tiers.Active, t.Tiers.Active),
			Recent:   cmp.Or(s.Tiers.Recent, t.Tiers.Recent),
			Archived: cmp.Or(s.Tiers.Archived, t.Tiers.Archived),
		},
		Sessions: t.Sessions, // only the file sets these
	}
}

// settings combines flags, environment, file and defaults. With an error, the file's
// part is missing.
func (a *app) settings() (settings, error) {
	file, err := readConfig(a.configPath())
	s := a.flags.or(envSettings(a.env)).or(file)
	s.DB = a.fromHome(cmp.Or(s.DB, filepath.Join(a.dataDir(), "wake.db")))
	if slices.Contains([]string{off, "none", "no", "false", "disabled"}, strings.ToLower(s.Ollama)) {
		s.Ollama = off // and not a server of that name
	}
	return s, err
}

// envSettings reads the environment. WAKE_OLLAMA takes precedence over OLLAMA_HOST,
// which Ollama's own tools use.
func envSettings(env func(string) string) settings {
	return settings{
		DB:         env("WAKE_DB"),
		Project:    env("WAKE_PROJECT"),
		Ollama:     cmp.Or(env("WAKE_OLLAMA"), env("OLLAMA_HOST")),
		Model:      env("WAKE_MODEL"),
		EmbedModel: env("WAKE_EMBED_MODEL"),
		Formula:    env("WAKE_FORMULA"),
		Distil:     env("WAKE_DISTIL"),
	}
}

// environment lists the variables that decide which database wake uses and how: its own, those of the
// folders, and those with which PostgreSQL's URL is completed.
func environment() []string {
	return []string{"WAKE_CONFIG", "WAKE_DB", "WAKE_PROJECT", "WAKE_OLLAMA", "OLLAMA_HOST", "WAKE_MODEL", "WAKE_EMBED_MODEL", "WAKE_FORMULA", "WAKE_DISTIL",
		"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
		"PGHOST", "PGPORT", "PGUSER", "PGPASSWORD", "PGPASSFILE", "PGDATABASE", "PGSERVICE", "PGSERVICEFILE", "PGOPTIONS",
		"PGSSLMODE", "PGSSLROOTCERT", "PGSSLCERT", "PGSSLKEY", "PGSSLPASSWORD"}
}

// readConfig reads the file; a missing file sets nothing. Unknown keys are errors, so
// that a misspelt one is noticed.
func readConfig(path string) (settings, error) {
	text, err := readRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return settings{}, nil
	}
	if err != nil {
		return settings{}, domain.Unavailable("the configuration %s cannot be read: %v; make it readable, or move it away", path, domain.Reason(err))
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // as editors on Windows put it in front
	var s settings
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err = d.Decode(&s); err == nil && d.More() {
		err = errors.New("there is more after the JSON object")
	}
	if err != nil {
		return settings{}, domain.Invalid("the configuration %s cannot be read: %s; correct it, or move it away", path, jsonProblem(text, err))
	}
	return s, nil
}

// jsonProblem says in plain words what is wrong with a JSON file.
func jsonProblem(text []byte, err error) string {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case bytes.HasPrefix(text, []byte("\xff\xfe")):
		return "it is in UTF-16, as PowerShell 5 writes; save it as UTF-8"
	case errors.As(err, &syntax) && strings.Contains(syntax.Error(), "escape code"):
		return fmt.Sprintf(`in line %d is a single backslash; JSON wants two, as in "C:\\Users\\ann", or a slash`, lineAt(text, syntax.Offset))
	case errors.As(err, &syntax):
		return fmt.Sprintf("it is no JSON from line %d on", lineAt(text, syntax.Offset))
	case errors.As(err, &kind) && kind.Field == "":
		return "it holds no JSON object"
	case errors.As(err, &kind):
		return fmt.Sprintf("the value of %s is of the wrong kind (%s)", kind.Field, kind.Value)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends too early"
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// lineAt is the number of the line that holds a byte.
func lineAt(text []byte, offset int64) int {
	return 1 + bytes.Count(text[:min(offset, int64(len(text)))], []byte("\n"))
}

// fromFile adds the file's path to an error in a setting that only the file sets.
func (a *app) fromFile(err error) error {
	return domain.Invalid("the configuration %s: %v", a.configPath(), err)
}

// windows converts the ages; unset ones keep their defaults.
func (w tierWindows) windows() (tiers.Windows, error) {
	ws := tiers.DefaultWindows
	for _, age := range []struct {
		name, text string
		to         *time.Duration
	}{{"active", w.Active, &ws.Active}, {"recent", w.Recent, &ws.Recent}, {"archived", w.Archived, &ws.Archived}} {
		if age.text == "" {
			continue
		}
		d, err := parseSpan("tiers."+age.name, age.text)
		if err != nil {
			return ws, err
		}
		*age.to = d
	}
	return ws, ws.Check()
}

func (a *app) configPath() string {
	if path := a.env("WAKE_CONFIG"); path != "" {
		return a.fromHome(path)
	}
	return filepath.Join(a.xdg("XDG_CONFIG_HOME", ".config"), "wake", "config.json")
}

func (a *app) dataDir() string {
	return filepath.Join(a.xdg("XDG_DATA_HOME", ".local/share"), "wake")
}
