package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pollux/llm"
)

// ears is a loop detector whose findings the test sets.
type ears struct {
	loops map[string]bool // by the id of a call
	turn  bool
	heard []Event
	reset []string
}

func (e *ears) Reset(prompt string) { e.reset = append(e.reset, prompt) }

func (e *ears) CheckTurn(context.Context, []Message) (Loop, bool) { return Loop{Kind: "turns"}, e.turn }

func (e *ears) Observe(event Event) (Loop, bool) {
	e.heard = append(e.heard, event)
	requested, ok := event.(ToolRequested)
	return Loop{Kind: "calls", Detail: "the same call"}, ok && e.loops[requested.Call.ID]
}

// spent is a journal that records only the models of discarded responses.
type spent struct {
	Journal
	models []string
}

func (s *spent) Begin(context.Context, string, []Message) error { return nil }
func (s *spent) Append(context.Context, Entry) error            { return nil }
func (s *spent) Rewind(context.Context, string) error           { return nil }

func (s *spent) SpendMain(model string, _ *llm.Usage, _ time.Duration) error {
	s.models = append(s.models, model)
	return nil
}

// TestLoopBreaker checks the warning after the first loop and the end after the second. Only a loop
// in the text of a response makes the text void and takes the message back.
func TestLoopBreaker(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		isText bool
		left   int // continuations
		spent  bool
		how    remedy
		err    error
		events string
	}{
		"text":                    {isText: true, left: 1, how: nextTurn, events: "Retried{{LOOP_DETECTED twice} 0 0}"},
		"text, a second time":     {isText: true, left: 1, spent: true, err: errOver, events: "LoopDetected{chant}"},
		"turns":                   {left: 1, how: nextTurn},
		"turns, a second time":    {left: 1, spent: true, err: errOver, events: "LoopDetected{chant}"},
		"no continuation is left": {err: errOver, events: "LoopDetected{chant}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ears, ledger, loop := &ears{}, &spent{}, Loop{Kind: "chant", Detail: "twice"}
			b := newBench(t, func(c *Config) { c.LoopDetector, c.Journal = ears, ledger })
			turn := b.sent(t.Context(), llm.Text("hi"))
			turn.reply.model = "m"
			if tt.isText {
				turn.reply.loop = loop
			} else {
				turn.loop = loop
			}
			l := &loopBreaker{requester: b.requester, budget: &budget{tt.left, tt.spent}, prompt: "hi"}
			how, err := l.repairs(t.Context(), turn)
			if how != tt.how || !errors.Is(err, tt.err) || strings.Join(b.events, " ") != tt.events {
				t.Errorf("%v, %v, events %q", how, err, b.events)
			}
			if turn.message.isSent == tt.isText || (len(ledger.models) == 1) != tt.isText {
				t.Errorf("in the history: %v; discarded: %v", turn.message.isSent, ledger.models)
			}
			warned := how == nextTurn
			text := turn.message.content.Text()
			if strings.Contains(text, "Details: twice. Step back") != warned || !strings.HasPrefix(text, "hi") || (len(ears.reset) == 1) != warned {
				t.Errorf("message %q, resets %q", text, ears.reset)
			}
			if turn.message.shown != "typed" {
				t.Errorf("shown as %q", turn.message.shown)
			}
		})
	}
}

// TestLoopInCalls checks that the call that completes the first loop does not run, nor other such
// calls of the response, and that after a warning none of the calls runs.
func TestLoopInCalls(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		loops   map[string]bool
		warned  bool
		refused string
		ends    bool
	}{
		"none":            {},
		"one":             {loops: map[string]bool{"b": true}, refused: "b"},
		"two":             {loops: map[string]bool{"a": true, "c": true}, refused: "a c"},
		"after a warning": {loops: map[string]bool{"c": true}, warned: true, ends: true},
	} {
		b := newBench(t, func(c *Config) { c.LoopDetector = &ears{loops: tt.loops} })
		l := &loopBreaker{requester: b.requester, budget: &budget{1, tt.warned}, prompt: "hi"}
		turn := b.sent(t.Context(), llm.Text("hi"))
		for _, id := range []string{"a", "b", "c"} {
			turn.calls = append(turn.calls, &ToolCall{ID: id})
		}
		calls := turn.calls
		l.checkCalls(t.Context(), turn)
		var refused []string
		for i, call := range calls {
			if r := turn.refused[call]; r != nil {
				refused = append(refused, call.ID)
				if first := len(refused) == 1; strings.Contains(r.Error.Message, "Step back") != first {
					t.Errorf("%s: call %d: %s", name, i, r.Error.Message)
				}
			}
		}
		if strings.Join(refused, " ") != tt.refused || (turn.loop.Kind != "") != tt.ends || (turn.calls == nil) != tt.ends {
			t.Errorf("%s: refused %v, loop %v, %d calls", name, refused, turn.loop, len(turn.calls))
		}
		if l.budget.hasRecovered != (tt.warned || tt.refused != "") || l.budget.continuations != 1 {
			t.Errorf("%s: %s", name, fmt.Sprint(*l.budget))
		}
	}
}

