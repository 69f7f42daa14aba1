package working

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pollux/agent"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/theme"
	"pollux/internal/guard/hook"
	"pollux/internal/wording"
	"pollux/llm"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func after(seconds float64) time.Time {
	return start.Add(time.Duration(seconds * float64(time.Second)))
}

// text returns the row on a wide screen.
func text(r *Row, at float64) string { return textIn(r, 160, at) }

func textIn(r *Row, width int, at float64) string {
	return r.Line(width, after(at), theme.NoColor(), keys.Default("linux")).String()
}

// running returns the row of a run that began at the start.
func running(events ...agent.Event) *Row {
	r := &Row{}
	r.Handle(kit.Began{IsRun: true}, start)
	for _, e := range events {
		r.Handle(kit.Ran{Event: e}, start)
	}
	return r
}

func waiting(delay time.Duration, err error) agent.Waiting {
	return agent.Waiting{Retry: llm.Retry{Attempt: 1, MaxAttempts: 4, Delay: delay, Err: err, Model: "gemini-2.5-pro"}}
}

func silent(elapsed time.Duration) agent.Silent {
	return agent.Silent{Silence: llm.Silence{Model: "m\x1b[1m", Host: "h", Elapsed: elapsed}}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	call, other := &agent.ToolCall{ID: "1"}, &agent.ToolCall{ID: "2"}
	overloaded := errors.New("The model is overloaded. Please try again later.")
	limited := &llm.Error{Status: 429, Message: "Quota exceeded."}
	nested := func(e agent.Event) agent.Event { return agent.Nested{Call: call, Event: e} }
	const retrying = "Retrying gemini-2.5-pro in 5s (2/4): The model is overloaded"
	for _, c := range []struct {
		name   string
		events []agent.Event
		want   string
	}{
		{"nothing known", nil, "Thinking..."},
		{"subject", []agent.Event{agent.Thinking{Subject: "Reading\nthe \x1b[31mfile"}}, "Reading the file"},
		{"subject stays", []agent.Event{agent.Thinking{Subject: "Reading"}, agent.Thinking{Text: "x"}, agent.Thought{}, agent.Text{Text: "x"}}, "Reading"},
		{"complete thought", []agent.Event{agent.Thinking{Text: "x"}, agent.Thought{Subject: "Reading"}}, "Reading"},
		{"next turn", []agent.Event{agent.Thought{Subject: "Reading"}, agent.TurnStarted{}}, "Thinking..."},
		{"thought of another agent", []agent.Event{nested(agent.Thinking{Subject: "Inner"}), nested(agent.Thought{Subject: "Inner"})}, "Thinking..."},
		{"retry", []agent.Event{agent.Thought{Subject: "Reading"}, waiting(5*time.Second, overloaded)}, retrying},
		{"begun second", []agent.Event{waiting(4100*time.Millisecond, overloaded)}, retrying},
		{"long wait", []agent.Event{waiting(time.Minute+3*time.Second, overloaded)}, strings.Replace(retrying, "5s", "1m 3s", 1)},
		{"no wait", []agent.Event{waiting(0, overloaded)}, strings.Replace(retrying, " in 5s", "", 1)},
		{"status", []agent.Event{waiting(5*time.Second, limited)}, "Retrying gemini-2.5-pro in 5s (2/4): Quota exceeded (status 429)"},
		{"named status", []agent.Event{waiting(5*time.Second, &llm.Error{Status: 429, Message: "Got 429."})}, "Retrying gemini-2.5-pro in 5s (2/4): Got 429"},
		{"no status", []agent.Event{waiting(5*time.Second, &llm.Error{Message: "Reset."})}, "Retrying gemini-2.5-pro in 5s (2/4): Reset"},
		{"no cause", []agent.Event{agent.Waiting{Retry: llm.Retry{Delay: time.Second}}}, "Retrying in 1s: the request failed"},
		{"hostile", []agent.Event{agent.Waiting{Retry: llm.Retry{Model: "m\x1b]0;x\a\n", Err: errors.New("a\x1b[2Jb\u202e")}}}, "Retrying m: ab"},
		{"response after retry", []agent.Event{waiting(5*time.Second, overloaded), agent.Text{Text: "x"}}, "Thinking..."},
		{"other model after retry", []agent.Event{waiting(5*time.Second, overloaded), agent.Switched{}}, "Thinking..."},
		{"steered after retry", []agent.Event{waiting(5*time.Second, overloaded), agent.Joined{}, agent.ToolUpdated{Call: call}}, retrying},
		{"other agent after retry", []agent.Event{waiting(5*time.Second, overloaded), nested(agent.Text{Text: "x"}), agent.ToolFinished{Call: call}}, retrying},
		{"retry of another agent", []agent.Event{nested(waiting(5*time.Second, overloaded)), agent.Text{Text: "x"}, agent.ToolFinished{Call: other}}, retrying},
		{"response of another agent", []agent.Event{nested(waiting(5*time.Second, overloaded)), nested(agent.Text{Text: "x"})}, "Thinking..."},
		{"end of another agent", []agent.Event{nested(waiting(5*time.Second, overloaded)), agent.ToolFinished{Call: call}}, "Thinking..."},
		{"unusable", []agent.Event{agent.ModelInfo{Model: "m"}, agent.Retried{Attempt: 2, MaxAttempts: 3}}, "Retrying m (2/3): the response was unusable"},
		{"unusable of another agent", []agent.Event{agent.ModelInfo{Model: "m"}, nested(agent.Retried{Attempt: 2, MaxAttempts: 3})}, "Retrying (2/3): the response was unusable"},
		{"cut off", []agent.Event{agent.Switched{Switch: llm.Switch{To: "n"}}, retriedFor("INCOMPLETE_STREAM")}, "Retrying n: the response was cut off"},
		{"without an end", []agent.Event{retriedFor("NO_FINISH_REASON")}, "Retrying: the response was cut off"},
		{"too large", []agent.Event{retriedFor("CONTEXT_WINDOW")}, "Retrying: the request was too large"},
		{"loop", []agent.Event{retriedFor("LOOP_DETECTED")}, "Retrying: the response repeated itself"},
		{"silent", []agent.Event{silent(10 * time.Second)}, "Waiting for m at h, 10 s so far"},
		{"silent agent", []agent.Event{nested(nested(silent(10 * time.Second)))}, "Waiting for m at h, 10 s so far"},
		{"silence ends", []agent.Event{silent(10 * time.Second), agent.Thinking{}}, "Thinking..."},
	} {
		if got, want := text(running(c.events...), 0), "⠋ "+c.want+" (esc to cancel, 0s)"; got != want {
			t.Errorf("%s: %q, not %q", c.name, got, want)
		}
	}
}

