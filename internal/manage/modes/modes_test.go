package modes

import (
	"testing"

	"pollux/internal/exit"
	"pollux/internal/manage/managetest"
)

func TestModes(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{"security": {"disableYoloMode": true}}`)
	mode, plan := Commands()[0], Commands()[1]
	p.Check(mode, []managetest.Case{
		{Line: "/", Want: "Approval modes:\n\n    * default"},
		{Line: "/auto_edit", Want: "Approval mode: auto_edit. Pollux edits files without asking, and asks for the rest."},
		{Line: "/", Want: "\n    * auto_edit"},
		{Line: "/fast", Want: "Invalid approval mode: fast.", Code: exit.Input},
		{Line: "/yolo", Want: "disabled in your settings", Code: exit.General},
	})
	p.Check(plan, []managetest.Case{
		{Line: "/copy", Want: "This session has no approved plan."}, {Line: "/", Want: "Plan mode is on: "}, {Line: "/", Want: "Plan mode is already on."},
	})
	if _, next, err := p.Slash(plan, "", "make it"); err != nil || next.Prompt == nil || next.Prompt.Text() != "make it" {
		t.Errorf("%+v, %v", next, err)
	}
	if _, next, _ := p.Slash(plan, "", ""); next.Prompt != nil {
		t.Errorf("%+v", next)
	}
}
