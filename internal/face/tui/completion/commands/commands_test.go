package commands

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pollux/internal/face/tui/buffer"
	"pollux/internal/face/tui/completion"
)

// tree returns the commands of a small session.
func tree() []Command {
	tags := func(_ context.Context, words []string, _ string) []Value {
		if len(words) > 0 {
			return nil
		}
		return []Value{{Text: "before-merge", Detail: "yesterday"}, {Text: "later"}, {Text: "bad\x1b[2Jtag"}}
	}
	return []Command{
		{Name: "about", Summary: "Show the version", IsRunnable: true},
		{Name: "chat", Aliases: []string{"resume"}, Summary: "Resume a session", IsRunnable: true, MaxWords: 1, Subs: []Command{
			{Name: "list", Summary: "List", Group: "auto", IsRunnable: true},
			{Name: "save", Summary: "Save", Group: "checkpoints", IsRunnable: true, MinWords: 1, MaxWords: 1},
			{Name: "resume", Aliases: []string{"load"}, Summary: "Load", Group: "checkpoints", IsRunnable: true, MinWords: 1, MaxWords: 1, Complete: tags},
		}},
		{Name: "memory", Summary: "Memory", Subs: []Command{{Name: "add", Summary: "Add", IsRunnable: true, MinWords: 1, MaxWords: 1}}},
		{Name: "model", Summary: "Choose", IsRunnable: true, MaxWords: 2, Complete: tags},
		{Name: "quit", Aliases: []string{"exit"}, Summary: "Exit", IsRunnable: true},
		{Name: "review", Summary: "Review", Suffix: "MCP", IsRunnable: true, TakesText: true},
		{Name: "evil\x1b[2J", Summary: "x", IsRunnable: true},
		{Name: "res", Summary: "Three letters", IsRunnable: true},
	}
}

// describe returns a result in one line: the range, whether the text is complete, the suggestions with "!" if they run.
func describe(r completion.Result) string {
	var parts []string
	for _, s := range r.Suggestions {
		text := strings.ReplaceAll(s.Insert, " ", "_")
		if s.Runs {
			text += "!"
		}
		if s.Label != s.Insert && s.Label != strings.TrimSpace(s.Insert) {
			text += "=" + s.Label
		}
		if s.Group != "" {
			text = s.Group + ":" + text
		}
		parts = append(parts, text)
	}
	mark := ""
	if r.IsComplete {
		mark = " whole"
	}
	return strings.TrimSpace(fmt.Sprintf("%d-%d%s %s", r.Range.Start, r.Range.End, mark, strings.Join(parts, " ")))
}

// complete completes a text at the mark "|".
func complete(s *Source, marked string) (completion.Result, bool) {
	before, after, _ := strings.Cut(marked, "|")
	return s.Complete(context.Background(), completion.Request{Text: before + after, Cursor: len(before)})
}