func retriedFor(kind string) agent.Retried {
	return agent.Retried{Cause: agent.InvalidStream{Type: kind}}
}

// TestSilence checks that the row says the same as the other faces.
func TestSilence(t *testing.T) {
	t.Parallel()
	r := running(silent(10 * time.Second))
	want := strings.TrimSuffix(wording.Silent(agent.Silent{Silence: llm.Silence{Model: "m", Host: "h", Elapsed: 12 * time.Second}}), ".")
	if got := text(r, 2.9); !strings.Contains(got, want) {
		t.Error(got)
	}
}

// TestHooks checks that the row shows a hook that lasts in place of everything but a question, also over the end of work.
func TestHooks(t *testing.T) {
	t.Parallel()
	r := running(waiting(10*time.Second, nil))
	r.Handle(kit.HooksRunning{Hooks: []hook.Running{{Name: "a", IsUsers: true, Began: start.Add(2 * time.Second)}}}, start)
	for seconds, want := range map[float64]string{
		2:   "⠋ Retrying gemini-2.5-pro in 8s (2/4): the request failed (esc to cancel, 2s)",
		2.4: "⠋ Executing Hook: a (esc to cancel, 2s)",
	} {
		if got := text(r, seconds); got[len("⠋"):] != want[len("⠋"):] {
			t.Errorf("%v: %q", seconds, got)
		}
	}
	r.Handle(kit.Finished{}, start)
	r.Handle(kit.Began{}, start)
	if got := text(r, 3); !strings.Contains(got, "Executing Hook: a ") {
		t.Errorf("hooks of the end and the beginning of work: %q", got)
	}
	r.Handle(kit.HooksRunning{}, start)
	if got := text(r, 3); strings.Contains(got, "Hook") {
		t.Errorf("after the hook: %q", got)
	}
}

func TestCommandsAndTasks(t *testing.T) {
	t.Parallel()
	var r Row
	r.SetTask("nothing")
	r.Handle(kit.Ran{Event: waiting(time.Second, nil)}, start)
	if got := text(&r, 0); got != "" || r.Line(80, start, theme.NoColor(), keys.Default("linux")) != nil {
		t.Errorf("idle: %q", got)
	}
	r.Handle(kit.Began{}, start)
	if got := text(&r, 1); got != "⠹ Working... (esc to cancel, 0s)" {
		t.Errorf("command: %q", got)
	}
	r.SetTask(Compressing)
	if got := text(&r, 1.05); got != "⠸ Compressing chat history (esc to cancel, 1s)" {
		t.Errorf("task: %q", got)
	}
	r.Handle(kit.Finished{}, after(2))
	if got := text(&r, 3); got != "" {
		t.Errorf("finished: %q", got)
	}
	r.Handle(kit.Began{IsRun: true}, after(4))
	if got := text(&r, 4); got != "⠋ Thinking... (esc to cancel, 0s)" {
		t.Errorf("the next work: %q", got)
	}
}

