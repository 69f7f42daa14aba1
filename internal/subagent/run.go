package subagent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"pollux/agent"
	"pollux/internal/wording"
	"pollux/llm"
	"pollux/tool"
)

// Worker is a local subagent that is ready to run.
type Worker struct {
	ID    string // of the conversation
	Agent *agent.Agent
	// Prompt is the first message.
	Prompt []llm.Part
	// Turns limits the requests of Agent: [agent.Config.MaxTurns] points to it.
	Turns *int
	// Title returns the name of a tool for people.
	Title func(tool string) string
	// Close closes the files and connections of the worker. summary is the result in a few words, ""
	// for none.
	Close func(summary string)
}

// Reason is why a run of a subagent ended.
type Reason string

// The reasons.
const (
	Goal     Reason = "GOAL"
	TimedOut Reason = "TIMEOUT"
	TurnsUp  Reason = "MAX_TURNS"
	Aborted  Reason = "ABORTED"
	Failed   Reason = "ERROR"
	NoResult Reason = "ERROR_NO_COMPLETE_TASK_CALL"
)

// grace is the time that a subagent has to return a result after the end of its budgets.
const grace = time.Minute

var errTimeout = errors.New("the subagent's time is over")

type run struct {
	*Definition
	*Worker
	completion *Completion
	host       tool.Host
	progress   *progress
	observe    func(Event)

	stopped  *agent.Stopped // a hook ended a call, and all that led to it
	turns    int
	answer   string // the text with which it stopped, in place of a result
	lastText string // of the last response
	text     strings.Builder
}

// end is the end of a run.
type end struct {
	reason Reason
	result string
	err    error  // of a run that failed
	stop   string // why a hook ends the run of the caller, too; "" if none does
}

// do runs the subagent until it has returned a result or its budgets are used up. In the latter case
// it gets one more turn.
func (r *run) do(ctx context.Context) end {
	*r.Turns = r.MaxTurns
	reason, err := r.attempt(ctx, r.Worker.Prompt, r.Timeout)
	switch {
	case err != nil:
		return end{reason: Failed, err: err}
	case r.stopped != nil:
		return end{reason: Aborted, stop: cmp.Or(r.stopped.Reason, "A hook stopped the subagent.")}
	case reason == Goal, reason == Aborted:
		return r.finish(reason)
	}
	if reason == NoResult { // models often write the result instead of returning it
		r.answer, r.lastText = r.lastText, ""
	}
	began := time.Now()
	r.progress.think(fmt.Sprintf("Execution limit reached (%s). Attempting one final recovery turn with a grace period.", reason), tool.AgentRunning)
	r.progress.update()
	*r.Turns = r.turns + 1
	last, err := r.attempt(ctx, r.reminder(reason), grace)
	recovered := err == nil && last == Goal
	r.observe(Event{Agent: r.Name, ID: r.ID, Kind: Recovered, Reason: reason, Success: recovered, Turns: r.turns, Duration: time.Since(began)})
	switch {
	case recovered:
		reason = Goal
	case ctx.Err() != nil:
		reason = Aborted
	}
	return r.finish(reason)
}

// reminder is the prompt of the last request. It repeats the task if the conversation has lost it, as it
// loses each prompt that was cancelled before its first response.
func (r *run) reminder(reason Reason) []llm.Part {
	warning := llm.Text(r.warning(reason))
	if len(r.Agent.MessagesAfter(nil)) > 0 {
		return []llm.Part{warning}
	}
	return append(slices.Clone(r.Worker.Prompt), warning)
}

// warning asks the subagent for its result.
func (r *run) warning(reason Reason) string {
	why := map[Reason]string{
		TimedOut: "You have exceeded the time limit.", TurnsUp: "You have exceeded the maximum number of turns.",
		NoResult: "You have stopped calling tools without finishing.", Failed: "You repeat yourself, so you were stopped.",
	}[reason]
	return why + " You have one final chance to complete the task with a short grace period. You MUST call `complete_task` immediately with your best answer. The agent that called you sees only the arguments of this call, and nothing that you wrote before: put all of it into them. If work is left, say what. Do not call any other tools."
}

