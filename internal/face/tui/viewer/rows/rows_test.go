package rows

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/face/tui/viewer/conversation"
	"pollux/tool"
)

// all returns the rows of all pieces.
func all(d *Document, l *Look) (rows []Row) {
	for n := 0; d.Has(n); n++ {
		rows = append(rows, d.Rows(n, l)...)
	}
	return rows
}

func shown(rows []Row) string {
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(strings.TrimRight(r.Line.String(), " ") + "\n")
	}
	return b.String()
}

// unwrapped returns the text of rows with the lines that were wrapped in one.
func unwrapped(rows []Row) string {
	var b strings.Builder
	for i := range rows {
		text, _ := rows[i].Text()
		switch {
		case rows[i].Joint == Spaced:
			b.WriteString(" ")
		case rows[i].Joint == Apart && i > 0:
			b.WriteString("\n")
		}
		b.WriteString(text)
	}
	return b.String()
}

func item(kind conversation.Kind, text string) conversation.Item {
	return conversation.Item{Kind: kind, Text: text}
}

func callItem(c conversation.CallItem) conversation.Item {
	return conversation.Item{Kind: conversation.Call, Call: &c}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	args := json.RawMessage(`{"path":"a.go"}`)
	before := "x"
	change := &tool.DiffDisplay{Diff: "@@ -1,2 +1,2 @@\n kept\n-old\n+new\n", Before: &before, After: "y"}
	for _, tt := range []struct {
		name string
		call conversation.CallItem
		want string
	}{
		{"output", conversation.CallItem{Name: "shell", Description: "go test", Args: args, Status: agent.Success, Output: "a\tb\n\nc \n"}, "✓ shell  go test\n  path: a.go\n  a    b\n\n  c\n"},
		{"without result", conversation.CallItem{Name: "shell", Status: agent.Scheduled}, "o shell  → no result yet\n"},
		{"cancelled", conversation.CallItem{Name: "shell", Status: agent.CallCancelled, Output: "begun"}, "- shell  → cancelled\n  begun\n"},
		{"failed", conversation.CallItem{Name: "shell", Status: agent.Failed, Output: "why", Display: change}, "x shell\n  why\n"},
		{"change", conversation.CallItem{Name: "edit", Status: agent.Success, Output: "Done.", Result: "Done.", Display: change}, "✓ edit\n1   kept\n2 - old\n2 + new\n"},
		{"rejected change", conversation.CallItem{Name: "edit", Status: agent.CallCancelled, Result: "No.", Display: change}, "- edit  → cancelled\n1   kept\n2 - old\n2 + new\n  No.\n"},
		{"new file", conversation.CallItem{Name: "write", Status: agent.Success, Display: &tool.DiffDisplay{After: "one\ntwo\n"}}, "✓ write\n1   one\n2   two\n"},
		{
			"todos",
			conversation.CallItem{Name: "todo", Status: agent.Success, Output: "x", Display: &tool.TodoDisplay{Todos: []tool.Todo{{Description: "a", Status: tool.TodoCompleted}, {Description: "b", Status: tool.TodoBlocked}}}},
			"✓ todo\n  ✓ a\n  ⊘ b\n",
		},
		{
			"agent",
			conversation.CallItem{Name: "agent", Status: agent.Success, Display: &tool.AgentDisplay{Result: "all", Activity: []tool.Activity{{Type: "thought", Content: "hm"}, {DisplayName: "Shell", Description: "ls"}}}},
			"✓ agent\n  💭 hm\n  Shell  ls\n  all\n",
		},
		{
			"changed by others",
			conversation.CallItem{Name: "shell", Status: agent.Success, Output: "x", Ran: []agent.Execution{
				{Name: "shell", Args: args, HasRun: true, ChangedBy: []agent.Author{agent.AuthorHook, "someone"}}, {Name: "other", Requested: "shell"},
			}},
			"✓ shell\nℹ Ran as shell, changed by a hook and someone\n  path: a.go\nℹ Did not run as other, with which a hook continued the call\n  x\n",
		},
	} {
		l := &Look{Width: 80}
		if got := shown(all(Open(callItem(tt.call), false), l)); got != tt.want {
			t.Errorf("%s:\n%s", tt.name, got)
		}
	}
}

func TestItems(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		item conversation.Item
		want string
	}{
		{item(conversation.Prompt, "one two three\n  four\n\nfive"), "> one two\n  three\n    four\n\n  five\n"},
		{item(conversation.Note, "one two"), "ℹ one two\n"},
		{conversation.Item{Kind: conversation.Thought, Subject: "S", Text: "text"}, "Thinking...\nS\ntext\n"},
		{item(conversation.Answer, "a *b*\n\n- c\n"), "✦ a b\n\n- c\n"},
		{item(conversation.Answer, ""), "\n"},
	} {
		if got := shown(all(Open(tt.item, false), &Look{Width: 12})); got != tt.want {
			t.Errorf("%q is\n%s", tt.item.Text, got)
		}
	}
	gap := Open(item(conversation.Prompt, "x"), true).Rows(0, &Look{Width: 7})
	if len(gap) != 2 || !gap[0].IsGap || gap[1].IsGap {
		t.Errorf("the gap is %+v", gap)
	}
}

