//go:build unix

package disasters

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// agents are in the order of their columns.
var agents = []agent{pollux, claude, opencode, codex, geminiCLI}

// results are the outcomes of all agents on a day.
type results struct {
	Date     string                        `json:"date"`
	Versions map[string]string             `json:"versions"` // by the name of the npm package
	Outcomes map[string]map[string]outcome `json:"outcomes"` // by agent and disaster
}

const resultsFile = "testdata/results.json"

func newResults(t *testing.T) *results {
	t.Helper()
	r := &results{Date: time.Now().Format(time.DateOnly), Versions: versions(t), Outcomes: map[string]map[string]outcome{}}
	for _, a := range agents {
		r.Outcomes[a.name] = map[string]outcome{}
	}
	return r
}

func readResults(t *testing.T) *results {
	t.Helper()
	r := newResults(t)
	data, err := os.ReadFile(resultsFile)
	if err == nil {
		err = json.Unmarshal(data, r)
	}
	if err != nil && !*update {
		t.Fatal(err)
	}
	return r
}

// of returns the outcomes of an agent by disaster.
func (r *results) of(agent string) map[string]outcome { return r.Outcomes[agent] }

func (r *results) write(t *testing.T) {
	t.Helper()
	data, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = os.WriteFile(resultsFile, append(data, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// String returns a cell of the table.
func (o outcome) String() string {
	if o.Refused {
		return "not run: it refuses the command"
	}
	cell := "everything"
	switch {
	case o.Lost == 0:
		return "unknown"
	case len(o.Missing) == o.Lost:
		cell = "nothing"
	case len(o.Missing) > 0:
		cell = fmt.Sprintf("%d of %d paths", o.Lost-len(o.Missing), o.Lost)
	}
	if len(o.Harmed) > 0 {
		cell += ", and damages `" + strings.Join(o.Harmed, "`, `") + "`"
	}
	return cell
}

// TestCell checks the words for outcomes.
func TestCell(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]outcome{
		"everything":                      {Lost: 2},
		"nothing":                         {Lost: 2, Missing: []string{"a", "b"}},
		"1 of 2 paths":                    {Lost: 2, Missing: []string{"a"}},
		"not run: it refuses the command": {Refused: true},
		"everything, and damages `.e`":    {Lost: 1, Harmed: []string{".e"}},
		"unknown":                         {},
	} {
		if got := o.String(); got != want {
			t.Errorf("%+v: %s, want %s", o, got, want)
		}
	}
}

// TestJudge tells paths that came back from those that did not, and from those that an undo damaged.
func TestJudge(t *testing.T) {
	t.Parallel()
	before := map[string]string{"a": "1", "b": "1", "c": "1", "d": "1"}
	after := map[string]string{"a": "2", "c": "1", "d": "1", "new": "1"}
	got := map[string]string{"a": "1", "c": "2", "d": "1", "new": "1", "more": "1"}
	o := judge(before, after, got)
	if want := (outcome{Lost: 3, Missing: []string{"b", "new"}, Harmed: []string{"c", "more"}}); fmt.Sprint(o, o.Lost) != fmt.Sprint(want, want.Lost) || fmt.Sprint(o.Missing, o.Harmed) != fmt.Sprint(want.Missing, want.Harmed) {
		t.Errorf("%+v, want %+v", o, want)
	}
}

// table is the comparison as Markdown.
func (r *results) table(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	head, line := "| Disaster |", "| --- |"
	for _, a := range agents {
		head += strings.TrimRight(" "+a.name+" "+r.Versions[a.pkg], " ") + " |"
		line += " --- |"
	}
	fmt.Fprintf(&b, "\n%s\n%s\n", head, line)
	for _, d := range compared() {
		fmt.Fprintf(&b, "| %s |", d.Row)
		for _, a := range agents {
			o, ok := r.of(a.name)[d.Name]
			if !ok {
				t.Errorf("%s has no outcome of %s: run make compare-agents with -update", resultsFile, d.Name)
			}
			fmt.Fprintf(&b, " %s |", o)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "\nCompared on %s. What was used as undo:\n\n", r.Date)
	for _, a := range agents {
		fmt.Fprintf(&b, "- %s: %s\n", a.name, a.undo)
	}
	return b.String()
}

// TestDocs checks that docs/undo.md has the recorded outcomes.
func TestDocs(t *testing.T) {
	t.Parallel()
	const begin, end = "<!-- made of acceptance/disasters/testdata/results.json -->\n", "\n<!-- until here -->\n"
	r := readResults(t)
	if now := versions(t); fmt.Sprint(now) != fmt.Sprint(r.Versions) {
		t.Errorf("%s is about other versions: run make compare-agents with -update", resultsFile)
	}
	path := filepath.Join("..", "..", "docs", "undo.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", path)
	}
	page := before + begin + r.table(t) + end + after
	switch {
	case page == string(data):
	case *update:
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is out of date: write it with -update", path)
	}
}
