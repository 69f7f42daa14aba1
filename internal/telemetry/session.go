package telemetry

import (
	"strings"
	"time"
)

// What others tell of the session, beside its prompts.

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

// WebFetchFellBack tells why the vendor does not read a page: it could not, and Pollux
// does, or nobody may.
func (t *Telemetry) WebFetchFellBack(reason string) {
	if t != nil {
		t.event("web_fetch_fallback_attempt", "", "Pages are not read by the vendor: "+reason, attrs{{"reason", reason}})
	}
}

// EditMade tells how the place of an edit was found.
func (t *Telemetry) EditMade(how string) {
	if t != nil {
		t.event("edit_strategy", "", "The place of an edit was found: "+how, attrs{{"strategy", how}})
	}
}

// EditCorrected tells whether an edit could be made as a model had corrected it.
func (t *Telemetry) EditCorrected(works bool) {
	if t == nil {
		return
	}
	result := "failure"
	if works {
		result = "success"
	}
	t.event("edit_correction", "", "An edit was corrected: "+result, attrs{{"correction", result}})
}

// LoopJudged tells how sure a model is, from 0 to 1, that the agent is stuck, and, where
// a second one was asked, which and how sure that is; -1 where none was.
func (t *Telemetry) LoopJudged(promptID string, first float64, model string, second float64) {
	if t == nil {
		return
	}
	a := attrs{{"prompt_id", promptID}, {"flash_confidence", first}}
	a.some("main_model", model)
	a.add("main_model_confidence", second)
	t.event("llm_loop_check", promptID, "A model was asked whether the agent is stuck", a)
}

// Command tells that a / command was run, by its name with those of its parents before
// it, and whether it failed.
func (t *Telemetry) Command(name string, failed bool) {
	if t == nil {
		return
	}
	command, sub, _ := strings.Cut(name, " ")
	a := attrs{{"command", command}}
	a.some("subcommand", sub)
	status := "success"
	if failed {
		status = "error"
	}
	a.add("status", status)
	t.event("slash_command", "", "Command /"+name+": "+status, a)
}

// ModelSet tells that the user has chosen another model.
func (t *Telemetry) ModelSet(model string) {
	if t == nil {
		return
	}
	t.event("slash_command.model", "", "Model set to "+model, attrs{{"model_name", model}})
	t.meters.add(counter("gemini_cli.slash_command.model.call_count", "Choices of another model."), 1,
		attrs{{"slash_command.model.model_name", model}})
}
