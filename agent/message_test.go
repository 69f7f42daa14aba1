package agent

import (
	"strings"
	"testing"

	"pollux/llm"
)

// TestMessage checks the history and the waiting prompts at the end of a run, with a message that was
// not sent, that is in the history, or that was taken back.
func TestMessage(t *testing.T) {
	t.Parallel()
	waiting := []Prompt{{Parts: []llm.Part{llm.Text("waiting")}}}
	results := llm.User(result("out"))
	joined := llm.User(result("out"), llm.Text("waiting"))
	for name, tt := range map[string]struct {
		m        outgoing
		sent     bool
		takeBack bool
		want     string // the history, after a call
		waits    bool
	}{
		"a prompt that was not sent":        {m: outgoing{content: llm.User(llm.Text("waiting hi")), joined: waiting}, want: "cancelled", waits: true},
		"a prompt":                          {m: outgoing{content: llm.User(llm.Text("waiting hi")), joined: waiting}, sent: true, want: "waiting hi"},
		"a prompt taken back":               {m: outgoing{content: llm.User(llm.Text("waiting hi")), joined: waiting}, sent: true, takeBack: true, want: "cancelled", waits: true},
		"results that were not sent":        {m: outgoing{content: joined, results: results, joined: waiting}, want: "out", waits: true},
		"results":                           {m: outgoing{content: joined, results: results, joined: waiting}, sent: true, want: "out waiting"},
		"results taken back":                {m: outgoing{content: joined, results: results, joined: waiting}, sent: true, takeBack: true, want: "out waiting"},
		"nothing":                           {want: "cancelled"},
		"a message that was never sent out": {m: outgoing{content: results, results: results}, takeBack: true, want: "out"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, nil)
			b.conv.push(t.Context(), Message{Content: llm.Model(callPart())})
			r := newRun(b.requester, "hi")
			if tt.sent {
				b.conv.join(t.Context(), &tt.m)
				b.conv.join(t.Context(), &tt.m) // which does nothing
			}
			if tt.takeBack {
				b.conv.leave(t.Context(), &tt.m)
			}
			r.settle(t.Context(), tt.m)
			var got []string
			for _, m := range b.History()[1:] {
				for _, p := range m.Content.Parts {
					switch {
					case p.FunctionResponse == nil:
						got = append(got, p.Text)
					case strings.Contains(string(p.FunctionResponse.Response), "Cancelled"):
						got = append(got, "cancelled")
					default:
						got = append(got, "out")
					}
				}
			}
			if text := strings.Join(got, " "); !strings.HasPrefix(text, tt.want) || len(b.Withdraw()) > 0 != tt.waits {
				t.Errorf("history %q, want %q", text, tt.want)
			}
		})
	}
}

// TestJoinAgain checks that a prompt keeps its id when it is sent again, and that a text stands in for a
// response to results that got none.
func TestJoinAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.conv.push(t.Context(), Message{Content: llm.User(result("out"))})
	b.conv.isAtLimit = true
	m := outgoing{content: llm.User(llm.Text("hi")), shown: "typed", isPrompt: true}
	b.conv.join(t.Context(), &m)
	first := b.History()
	b.conv.leave(t.Context(), &m)
	b.conv.join(t.Context(), &m)
	second := b.History()
	if len(first) != 3 || len(second) != 3 || first[1].Content.Text() != limitText || b.conv.isAtLimit {
		t.Fatalf("%d and %d messages, the second is %q", len(first), len(second), first[1].Content.Text())
	}
	if p := second[2]; p.ID != first[2].ID || p.Shown != "typed" || !p.IsPrompt {
		t.Errorf("%+v, was %s", p, first[2].ID)
	}
}
