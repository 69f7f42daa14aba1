package telemetry

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// Runner is what works on a prompt: [agent.Agent.Run].
type Runner func(ctx context.Context, p agent.Prompt) iter.Seq2[agent.Event, error]

// Run lets run work on a prompt, and tells of what happens meanwhile.
func (t *Telemetry) Run(ctx context.Context, p agent.Prompt, run Runner) iter.Seq2[agent.Event, error] {
	if t == nil {
		return run(ctx, p)
	}
	return func(yield func(agent.Event, error) bool) {
		w := t.watch(&p)
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

// watch begins a prompt, which gets an id if it has none.
func (t *Telemetry) watch(p *agent.Prompt) *watcher {
	t.setCommon()
	t.mu.Lock()
	if p.ID == "" {
		p.ID = fmt.Sprintf("%s########%d", t.session, t.prompts)
	}
	t.prompts++
	w := &watcher{t: t, id: p.ID, in: newPlace(), began: time.Now()}
	t.places[p.ID] = w.in
	t.mu.Unlock()

	text := p.Shown
	if text == "" {
		text = llm.PartsText(p.Parts)
	}
	a := attrs{{"prompt_length", tool.Units(text)}, {"prompt_id", p.ID}}
	if t.o.LogPrompts {
		a.add("prompt", cut(text, maxText))
	}
	t.event("user_prompt", p.ID, fmt.Sprintf("A prompt of %d characters", tool.Units(text)), a)
	return w
}

// watcher is one prompt that is being worked on.
type watcher struct {
	t       *Telemetry
	id      string
	in      place
	began   time.Time
	failure string

	model    string
	turns    int
	attempts int // at the answer of this turn
	// The calls of an answer are scheduled together.
	calls     int // still to end
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

// see tells of an event. Those that are not here are told of otherwise, or are
// what a face needs.
func (w *watcher) see(e agent.Event) {
	switch e := e.(type) {
	case agent.TurnStarted:
		w.turns++
		w.attempts = 1
	case agent.ModelInfo:
		w.model = e.Model
	case agent.Switched:
		w.model = e.To
	case agent.ToolRequested:
		if w.calls == 0 {
			w.batch, w.scheduled = w.t.below(w.id), time.Now()
		}
		w.calls++
	case agent.ToolFinished:
		w.tool(&e)
	case agent.Compressed:
		w.compressed(e.Compression)
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

func (w *watcher) compressed(c agent.Compression) {
	a := attrs{{"tokens_before", c.Before}, {"tokens_after", c.After}}
	w.t.event("chat_compression", w.id, fmt.Sprintf("History compressed from %d to %d tokens", c.Before, c.After),
		append(a, attr{"compression_status", int(c.Status)}))
	w.t.meters.add(counter("gemini_cli.chat_compression", "Compressions of the history."), 1, a)
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

// Masker returns a masker that tells of what m puts out of sight.
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

func (m *masker) Mask(ctx context.Context, history []agent.Message) ([]agent.Message, int) {
	masked, saved := m.Masker.Mask(ctx, history)
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

// NextSpeaker returns what tells of n's decisions.
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

// Routed tells which model answers a prompt, who decided so, how long that took,
// and why; err is why a way to decide could not.
func (t *Telemetry) Routed(promptID, model, source string, took time.Duration, reasoning string, err error) {
	if t == nil {
		return
	}
	a := attrs{
		{"decision_model", model},
		{"decision_source", source},
		{"routing_latency_ms", int(took.Milliseconds())},
		{"failed", err != nil},
		{"approval_mode", t.mode()},
		{"prompt_id", promptID},
	}
	if t.o.LogPrompts {
		a.some("reasoning", cut(reasoning, 4<<10)) // it may repeat the prompt
	}
	labels := attrs{{"routing.decision_model", model}, {"routing.decision_source", source}}
	if err != nil {
		a.add("error_message", cut(err.Error(), 4<<10))
		t.meters.add(counter("gemini_cli.model_routing.failure.count", "Decisions about the model that failed."), 1, labels)
	}
	t.event("model_routing", promptID, "Answered by "+model, a)
	t.meters.add(milliseconds("gemini_cli.model_routing.latency", "How long it took to choose a model."), float64(took.Milliseconds()), labels)
}

// Config tells how the session is set up.
func (t *Telemetry) Config(c Config) {
	if t == nil {
		return
	}
	t.mu.Lock()
	t.modes = time.Now()
	t.mu.Unlock()
	t.event("config", "", "Session begun", attrs{
		{"model", c.Model},
		{"sandbox_enabled", false},
		{"core_tools_enabled", strings.Join(c.CoreTools, ",")},
		{"approval_mode", t.mode()},
		{"api_key_enabled", c.APIKey},
		{"vertex_ai_enabled", c.Vertex},
		{"log_user_prompts_enabled", t.o.LogPrompts},
		{"file_filtering_respect_git_ignore", c.GitIgnore},
		{"debug_mode", c.Debug},
		{"output_format", c.OutputFormat},
		{"mcp_servers", ""},
		{"mcp_servers_count", 0},
		{"extensions", ""},
		{"extensions_count", 0},
		{"extension_ids", ""},
		{"worktree_active", false},
	})
}

// Config is how a session is set up.
type Config struct {
	Model                            string
	CoreTools                        []string
	APIKey, Vertex, GitIgnore, Debug bool
	OutputFormat                     string
}

// Switched tells that the approval mode is another one.
func (t *Telemetry) Switched(from, to string) {
	if t == nil || from == to {
		return
	}
	t.duration(from)
	t.event("plan.approval_mode_switch", "", "Approval mode "+to, attrs{{"from_mode", from}, {"to_mode", to}})
}

// duration tells how long the session was in an approval mode.
func (t *Telemetry) duration(mode string) {
	t.mu.Lock()
	took := time.Since(t.modes)
	t.modes = time.Now()
	t.mu.Unlock()
	t.event("plan.approval_mode_duration", "", "Approval mode was "+mode, attrs{{"mode", mode}, {"duration_ms", int(took.Milliseconds())}})
}

// Planned tells that a plan is being carried out.
func (t *Telemetry) Planned() {
	if t == nil {
		return
	}
	a := attrs{{"approval_mode", t.mode()}}
	t.event("plan.execution", "", "A plan is carried out", a)
	t.meters.add(counter("gemini_cli.plan.execution.count", "Plans that were carried out."), 1, a)
}

// NoRipgrep tells that files are searched without ripgrep, though it was wanted.
func (t *Telemetry) NoRipgrep() {
	if t != nil {
		t.event("ripgrep_fallback", "", "Searching without ripgrep: it was not found", attrs{{"error", "ripgrep was not found"}})
	}
}
