package sessions

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/manage/managetest"
)

// record writes n sessions of the project.
func record(p *managetest.Person, n int) {
	p.Helper()
	paths, err := (&manage.Call{Options: p.Options}).Paths()
	if err != nil {
		p.Fatal(err)
	}
	temp, err := paths.ProjectTemp()
	if err != nil {
		p.Fatal(err)
	}
	for i := 1; i <= n; i++ {
		p.Write(filepath.Join(temp, "chats", fmt.Sprintf("session-%d.jsonl", i)), fmt.Sprintf(`{"sessionId":"s%[1]d","projectHash":"h","startTime":"2026-01-0%[1]dT00:00:00Z","lastUpdated":"2026-01-0%[1]dT00:00:00Z","kind":"main"}
{"id":"u%[1]d","timestamp":"2026-01-0%[1]dT00:00:00Z","type":"user","content":[{"text":"prompt %[1]d"}]}
{"id":"m%[1]d","timestamp":"2026-01-0%[1]dT00:00:01Z","type":"gemini","content":"answer %[1]d"}
`, i))
	}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	p.Check(Command(), []managetest.Case{
		{Line: "list", Want: "No previous sessions found", JSON: "[]"},
		{Line: "list --all", Want: "No previous sessions found."},
		{Line: "show 1", Want: "No previous sessions found", Code: exit.General},
	})
	record(p, 3)
	p.Check(Command(), []managetest.Case{
		{Line: "list", Want: "NO.  ID  LAST USED "},
		{Line: "", Want: "\n2    s2  "},
		{Line: "list --all", Want: "$DIR\n"},
		{Line: "show 2", Want: "## User\n\nprompt 2\n"},
		{Line: "show s3 --json", Want: `"prompt 3"`},
		{Line: "show latest", Want: "prompt 3"},
		{Line: "show 9", Want: `There is no session "9". To list the sessions, run: pollux sessions list`, Code: exit.General},
		{Line: "search answer", Want: "prompt 1 ("},
		{Line: "search --json answer 2", Want: "\n  Model: answer 2\n"},
		{Line: "search nothing", Want: `No session contains "nothing".`, Code: exit.General},
		{Line: "export s1 x.md", Want: "Session written to x.md."},
		{Line: "export s1 x.md", Want: "x.md exists. To overwrite it, use --force.", Code: exit.General},
		{Line: "export --force s1 x.md", Want: "Session written to x.md."},
		{Line: "export s1 x.txt", Want: "must end in .md, .json or .html", Code: exit.General},
		{Line: "export --format=pdf s1", Want: `There is no format "pdf".`, Code: exit.General},
		{Line: "export --format=html s1", Want: "<html"},
		{Line: "rewind s2", Want: "NO.  TIME "},
		{Line: "rewind s2 5", Want: "To list its prompts, run: pollux sessions rewind s2", Code: exit.General},
		{Line: "fork s2", Want: "Copied as session "},
		{Line: "rewind s2 1", Want: "Cannot rewind session s2: before its first prompt, there is nothing to keep.", Code: exit.General},
		{Line: "delete s1", Want: "Deleted session 1: prompt 1 ("},
		{Line: "delete s1", Want: `There is no session "s1".`, Code: exit.General},
		{Line: "import nowhere", Want: "Cannot import nowhere: no such file or directory.", Code: exit.General},
	})
	if text, err := os.ReadFile(filepath.Join(p.Options.Dir, "x.md")); err != nil || !strings.Contains(string(text), "prompt 1") {
		t.Errorf("%s, %v", text, err)
	}
}

// The flags of Gemini CLI print its texts.
func TestFlags(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	list, remove := &manage.Command{Run: manage.With(Here, ListPlainly)}, &manage.Command{Run: manage.With(Here, DeletePlainly)}
	p.Check(remove, []managetest.Case{{Line: "1", Want: "No sessions found for this project.", Code: exit.General}})
	record(p, 2)
	p.Check(list, []managetest.Case{{Line: "", Want: "\nAvailable sessions for this project (2):\n  1. prompt 1 ("}, {Line: "", Want: ") [s2]\n"}})
	p.Check(remove, []managetest.Case{
		{Line: "x", Want: `Invalid session identifier "x".`, Code: exit.General}, {Line: "s1", Want: "Deleted session 1: prompt 1"},
	})
	p.Check(list, []managetest.Case{{Line: "", Want: "(1):\n  1. prompt 2"}})
}
