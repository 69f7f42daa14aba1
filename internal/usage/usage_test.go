package usage

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pollux/internal/sessions"
	"pollux/internal/terminal"
	"pollux/llm/catalog"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// source returns a project with these session files.
func source(t testing.TB, project string, files ...string) Source {
	t.Helper()
	s := Source{Project: project, Store: &sessions.Store{Dir: t.TempDir()}}
	for i, content := range files {
		must(t, os.WriteFile(filepath.Join(s.Store.Dir, fmt.Sprintf("session-%d.jsonl", i)), []byte(content), 0o600))
	}
	return s
}

// session returns a session file with a prompt, a response and a call of a tool.
func session(id, model, at string, tokens int) string {
	return fmt.Sprintf(`{"sessionId":%q,"projectHash":"h","startTime":"%[3]s.000Z","lastUpdated":"%[3]s.000Z","kind":"main"}
{"id":"u","timestamp":"%[3]s.000Z","type":"user","content":[{"text":"prompt of %[1]s"}]}
{"id":"m","timestamp":"%[3]s.500Z","type":"gemini","content":"ok","tokens":{"input":%[4]d,"output":%[4]d,"thoughts":%[4]d,"total":%[5]d},"model":%[2]q}
{"id":"r_calls","timestamp":"%[3]s.700Z","type":"info","content":"","toolCalls":[{"id":"c","name":"tool-%[2]s","status":"success","durationMs":2500,"resultDisplay":{"diffStat":{"model_added_lines":4}}}]}
`, id, model, at, tokens, 3*tokens)
}

// price is a dollar for a million tokens of cheap, and two of dear.
func price(model string) *catalog.Price {
	switch model {
	case "cheap":
		return &catalog.Price{Input: 1, Output: 1}
	case "dear":
		return &catalog.Price{Input: 2, Output: 2}
	}
	return nil
}

func sources(t testing.TB) []Source {
	return []Source{
		source(
			t, "/p/one",
			session("a", "cheap", "2026-11-19T23:30:00", 1e6),
			session("b", "dear", "2026-11-21T12:00:00", 1e6),
			session("b", "cheap", "2026-11-21T12:10:00", 1e6),
		),
		source(t, "/p/two", session("c", "free", "2026-11-20T12:00:00", 2e6)),
	}
}

func collect(t testing.TB, q Query) *Report {
	t.Helper()
	if q.Zone == nil {
		q.Zone = time.UTC
	}
	q.Price = price
	r, err := Collect(t.Context(), sources(t), q)
	must(t, err)
	return r
}

