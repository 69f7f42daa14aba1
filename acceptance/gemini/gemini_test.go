//go:build unix

// Package gemini runs Gemini CLI, as it is on npm, and Pollux in the same scenes:
// the same files, settings, variables and command lines, and a model on loopback
// that sends the same responses. The tests compare, field by field, their output and
// exit codes, the files afterwards, and the requests to the model. [table] lists the
// differences, with their reasons; docs/differences.md is made of it.
//
// The comparison runs if the variable POLLUX_COMPARE is 1, as make compare sets it, or
// 2/4, as .ci/run does: then the second quarter of the scenes is compared. It needs Node.js 20 and npm, and downloads Gemini CLI, 100 MB, once into the
// user's cache. Otherwise only the list and the scenes themselves are checked.
package gemini

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"pollux/cmd/pollux/program"
	"pollux/internal/process/processtest"
)

var (
	update = flag.Bool("update", false, "write docs/differences.md")
	show   = flag.Bool("show", false, "log what was recorded of each program")
	fresh  = flag.Bool("fresh", false, "let Gemini CLI play scenes that it has played before")
)

func TestMain(m *testing.M) {
	testscript.Main(processtest.Patient{M: m, Tests: 6}, map[string]func(){"pollux": program.Main})
}

// pollux is the program under test, which TestMain has put on the path.
var pollux = []string{"pollux"}

// sceneFiles returns the files of all scenes.
func sceneFiles(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(names) < 40 {
		t.Fatal(len(names), err)
	}
	return names
}

// TestTable checks without Gemini CLI that all scenes can be read, and that each row of
// the table is of scenes that exist.
func TestTable(t *testing.T) {
	t.Parallel()
	var scenes []string
	for _, name := range sceneFiles(t) {
		s, err := readScene(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		scenes = append(scenes, s.name)
	}
	checkTable(t, table, scenes)
}

// checkTable checks that the rows of a table are complete and of scenes that exist.
func checkTable(t *testing.T, table []allowed, scenes []string) {
	t.Helper()
	for _, a := range table {
		if a.what == "" || len(a.paths) == 0 || a.scenes == "" {
			t.Errorf("incomplete row %+v", a)
		}
		for name := range strings.FieldsSeq(a.scenes) {
			isScene := func(scene string) bool { ok, err := filepath.Match(name, scene); return ok && err == nil }
			if !slices.ContainsFunc(scenes, isScene) {
				t.Errorf("no scene %s, which the table has for: %s", name, a.what)
			}
		}
		for _, p := range a.paths {
			pattern(p) // panics if it cannot be read
		}
	}
}

func TestScenes(t *testing.T) {
	command, names := peer(t), sceneFiles(t)
	found := newTally(table)
	t.Run("all", func(t *testing.T) {
		for _, name := range names {
			s, err := readScene(name)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if !processtest.InPartOf(compareVariable, s.name) {
				continue
			}
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				left := found.unlisted(s.name, play(t, s, command, *fresh))
				if len(left) > 0 { // differences due to the load of the machine do not come twice
					left = found.unlisted(s.name, play(t, s, command, true))
				}
				for _, d := range left {
					t.Errorf("%s\n  gemini: %s\n  pollux: %s", d.path, encoded(d.gemini), encoded(d.pollux))
				}
			})
		}
	})
	if f := flag.Lookup("test.run"); os.Getenv(compareVariable) == "1" && f.Value.String() == "" && flag.Lookup("test.skip").Value.String() == "" {
		found.missed(t)
	}
}

// play lets both programs play a scene, and returns the differences.
func play(t *testing.T, s *scene, command []string, force bool) []difference {
	t.Helper()
	p := set(t, s, "p")
	theirs, ours := theirs(t, s, command, force), p.record(t, p.perform(t, s, pollux))
	if *show {
		t.Logf("gemini: %s\npollux: %s", indented(theirs), indented(ours))
	}
	return differences("", theirs, ours)
}

// tally counts the rows of a table that were found.
type tally struct {
	mu     sync.Mutex
	table  []allowed
	seen   map[[2]int]bool    // by row and path
	scenes map[[2]string]bool // by row and scene
}

func newTally(table []allowed) *tally {
	return &tally{table: table, seen: map[[2]int]bool{}, scenes: map[[2]string]bool{}}
}

// unlisted returns the differences that the table does not have.
func (f *tally) unlisted(scene string, all []difference) []difference {
	var left []difference
	for _, d := range all {
		if !f.listed(scene, d) {
			left = append(left, d)
		}
	}
	return left
}

// listed reports whether the table has a difference.
func (f *tally) listed(scene string, d difference) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	listed := false
	for i := range f.table {
		a := &f.table[i]
		for name := range strings.FieldsSeq(a.scenes) {
			if ok, err := filepath.Match(name, scene); !ok || err != nil {
				continue
			}
			for j, p := range a.paths {
				if pattern(p).MatchString(d.path) {
					f.seen[[2]int{i, j}], f.scenes[[2]string{a.what, name}], listed = true, true, true
				}
			}
		}
	}
	return listed
}

// missed fails for rows of the table that no scene needed.
func (f *tally) missed(t *testing.T) {
	for i, a := range f.table {
		if a.sometimes {
			continue
		}
		for j, p := range a.paths {
			if !f.seen[[2]int{i, j}] {
				t.Errorf("the table has a difference that is none any more: %s of %s", p, a.scenes)
			}
		}
		for name := range strings.FieldsSeq(a.scenes) {
			if !f.scenes[[2]string{a.what, name}] {
				t.Errorf("the table has a difference that is none any more: %v of %s", a.paths, name)
			}
		}
	}
}

func indented(v any) []byte {
	text, _ := json.MarshalIndent(v, "", "  ") // decoded JSON can be encoded
	return text
}

// docs/differences.md is the table.
func TestDocs(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, k := range []kind{better, words, missing} {
		b.WriteString("\n## " + string(k) + "\n\n")
		if k == words {
			b.WriteString("These texts have the same meaning in other words:\n\n")
		}
		for _, a := range table {
			if a.kind == k {
				b.WriteString("- " + a.what + "\n")
			}
		}
		if k == missing && !slices.ContainsFunc(table, func(a allowed) bool { return a.kind == missing }) {
			b.WriteString("Of what these comparisons use, nothing is missing.\n")
		}
		if k == better {
			for _, r := range repairs {
				b.WriteString("- " + r.what + "\n")
			}
		}
	}
	path := filepath.Join("..", "..", "docs", "differences.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	shown := made(t, string(page), "table_test.go", b.String())
	shown = made(t, shown, "screentable_test.go", screenDocs(t))
	switch {
	case shown == string(page):
	case *update:
		if err := os.WriteFile(path, []byte(shown), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is out of date: write it with -update", path)
	}
}

// made returns a page with another text at the place for the text that is made of a file.
func made(t *testing.T, page, file, text string) string {
	t.Helper()
	begin, end := "<!-- made of acceptance/gemini/"+file+" -->\n", "<!-- until here -->\n"
	before, rest, ok := strings.Cut(page, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("docs/differences.md has no place for %s", file)
	}
	return before + begin + text + end + after
}