// TestLoopInTurns checks when the detector is asked about the turns.
func TestLoopInTurns(t *testing.T) {
	t.Parallel()
	for _, detector := range []LoopDetector{nil, &ears{}, &ears{turn: true}} {
		b := newBench(t, func(c *Config) { c.LoopDetector = detector })
		turn := &turn{}
		_ = b.checkTurn(t.Context(), turn)
		e, _ := detector.(*ears)
		if want := e != nil && e.turn; (turn.loop.Kind == "turns") != want {
			t.Errorf("%v: %v", detector, turn.loop)
		}
	}
}

// TestAtLoop checks that a run goes on past its last loop if AtLoop says so: with the calls of the response, or with the same
// message and without a warning. Otherwise it is asked once, and the run ends.
func TestAtLoop(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text, calls bool // where the loop is, else in the turns
		says        bool
		how         remedy
		err         error
		events      string
		left        int // calls
	}{
		"text, yes":  {text: true, says: true, how: nextTurn, events: "Retried{{LOOP_DETECTED twice} 0 0}"},
		"text, no":   {text: true, err: errOver, events: "LoopDetected{calls}"},
		"turns, yes": {says: true, how: nextTurn},
		"turns, no":  {err: errOver, events: "LoopDetected{calls}"},
		"calls, yes": {calls: true, says: true, left: 2},
		"calls, no":  {calls: true, err: errOver, events: "LoopDetected{calls}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			loop, asked := Loop{Kind: "calls", Detail: "twice"}, 0
			b := newBench(t, func(c *Config) {
				c.LoopDetector = &ears{loops: map[string]bool{"b": true}}
				c.AtLoop = func(_ context.Context, l Loop) bool { asked++; return tt.says && l.Kind == loop.Kind }
			})
			turn := b.sent(t.Context(), llm.Text("hi"))
			l := &loopBreaker{requester: b.requester, budget: &budget{1, true}, prompt: "hi"}
			how, err := stand, error(nil)
			switch {
			case tt.text:
				turn.reply.loop = loop
			case tt.calls:
				turn.calls = []*ToolCall{{ID: "a"}, {ID: "b"}}
				l.checkCalls(t.Context(), turn)
			default:
				turn.loop = loop
			}
			if l.sees(turn) {
				how, err = l.repairs(t.Context(), turn)
			}
			if how != tt.how || !errors.Is(err, tt.err) || strings.Join(b.events, " ") != tt.events || len(turn.calls) != tt.left || len(turn.refused) > 0 {
				t.Errorf("%v, %v, events %q, %d calls, %d refused", how, err, b.events, len(turn.calls), len(turn.refused))
			}
			if asked != 1 || turn.message.content.Text() != "hi" {
				t.Errorf("asked %d times, message %q", asked, turn.message.content.Text())
			}
		})
	}
}

// TestAtLoopCancelled checks that a run that is cancelled while it asks about a loop does not report the loop.
func TestAtLoopCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	b := newBench(t, func(c *Config) { c.AtLoop = func(context.Context, Loop) bool { cancel(); return false } })
	turn := b.sent(ctx, llm.Text("hi"))
	turn.loop = Loop{Kind: "calls"}
	l := &loopBreaker{requester: b.requester, budget: &budget{1, true}}
	if _, err := l.repairs(ctx, turn); !errors.Is(err, context.Canceled) || len(b.events) > 0 {
		t.Errorf("%v, events %q", err, b.events)
	}
}
