package transcript

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/internal/face/kit"
	"pollux/internal/outcome"
	"pollux/internal/slash"
	"pollux/llm"
	"pollux/tool"
)

// elsewhere has the events of the driver without lines in the transcript, with the part of the screen that has them.
var elsewhere = map[string]string{
	"Opened":       "the header",
	"Queued":       "the queue above the input box",
	"Finished":     "it only ends the answer and calls",
	"Asked":        "the dialog",
	"Help":         "the shortcuts panel",
	"HooksRunning": "the status row",
	"Beside":       "the rows above the composer",
}

// unshown has the events of a run without lines in the transcript, with the reason.
var unshown = map[string]string{
	"TurnStarted": "it only ends the answer",
	"Thinking":    "the status row shows it; Thought has the whole text",
	"Cancelled":   "the driver reports it as kit.Cancelled",
}

// sampleEvent returns an event of the same kind with a text in it.
func sampleEvent(e kit.Event) kit.Event {
	switch e.(type) {
	case kit.Warning:
		return kit.Warning{Text: "marker"}
	case kit.Notice:
		return kit.Notice{Text: "marker"}
	case kit.NotSent:
		return kit.NotSent{Texts: []string{"marker"}}
	case kit.Began:
		return kit.Began{IsRun: true, IsNew: true, Prompt: "marker"}
	case kit.Ran:
		return kit.Ran{Event: agent.Text{Text: "marker"}}
	case kit.Failed:
		return kit.Failed{Err: errors.New("marker")}
	case kit.CommandDone:
		return kit.CommandDone{Result: slash.Result{Outcome: outcome.Textf("marker")}}
	case kit.ShellRan:
		return kit.ShellRan{Event: began(callOf("shell", "1"), tool.KindExecute, "marker")}
	case kit.ShellDone:
		return kit.ShellDone{Output: "marker"}
	case kit.Settled:
		return kit.Settled{Calls: agenttest.Question(callOf("marker", "1"), &tool.ExecConfirmation{}).About()}
	case kit.Ended:
		return kit.Ended{Text: "marker"}
	}
	return e
}

// Each kind of event of the driver is shown, or listed with the part that shows it.
func TestEveryDriverEvent(t *testing.T) {
	t.Parallel()
	for _, kind := range kit.Events() {
		name := reflect.TypeOf(kind).Name()
		tr := newTranscript()
		tr.Handle(sampleEvent(kind), start)
		isShown := len(tr.Take())+len(tr.Pending(10, start)) > 0
		if reason := elsewhere[name]; isShown == (reason != "") {
			t.Errorf("kit.%s is shown: %v, and the reason is %q: handle it in Transcript.Handle, or list it here", name, isShown, reason)
		}
	}
}

// sampleRun returns an event of a run of the same kind with a text in it.
func sampleRun(e agent.Event) agent.Event {
	call := callOf("read_file", "1")
	switch e.(type) {
	case agent.Text:
		return agent.Text{Text: "marker"}
	case agent.ModelInfo:
		return agent.ModelInfo{Model: "marker"}
	case agent.Thought:
		return agent.Thought{Subject: "marker"}
	case agent.Citations:
		return agent.Citations{Text: "marker"}
	case agent.Finished:
		return agent.Finished{Reason: llm.FinishMaxTokens}
	case agent.Joined:
		return agent.Joined{Prompt: agent.Prompt{Parts: []llm.Part{llm.Text("marker")}}}
	case agent.ToolRequested:
		return agent.ToolRequested{Call: call}
	case agent.ToolUpdated:
		return agent.ToolUpdated{Call: call, Status: agent.Executing}
	case agent.ToolAsked:
		return agent.ToolAsked{Call: call, Question: agenttest.Question(call, &tool.ExecConfirmation{})}
	case agent.ToolFinished:
		return agenttest.Finished(call, agent.Success, nil)
	case agent.Nested:
		return agent.Nested{Call: call, Event: agenttest.Finished(callOf("x", "2"), agent.Success, nil)}
	}
	return e
}

// Each kind of event of a run is shown in its own words, or listed with the reason.
func TestEveryRunEvent(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"ModelInfo": "ℹ ", "Switched": "⚠  ", "Text": "✦ marker", "Thought": "Thinking... marker", "Citations": "marker", "Finished": "⚠  ",
		"Retried": "⚠  ", "Waiting": "ℹ ", "Silent": "ℹ ", "Joined": "> marker", "ToolRequested": "o ReadFile", "ToolUpdated": "⊷ ReadFile",
		"ToolAsked": "? ReadFile", "ToolFinished": "✓ ReadFile", "Nested": "✓ x", "Compressed": "ℹ ", "Overflow": "✕ ", "InvalidStream": "✕ ",
		"LoopDetected": "ℹ ", "Exhausted": "⚠  ", "MaxTurns": "✕ ", "Stopped": "ℹ ", "Blocked": "⚠  ", "EditsLeft": "⚠  ",
	}
	for _, kind := range agent.Events() {
		name := reflect.TypeOf(kind).Name()
		tr := newTranscript()
		tr.Options.ShowsThoughts, tr.Options.ShowsModel, tr.Options.ShowsErrors = true, true, true
		tr.run(sampleRun(kind))
		got := joined(tr.Take()) + joined(tr.Pending(10, start))
		switch {
		case unshown[name] != "" && got != "":
			t.Errorf("agent.%s is listed as not shown, but shows %q", name, got)
		case unshown[name] == "" && (want[name] == "" || !strings.Contains(got, want[name])):
			t.Errorf("agent.%s shows %q, not %q: handle it in run.go, or list it here", name, got, want[name])
		}
	}
}

// TestRetries checks that retries leave no line, unless the user wants to see all errors: the status row counts down.
func TestRetries(t *testing.T) {
	t.Parallel()
	tr := newTranscript()
	tr.run(agent.Text{Text: "One "}, sampleRun(agent.Waiting{}), agent.Text{Text: "answer."})
	tr.endAnswer()
	if got := joined(tr.Take()); got != "✦ One answer.\n" {
		t.Errorf("%q", got)
	}
}

// Each kind of display of a result is shown, also while the call runs if it can be live.
func TestEveryDisplay(t *testing.T) {
	t.Parallel()
	samples := map[reflect.Type]tool.Display{}
	for _, d := range []tool.Display{
		tool.TextDisplay("marker"), tool.TerminalDisplay("marker"), &tool.DiffDisplay{Before: new(string), Diff: "@@ -1 +1 @@\n-a\n+marker\n"},
		&tool.ListDisplay{Summary: "marker"}, &tool.MatchDisplay{Summary: "marker"}, &tool.TodoDisplay{}, &tool.AgentDisplay{Agent: "a", Result: "marker"},
		&tool.ProgressDisplay{Message: "marker"},
	} {
		samples[reflect.TypeOf(d)] = d
	}
	for _, kind := range tool.Displays() {
		d, ok := samples[reflect.TypeOf(kind)]
		if !ok {
			t.Errorf("%T is new: show it in result.go, and add a sample here", kind)
			continue
		}
		for _, isLoose := range []bool{false, true} {
			tr := newTranscript()
			tr.Options.IsLoose = isLoose
			got := joined(tr.run(done(callOf("look", "1"), &tool.Result{Display: d})).Take())
			if !strings.Contains(got, "marker") && !strings.Contains(got, "Todo: 0 of 0 completed") {
				t.Errorf("%T leaves no trace: %q", kind, got)
			}
		}
	}
}
