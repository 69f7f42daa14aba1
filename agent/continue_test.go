package agent

import (
	"errors"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/tool"
)

// TestUnfinishedRepairs checks how the reply of a turn changes when the model is asked to continue.
func TestUnfinishedRepairs(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		said    string
		next    *llm.Response
		isValue bool
		leaves  bool
		err     error
		text    string // of the reply afterwards
		call    bool
		asked   string // end of the last message of the request
		events  string
	}{
		"a call":            {said: "I will.", next: answer(callPart()), text: "I will.", call: true, asked: noCallText + unfinishedText},
		"more text":         {said: "I will.", next: answer(llm.Text("Done.")), text: "I will.\n\nDone.", asked: noCallText + unfinishedText, events: "Text{\n\nDone.}"},
		"nothing was said":  {next: answer(llm.Text("Done.")), text: "Done.", asked: "or call a tool.]", events: "Text{Done.}"},
		"nothing more":      {said: "I will.", next: answer(), text: "I will.", asked: noCallText + unfinishedText},
		"an error":          {said: "I will.", text: "I will.", asked: noCallText + unfinishedText},
		"a value":           {said: "I will.", isValue: true, text: "I will."},
		"the consumer left": {said: "I will.", next: answer(llm.Text("Done.")), leaves: true, err: errLeft, text: "I will.", asked: noCallText + unfinishedText, events: "Text{\n\nDone.}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := &answers{list: []*llm.Response{tt.next}}
			b := newBench(t, func(c *Config) {
				c.Generator = model
				c.Sampling = func(string, bool) llm.Config {
					if tt.isValue {
						return llm.Config{ResponseMIMEType: "application/json"}
					}
					return llm.Config{}
				}
			})
			if tt.leaves {
				yield := b.out.yield
				b.out.yield = func(e Event, err error) bool { yield(e, err); return false }
			}
			turn := b.sent(t.Context(), result("out"))
			turn.reply.parts = []llm.Part{llm.Text(tt.said)}
			u := &unfinished{requester: b.requester}
			how, err := u.repairs(t.Context(), turn)
			if how != stand || !errors.Is(err, tt.err) || turn.reply.visibleText() != tt.text || turn.reply.hasCall() != tt.call {
				t.Errorf("%v, %v, reply %q, call %v", how, err, turn.reply.visibleText(), turn.reply.hasCall())
			}
			if strings.Join(b.events, " ") != tt.events || len(b.conv.history.all) != 1 {
				t.Errorf("events %q, %d messages", b.events, len(b.conv.history.all))
			}
			if tt.asked == "" {
				if len(model.requests) > 0 {
					t.Error("a value was asked to continue")
				}
				return
			}
			contents := model.requests[0].Contents
			if got := contents[len(contents)-1].Text(); !strings.HasSuffix(got, tt.asked) || model.requests[0].MaxAttempts != nudgeAttempts {
				t.Errorf("asked %q, %d attempts", got, model.requests[0].MaxAttempts)
			}
		})
	}
}

// TestUnfinishedSees checks how often the model is asked to continue, and which responses are left
// alone.
func TestUnfinishedSees(t *testing.T) {
	t.Parallel()
	one := 1
	for name, tt := range map[string]struct {
		u       unfinished
		change  func(*Config)
		said    string
		calls   int
		reason  llm.FinishReason
		turns   int
		waiting bool
		isFirst bool // the message has no results
		want    bool
	}{
		"announced":                  {said: "I will.", want: true},
		"cut off":                    {said: "I will.", reason: llm.FinishMaxTokens, want: true},
		"nothing about results":      {want: true},
		"nothing about a prompt":     {isFirst: true},
		"asked, no call since":       {u: unfinished{nudges: 1, calls: 2}, said: "I will.", calls: 2},
		"asked, a call since":        {u: unfinished{nudges: 1, calls: 2}, said: "I will.", calls: 3, want: true},
		"asked twice":                {u: unfinished{nudges: 2, calls: 2}, said: "I will.", calls: 3},
		"a prompt waits":             {said: "I will.", waiting: true},
		"the last request":           {said: "I will.", change: func(c *Config) { c.MaxTurns = &one }, turns: 1},
		"not the last request":       {said: "I will.", change: func(c *Config) { c.MaxTurns = &one }, want: true},
		"without tools":              {said: "I will.", change: func(c *Config) { c.Tools = tool.NewRegistry() }},
		"no check":                   {said: "I will.", change: func(c *Config) { c.Unfinished = nil }},
		"another reason for the end": {said: "I will.", reason: llm.FinishRecitation},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var ending Ending
			b := newBench(t, func(c *Config) {
				c.Tools = tool.NewRegistry(named{})
				c.Unfinished = func(e Ending) bool { ending = e; return true }
				if tt.change != nil {
					tt.change(c)
				}
			})
			part := result("out")
			if tt.isFirst {
				part = llm.Text("hi")
			}
			turn := b.sent(t.Context(), part)
			turn.callsBefore, b.conv.turnCount = tt.calls, tt.turns
			turn.reply.reason = llm.FinishStop
			if tt.reason != "" {
				turn.reply.reason = tt.reason
			}
			if tt.said != "" {
				turn.reply.parts = []llm.Part{llm.Text(tt.said)}
			}
			if tt.waiting {
				b.Steer(Prompt{})
			}
			tt.u.requester = b.requester
			if got := tt.u.sees(turn); got != tt.want {
				t.Errorf("sees %v", got)
			}
			if tt.want && (ending.Text != tt.said || ending.HasCalled != (tt.calls > 0) || strings.Join(ending.Tools, " ") != "look") {
				t.Errorf("%+v", ending)
			}
		})
	}
}
