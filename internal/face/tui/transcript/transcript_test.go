package transcript

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/styled"
	"pollux/llm"
	"pollux/tool"
)

// start is the time of the first event.
var start = time.Unix(1_700_000_000, 0)

// names are those of a session in /home/me/work.
type names struct{}

func (names) ModeName() string { return "default" }

func (names) ToolTitle(name string) string {
	return map[string]string{
		"run_shell_command": "Shell", "read_file": "ReadFile", "replace": "Edit", "grep_search": "SearchText", "ask_user": "Ask User",
		"invoke_agent": "Invoke Subagent", "write_todos": "WriteTodos", "list_directory": "ReadFolder",
	}[name]
}
func (names) ShortPath(path string) string { return strings.TrimPrefix(path, "/home/me/work/") }
func (names) ShortText(text string) string { return strings.ReplaceAll(text, "/home/me", "~") }

// newTranscript returns a transcript of 80 columns without colors.
func newTranscript() *Transcript {
	return &Transcript{Look: Look{Width: 80}, Options: Options{Names: names{}}}
}

// texts returns lines without their styles.
func texts(lines []styled.Line) (all []string) {
	for _, l := range lines {
		all = append(all, l.String())
	}
	return all
}

// joined returns lines as a text.
func joined(lines []styled.Line) string {
	text := strings.Join(texts(lines), "\n")
	if len(lines) > 0 {
		text += "\n"
	}
	return text
}

// run passes on events of a run.
func (t *Transcript) run(events ...agent.Event) *Transcript {
	for _, e := range events {
		t.Handle(kit.Ran{Event: e}, start)
	}
	return t
}

func check(t *testing.T, name, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n%s\nwant:\n%s", name, got, want)
	}
}

func callOf(name, id string) *agent.ToolCall {
	return &agent.ToolCall{ID: name + "__" + id, Name: name}
}

// began returns the event of a call that runs.
func began(c *agent.ToolCall, kind tool.Kind, summary string) agent.Event {
	return agent.ToolUpdated{Call: c, Status: agent.Executing, Kind: kind, Summary: summary}
}

// done returns the event of a call that has succeeded.
func done(c *agent.ToolCall, r *tool.Result) agent.Event {
	return agenttest.Finished(c, agent.Success, r)
}

func TestNotes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		width int
		do    func(t *Transcript)
		want  string
	}{
		{"each kind", 80, func(t *Transcript) { t.Info("one"); t.Warn("two"); t.Error("three") }, "ℹ one\n⚠  two\n✕ three\n"},
		{"wrapped", 20, func(t *Transcript) { t.Warn("a warning that is long\nin two lines") }, "⚠  a warning that is\n   long\n   in two lines\n"},
		{"a long word", 12, func(t *Transcript) { t.Error("abcdefghijklmnopqrstuv") }, "✕ abcdefghij\n  klmnopqrst\n  uv\n"},
		{"narrow", 3, func(t *Transcript) { t.Info("abcdef") }, "ℹ\nabc\ndef\n"},
		{"narrowest", 1, func(t *Transcript) { t.Info("ab") }, "ℹ\na\nb\n"},
		{"hostile", 80, func(t *Transcript) { t.Info("a\x1b[31mb\u202ec\td\x07") }, "ℹ ab\\u202ec    d\n"},
		{"an empty line", 80, func(t *Transcript) { t.Info("a\n\nb\n") }, "ℹ a\n\n  b\n"},
		{"a command stays whole", 40, func(t *Transcript) { t.Info("To sign in again, run 'pollux auth set openai'.") }, "ℹ To sign in again, run\n  'pollux auth set openai'.\n"},
		{"unknown width", 0, func(t *Transcript) { t.Info(strings.Repeat("word ", 20)) }, "ℹ " + strings.TrimSpace(strings.Repeat("word ", 15)) + "\n  word word word word word\n"},
		{"events", 80, func(t *Transcript) {
			t.Handle(kit.Warning{Text: "w"}, start)
			t.Handle(kit.Notice{Text: "n"}, start)
			t.Handle(kit.NotSent{Texts: []string{"first\nsecond"}}, start)
			t.Handle(kit.NotSent{Texts: []string{"first"}, WasRun: true}, start)
			t.Handle(kit.Cancelled{ByInterrupt: true}, start)
			t.Handle(kit.Cancelled{IsLeaving: true}, start)
			t.Handle(kit.Cancelled{}, start)
		}, "⚠  w\nℹ n\nℹ Not sent: first second\nℹ Request cancelled.\nℹ Request cancelled.\nℹ Request cancelled.\n"},
	} {
		tr := &Transcript{Look: Look{Width: c.width}}
		c.do(tr)
		check(t, c.name, joined(tr.Take()), c.want)
		if lines := tr.Take(); lines != nil {
			t.Errorf("%s: again %q", c.name, lines)
		}
	}
}

func TestPrompt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"short", "hello", "> hello\n"},
		{"wrapped", "one two three four five six", "> one two three four\n  five six\n"},
		{"lines", "one\n\n  two\n", "> one\n\n    two\n"},
		{"no shell command", "!ls -l", "> !ls -l\n"},
		{"hostile", "a\x1b]0;t\x07b\u202e\tc", "> ab    c\n"},
		{"wide", "中文中文中文中文中文中文", "> 中文中文中文中文中\n  文中文\n"},
		{"empty", "", ">\n"},
		{"command", "/model set x", "> /model set x\n"},
	} {
		tr := &Transcript{Look: Look{Width: 20}}
		tr.Prompt(c.text)
		check(t, c.name, joined(tr.Take()), c.want)
	}
	shell := newTranscript()
	shell.Shell(" /bin/ls -l")
	check(t, "shell", joined(shell.Take()), "$ /bin/ls -l\n")
	tr := newTranscript()
	tr.Prompt(strings.Repeat("line\n", 1000))
	lines := texts(tr.Take())
	if len(lines) != maxLines+1 || lines[maxLines] != "  (800 more lines)" {
		t.Errorf("%d lines: %q", len(lines), lines[len(lines)-1])
	}
}

