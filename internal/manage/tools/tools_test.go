package tools

import (
	"strings"
	"testing"

	"pollux/internal/manage/managetest"
	"pollux/internal/tools/shell"
)

func TestTools(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{"tools": {"core": ["read_file", "glob"]}}`)
	tasks, tools := Commands()[0], Commands()[1]
	p.Check(tasks, []managetest.Case{{Line: "/", Want: "No background commands."}})
	p.Check(tools, []managetest.Case{
		{Line: "/", Want: "Available tools in default mode:\n\n- ReadFile (read_file)\n"}, {Line: "/list", Want: "\n- FindFiles (glob)"}, {Line: "/desc", Want: "- ReadFile (read_file)\n    Returns"},
	})
	if o, _, _ := p.Slash(tools, "list", ""); strings.Contains(o.Markdown(0), "\n    ") || strings.Contains(o.Markdown(0), "write_file") {
		t.Error(o.Markdown(0))
	}
}

func TestTaskState(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]shell.Process{
		"running": {}, "exited with 3": {Exited: true, Code: 3}, "ended after Pollux had": {Exited: true, IsOrphan: true}, "ended by killed": {Exited: true, Signal: 9},
	} {
		if got := taskState(p); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
