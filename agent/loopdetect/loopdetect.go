// Package loopdetect notices a model that goes in circles (spec/agent.md §14):
// one that asks for the same tool calls over and over, one whose answer says the
// same thing without end, and, by the judgement of a model, one that is busy but
// gets nowhere.
package loopdetect

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"pollux/agent"
	"pollux/llm"
)

// The kinds of loops. They appear in logs and telemetry.
const (
	RepeatedCalls = "consecutive_identical_tool_calls"
	Chanting      = "chanting_identical_sentences"
	Judged        = "llm_detected_loop"
)

// Options are the thresholds. What is zero has its default.
type Options struct {
	// A cycle of at most MaxCycle calls is a loop when it has come Repeats times
	// in a row; by default 5 and 5. A MaxCycle of 1 is the seeds' rule: identical
	// calls only.
	MaxCycle int
	Repeats  int

	// A piece of text of Chunk characters (50) is a loop when it has come Hits
	// times (10) among the last Memory characters (5000), at most Spacing
	// characters (250) apart on average, and the texts from one to the next are
	// at most Periods different ones (5). Characters are Unicode code points.
	Chunk, Hits, Memory, Spacing, Periods int

	// Generator is asked for its judgement; nil asks none. Which says, by alias,
	// what model is asked and how.
	Generator llm.Generator
	Which     func(question string) (model string, cfg llm.Config, err error)
	// The judgement is asked for from turn FirstJudgement of a prompt on (30),
	// next after Interval turns (10; the seeds: 3), and after a judgement the
	// sooner the surer it was: after MinInterval (5) to MaxInterval (15) turns.
	FirstJudgement, Interval, MinInterval, MaxInterval int
	// Window is how many messages are judged (20).
	Window int
	// Confidence is how sure a judgement must be, from 0 to 1 (0.9).
	Confidence float64
	// Single takes the first judgement that is sure for final. Without it a
	// second model has to agree.
	Single bool
	// Attempts is how often a model is asked until its answer is usable (2), and
	// Patience how long that may take in all (1 min).
	Attempts int
	Patience time.Duration
	// Asked, where set, is told of each judgement.
	Asked func(promptID string, j Judgement)
}

// Judgement is how sure models are, from 0 to 1, that the agent is stuck.
type Judgement struct {
	First float64
	// Second is what the second one thinks, Model is which that is; -1 and "" where
	// none was asked or its answer was of no use.
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
	o.Window = cmp.Or(o.Window, 20)
	o.Confidence = cmp.Or(o.Confidence, 0.9)
	o.Attempts = cmp.Or(o.Attempts, 2)
	o.Patience = cmp.Or(o.Patience, time.Minute)
	return o
}

// Detector watches one conversation. Memory and the time that a piece of text
// costs do not depend on how much there was before it.
type Detector struct {
	o   Options
	off atomic.Bool

	prompt   string
	promptID string // as far as calls have told it
	found    agent.Loop
	calls    calls
	chant    *chant // nil before the first text
	judge    judge
}

var _ agent.LoopDetector = (*Detector)(nil)

// New returns a detector.
func New(o Options) *Detector {
	d := &Detector{o: o.orDefault()}
	d.Reset("")
	return d
}

// Disable makes the detector find nothing any more. It may be called from any
// goroutine.
func (d *Detector) Disable() { d.off.Store(true) }

// Reset implements [agent.LoopDetector]. Nothing that came before counts any
// more: not the calls, not the text, not the turns.
func (d *Detector) Reset(prompt string) {
	d.prompt, d.promptID = prompt, ""
	d.found = agent.Loop{}
	d.calls = calls{}
	d.judge = judge{interval: d.o.Interval}
	if d.chant != nil {
		d.chant.forget()
		d.chant.lines = lines{}
	}
}

// Turn implements [agent.LoopDetector]. A loop that See has found is told again
// until Reset, so that it is not lost on a caller who could not break off there.
func (d *Detector) Turn(ctx context.Context, history []agent.Message) (loop agent.Loop, found bool) {
	if d.off.Load() {
		return agent.Loop{}, false
	}
	if d.found.Kind == "" {
		if d.chant != nil {
			d.chant.lines = lines{} // code that one answer leaves open does not go on in the next
		}
		if d.judge.due(&d.o) {
			d.found = d.ask(ctx, history)
		}
	}
	return d.found, d.found.Kind != ""
}

// See implements [agent.LoopDetector]. It looks at text and at requested calls.
func (d *Detector) See(e agent.Event) (loop agent.Loop, found bool) {
	if d.off.Load() {
		return agent.Loop{}, false
	}
	if d.found.Kind == "" {
		d.look(e)
	}
	return d.found, d.found.Kind != ""
}

func (d *Detector) look(e agent.Event) {
	switch e := e.(type) {
	case agent.Text:
		if d.chant == nil {
			d.chant = newChant(&d.o)
		}
		if chunk, ok := d.chant.add(e.Text); ok {
			d.found = agent.Loop{Kind: Chanting, Detail: "the answer says the same again and again: " + quote(chunk)}
		}
	case agent.ToolRequested:
		if d.chant != nil {
			d.chant.forget()
		}
		d.promptID = e.Call.PromptID
		if cycle := d.calls.add(e.Call, &d.o); cycle != nil {
			d.found = agent.Loop{Kind: RepeatedCalls, Detail: describe(cycle, d.o.Repeats)}
		}
	case agent.Retried: // the text so far is void
		if d.chant != nil {
			d.chant.forget()
			d.chant.lines = lines{}
		}
	}
}

// quote returns what a model has said in quotation marks, on one line and short
// enough for a sentence.
func quote(s string) string {
	return strconv.Quote(short(s))
}

// short returns s on one line, no longer than a sentence or two.
func short(s string) string {
	const most = 300
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	for i := range s {
		if most <= i {
			return s[:i] + "…"
		}
	}
	return s
}