func TestCollect(t *testing.T) {
	t.Parallel()
	tests := []struct {
		by   By
		want []string // name, sessions, prompts, tokens, calls, cost
	}{
		{Day, []string{"2026-11-19 1 1 3000000 1 $3.00", "2026-11-20 1 1 6000000 1 unknown", "2026-11-21 1 2 6000000 2 $9.00"}},
		{Session, []string{"b 1 2 6000000 2 $9.00", "a 1 1 3000000 1 $3.00", "c 1 1 6000000 1 unknown"}},
		{Project, []string{"/p/one 2 3 9000000 3 $12.00", "/p/two 1 1 6000000 1 unknown"}},
		{Model, []string{"cheap 2 0 6000000 2 $6.00", "dear 1 0 3000000 1 $6.00", "free 1 0 6000000 1 unknown"}},
		{Tool, []string{"tool-cheap 2 0 0 2 $0.00", "tool-dear 1 0 0 1 $0.00", "tool-free 1 0 0 1 $0.00"}},
	}
	for _, tt := range tests {
		t.Run(string(tt.by), func(t *testing.T) {
			t.Parallel()
			r := collect(t, Query{By: tt.by})
			var got []string
			calls := 0
			for _, row := range r.Rows {
				got = append(got, fmt.Sprintln(row.Name, row.Sessions, row.Prompts, row.Tokens.Total, row.Calls, row.Cost))
				got[len(got)-1] = strings.TrimSpace(got[len(got)-1])
				calls += row.Calls
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if r.Total.Calls != calls || r.Total.Sessions != 3 || r.Total.Added != 16 || r.Total.ToolTime != 10_000 {
				t.Errorf("total %+v", r.Total)
			}
		})
	}
	r := collect(t, Query{By: Session})
	if r.Rows[0].Title != "prompt of b" || r.Rows[0].Project != "/p/one" || r.Total.Cost.String() != "$12.00+" || !slices.Equal(r.Unpriced, []string{"free"}) {
		t.Errorf("%+v, total %v, unpriced %q", r.Rows[0], r.Total.Cost, r.Unpriced)
	}
}

// A request whose tokens are not reported makes the cost unknown, even of a model with a price.
func TestUnknownTokens(t *testing.T) {
	t.Parallel()
	file := session("a", "cheap", "2026-11-21T12:00:00", 1e6) + `{"id":"x","timestamp":"2026-11-21T12:00:05.000Z","type":"gemini","content":"ok","tokens":null,"model":"cheap"}` + "\n"
	r, err := Collect(t.Context(), []Source{source(t, "/p", file)}, Query{By: Model, Zone: time.UTC, Price: price})
	must(t, err)
	if got := r.Total.Cost; got != (Cost{USD: 3, Unknown: 1}) || len(r.Unpriced) > 0 || got.String() != "$3.00+" {
		t.Errorf("%+v, unpriced %q", got, r.Unpriced)
	}
}

// Days begin at midnight of the zone, and a period keeps the days between.
func TestDays(t *testing.T) {
	t.Parallel()
	kathmandu := time.FixedZone("NPT", (5*60+45)*60)
	r := collect(t, Query{By: Day, Zone: kathmandu})
	if r.Rows[0].Name != "2026-11-20" || r.Rows[0].Sessions != 2 || len(r.Rows) != 2 {
		t.Errorf("%+v", r.Rows)
	}
	for _, tt := range []struct {
		since, until string
		sessions     int
	}{
		{"2026-11-20", "", 2},
		{"", "2026-11-20", 2},
		{"2026-11-20", "2026-11-20", 1},
		{"today", "", 1},
		{"yesterday", "", 2},
		{"yesterday", "yesterday", 1},
		{"1d", "", 1},
		{"3d", "", 3},
		{"1w", "2d", 2},
		{"1m", "", 3},
		{"9h", "", 1},
		{"8h", "", 0},
	} {
		now := time.Date(2026, 11, 21, 21, 0, 0, 0, time.UTC)
		period, err := ParsePeriod(tt.since, tt.until, now)
		must(t, err)
		if got := collect(t, Query{By: Day, Period: period}).Total.Sessions; got != tt.sessions {
			t.Errorf("%q to %q: %d sessions, want %d", tt.since, tt.until, got, tt.sessions)
		}
	}
}

func TestParsePeriodErrors(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 21, 0, 0, 0, time.UTC)
	const help = ` is no time. Use a date such as 2026-11-21, today, yesterday, or an age such as 12h, 7d, 4w or 6m.`
	for _, tt := range []struct{ since, until, want string }{
		{"x", "", `"x"` + help},
		{"", "d", `"d"` + help},
		{"0d", "", `"0d"` + help},
		{"-1d", "", `"-1d"` + help},
		{"1y", "", `"1y"` + help},
		{"99999999999d", "", `"99999999999d"` + help},
		{"2026-13-01", "", `"2026-13-01"` + help},
		{"\x1b[2J", "", `""` + help},
		{"2026-11-21", "2026-11-20", `The period ends on "2026-11-20", before it begins on "2026-11-21".`},
	} {
		if _, err := ParsePeriod(tt.since, tt.until, now); err == nil || err.Error() != tt.want {
			t.Errorf("%q to %q: %v", tt.since, tt.until, err)
		}
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	for _, kind := range Kinds {
		r := collect(t, Query{By: By(kind)})
		r.Rows[0].Name = strings.Repeat("long ", 30)
		head, rows := r.Table(func(dir string) string { return "~" + dir })
		text := terminal.Table(head, rows, 80)
		for line := range strings.Lines(text) {
			if n := terminal.Width(strings.TrimSuffix(line, "\n")); n > 80 && kind != string(Day) {
				t.Errorf("a line of %s has %d columns: %s", kind, n, line)
			}
		}
		if total := rows[len(rows)-1]; !slices.Contains(total, "Total") {
			t.Errorf("%s ends with %q", kind, total)
		}
	}
	head, rows := collect(t, Query{By: Day}).Table(nil)
	const want = `DAY         PROMPTS  INPUT  CACHED  OUTPUT  CALLS  LINES   TIME   COST
2026-11-19  1        1M     -       2M      1      +4 -0   3.0s   $3.00
2026-11-20  1        2M     -       4M      1      +4 -0   3.0s   unknown
2026-11-21  2        2M     -       4M      2      +8 -0   6.0s   $9.00
Total       4        5M     -       10M     4      +16 -0  12.0s  $12.00+
`
	if got := terminal.Table(head, rows, 80); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestNotes(t *testing.T) {
	t.Parallel()
	r := collect(t, Query{By: Day})
	if got := r.Notes(); got != "Costs are estimates at list prices. The price of these models is unknown: free." {
		t.Error(got)
	}
	r.Unpriced = []string{"1", "2", "3\x1b[2J", "4", "5", "6"}
	if got := r.Notes(); !strings.HasSuffix(got, ": 1, 2, 3, 4, 5 and 1 more.") {
		t.Error(got)
	}
	r.Unpriced = nil
	if got := r.Notes(); got != "Costs are estimates at list prices." {
		t.Error(got)
	}
	if got := collect(t, Query{By: Tool}).Notes(); got != "" {
		t.Error(got)
	}
}

func TestChart(t *testing.T) {
	t.Parallel()
	r := collect(t, Query{By: Day})
	const ascii = `Tokens by day
2026-11-19  ########### 3M
2026-11-20  ###################### 6M
2026-11-21  ###################### 6M
`
	if got := r.Chart(37, false); got != ascii {
		t.Errorf("got\n%s", got)
	}
	r.Total.Cost.Unknown = 0 // and two days without use
	r.Rows[0].Name = "2026-11-17"
	const blocks = `Cost by day
2026-11-17  ██████▍ $3.00
2026-11-18
2026-11-19
2026-11-20
2026-11-21  ███████████████████ $9.00
`
	if got := r.Chart(39, true); got != blocks {
		t.Errorf("got\n%s", got)
	}
	for i := range 400 {
		r.Rows = append(r.Rows, Row{Name: time.Date(2026, 11, 22+i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly), Cost: Cost{USD: float64(i)}})
	}
	if got := strings.Count(r.Chart(80, true), "\n"); got != maxBars+1 {
		t.Errorf("%d lines", got)
	}
	for _, none := range []string{r.Chart(20, true), r.Chart(0, true), collect(t, Query{By: Model}).Chart(80, true)} {
		if none != "" {
			t.Error(none)
		}
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	for _, kind := range Kinds {
		data, err := json.Marshal(collect(t, Query{By: By(kind)}).JSON())
		must(t, err)
		var got struct {
			By   string
			Rows []map[string]any
		}
		must(t, json.Unmarshal(data, &got))
		if got.By != kind || len(got.Rows) == 0 || got.Rows[0][kind] == nil {
			t.Errorf("%s", data)
		}
	}
	r := collect(t, Query{By: Project})
	r.Rows[0].Cost.USD = math.Pi
	data, err := json.Marshal(r.JSON())
	must(t, err)
	for _, want := range []string{
		`"project":"/p/one"`, `"cost":3.141593,"costAtLeast":3.141593,"modelMs":1500,"toolMs":7500`, `"cost":null,"costAtLeast":0`, `"unpricedModels":["free"]`,
		`"firstUsed":"2026-11-19T23:30:00Z","lastUsed":"2026-11-21T12:00:00Z"`,
	} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%s is not in %s", want, data)
		}
	}
}

// BenchmarkCollect sums up 10,000 sessions, with an index and without.
func BenchmarkCollect(b *testing.B) {
	const n = 10_000
	files := make([]string, n)
	for i := range files {
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * 47 * time.Minute).Format("2006-01-02T15:04:05")
		files[i] = session(fmt.Sprint(i), "cheap", at, 1e6) + strings.Repeat(`{"id":"r","timestamp":"2026-11-21T12:00:03.000Z","type":"user","content":[{"functionResponse":{"id":"c","name":"f","response":{"output":"x"}}}]}`+"\n", 50)
	}
	s := []Source{source(b, "/p", files...)}
	for _, isIndexed := range []bool{false, true} {
		b.Run(fmt.Sprintf("index=%t", isIndexed), func(b *testing.B) {
			for b.Loop() {
				if !isIndexed {
					_ = os.Remove(filepath.Join(s[0].Store.Dir, ".pollux-usage.jsonl"))
				}
				r, err := Collect(b.Context(), s, Query{By: Day, Zone: time.UTC, Price: price})
				must(b, err)
				if r.Total.Sessions != n {
					b.Fatal(r.Total.Sessions)
				}
			}
		})
	}
}
