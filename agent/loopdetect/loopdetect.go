// Package loopdetect detects a model that repeats itself: one that requests the same tool calls
// again and again, one whose response repeats the same text, and, by the judgement of a model,
// one that works without progress.
package loopdetect

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"pollux/agent"
	"pollux/llm"
)

// The kinds of loops. The values appear in logs and telemetry.
const (
	RepeatedCalls = "consecutive_identical_tool_calls"
	Chanting      = "chanting_identical_sentences"
	Judged        = "llm_detected_loop"
)

// Options configures a [Detector]. A zero field has its default.
type Options struct {
	// A cycle of at most MaxCycle calls (5) is a loop when it has occurred Repeats times (5)
	// in a row. With a MaxCycle of 1, only identical calls are a loop.
	MaxCycle int
	Repeats  int

	// A piece of text of Chunk characters (50) is a loop when it has occurred Hits times (10)
	// among the last Memory characters (5000), at most Spacing characters (250) apart on
	// average, with at most Periods different texts (5) from one occurrence to the next.
	// Characters are Unicode code points.
	Chunk, Hits, Memory, Spacing, Periods int

	// Generator judges whether the agent makes progress; nil disables the judgement.
	// ResolveModel returns the model to ask and its configuration for an alias in the
	// settings.
	Generator    llm.Generator
	ResolveModel func(question string) (model string, cfg llm.Config, err error)
	// A model is asked from turn FirstJudgement of a prompt on (30), then after Interval turns
	// (10). After that, the next question follows after MinInterval (5) to MaxInterval (15)
	// turns: the higher the confidence of the last answer, the sooner.
	FirstJudgement, Interval, MinInterval, MaxInterval int
	// SingleJudge makes the first answer final. Otherwise a second model has to agree.
	SingleJudge bool
	// Timeout limits the time of both questions together (5 s), because the agent waits for the judgement:
	// asked beside the turn, requests would come in an order that depends on the speed of servers, and
	// recordings could not be played back.
	Timeout time.Duration
	// IsOff reports whether the detector is turned off just now: it then finds nothing. nil is for never.
	IsOff func() bool
	// OnJudgement, if set, is called after each judgement.
	OnJudgement func(promptID string, j Judgement)
}

// Judgement is the confidence of models, from 0 to 1, that the agent is stuck.
type Judgement struct {
	First float64
	// Second is the confidence of the second model, and Model is the name of that model. They
	// are -1 and "" if no second model was asked or its answer was unusable.
	Second float64
	Model  string
}

func (o Options) orDefault() Options {
	o.MaxCycle = cmp.Or(o.MaxCycle, 5)
	o.Repeats = cmp.Or(o.Repeats, 5)
	o.Chunk = cmp.Or(o.Chunk, 50)
	o.Hits = cmp.Or(o.Hits, 10)
	o.Memory = cmp.Or(o.Memory, 5000)
	o.Spacing = cmp.Or(o.Spacing, 250)
	o.Periods = cmp.Or(o.Periods, 5)
	o.FirstJudgement = cmp.Or(o.FirstJudgement, 30)
	o.Interval = cmp.Or(o.Interval, 10)
	o.MinInterval = cmp.Or(o.MinInterval, 5)
	o.MaxInterval = cmp.Or(o.MaxInterval, 15)
	o.Timeout = cmp.Or(o.Timeout, 5*time.Second)
	return o
}

// Detector is an [agent.LoopDetector] for one conversation. Its memory, and the time to check
// a piece of text, do not depend on the length of the conversation.
type Detector struct {
	o Options

	prompt   string
	promptID string // of the last tool call; "" before the first
	calls    calls
	chant    *chantFinder // nil before the first text
	judge    judge
}

var _ agent.LoopDetector = (*Detector)(nil)

// New returns a detector.
func New(o Options) *Detector {
	d := &Detector{o: o.orDefault()}
	d.Reset("")
	return d
}

// isOff reports whether the detector finds nothing now.
func (d *Detector) isOff() bool { return d.o.IsOff != nil && d.o.IsOff() }

// Reset implements [agent.LoopDetector]. It discards all calls, text and turns.
func (d *Detector) Reset(prompt string) {
	d.prompt, d.promptID = prompt, ""
	d.calls = calls{}
	d.judge = judge{interval: d.o.Interval}
	if d.chant != nil {
		d.chant.reset()
		d.chant.lines = lines{}
	}
}

// CheckTurn implements [agent.LoopDetector]. It asks models when that is due.
func (d *Detector) CheckTurn(ctx context.Context, history []agent.Message) (loop agent.Loop, found bool) {
	if d.isOff() {
		return agent.Loop{}, false
	}
	if d.chant != nil {
		d.chant.lines = lines{} // a code block ends with its response
	}
	if d.judge.isDue(&d.o) {
		loop = d.judgeHistory(ctx, history)
	}
	return loop, loop.Kind != ""
}

// Observe implements [agent.LoopDetector]. It checks text and requested tool calls. A call that
// continues a loop of calls is a loop again, until Reset is called or another call breaks it. A
// call that did not run does not count, and the same calls of one response, which ends with [agent.Finished], count once.
func (d *Detector) Observe(e agent.Event) (loop agent.Loop, found bool) {
	if d.isOff() {
		return agent.Loop{}, false
	}
	loop = d.inspect(e)
	return loop, loop.Kind != ""
}

func (d *Detector) inspect(e agent.Event) agent.Loop {
	switch e := e.(type) {
	case agent.Text:
		if d.chant == nil {
			d.chant = newChantFinder(&d.o)
		}
		if chunk, ok := d.chant.add(e.Text); ok {
			return agent.Loop{Kind: Chanting, Detail: "the answer says the same again and again: " + quote(chunk)}
		}
	case agent.ToolRequested:
		if d.chant != nil {
			d.chant.reset()
		}
		d.promptID = e.Call.PromptID
		if cycle := d.calls.add(e.Call, &d.o); cycle != nil {
			return agent.Loop{Kind: RepeatedCalls, Detail: describe(cycle, d.o.Repeats)}
		}
	case agent.Finished:
		d.calls.endResponse()
	case agent.ToolFinished: // it did not run, and may be called again
		if e.Status == agent.CallCancelled && e.Began.IsZero() {
			d.calls.forget(e.Call)
		}
	case agent.Retried: // discard the text so far
		if d.chant != nil {
			d.chant.reset()
			d.chant.lines = lines{}
		}
	}
	return agent.Loop{}
}

// quote returns s in quotation marks, shortened to one line.
func quote(s string) string {
	return strconv.Quote(brief(s))
}

// brief returns s on one line of at most 300 bytes.
func brief(s string) string {
	const most = 300
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
