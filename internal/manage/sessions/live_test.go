package sessions

import (
	"strings"
	"testing"

	"pollux/internal/exit"
	"pollux/internal/manage/managetest"
)

func TestInSession(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	record(p, 3)
	p.Prompt("hi")
	p.Check(Command(), []managetest.Case{
		{Line: "/delete", Want: "Usage: /sessions delete <session>", Code: exit.Input},
		{Line: "/fork", Want: "Usage: /sessions fork <session>", Code: exit.Input},
		{Line: "/delete 9", Want: `There is no session "9". /resume lists the sessions.`, Code: exit.Input},
		{Line: "/delete live", Want: "Session 4 is the one that you are in. To exit and delete it, run /quit --delete.", Code: exit.Input},
		{Line: "/delete s2", Want: "Deleted session 2: prompt 2 ("},
		{Line: "/delete s2", Want: `There is no session "s2".`, Code: exit.Input},
		{Line: "/fork 1", Want: "Copied as session "},
		{Line: "/fork live", Want: ": hi"},
		{Line: "list", Want: "\n2    s3 "},
	})
	if o, err := p.Shell(Command(), "list"); err != nil || strings.Count(o.Markdown(0), "prompt 1") != 2 || strings.Count(o.Markdown(0), "  hi") != 2 || p.Session.ID() != "live" {
		t.Errorf("%s, %v", o.Markdown(0), err)
	}
}
