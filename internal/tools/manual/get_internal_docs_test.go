package manual_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	pages "pollux/docs"
	"pollux/internal/tools/manual"
	"pollux/tool"
)

func TestDocs(t *testing.T) {
	t.Parallel()
	pages := fstest.MapFS{
		"tools.md":        {Data: []byte("# Tools\n")},
		"faces/plain.md":  {Data: []byte("# Plain\n")},
		"faces/shot.png":  {Data: []byte("\x89PNG")},
		"secrets/.env":    {Data: []byte("KEY=1")},
		"broken.md/x.txt": {Data: []byte("x")},
	}
	for _, c := range []struct{ name, args, text, failure string }{
		{name: "list", args: `{}`, text: "Available Pollux documentation files:\n\n- faces/plain.md\n- tools.md"},
		{name: "an empty path", args: `{"path":""}`, text: "Available Pollux documentation files:\n\n- faces/plain.md\n- tools.md"},
		{name: "page", args: `{"path":"tools.md"}`, text: "# Tools\n"},
		{name: "below", args: `{"path":"./faces/plain.md"}`, text: "# Plain\n"},
		{name: "without its ending", args: `{"path":"faces/plain"}`, text: "# Plain\n"},
		{name: "from Windows", args: `{"path":"faces\\plain.md"}`, text: "# Plain\n"},
		{name: "around", args: `{"path":"faces/../tools.md"}`, text: "# Tools\n"},
		{name: "missing", args: `{"path":"nope.md"}`, failure: `There is no page "nope.md". Call without a path for a list.`},
		{name: "up", args: `{"path":"../go.mod"}`, failure: `Access denied: "../go.mod" is outside the documentation.`},
		{name: "up from below", args: `{"path":"faces/../../go.md"}`, failure: `Access denied: "faces/../../go.md" is outside the documentation.`},
		{name: "absolute", args: `{"path":"/etc/passwd"}`, failure: `Access denied: "/etc/passwd" is outside the documentation.`},
		{name: "no page", args: `{"path":"secrets/.env"}`, failure: `There is no page "secrets/.env". Call without a path for a list.`},
		{name: "NUL", args: `{"path":"a\u0000"}`, failure: `There is no page "a\x00". Call without a path for a list.`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			inv, err := tool.Build(manual.New(pages), json.RawMessage(c.args))
			if err != nil {
				t.Fatal(err)
			}
			r := inv.Run(t.Context(), tool.Host{})
			if c.failure != "" {
				if r.Error == nil || r.Error.Message != c.failure {
					t.Errorf("%+v, want %s", r.Error, c.failure)
				}
				return
			}
			if r.Error != nil || r.Content[0].Text != c.text {
				t.Errorf("%+v %+v, want %q", r.Error, r.Content, c.text)
			}
		})
	}
}

// The pages that are in the program can be listed and read.
func TestPages(t *testing.T) {
	t.Parallel()
	read := func(args string) string {
		inv, err := tool.Build(manual.New(pages.Pages), json.RawMessage(args))
		if err != nil {
			t.Fatal(err)
		}
		r := inv.Run(t.Context(), tool.Host{})
		if r.Error != nil {
			t.Fatal(r.Error)
		}
		return r.Content[0].Text
	}
	if list := read(`{}`); !strings.Contains(list, "\n- tools.md") {
		t.Errorf("%s", list)
	}
	if page := read(`{"path":"tools"}`); !strings.HasPrefix(page, "# ") {
		t.Errorf("%.80s", page)
	}
}

func TestDirectoryIsNoPage(t *testing.T) {
	t.Parallel()
	inv, err := tool.Build(manual.New(fstest.MapFS{"broken.md/x.txt": {}}), json.RawMessage(`{"path":"broken.md"}`))
	if err != nil {
		t.Fatal(err)
	}
	if r := inv.Run(t.Context(), tool.Host{}); r.Error == nil || r.Error.Type != tool.ErrExecutionFailed {
		t.Errorf("%+v", r)
	}
}