// finish returns the end of a run for a reason.
func (r *run) finish(reason Reason) end {
	e := end{reason: reason}
	switch reason {
	case Goal:
		e.result, _ = r.completion.Result()
		return e
	case TimedOut:
		e.result = fmt.Sprintf("Agent timed out after %g minutes.", r.Timeout.Minutes())
	case TurnsUp:
		e.result = fmt.Sprintf("Agent reached max turns limit (%d).", r.MaxTurns)
	case NoResult:
		e.result = "Agent stopped calling tools but did not call 'complete_task'."
	case Failed:
		e.result = "Agent was stopped because it repeated itself."
	case Aborted:
		e.result = "Agent execution was terminated before completion."
	}
	texts := []string{strings.TrimSpace(r.answer), strings.TrimSpace(r.lastText)}
	texts = slices.Compact(slices.DeleteFunc(texts, func(text string) bool { return text == "" }))
	if len(texts) > 0 && reason != Aborted {
		e.result += "\nWhat it wrote last, which may be incomplete:\n" + strings.Join(texts, "\n\n")
	}
	return e
}

// attempt runs the subagent with a prompt for at most a time.
func (r *run) attempt(ctx context.Context, prompt []llm.Part, limit time.Duration) (Reason, error) {
	running, clock := startClock(ctx, limit)
	defer clock.stop()
	reason, waiting := NoResult, 0
	events := agent.Forward(r.host, paused(clock, r.Agent.Run(running, agent.Prompt{Parts: prompt})))
	for e, err := range events {
		if err != nil {
			return Failed, err
		}
		r.see(e)
		switch e := e.(type) {
		case agent.ToolRequested:
			waiting++
		case agent.ToolFinished:
			waiting--
			if _, done := r.completion.Result(); done && waiting == 0 {
				return Goal, nil // leaving the loop ends the run
			}
		case agent.MaxTurns:
			reason = TurnsUp
		case agent.LoopDetected:
			reason = Failed
		case agent.Stopped:
			if e.ByTool {
				r.stopped = &e
			}
		case agent.Cancelled:
			reason = Aborted
			if errors.Is(context.Cause(running), errTimeout) {
				reason = TimedOut
			}
		case agent.Overflow:
			return Failed, errors.New(wording.Overflow(e))
		case agent.InvalidStream:
			return Failed, errors.New(wording.InvalidStream(e))
		}
	}
	return reason, nil
}

// see notes an event.
func (r *run) see(e agent.Event) {
	switch e := e.(type) {
	case agent.TurnStarted:
		r.turns++
		r.text.Reset()
	case agent.Retried:
		r.text.Reset()
	case agent.Text:
		const most = 16 << 10
		if r.text.Len() < most {
			r.text.WriteString(e.Text[:min(len(e.Text), most-r.text.Len())])
		}
	case agent.Finished:
		if text := strings.ToValidUTF8(r.text.String(), ""); strings.TrimSpace(text) != "" {
			r.lastText = text
		}
	}
	r.progress.observe(e)
}

// paused stops a clock while a person is asked.
func paused(c *clock, events iter.Seq2[agent.Event, error]) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		asked := map[*agent.ToolCall]func(){} // functions that resume the clock, by call
		for e, err := range events {
			switch q := e.(type) {
			case agent.ToolAsked:
				c.pause()
				resume, answer := sync.OnceFunc(c.resume), q.Answer
				asked[q.Call] = resume
				q.Answer = func(a tool.Answer) {
					resume()
					answer(a)
				}
				e = q
			case agent.ToolFinished: // also without an answer
				if resume := asked[q.Call]; resume != nil {
					resume()
					delete(asked, q.Call)
				}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}
