package telemetry

import (
	"context"
	"fmt"
	"iter"
	"time"

	"pollux/agent"
	"pollux/llm"
	"pollux/llm/ellipsis"
	"pollux/tool"
)

// Runner processes a prompt, like [agent.Agent.Run].
type Runner func(ctx context.Context, p agent.Prompt) iter.Seq2[agent.Event, error]

// Run processes a prompt with run, and records its events. The prompt must have an id, which
// all its records carry.
func (t *Telemetry) Run(ctx context.Context, p agent.Prompt, run Runner) iter.Seq2[agent.Event, error] {
	if t == nil {
		return run(ctx, p)
	}
	return func(yield func(agent.Event, error) bool) {
		w := t.watch(p)
		defer w.end()
		for e, err := range run(ctx, p) {
			if err != nil {
				w.failure = err.Error()
			} else {
				w.see(e)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// watch starts recording a prompt.
func (t *Telemetry) watch(p agent.Prompt) *watcher {
	t.setCommon()
	t.mu.Lock()
	w := &watcher{t: t, id: p.ID, in: newPlace(), began: time.Now()}
	t.places[p.ID] = w.in
	t.mu.Unlock()

	text := p.Shown
	if text == "" {
		text = llm.PartsText(p.Parts)
	}
	a := attrs{{"prompt_length", tool.Units(text)}, {"prompt_id", p.ID}}
	if t.o.LogPrompts {
		a.add("prompt", ellipsis.Bytes(text, maxText))
	}
	t.event("user_prompt", p.ID, fmt.Sprintf("A prompt of %d characters", tool.Units(text)), a)
	return w
}

// watcher records one prompt.
type watcher struct {
	t       *Telemetry
	id      string
	in      place
	began   time.Time
	failure string

	model    string
	turns    int
	attempts int // number of attempts for the current response
	// The calls of one response are scheduled together.
	calls     int // number of unfinished calls
	scheduled time.Time
	batch     place
}

func (w *watcher) end() {
	w.t.event("conversation_finished", w.id, fmt.Sprintf("Finished after %d turns", w.turns),
		attrs{{"approvalMode", w.t.mode()}, {"turnCount", w.turns}, {"prompt_id", w.id}})
	w.t.ended("user_prompt", w.in, w.began, w.failure, attrs{{"gen_ai.prompt.name", w.id}})
	w.t.mu.Lock()
	defer w.t.mu.Unlock()
	delete(w.t.places, w.id)
}

func (t *Telemetry) mode() string {
	if t.o.Mode == nil {
		return "default"
	}
	return t.o.Mode()
}

// see records an event. Events that are not listed here are recorded elsewhere, or concern
// only faces.
func (w *watcher) see(e agent.Event) {
	switch e := e.(type) {
	case agent.TurnStarted:
		w.turns++
		w.attempts = 1
	case agent.ModelInfo:
		w.model = e.Model
	case agent.Switched:
		w.model = e.To
		w.t.event("flash_fallback", w.id, "Another model takes over: "+e.To, attrs{{"auth_type", w.t.o.AuthType}})
	case agent.ToolRequested:
		if w.calls == 0 {
			w.batch, w.scheduled = w.t.below(w.id), time.Now()
		}
		w.calls++
	case agent.ToolFinished:
		w.tool(&e)
	case agent.Nested:
		if inner, ok := innermost(e).(agent.ToolFinished); ok {
			w.executions(&inner)
		}
	case agent.Retried:
		w.retried(e)
	case agent.InvalidStream:
		w.t.event("chat.content_retry_failure", w.id, "No usable answer: "+e.Message,
			attrs{{"total_attempts", w.attempts}, {"final_error_type", e.Type}, {"model", w.model}})
		w.t.meters.add(counter("gemini_cli.chat.content_retry_failure.count", "Answers that stayed unusable."), 1, nil)
	case agent.Waiting:
		w.waiting(e)
	case agent.LoopDetected:
		w.t.event("loop_detected", w.id, "The model goes in circles: "+e.Kind, attrs{{"loop_type", e.Kind}, {"prompt_id", w.id}})
	case agent.Cancelled:
		w.failure = "cancelled"
	}
}

// innermost returns the event of the agent that runs inside of all others.
func innermost(e agent.Event) agent.Event {
	for {
		n, ok := e.(agent.Nested)
		if !ok {
			return e
		}
		e = n.Event
	}
}

// RecordCall records a call that no prompt has led to.
func (t *Telemetry) RecordCall(e *agent.ToolFinished) {
	if t != nil {
		(&watcher{t: t, id: e.Call.PromptID, in: newPlace()}).executions(e)
	}
}

func (w *watcher) retried(e agent.Retried) {
	w.t.event("chat.content_retry", w.id, "Asking again after an unusable answer: "+e.Cause.Message,
		attrs{{"attempt_number", w.attempts}, {"error_type", e.Cause.Type}, {"model", w.model}})
	w.t.meters.add(counter("gemini_cli.chat.content_retry.count", "Unusable answers that were asked for again."), 1, attrs{{"error_type", e.Cause.Type}})
	w.attempts++
}

func (w *watcher) waiting(e agent.Waiting) {
	kind := errorType(e.Err)
	w.t.event("network_retry_attempt", w.id, fmt.Sprintf("Attempt %d of %d failed: %s", e.Attempt, e.MaxAttempts, kind), attrs{
		{"attempt", e.Attempt},
		{"max_attempts", e.MaxAttempts},
		{"error_type", kind},
		{"delay_ms", int(e.Delay.Milliseconds())},
		{"model", e.Model},
	})
	w.t.meters.add(counter("gemini_cli.network_retry.count", "Requests that were sent again."), 1,
		attrs{{"attempt", e.Attempt}, {"error_type", kind}, {"model", e.Model}})
}

// Masker returns a masker that records what m masks.
func (t *Telemetry) Masker(m agent.Masker) agent.Masker {
	if t == nil || m == nil {
		return m
	}
	return &masker{m, t}
}

type masker struct {
	agent.Masker
	t *Telemetry
}

func (m *masker) Mask(ctx context.Context, history []agent.Message, window int) ([]agent.Message, int) {
	masked, saved := m.Masker.Mask(ctx, history, window)
	if saved == 0 {
		return masked, saved
	}
	before, changed := 0, 0
	for i := range history {
		before += history[i].Content.Tokens()
		if i < len(masked) && masked[i].Content != history[i].Content {
			changed++
		}
	}
	m.t.event("tool_output_masking", "", fmt.Sprintf("Put %d tokens of old output out of sight", saved),
		attrs{{"tokens_before", before}, {"tokens_after", max(0, before-saved)}, {"masked_count", changed}})
	return masked, saved
}

// NextSpeaker returns a decorator that records the decisions of n.
func (t *Telemetry) NextSpeaker(n agent.NextSpeaker) agent.NextSpeaker {
	if t == nil || n == nil {
		return n
	}
	return &nextSpeaker{n, t}
}

type nextSpeaker struct {
	agent.NextSpeaker
	t *Telemetry
}

func (n *nextSpeaker) Next(ctx context.Context, history []agent.Message) llm.Role {
	role := n.NextSpeaker.Next(ctx, history)
	n.t.event("next_speaker_check", "", "Next speaks the "+string(role), attrs{{"result", string(role)}})
	return role
}
