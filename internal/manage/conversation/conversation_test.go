package conversation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/manage/managetest"
)

// command returns the row with a name.
func command(t *testing.T, name string) *manage.Command {
	for _, c := range Commands() {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("there is no /%s", name)
	return nil
}

func TestTags(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	chat := command(t, "chat")
	p.Check(chat, []managetest.Case{
		{Line: "/", Want: "No other sessions in this project.\nNo saved conversation checkpoints found.\n\n    /chat list "},
		{Line: "/list", Want: "No saved conversation checkpoints found."},
		{Line: "/save x", Want: "No conversation found to save.", Code: exit.Input},
		{Line: "/save", Want: "Missing tag. Usage: /resume save <tag>", Code: exit.Input},
		{Line: "/resume", Want: "Missing tag. Usage: /resume resume <tag>", Code: exit.Input},
		{Line: "/delete", Want: "Missing tag. Usage: /resume delete <tag>", Code: exit.Input},
	})
	p.Prompt("hi")
	p.Check(chat, []managetest.Case{
		{Line: "/save one", Want: "Conversation checkpoint saved with tag: one."},
		{Line: "/save one", Want: "Nothing saved."},
		{Line: "/list", Want: "Saved conversations:\n  one ("},
		{Line: "/resume two", Want: "No saved checkpoint found with tag: two.", Code: exit.Input},
		{Line: "/resume one", Want: "Resumed the conversation with tag: one (messages: 2)."},
		{Line: "/delete one", Want: "Conversation checkpoint 'one' has been deleted."},
		{Line: "/delete one", Want: "No checkpoint found with tag 'one'.", Code: exit.Input},
	})
}

func TestExport(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	export := command(t, "export-session")
	p.Check(export, []managetest.Case{{Line: "/x.md", Want: "No conversation found to save.", Code: exit.Input}})
	p.Prompt("hi")
	p.Check(export, []managetest.Case{
		{Line: "/", Want: "Enter a file name", Code: exit.Input},
		{Line: "/x.txt", Want: "Invalid file format.", Code: exit.Input},
		{Line: "/x.md", Want: "Session exported to $DIR/x.md"},
		{Line: "/x.md", Want: "Nothing written."},
		{Line: "/x.json", Want: "Session exported to $DIR/x.json"},
	})
	p.Answers = []string{"Yes"}
	p.Check(command(t, "chat"), []managetest.Case{{Line: "/share x.json", Want: "Conversation shared to $DIR/x.json"}})
	for name, want := range map[string]string{"x.md": "## User\n\nhi\n", "x.json": `"role": "model"`} {
		if text, err := os.ReadFile(filepath.Join(p.Options.Dir, name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
}

// A session that goes on replaces the conversation, and the face shows where it stands.
func TestResume(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	temp, err := p.Open().Project.Paths.ProjectTemp()
	if err != nil {
		t.Fatal(err)
	}
	p.Write(filepath.Join(temp, "chats", "session-1.jsonl"), `{"sessionId":"old","projectHash":"h","startTime":"2026-01-01T00:00:00Z","lastUpdated":"2026-01-01T00:00:00Z","kind":"main"}
{"id":"u","timestamp":"2026-01-01T00:00:00Z","type":"user","content":[{"text":"earlier"}]}
{"id":"m","timestamp":"2026-01-01T00:00:01Z","type":"gemini","content":"answer"}
`)
	p.Check(command(t, "chat"), []managetest.Case{
		{Line: "/", Want: "The conversation stays as it is."},
		{Line: "/7", Want: `There is no session "7". /resume lists the sessions`, Code: exit.Input},
	})
	p.Answers = []string{"1"}
	if o, next, err := p.Slash(command(t, "chat"), "", ""); err != nil || o.Parts != nil || next.Recap == nil || p.Session.ID() != "old" {
		t.Errorf("%+v, %+v, %v", o, next, err)
	}
	p.Check(command(t, "chat"), []managetest.Case{{Line: "/old", Want: "No other sessions in this project."}})
	p.Prompt("more")
	p.Answers = []string{"more", "Continue in a copy"}
	if o, next, err := p.Slash(command(t, "rewind"), "", ""); err != nil || next.Draft != "more" || p.Session.ID() == "old" || !strings.Contains(o.Markdown(0), "pollux --resume old") {
		t.Errorf("%s, %+v, %v", o.Markdown(0), next, err)
	}
}

func TestConversation(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	p.Check(command(t, "compress"), []managetest.Case{
		{Line: "/", Want: "Nothing to compress."}, {Line: "/" + strings.Repeat("x", 2001), Want: "too long", Code: exit.Input},
	})
	p.Check(command(t, "copy"), []managetest.Case{{Line: "/", Want: "No output in history"}, {Line: "/0", Want: "Enter a number", Code: exit.Input}})
	p.Check(command(t, "rewind"), []managetest.Case{{Line: "/", Want: "Nothing to rewind to."}})
	p.Check(command(t, "restore"), []managetest.Case{{Line: "/", Want: "No restorable tool calls found."}})
	p.Check(command(t, "prompts"), []managetest.Case{{Line: "/", Want: "No earlier prompts found."}})
	p.Prompt("hi")
	p.Check(command(t, "context"), []managetest.Case{
		{Line: "/", Want: "gemini-2.5-flash has "}, {Line: "/", Want: "tokens of 1,048,576 ("}, {Line: "/", Want: "\n    Free "}, {Line: "/", Want: "\n\nThese numbers are estimates."},
	})
	p.Check(command(t, "rewind"), []managetest.Case{{Line: "/", Want: "The conversation stays as it is."}})
	p.Answers = []string{"hi", "Rewind"}
	if o, next, err := p.Slash(command(t, "rewind"), "", ""); err != nil || next.Draft != "hi" || o.Markdown(0) != "Rewound to the state before: hi" {
		t.Errorf("%s, %+v, %v", o.Markdown(0), next, err)
	}
	if _, next, err := p.Slash(command(t, "clear"), "", ""); err != nil || !next.Clear || p.Session.ID() == "live" {
		t.Errorf("%+v, %v", next, err)
	}
	p.Check(command(t, "quit"), []managetest.Case{{Line: "/now", Want: "Use /quit, or /quit --delete", Code: exit.Input}})
	if o, next, err := p.Slash(command(t, "quit"), "", "--delete"); err != nil || !next.Quit || o.Parts != nil || !p.Session.Record.IsUnwanted() {
		t.Errorf("%+v, %+v, %v", o, next, err)
	}
}

// A prompt is chosen by its label, which is short and its own.
func TestEarlierPrompts(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	log := p.Open().PromptLog
	for _, text := range []string{"/prompts", "the  first", "second", "the first"} {
		log.Add("live", text)
	}
	for answer, want := range map[string]string{"the first": "the first", "the first (3)": "the  first", "second": "second", "third": ""} {
		p.Answers = []string{answer}
		if _, next, err := p.Slash(command(t, "prompts"), "", ""); err != nil || next.Draft != want {
			t.Errorf("%q: %+v, %v", answer, next, err)
		}
	}
	p.Answers = []string{"second"}
	if _, next, _ := p.Slash(command(t, "prompts"), "", "FIRST"); next.Draft != "" {
		t.Errorf("%q does not have the text", next.Draft)
	}
}

func TestAside(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	p.Check(command(t, "btw"), []managetest.Case{
		{Line: "/", Want: "Usage: /btw <question>", Code: exit.Input},
		{Line: "/  ", Want: "Usage: /btw <question>", Code: exit.Input},
	})
}
