package stats

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/manage/managetest"
)

func TestStats(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	p.Script = "turn\n  text Hello.\n  usage prompt=12345 candidates=20 cached=345\n"
	p.Check(command(), []managetest.Case{
		{Line: "--json", Want: "No usage found for this project. To include all projects, use --all."},
		{Line: "--all", Want: "No usage found."},
		{Line: "--since=7d", Want: "No usage found for this project in this period."},
		{Line: "--by=moon", Want: `There are no statistics by "moon". Choose one of:`, Code: exit.General},
		{Line: "--since=never", Want: `"never" is no time.`, Code: exit.General},
		{Line: "/", Want: "Session Stats\n\n    Session ID    live\n"},
		{Line: "/model", Want: "No API calls have been made in this session."},
		{Line: "/tools", Want: "No tool calls have been made in this session."},
		{Line: "/days", Want: "No usage found."},
		{Line: "/days never", Want: `"never" is no time.`, Code: exit.Input},
	})
	cost := Commands()[1]
	p.Check(cost, []managetest.Case{{Line: "/", Want: "No cost: no requests were sent in this session."}})
	p.Prompt("hi")
	p.Check(command(), []managetest.Case{
		{Line: "/session", Want: "\n\n    Model             Reqs  Input Tokens  Cache Reads  Output Tokens\n    gemini-2.5-flash  1     12,345        345          20\n"},
		{Line: "/model", Want: "Model Stats For Nerds\n\n    Metric "},
		{Line: "/model", Want: "345 (2.8%)"},
	})
	p.Check(cost, []managetest.Case{{Line: "/", Want: "\n\nTotal cost unknown: no price for some models."}})
	if text := Farewell(p.Session, 0); !strings.HasPrefix(text, "Agent powering down. Goodbye!\n\n    Session ID ") || !strings.HasSuffix(text, "\n\n"+ResumeHint(p.Session)) {
		t.Error(text)
	}
	p.Session.Record.DeleteAtEnd()
	if text := Farewell(p.Session, 0); !strings.HasSuffix(text, "\n\nDeleting this session.") || ResumeHint(p.Session) != "" {
		t.Error(text)
	}
}

func TestUsage(t *testing.T) {
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
	for i, model := range []string{"gemini-2.5-flash", "other"} {
		p.Write(filepath.Join(temp, "chats", fmt.Sprintf("session-%d.jsonl", i)), fmt.Sprintf(`{"sessionId":"s%[1]d","projectHash":"h","startTime":"2026-01-02T00:00:00Z","kind":"main"}
{"id":"u","timestamp":"2026-01-02T00:00:00Z","type":"user","content":[{"text":"prompt %[1]d"}]}
{"id":"m","timestamp":"2026-01-02T00:00:01Z","type":"gemini","content":"ok","tokens":{"input":1000,"total":1000},"model":"%[2]s"}
`, i, model))
	}
	p.Check(command(), []managetest.Case{
		{Line: "", Want: "2026-01-02"},
		{Line: "--by=model", Want: "unknown   other\n"},
		{Line: "--by=session", Want: "prompt 1\n"},
		{Line: "--by=project", Want: "$DIR"},
		{Line: "--since=2026-01-03", Want: "No usage found"},
		{Line: "--project=nowhere", Want: "No usage found"},
		{Line: "/days", Want: "    2026-01-02  2"},
		{Line: "/projects", Want: "$DIR\n"},
		{Line: "/sessions 2026-01-03", Want: "No usage found."},
	})
}