// TestTexts checks that no text is lost or moved between the pieces of long texts, in any width.
func TestTexts(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, "line %d%s\n", i, strings.Repeat(" word", i%30))
	}
	text := strings.TrimRight(b.String(), "\n")
	long := strings.Repeat("abcdefghij", 5000)
	for _, width := range []int{20, 79, 1000} {
		l := &Look{Width: width}
		for kind, indent := range map[conversation.Kind]string{conversation.Prompt: "  ", conversation.Note: "  ", conversation.Thought: ""} {
			d := Open(item(kind, text), false)
			got := unwrapped(all(d, l))
			got = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(got, "> "), "ℹ "), "Thinking...\n")
			if got = strings.ReplaceAll(got, "\n"+indent, "\n"); got != text {
				t.Errorf("kind %d in %d columns is another text", kind, width)
			}
			if d.Len() < 20 || d.Size() < len(text) {
				t.Errorf("%d pieces of %d bytes", d.Len(), d.Size())
			}
		}
		d := Open(callItem(conversation.CallItem{Name: "x", Status: agent.Success, Output: text}), false)
		if got := strings.ReplaceAll(unwrapped(all(d, l)), "\n  ", "\n"); got != "✓ x\n"+text {
			t.Errorf("the output in %d columns is another text", width)
		}
		d = Open(item(conversation.Prompt, long), false)
		got := strings.NewReplacer("\n", "", " ", "", ">", "").Replace(unwrapped(all(d, l)))
		if got != long || d.Len() < 3 {
			t.Errorf("a long line in %d columns: %d pieces, %d bytes", width, d.Len(), len(got))
		}
	}
}

// TestFirstList checks that all of a list with which an answer begins hangs behind the mark, however many pieces it has.
func TestFirstList(t *testing.T) {
	t.Parallel()
	list := strings.Repeat("- item\n", 500)
	d := Open(item(conversation.Answer, list+"\ntext\n\n- last\n"), false)
	want := "✦ " + strings.TrimPrefix(strings.Repeat("  - item\n", 500), "  ") + "\ntext\n\n- last\n"
	if got := shown(all(d, &Look{Width: 30})); got != want || d.Len() < 5 {
		t.Errorf("%d pieces are\n%s", d.Len(), got)
	}
}

// TestLazy checks that the first piece of a long text needs no more than itself.
func TestLazy(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("- an item\n", 20_000)
	for _, it := range []conversation.Item{
		item(conversation.Prompt, text), item(conversation.Answer, text), item(conversation.Answer, strings.Repeat(text, 10)),
		callItem(conversation.CallItem{Output: text}),
	} {
		d := Open(it, false)
		d.Has(0)
		if d.Size() > 3*usualPiece {
			t.Errorf("kind %d: the first piece needs %d bytes", it.Kind, d.Size())
		}
		for n := 0; d.Has(n); n++ {
			if d.PieceSize(n) > maxPiece {
				t.Errorf("kind %d: a piece of %d bytes", it.Kind, d.PieceSize(n))
			}
		}
	}
}

// TestChanges checks that a long change is divided between hunks, and that no line is lost.
func TestChanges(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, "@@ -%d,1 +%d,1 @@\n-old %d\n+new %d\n", i*10+1, i*10+1, i, i)
	}
	before := ""
	for name, d := range map[string]*tool.DiffDisplay{
		"hunks":    {Diff: b.String(), Before: &before},
		"one hunk": {Diff: "@@ -1,9 +1,9 @@\n" + strings.Repeat("+new 499\n", 10_000), Before: &before},
		"new file": {After: strings.Repeat("new 499\n", 10_000)},
	} {
		doc := Open(callItem(conversation.CallItem{Status: agent.Success, Display: d}), false)
		rows := shown(all(doc, &Look{Width: 60}))
		if doc.Len() < 4 || !strings.Contains(rows, "new 499") || name == "hunks" && strings.Count(rows, "new ") != 500 {
			t.Errorf("%s: %d pieces", name, doc.Len())
		}
	}
	wrapped := Open(callItem(conversation.CallItem{Status: agent.Success, Display: &tool.DiffDisplay{Diff: "@@ -1 +1 @@\n+abcdefghij klmnopqr\n", Before: &before}}), false)
	if got := shown(all(wrapped, &Look{Width: 14})); !strings.HasSuffix(got, "1 + abcdefghij\n     klmnopqr\n") {
		t.Errorf("a wrapped change is\n%s", got)
	}
}

// hostile draws text that attacks a terminal or a layout.
