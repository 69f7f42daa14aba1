package conversation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/exit"
	"pollux/internal/manage/managetest"
)

// edits is a model that writes a file for each of the first prompts, and then says something.
const edits = `turn
  call write_file {"file_path": "a.txt", "content": "one\n"}
turn
  text Wrote one.
turn
  call write_file {"file_path": "a.txt", "content": "two\n"}
turn
  text Wrote two.
`

func newEdited(t *testing.T) *managetest.Person {
	p := managetest.New(t, `{"general":{"defaultApprovalMode":"auto_edit"}}`)
	p.Script = edits
	p.Prompt("first")
	p.Prompt("second")
	return p
}

func read(p *managetest.Person) string {
	text, err := os.ReadFile(filepath.Join(p.Options.Dir, "a.txt"))
	if err != nil {
		return ""
	}
	return string(text)
}

func TestRewindArguments(t *testing.T) {
	t.Parallel()
	rewind := command(t, "rewind")
	for _, c := range []struct {
		text, want, file, draft string
		prompts                 int
		isCopy                  bool
	}{
		{"2 --files=keep", "Rewound to the state before: second", "two\n", "second", 1, false},
		{"2 --files=revert", "File changes reverted: a.txt.\nRewound to the state before: second", "one\n", "second", 1, false},
		{"1 --files=revert", "File changes reverted: a.txt.\nRewound to the state before: first", "", "first", 0, false},
		{"--files=only 2", "File changes reverted: a.txt.", "one\n", "", 2, false},
		{"2 --files=keep --copy", "Continuing in a copy of the session, in the state before: second\nTo return", "two\n", "second", 1, true},
		{"--copy 2 --files=revert", "File changes reverted: a.txt.\nContinuing in a copy", "one\n", "second", 1, true},
		{"ID --files=keep", "Rewound to the state before: second", "two\n", "second", 1, false},
	} {
		p := newEdited(t)
		id := p.Session.Prompts()[1].ID
		o, next, err := p.Slash(rewind, "", strings.Replace(c.text, "ID", id, 1))
		if got := o.Markdown(0); err != nil || !strings.HasPrefix(got, c.want) || next.Draft != c.draft {
			t.Errorf("%s: %q, draft %q, %v", c.text, got, next.Draft, err)
		}
		if got := read(p); got != c.file || len(p.Session.Prompts()) != c.prompts || (p.Session.ID() != "live") != c.isCopy {
			t.Errorf("%s: the file is %q, the session %s has %d prompts", c.text, got, p.Session.ID(), len(p.Session.Prompts()))
		}
	}
}

func TestRewindMisuse(t *testing.T) {
	t.Parallel()
	p := newEdited(t)
	p.Write("a.txt", "mine\n")
	p.Check(command(t, "rewind"), []managetest.Case{
		{Line: "/3 --files=keep", Want: `There is no prompt "3". This conversation has prompts from 1 to 2.`, Code: exit.Input},
		{Line: "/0 --files=keep", Want: `There is no prompt "0".`, Code: exit.Input},
		{Line: "/-1 --files=keep", Want: "Usage: /rewind [prompt]", Code: exit.Input},
		{Line: "/1 2", Want: "Usage: /rewind [prompt] [--files=keep|revert|only] [--copy]", Code: exit.Input},
		{Line: "/1 --file=keep", Want: "Usage: ", Code: exit.Input},
		{Line: "/1 --files=all", Want: "--files must be keep, revert or only.", Code: exit.Input},
		{Line: "/1 --files=only --copy", Want: "--files=only leaves the conversation as it is. Remove --copy.", Code: exit.Input},
		{Line: "/2 --files=only", Want: "Not reverted: a.txt (it has changed since)."},
	})
	if read(p) != "mine\n" || len(p.Session.Prompts()) != 2 {
		t.Errorf("the file is %q, there are %d prompts", read(p), len(p.Session.Prompts()))
	}
	p.Check(command(t, "rewind"), []managetest.Case{{Line: "/1 --copy --files=keep", Want: "Continuing in a copy"}, {Line: "/1 --files=only", Want: "Nothing to rewind to."}})
}

// The user is asked for the rest.
func TestRewindAsks(t *testing.T) {
	t.Parallel()
	for text, answers := range map[string][]string{
		"":                {"second", "Rewind", "Yes"},
		"2":               {"Rewind", "Yes"},
		"2 --copy":        {"Yes"},
		"--files=revert":  {"second"},
		"--copy":          {"second", "Yes"},
		" 2 \t--copy":     {"Yes"},
		"2 --files=keep ": nil,
	} {
		p := newEdited(t)
		p.Answers = answers
		_, next, err := p.Slash(command(t, "rewind"), "", text)
		want := "one\n"
		if strings.Contains(text, "keep") {
			want = "two\n"
		}
		if err != nil || next.Draft != "second" || read(p) != want || len(p.Answers) > 0 {
			t.Errorf("%q: %+v, %v, %q, not used: %q", text, next, err, read(p), p.Answers)
		}
	}
}

// A script names all.
func TestRewindScript(t *testing.T) {
	t.Parallel()
	p := newEdited(t)
	asker := p.Session.Project.Options.Asker
	p.Session.Project.Options.Asker = nil
	defer func() { p.Session.Project.Options.Asker = asker }()
	rewind := command(t, "rewind")
	for _, text := range []string{"", "2", "--files=keep", "2 --copy"} {
		if _, _, err := p.Slash(rewind, "", text); exit.CodeOf(err) != exit.Input || !strings.Contains(err.Error(), "/rewind 1 --files=keep") {
			t.Errorf("%q: %v", text, err)
		}
	}
	o, _, err := p.Slash(rewind, "", "2 --files=revert")
	if got := o.Markdown(0); err != nil || got != "File changes reverted: a.txt.\nRewound to the state before: second" || read(p) != "one\n" {
		t.Errorf("%q, %v, %q", got, err, read(p))
	}
}
