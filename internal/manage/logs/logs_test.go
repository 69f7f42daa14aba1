package logs

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"pollux/internal/exit"
	"pollux/internal/logs"
	"pollux/internal/manage"
	"pollux/internal/manage/managetest"
	"pollux/internal/records"
)

func TestLogs(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	paths, err := (&manage.Call{Options: p.Options}).Paths()
	if err != nil {
		t.Fatal(err)
	}
	temp, err := paths.ProjectTemp()
	if err != nil {
		t.Fatal(err)
	}
	p.Check(Command(), []managetest.Case{
		{Line: "nope", Want: "No previous sessions found", Code: exit.General}, {Line: "--since=never", Want: "Invalid --since", Code: exit.General},
	})
	p.Write(logs.Path(temp, "one"), `{"time":"2026-01-02T03:04:05Z","level":"INFO","msg":"first"}`+"\n"+`{"time":"2026-01-02T03:04:06Z","level":"INFO","msg":"second"}`+"\nbroken\n")
	lines := func(flags map[string]any, words ...string) string {
		var got []string
		c := &manage.Call{Options: p.Options, Flags: flags, Words: words, Line: func(line string) error {
			got = append(got, line)
			return nil
		}}
		o, err := Command().Run(t.Context(), c)
		if err != nil {
			t.Errorf("%v: %v", flags, err)
		}
		return strings.Join(append(got, o.Plain(0)), "\n")
	}
	if got := lines(nil); !strings.Contains(got, "first") || !strings.Contains(got, "second") || !strings.Contains(got, "broken") {
		t.Error(got)
	}
	if got := lines(map[string]any{"lines": uint(2), "json": true}, "one"); !strings.HasPrefix(got, `{"time":"2026-01-02T03:04:06Z"`) || strings.Contains(got, "broken") {
		t.Error(got)
	}
	if _, err := Command().Run(t.Context(), &manage.Call{Options: p.Options, Flags: map[string]any{"activity": true}, Words: []string{"one"}}); err == nil || err.Error() != "The log has no events." {
		t.Error(err)
	}
	many := `{"time":"2026-01-02T03:04:05Z","level":"INFO","msg":"request","name":"m","status":"main","in":4}` + "\n" +
		`{"time":"2026-01-02T03:04:07Z","level":"DEBUG","msg":"answer","took":"1.2s","prompt":99,"answered":7}` + "\n"
	for i := range 100 {
		many += fmt.Sprintf(`{"time":"2026-01-02T03:04:08Z","level":"INFO","msg":"tool call","name":"tool\u001b[2Jx%d","ms":1500,"heap":3145728,"rss":10485760}`+"\n", i)
	}
	p.Write(logs.Path(temp, "two"), many+"broken\n")
	got := lines(map[string]any{"activity": true}, "two")
	if strings.Count(got, "tool call") != 100 || strings.Contains(got, "request") || strings.Contains(got, "\x1b") || !strings.Contains(got, "x99 ") || !strings.Contains(got, "1.5s") || !strings.Contains(got, "3.0 MB  10.0 MB") {
		t.Error(got)
	}
	if got := lines(map[string]any{"activity": true, "lines": uint(1)}, "two"); strings.Count(got, "tool call") != 1 {
		t.Error(got)
	}
	p.Write(logs.ReportPath(temp, "one"), "report")
	if got := lines(nil, "one"); !strings.HasSuffix(got, "Crash report: "+logs.ReportPath(temp, "one")+"\n") {
		t.Error(got)
	}
}

// The report of a crash has the cause without secrets, and the last events.
func TestProgram(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`, "OPENAI_API_KEY=sk-secret-value")
	program := &Program{Env: p.Options.Env, Version: func() string { return "1.2.3" }}
	program.Signalled("interrupt")
	program.Recent.Record(records.SessionBegan{ID: "s1"})
	cause, summary := program.Cause(errors.New("it has sk-secret-value.\nmore"))
	if strings.Contains(cause+summary, "secret-value") || strings.HasSuffix(summary, ".") || summary == "" {
		t.Errorf("%q, %q", cause, summary)
	}
	path, err := program.Write(cause, []byte("goroutine 1"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(strings.Replace(path, "~", p.Home, 1))
	for _, want := range []string{"it has ", "1.2.3", "goroutine 1", "interrupt", "s1"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the report does not have %q: %s, %v", want, text, err)
		}
	}
}