func TestComplete(t *testing.T) {
	t.Parallel()
	s := &Source{Commands: tree}
	for _, c := range []struct{ marked, want string }{
		{"/|", "1-1 about_! chat_ memory_ model_ quit_! review_ res_!"},
		{"/ab|", "1-3 about_!"},
		{"/re|", "1-3 review_ res_! chat_=chat (resume)"},
		{"/res|", "1-4 whole res_! chat_=chat (resume)"},
		{"/resume|", "1-7 whole chat_=chat (resume)"},
		{"/RES|", "1-4 res_! chat_=chat (resume)"},
		{"/load|", "1-5"},
		{"/mo|", "1-3 model_ memory_"},
		{"/mm|", "1-3 memory_"},
		{"/exit|", "1-5 whole quit_!=quit (exit)"},
		{"/ex|", "1-3 quit_!=quit (exit)"},
		{"/xit|", "1-4 quit_!=quit (exit)"},
		{"/it|", "1-3 quit_!"},
		{"/quit|", "1-5 whole quit_!"},
		{"/memory|", "1-7 memory_"},
		{"/memory |", "8-8 add_"},
		{"/chat |", "6-6 whole auto:list_! checkpoints:save_ checkpoints:resume_"},
		{"/resume |", "8-8 whole auto:list_! checkpoints:save_ checkpoints:resume_"},
		{"/chat l|", "6-7 list_! resume_=resume (load)"},
		{"/chat load |", "11-11 before-merge_! later_!"},
		{"/chat load b|", "11-12 before-merge_!"},
		{"/chat load la|", "11-13 later_!"},
		{"/chat load bm|", "11-13 before-merge_!"},
		{"/chat load x y|", "13-14"},
		{"/chat  resume\tla|", "14-16 later_!"},
		{"/chat|x save", "1-6 chat"},
		{"/ab|out", "1-6 about_!"},
		{"/mem|ory add x", "1-7 memory"},
		{"/chat li| x", "6-8 list!"},
		{"/model |", "7-7 whole before-merge_! later_!"},
		{"/unknown |", "9-9"},
		{"/quit now |", "10-10 whole"},
		{"/ab|\nmore", "1-3 about_!"},
		{"/|bout", "1-5 about_! chat_ memory_ model_ quit_! review_ res_!"},
	} {
		r, ok := complete(s, c.marked)
		if got := describe(r); ok != (len(r.Suggestions) > 0) || got != c.want {
			t.Errorf("%q: %s, %v\nwant %s", c.marked, got, ok, c.want)
		}
	}
	for _, marked := range []string{"|/ab", "ab|", "//|", "/*|", "/usr/b|", " /a|", "/ab\nmore|", "|", "text /a|"} {
		if r, ok := complete(s, marked); ok {
			t.Errorf("%q: %s", marked, describe(r))
		}
	}
	if _, ok := s.Complete(context.Background(), completion.Request{Text: "/a", Cursor: 2, IsShell: true}); ok {
		t.Error("a shell command")
	}
}

func TestSuggestions(t *testing.T) {
	t.Parallel()
	s := &Source{Commands: tree}
	r, _ := complete(s, "/xt|")
	if got := fmt.Sprintf("%+v", r.Suggestions); got != "[{Label:quit (exit) Detail:Exit Suffix: Group: Insert:quit  Runs:true MatchAt:[7 9]}]" {
		t.Error(got)
	}
	r, _ = complete(s, "/rev|")
	if got := fmt.Sprintf("%+v", r.Suggestions[0]); got != "{Label:review Detail:Review Suffix:MCP Group: Insert:review  Runs:false MatchAt:[0 1 2]}" {
		t.Error(got)
	}
	r, _ = complete(s, "/chat load b|")
	if got := fmt.Sprintf("%+v", r.Suggestions[0]); got != "{Label:before-merge Detail:yesterday Suffix: Group: Insert:before-merge  Runs:true MatchAt:[0]}" {
		t.Error(got)
	}
}

func TestManyCommands(t *testing.T) {
	t.Parallel()
	s := &Source{Commands: func() (list []Command) {
		for i := range 5000 {
			list = append(list, Command{Name: fmt.Sprint("prompt", i), Summary: "x"})
		}
		return list
	}}
	if r, _ := complete(s, "/p|"); len(r.Suggestions) != maxSuggestions {
		t.Errorf("%d suggestions", len(r.Suggestions))
	}
}

func FuzzComplete(f *testing.F) {
	f.Add("/chat load x", 3)
	f.Add("/é \u00a0 x", 4)
	f.Add("/\xff", 2)
	s := &Source{Commands: tree}
	f.Fuzz(func(t *testing.T, text string, cursor int) {
		cursor = max(0, min(cursor, len(text)))
		r, ok := s.Complete(context.Background(), completion.Request{Text: text, Cursor: cursor})
		if !ok {
			return
		}
		if r.Range.Start > cursor || r.Range.End < cursor || r.Range.End > len(text) || r.Range == (buffer.Range{}) {
			t.Errorf("%q, %d: %v", text, cursor, r.Range)
		}
		for _, sug := range r.Suggestions {
			if !utf8.ValidString(sug.Insert) {
				t.Errorf("%q inserts %q", text, sug.Insert)
			}
		}
	})
}

func BenchmarkComplete(b *testing.B) {
	s := &Source{Commands: (&Table{}).Commands}
	for b.Loop() {
		complete(s, "/m|")
	}
}
