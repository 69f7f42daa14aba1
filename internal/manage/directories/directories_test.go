package directories

import (
	"fmt"
	"strings"
	"testing"

	"pollux/internal/exit"
	"pollux/internal/manage/managetest"
)

func TestDirectories(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	p.Write("a file", "")
	p.Write("$", "")
	p.Write(p.Home+"/other, one/x", "")
	p.Check(Command(), []managetest.Case{
		{Line: "/show", Want: "Workspace directories:\n\n- $DIR"},
		{Line: "/add", Want: "Enter one or more directories", Code: exit.Input},
		{Line: "/add ~/other, one", Want: "No directory added."},
		{Line: "/show", Want: "Workspace directories:\n\n- $DIR"},
		{Line: "/add a file", Want: "$DIR/a file was not added: it is not a directory."},
		{Line: "/add nowhere", Want: "Cannot add $DIR/nowhere: no such file or directory"},
	})
	p.Answers = []string{"Yes"}
	p.Check(Command(), []managetest.Case{
		{Line: "/add ~/other, one", Want: "Added $HOME/other, one to the workspace."},
		{Line: "/show", Want: "- $DIR\n- $HOME/other, one"},
	})
	for _, tt := range [][2]string{{"restrictive-open", "Cannot add directories inside a sandbox."}, {"permissive-open", "is not a directory"}} {
		profile, want := tt[0], tt[1]
		p.Session.Project.Options.Env = p.Session.Project.Options.Env.With("SANDBOX=sandbox-exec", "SEATBELT_PROFILE="+profile)
		o, _, err := p.Slash(Command(), "add", "a file")
		if text := fmt.Sprint(o.Markdown(0), err); !strings.Contains(text, want) {
			t.Errorf("%s: %s", profile, text)
		}
	}
	if o, _, err := p.Slash(Command(), "add", "nowhere"); err != nil || !o.Failed {
		t.Errorf("%+v, %v", o, err)
	}
}