// TestScreens checks the row on narrow and wide screens.
func TestScreens(t *testing.T) {
	t.Parallel()
	short, long := running(), running(agent.Thought{Subject: "Considering the consequences of a change in the parser of links"})
	retrying := running(waiting(3*time.Second, &llm.Error{Status: 503, Message: "The model is overloaded. Please try again later."}))
	for _, c := range []struct {
		row   *Row
		width int
		want  string
	}{
		{short, 1, "⠋"},
		{short, 2, "⠋"},
		{short, 3, "⠋ …"},
		{short, 10, "⠋ Thinkin…"},
		{short, 17, "⠋ Thinking.… (0s)"},
		{short, 40, "⠋ Thinking... (esc to cancel, 0s)"},
		{long, 40, "⠋ Considering the c… (esc to cancel, 0s)"},
		{long, 80, "⠋ Considering the consequences of a change in the parser of… (esc to cancel, 0s)"},
		{long, 160, "⠋ Considering the consequences of a change in the parser of links (esc to cancel, 0s)"},
		{retrying, 40, "⠋ Retrying gemini-2… (esc to cancel, 0s)"},
		{retrying, 80, "⠋ Retrying gemini-2.5-pro in 3s (2/4): The model is overloa… (esc to cancel, 0s)"},
		{retrying, 160, "⠋ Retrying gemini-2.5-pro in 3s (2/4): The model is overloaded (status 503) (esc to cancel, 0s)"},
	} {
		if got := textIn(c.row, c.width, 0); got != c.want {
			t.Errorf("%d: %q, not %q", c.width, got, c.want)
		}
	}
	if short.Line(0, start, theme.NoColor(), keys.Default("linux")) != nil {
		t.Error("a line without a column")
	}
}

func TestKeyOfHint(t *testing.T) {
	t.Parallel()
	for config, want := range map[string]string{
		`[{"command": "basic.cancel", "key": "ctrl+g"}]`:                                                 "(ctrl+g to cancel, 0s)",
		`[{"command": "-basic.cancel", "key": "escape"}, {"command": "-basic.cancel", "key": "ctrl+["}]`: "Thinking... (0s)",
	} {
		b, warnings := keys.Load("linux", []byte(config), "")
		if got := running().Line(80, start, theme.NoColor(), b).String(); !strings.HasSuffix(got, want) || len(warnings) > 0 {
			t.Errorf("%s: %q %v", config, got, warnings)
		}
	}
}

// TestEvents gives the row each kind of event.
func TestEvents(t *testing.T) {
	t.Parallel()
	r := running()
	call := &agent.ToolCall{ID: "1"}
	for _, e := range agent.Events() {
		if _, isNested := e.(agent.Nested); isNested {
			e = agent.Nested{Call: call, Event: agent.Text{}}
		}
		r.Handle(kit.Ran{Event: e}, start)
		if got := text(r, 0); got == "" {
			t.Errorf("%T: no row", e)
		}
	}
	for _, e := range kit.Events() {
		if _, isRan := e.(kit.Ran); !isRan {
			r.Handle(e, start)
		}
	}
}

// TestWarningColor checks that a retry stands out.
func TestWarningColor(t *testing.T) {
	t.Parallel()
	dark, _ := theme.Lookup(theme.DefaultDark)
	l := running(waiting(time.Second, nil)).Line(80, start, dark, keys.Default("linux"))
	if want := dark.Warning(); !l[2].Style.Equal(&want) {
		t.Error(l)
	}
}

// TestPhrases checks where phrases are shown: a witty one only beside "Thinking...", and a tip only if there is room.
func TestPhrases(t *testing.T) {
	t.Parallel()
	wit, tip := func(time.Duration) string { return "a\x1b[31m wit" }, func(time.Duration) string { return "a tip" }
	for _, c := range []struct {
		width  int
		events []agent.Event
		want   string
	}{
		{60, nil, "• Thinking... a wit (esc to cancel, 3s)" + strings.Repeat(" ", 16) + "a tip"},
		{45, nil, "• Thinking... a wit (esc to cancel, 3s)"},
		{60, []agent.Event{agent.Thought{Subject: "Reading"}}, "• Reading (esc to cancel, 3s)" + strings.Repeat(" ", 26) + "a tip"},
	} {
		r := Row{Options: Options{IsStill: true, Wit: wit, Tip: tip}}
		r.Handle(kit.Began{IsRun: true}, time.Unix(0, 0))
		for _, e := range c.events {
			r.Handle(kit.Ran{Event: e}, time.Unix(0, 0))
		}
		if got := r.Line(c.width, time.Unix(3, 0), theme.NoColor(), keys.Default("linux")).String(); got != c.want {
			t.Errorf("%q, not %q", got, c.want)
		}
		if thought := r.Thought(); (thought == "Reading") != (len(c.events) > 0) {
			t.Errorf("%q", thought)
		}
		r.Handle(kit.Finished{}, time.Unix(4, 0))
		if thought := r.Thought(); thought != "" {
			t.Errorf("%q after the end", thought)
		}
	}
	if got := AtRight(nil, "hint", 3, theme.NoColor()); got != nil {
		t.Errorf("%q", got)
	}
}
