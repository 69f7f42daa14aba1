package tools

import (
	"strings"
	"testing"

	"pollux/internal/exit"
	"pollux/internal/manage/managetest"
)

func TestTools(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{"tools": {"core": ["read_file", "glob"]}}`)
	tasks, tools := Commands()[0], Commands()[1]
	p.Check(tasks, []managetest.Case{
		{Line: "/", Want: "No background commands."},
		{Line: "/list", Want: "No background commands."},
		{Line: "/stop", Want: "Usage: /tasks stop <pid>", Code: exit.Input},
		{Line: "/stop x", Want: "Usage: /tasks stop <pid>", Code: exit.Input},
		{Line: "/stop 12", Want: "There is no background command with PID 12.", Code: exit.General},
	})
	p.Check(tools, []managetest.Case{
		{Line: "/", Want: "Available tools in default mode:\n\n- ReadFile (read_file)\n"}, {Line: "/list", Want: "\n- FindFiles (glob)"}, {Line: "/desc", Want: "- ReadFile (read_file)\n    Returns"},
	})
	if o, _, _ := p.Slash(tools, "list", ""); strings.Contains(o.Markdown(0), "\n    ") || strings.Contains(o.Markdown(0), "write_file") {
		t.Error(o.Markdown(0))
	}
}
