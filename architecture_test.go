// Package wake_test holds what is true of the house as a whole.
package wake_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mayImport is the import table of ARCHITECTURE.md: which packages of ours a
// package may import. A package that is not in it is refused.
var mayImport = map[string][]string{
	"domain":                       {},
	"migrations":                   {},
	"secret":                       {},
	"files":                        {},
	"causality":                    {"domain"},
	"tiers":                        {"domain"},
	"prediction":                   {"domain"},
	"recall":                       {"domain"},
	"recall/index":                 {"recall"},
	"session":                      {"domain", "secret"},
	"summarizer":                   {"domain", "secret"},
	"distil":                       {"domain"},
	"transcript":                   {"domain", "secret"},
	"repository":                   {"domain"},
	"repository/internal/sqlstore": {"domain", "repository", "migrations"},
	"repository/sqlite":            {"domain", "files", "migrations", "repository", "repository/internal/sqlstore"},
	"repository/postgres":          {"domain", "migrations", "repository", "repository/internal/sqlstore"},
	"memory":                       {"domain", "causality", "tiers", "prediction", "recall", "recall/index", "session", "distil", "repository", "secret", "transcript"},
	"mcp":                          {"domain", "memory"},
}

// wires are the packages that put everything together, and those that only
// tests import: they may import all.
var wires = []string{"cmd/", "bench/", "bench", "repository/repotest", "memory/memorytest", "repository/postgres/pgtest", "summarizer/ollamatest", "recall/index/indextest", "testdata/", "clients"}

// machinery never appears in the rules and the domain.
var machinery = []string{"database/sql", "net/http", "os", "log", "log/slog", "github.com/mark3labs/mcp-go"}

var rulePackages = []string{"domain", "causality", "tiers", "prediction", "recall", "session", "distil", "secret"}

type goPackage struct {
	ImportPath string
	Dir        string
	Imports    []string
	GoFiles    []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,Imports,GoFiles", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p goPackage
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// 000-01: every package imports only what the table allows, so storing, rules and doors stay
// apart and are tested alone.
func TestImportTable(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, "wake"), "/")
		if name == "" || slices.ContainsFunc(wires, func(w string) bool { return strings.HasPrefix(name+"/", w+"/") || strings.HasPrefix(name, w) }) {
			continue
		}
		allowed, known := mayImport[name]
		if !known {
			t.Errorf("package %s is not in the import table", name)
			continue
		}
		for _, imp := range p.Imports {
			own, ours := strings.CutPrefix(imp, "wake/")
			if ours && !slices.Contains(allowed, own) {
				t.Errorf("%s may not import %s", name, own)
			}
			if slices.Contains(rulePackages, name) && slices.Contains(machinery, imp) {
				t.Errorf("%s is pure and may not import %s", name, imp)
			}
		}
	}
}

// What the race detector is not run on starts no goroutine, in its tests neither.
func TestUnracedRunsNothingAtOnce(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^UNRACED := (.+)$`).FindSubmatch(makefile)
	if line == nil {
		t.Fatal("the Makefile has no line UNRACED")
	}
	for _, name := range strings.Fields(string(line[1])) {
		files, _ := filepath.Glob(name + "/*.go") // never fails: the pattern is well formed
		if len(files) == 0 {
			t.Errorf("there is no package %s", name)
		}
		for _, file := range files {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, starts := range goroutines(f) {
				t.Errorf("%s has %s", file, starts)
			}
		}
	}
}

// goroutines lists what in a file starts goroutines: go statements, and uses of what does it
// elsewhere.
func goroutines(f *ast.File) (found []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = append(found, "a go statement")
		case *ast.SelectorExpr:
			if slices.Contains([]string{"Go", "Parallel", "RunParallel", "AfterFunc", "Pipe"}, n.Sel.Name) {
				found = append(found, n.Sel.Name)
			}
		case *ast.ImportSpec:
			if path := strings.Trim(n.Path.Value, `"`); slices.Contains([]string{"net", "net/http", "net/http/httptest", "os/exec", "testing/synctest"}, path) {
				found = append(found, path)
			}
		}
		return true
	})
	return found
}

// Whatever the form, a goroutine is noticed.
func TestGoroutinesAreFound(t *testing.T) {
	for _, starts := range []string{"go f()", "go fs[0]()", "if x { go f[int](1) }", "group.Go(f)", "start := group.Go", "tt.Parallel()", "b.RunParallel(f)", "time.AfterFunc(1, f)"} {
		f, err := parser.ParseFile(token.NewFileSet(), "", "package p; func _() { "+starts+" }", 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(goroutines(f)) != 1 {
			t.Errorf("in %q there is %q", starts, goroutines(f))
		}
	}
}

// Every package says in a comment what it is for.
func TestPackageDocs(t *testing.T) {
	for _, p := range packages(t) {
		documented := len(p.GoFiles) == 0
		for _, file := range p.GoFiles {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			documented = documented || f.Doc != nil
		}
		if !documented {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}

// What lies behind the doors does not speak the language of one: where it advises, it
// gives a hint, which each door words. Only the brief is written for models alone.
func TestToolsAreNamedAtTheDoor(t *testing.T) {
	tools := regexp.MustCompile(`(save|load|search|update|forget)_context|causal_chain|memory_stats|session_report`)
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, "wake/")
		if name != "memory" && !strings.HasPrefix(name, "repository") || name == "repository/repotest" {
			continue
		}
		for _, file := range p.GoFiles {
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				text, ok := n.(*ast.BasicLit)
				if ok && text.Kind == token.STRING && tools.MatchString(text.Value) && file != "brief.go" {
					t.Errorf("%s names a tool: %s", fset.Position(text.Pos()), text.Value)
				}
				return true
			})
		}
	}
}
