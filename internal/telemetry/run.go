package telemetry

import (
	"fmt"
	"time"

	"pollux/agent"
	"pollux/internal/records"
	"pollux/internal/stats"
	"pollux/llm"
	"pollux/llm/ellipsis"
	"pollux/tool"
)

func (t *Telemetry) promptBegan(p records.PromptBegan) {
	t.setCommon()
	t.mu.Lock()
	t.prompts[p.ID] = &watcher{t: t, id: p.ID, in: placeIn(p.Trace), began: time.Now()}
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
}

// prompt returns the watcher of a prompt, nil if the prompt is unknown or has ended.
func (t *Telemetry) prompt(id string) *watcher {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.prompts[id]
}

func (t *Telemetry) promptEnded(r records.PromptEnded) {
	w := t.prompt(r.PromptID)
	if w == nil {
		return
	}
	if r.Err != nil {
		w.failure = r.Err.Error()
	}
	t.event("conversation_finished", w.id, fmt.Sprintf("Finished after %d turns", w.turns),
		attrs{{"approvalMode", t.mode()}, {"turnCount", w.turns}, {"prompt_id", w.id}})
	t.ended("user_prompt", w.in, w.began, w.failure, attrs{{"gen_ai.prompt.name", w.id}})
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.prompts, w.id)
}

// watcher records one prompt. Its fields are used by the records of the prompt, which come one at a time;
// id and in do not change.
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

func (w *watcher) retried(e agent.Retried) {
	w.t.event("chat.content_retry", w.id, "Asking again after an unusable answer: "+e.Cause.Message,
		attrs{{"attempt_number", w.attempts}, {"error_type", e.Cause.Type}, {"model", w.model}})
	w.t.meters.add(counter("gemini_cli.chat.content_retry.count", "Unusable answers that were asked for again."), 1, attrs{{"error_type", e.Cause.Type}})
	w.attempts++
}

func (w *watcher) waiting(e agent.Waiting) {
	kind := "UNKNOWN"
	if e.Err != nil {
		kind = stats.ErrorType(e.Err)
	}
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
