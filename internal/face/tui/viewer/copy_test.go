package viewer

import (
	"strings"
	"testing"

	"pollux/tool"
)

func TestCopy(t *testing.T) {
	t.Parallel()
	k := (&talk{}).prompt("the \x1b[1mprompt").answer("A:\n\n```go\nx\n\ty\n```\n\nB:\n\n```\nz\n```\n\nend").call("shell", "ls", `{"a":"b"}`, "out\nput\n", nil).
		call("edit", "", `{}`, "done", &tool.DiffDisplay{Diff: "@@ -1 +1 @@\n-a\n+b\n", Before: before("a")}).
		call("none", "", `{"a":"b"}`, "", nil)
	v := New(k.source(), Options{})
	copied := func(key string) string {
		screen(v, 60, 40)
		switch o := press(v, key).(type) {
		case Copied:
			return o.Text
		case EditorWanted:
			return o.Text
		}
		return "-"
	}
	// The whole conversation is on the screen, which is its end: the last block is the target.
	for _, step := range []struct{ before, key, want string }{
		{"", "c", "z"},
		{"tab", "c", "x\n\ty"},
		{"tab", "c", "z"},
		{"shift+tab", "c", "x\n\ty"},
		{"", "y", "A:\n\n```go\nx\n\ty\n```\n\nB:\n\n```\nz\n```\n\nend"},
		{"", "e", "A:\n\n```go\nx\n\ty\n```\n\nB:\n\n```\nz\n```\n\nend\n"},
	} {
		if step.before != "" {
			screen(v, 60, 40)
			press(v, step.before)
		}
		if got := copied(step.key); got != step.want {
			t.Errorf("after %q, %s gives %q", step.before, step.key, got)
		}
	}
	if got := screen(v, 60, 40); strings.Count(got, "▌") != 2 || !strings.Contains(got, "▌ x\n▌     y\n") {
		t.Errorf("the marks are\n%s", got)
	}
	copied("y")
	if got := screen(v, 60, 40); !strings.Contains(got, " · Copied the answer: 14 lines.\n") {
		t.Errorf("the notice is not in\n%s", got)
	}
	v.Note("The clipboard\nfailed.")
	if got := screen(v, 60, 40); !strings.Contains(got, " · The clipboard failed.\n") {
		t.Errorf("the note is not in\n%s", got)
	}
	for item, want := range map[int][2]string{
		0: {"the prompt", "the prompt\n"}, 2: {"out\nput", "shell  ls\n\na: b\n\nout\nput\n"},
		3: {"@@ -1 +1 @@\n-a\n+b", "edit\n\n\n@@ -1 +1 @@\n-a\n+b\n"}, 4: {"a: b", "none\n\na: b\n"},
	} {
		it := v.sheet.conversation.Item(item)
		if got := [2]string{copyText(it), wholeText(it)}; got != want {
			t.Errorf("item %d is %q", item, got)
		}
	}
}

func TestTarget(t *testing.T) {
	t.Parallel()
	k := (&talk{}).prompt(lines(20)).answer("text\n\n```\none\n```\n\n" + strings.Repeat("para\n\n", 20) + "```\ntwo\n```").prompt(lines(20))
	v := New(k.source(), Options{})
	get := func() string {
		screen(v, 60, 11)
		o, _ := press(v, "c").(Copied)
		return strings.SplitN(o.Text, "\n", 2)[0]
	}
	if got := get(); got != "line-000" {
		t.Errorf("at the end: %q", got)
	}
	press(v, "g")
	if got := get(); got != "line-000" {
		t.Errorf("at the beginning: %q", got)
	}
	v.scroll(20)
	if got := get(); got != "one" {
		t.Errorf("above a block: %q", got)
	}
	v.scroll(5)
	if got := get(); got != "text" {
		t.Errorf("below a block: %q", got)
	}
	if o, ok := press(v, "y").(Copied); !ok || !strings.HasPrefix(o.Text, "text\n\n```\none") {
		t.Errorf("y gives %v", o)
	}
	press(v, "tab")
	if got := screen(v, 80, 11); !strings.Contains(got, "No other code block is on the screen.") {
		t.Errorf("no notice in\n%s", got)
	}
	press(v, "G", "y")
	press(v, "g", "G")
	screen(v, 60, 11)
	if o, ok := press(v, "y").(Copied); !ok || !strings.HasPrefix(o.Text, "text") {
		t.Errorf("y below the last answer gives %v", o)
	}
	none := New((&talk{}).prompt("x").source(), Options{})
	screen(none, 60, 11)
	press(none, "y")
	if got := screen(none, 60, 11); !strings.Contains(got, "There is no answer yet.") {
		t.Errorf("no notice in\n%s", got)
	}
}
