package agent

import (
	"encoding/json"
	"testing"

	"pollux/llm"
)

// TestWithAside checks that a side question follows the results of calls, those of running calls too, and that it changes
// no message of the history.
func TestWithAside(t *testing.T) {
	t.Parallel()
	one, two := &llm.FunctionCall{ID: "1", Name: "a", Args: json.RawMessage(`{}`)}, &llm.FunctionCall{ID: "2", Name: "b", Args: json.RawMessage(`{}`)}
	prompt := Message{Content: llm.User(llm.Text("prompt"))}
	calls := Message{Content: llm.Model(llm.Text("I look."), llm.Part{FunctionCall: one}, llm.Part{FunctionCall: two})}
	results := Message{Content: llm.User(llm.Part{FunctionResponse: llm.Output("1", "a", "x")}, llm.Part{FunctionResponse: llm.Output("2", "b", "y")})}
	for name, c := range map[string]struct {
		history         []Message
		messages, parts int
	}{
		"empty":   {nil, 1, 1},
		"waiting": {[]Message{prompt}, 1, 2},
		"answer":  {[]Message{prompt, {Content: llm.Model(llm.Text("done"))}}, 3, 1},
		"calls":   {[]Message{prompt, calls}, 3, 3},
		"results": {[]Message{prompt, calls, results}, 3, 3},
	} {
		got := withAside(c.history, "q")
		last := got[len(got)-1]
		n := len(last.Parts)
		if len(got) != c.messages || n != c.parts || last.Role != llm.RoleUser || last.Parts[n-1].Text != asideNote+"q" {
			t.Errorf("%s: %d messages, %+v", name, len(got), last)
		}
		if name == "calls" && (last.Parts[0].FunctionResponse.ID != "1" || last.Parts[1].FunctionResponse.Name != "b") {
			t.Errorf("%+v", last)
		}
	}
	if len(prompt.Content.Parts) != 1 || len(results.Content.Parts) != 2 {
		t.Error("the history has changed")
	}
}

// TestNotice checks that a notice stays when the waiting prompts are withdrawn, and that people do not see it in a prompt.
func TestNotice(t *testing.T) {
	t.Parallel()
	a := &Agent{conv: &conversation{}}
	notice := Prompt{Parts: []llm.Part{llm.Text("ended")}, IsNotice: true}
	a.Steer(notice)
	a.Steer(TextPrompt("hint"))
	if got := a.Withdraw(); len(got) != 1 || got[0].Text() != "hint" || len(a.Withdraw()) != 0 || !a.conv.hasWaiting() {
		t.Errorf("%+v", got)
	}
	r := &run{requester: &requester{Agent: a, out: consumer{yield: func(Event, error) bool { return true }, cancel: func(error) {}}}}
	m := outgoing{content: llm.User(llm.Text("prompt"))}
	if err := r.joinWaiting(&m); err != nil || m.shown != "prompt" || len(m.content.Parts) != 2 {
		t.Errorf("%+v %v", m, err)
	}
}