func TestPromptOfRun(t *testing.T) {
	t.Parallel()
	tr := newTranscript()
	tr.Handle(kit.Began{IsRun: true, Prompt: "typed"}, start)
	tr.Handle(kit.Began{IsRun: true, IsNew: true}, start)
	tr.Handle(kit.Began{IsNew: true, Prompt: "of a command"}, start)
	tr.Handle(kit.Began{IsRun: true, IsNew: true, Prompt: "of a hook"}, start)
	check(t, "", joined(tr.Take()), "> of a hook\n")
}

// TestEndsOfWork checks that the end of the work, and the beginning of other work, ends the answer.
func TestEndsOfWork(t *testing.T) {
	t.Parallel()
	for _, e := range []kit.Event{kit.Began{}, kit.Cancelled{}, kit.Finished{}, kit.Ended{Text: "Bye"}} {
		tr := newTranscript().run(agent.Text{Text: "so far"})
		tr.Handle(e, start)
		if got := joined(tr.Take()); !strings.HasPrefix(got, "✦ so far\n") {
			t.Errorf("%T: %q", e, got)
		}
	}
}

func TestEnded(t *testing.T) {
	t.Parallel()
	tr := &Transcript{Look: Look{Width: 10}}
	tr.Prompt("x")
	tr.Handle(kit.Ended{Text: "To resume: pollux --resume 1\n\x1b[1mBye\n"}, start)
	check(t, "", joined(tr.Take()), "> x\n\nTo resume: pollux --resume 1\nBye\n")
}

func TestGaps(t *testing.T) {
	t.Parallel()
	tr := newTranscript()
	tr.Print(styled.Plain("header"), nil, styled.Plain("tips"))
	tr.Print(styled.Plain("more"))
	tr.Print()
	tr.Info("a")
	tr.Warn("b")
	tr.Prompt("c")
	tr.Info("d")
	check(t, "", joined(tr.Take()), "header\n\ntips\n\nmore\n\nℹ a\n⚠  b\n\n> c\n\nℹ d\n")
}

func TestRunNotes(t *testing.T) {
	t.Parallel()
	tr := newTranscript()
	tr.Options.ShowsModel, tr.Options.ShowsThoughts = true, true
	tr.run(
		agent.ModelInfo{Model: "a"}, agent.ModelInfo{Model: "a"}, agent.ModelInfo{Model: "b"},
		agent.Silent{Silence: llm.Silence{Model: "m", Host: "h", Elapsed: 10 * time.Second}},
		agent.Silent{Silence: llm.Silence{Model: "m", Host: "h", Elapsed: 70 * time.Second}},
		agent.EditsLeft{Files: []string{"/home/me/a.go"}},
		agent.Thought{Subject: "Plan", Description: "First this.\n\nThen that."},
		agent.Thought{Subject: "Alone"},
		agent.Citations{Text: "Citations:\nhttps://example.org/" + strings.Repeat("x", 80)},
		agent.Retried{Cause: agent.InvalidStream{Type: "NO_RESPONSE_TEXT"}}, agent.Retried{Cause: agent.InvalidStream{Type: "THINKING_ONLY_RESPONSE"}},
		agent.Joined{Prompt: agent.Prompt{Parts: []llm.Part{llm.Text("Mind the tests")}}},
	)
	check(t, "", joined(tr.Take()), strings.Join([]string{
		"ℹ Responding with a", "ℹ Responding with b",
		"ℹ Waiting for m at h, 10 s so far. A long prompt can take minutes. Ctrl+C", "  cancels.",
		"ℹ Waiting for m at h, 70 s so far.",
		"⚠  The last edit of ~/a.go failed and was not repeated.", "",
		"Thinking... Plan", "First this.", "", "Then that.", "",
		"Thinking... Alone", "",
		"Citations:", "https://example.org/" + strings.Repeat("x", 80), "",
		"> Mind the tests", "",
	}, "\n"))
	hidden := newTranscript()
	hidden.Options.HidesCitations = true
	hidden.run(agent.ModelInfo{Model: "a"}, agent.Thought{Subject: "Plan"}, agent.Citations{Text: "c"})
	if lines := hidden.Take(); len(lines) > 0 {
		t.Errorf("shown: %q", texts(lines))
	}
}

// TestHolds checks that a flood of notes behind a call takes bounded memory.
func TestHolds(t *testing.T) {
	t.Parallel()
	tr := newTranscript()
	c := callOf("run_shell_command", "1")
	tr.run(began(c, tool.KindExecute, "sleep"))
	printed := 0
	for range 200 {
		tr.Info(strings.Repeat("word ", 3000))
		printed += len(tr.Take())
		if tr.held > maxHeld+64<<10 {
			t.Fatalf("%d bytes are held", tr.held)
		}
	}
	tr.run(done(c, nil))
	last := tr.Take()
	if printed == 0 || tr.held != 0 || len(tr.queue) != 0 {
		t.Errorf("%d lines were printed early, %d bytes and %d items remain", printed, tr.held, len(tr.queue))
	}
	if !slices.ContainsFunc(last, func(l styled.Line) bool { return l.String() == "✓ Shell  sleep" }) {
		t.Error("the call is missing")
	}
}
