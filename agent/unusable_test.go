package agent

import (
	"errors"
	"strings"
	"testing"

	"pollux/llm"
)

// TestUnusable checks the end of the attempts: the prompt stays in the history unless it was blocked or is to be dropped, tool
// results stay in any case, and the model may be asked to continue.
func TestUnusable(t *testing.T) {
	t.Parallel()
	const invalid = "InvalidStream{NO_RESPONSE_TEXT empty}"
	for name, tt := range map[string]struct {
		part      llm.Part
		isLast    bool
		continues bool
		spent     bool
		drops     bool
		blocked   string
		how       remedy
		err       error
		message   string
		history   int
		events    string
	}{
		"another attempt":         {part: llm.Text("hi"), how: resend, message: "hi", history: 1, events: "Retried{{NO_RESPONSE_TEXT empty} 2 4}"},
		"no attempt left":         {part: llm.Text("hi"), isLast: true, err: errOver, message: "hi", history: 1, events: invalid},
		"to be dropped":           {part: llm.Text("hi"), isLast: true, drops: true, err: errOver, message: "hi", events: invalid},
		"blocked":                 {part: llm.Text("hi"), isLast: true, blocked: "OTHER", err: errOver, message: "hi", events: invalid},
		"results, to be dropped":  {part: result("out"), isLast: true, drops: true, err: errOver, history: 1, events: invalid},
		"results stay":            {part: result("out"), isLast: true, err: errOver, history: 1, events: invalid},
		"a request to continue":   {part: llm.Text("hi"), isLast: true, continues: true, how: nextTurn, message: "System: Please continue.", history: 1, events: invalid},
		"dropped, and continued":  {part: llm.Text("hi"), isLast: true, continues: true, drops: true, how: nextTurn, message: "System: Please continue.", events: invalid},
		"continue after results":  {part: result("out"), isLast: true, continues: true, how: nextTurn, message: "System: Please continue.", history: 1, events: invalid},
		"only once for a prompt":  {part: llm.Text("hi"), isLast: true, continues: true, spent: true, err: errOver, message: "hi", history: 1, events: invalid},
		"no more after a retry":   {part: llm.Text("hi"), spent: true, how: resend, message: "hi", history: 1, events: "Retried{{NO_RESPONSE_TEXT empty} 2 4}"},
		"results, another chance": {part: result("out"), how: resend, history: 1, events: "Retried{{NO_RESPONSE_TEXT empty} 2 4}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, func(c *Config) { c.ContinueInvalid, c.DropInvalidPrompts = tt.continues, tt.drops })
			turn := b.sent(t.Context(), tt.part)
			turn.reply = &reply{blocked: tt.blocked}
			id := turn.message.id
			turn.problem, turn.isLast = &InvalidStream{"NO_RESPONSE_TEXT", "empty"}, tt.isLast
			u := &unusable{b.requester, &budget{continuations: 1, hasRecovered: tt.spent}}
			how, err := u.repairs(t.Context(), turn)
			m := turn.message
			if how != tt.how || !errors.Is(err, tt.err) || m.content.Text() != tt.message {
				t.Errorf("%v, %v, message %q", how, err, m.content.Text())
			}
			if n := len(b.conv.history.all); n != tt.history || strings.Join(b.events, " ") != tt.events {
				t.Errorf("%d messages, events %q", n, b.events)
			}
			isPrompt := how != nextTurn || tt.drops && tt.part.FunctionResponse == nil
			if m.isPrompt != isPrompt || isPrompt && m.id != id {
				t.Errorf("prompt %v, id %q", m.isPrompt, m.id)
			}
			if how == resend && turn.previous != turn.problem {
				t.Error("the next attempt does not know the problem")
			}
		})
	}
}

// TestStandIn checks that the other model begins with the first attempt, and that without one the
// turn is left to other recoveries.
func TestStandIn(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	for _, has := range []bool{true, false} {
		var asked []string
		b := newBench(t, func(c *Config) {
			c.StandIn = func(model, promptID string, err error) bool {
				asked = append(asked, model, promptID, err.Error())
				return has
			}
		})
		turn := b.sent(t.Context(), llm.Text("hi"))
		turn.attempt, turn.isLast, turn.err, turn.problem = 4, true, broken, &InvalidStream{"INCOMPLETE_STREAM", "reset"}
		how, err := (standIn{b.requester}).repairs(t.Context(), turn)
		if err != nil || strings.Join(asked, " ") != "m p connection reset" {
			t.Errorf("%v, asked %v", err, asked)
		}
		if has && (how != resend || turn.attempt != 0 || strings.Join(b.events, " ") != "Retried{{INCOMPLETE_STREAM reset} 0 0}") {
			t.Errorf("%v, attempt %d, events %q", how, turn.attempt, b.events)
		}
		if !has && (how != stand || turn.attempt != 4 || b.events != nil) {
			t.Errorf("%v, attempt %d, events %q", how, turn.attempt, b.events)
		}
		turn.err, turn.problem = nil, &InvalidStream{noFinishReason, "cut"}
		if _, err := (standIn{b.requester}).repairs(t.Context(), turn); err != nil || !strings.HasSuffix(asked[len(asked)-1], "cut") {
			t.Errorf("%v, asked %v", err, asked)
		}
	}
}

// TestCutOff checks the event of another attempt, that the detector hears of it, and that a reply
// that was paid for is recorded.
func TestCutOff(t *testing.T) {
	t.Parallel()
	ledger, ears := &spent{}, &ears{}
	b := newBench(t, func(c *Config) { c.Journal, c.LoopDetector = ledger, ears })
	turn := b.sent(t.Context(), llm.Text("hi"))
	turn.attempt, turn.err, turn.problem = 2, errors.New("reset"), &InvalidStream{"INCOMPLETE_STREAM", "reset"}
	turn.reply.model, turn.reply.usage = "other", &llm.Usage{Prompt: 7}
	how, err := (cutOff{b.requester}).repairs(t.Context(), turn)
	if how != resend || err != nil || strings.Join(b.events, " ") != "Retried{{INCOMPLETE_STREAM reset} 3 4}" {
		t.Errorf("%v, %v, events %q", how, err, b.events)
	}
	if len(ears.heard) != 1 || strings.Join(ledger.models, " ") != "other" {
		t.Errorf("the detector heard %v, the ledger has %v", ears.heard, ledger.models)
	}
	b.out.yield = func(Event, error) bool { return false }
	if _, err := (cutOff{b.requester}).repairs(t.Context(), turn); !errors.Is(err, errLeft) {
		t.Errorf("%v, want errLeft", err)
	}
}
