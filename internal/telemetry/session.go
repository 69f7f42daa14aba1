package telemetry

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"pollux/agent"
	"pollux/llm/ellipsis"
)

// Records about the session that other packages report.

// RecordRouting records which model was chosen for a prompt, by which strategy, how long that took,
// and why. err is the error of a strategy that failed.
func (t *Telemetry) RecordRouting(promptID, model, source string, took time.Duration, reasoning string, err error) {
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
		a.addText("reasoning", ellipsis.Bytes(reasoning, 4<<10)) // it may repeat the prompt
	}
	labels := attrs{{"routing.decision_model", model}, {"routing.decision_source", source}}
	if err != nil {
		a.add("error_message", ellipsis.Bytes(err.Error(), 4<<10))
		t.meters.add(counter("gemini_cli.model_routing.failure.count", "Decisions about the model that failed."), 1, labels)
	}
	t.event("model_routing", promptID, "Answered by "+model, a)
	t.meters.add(milliseconds("gemini_cli.model_routing.latency", "How long it took to choose a model."), float64(took.Milliseconds()), labels)
}

// RecordConfig records the configuration of the session.
func (t *Telemetry) RecordConfig(c Config) {
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
		{"extensions", strings.Join(c.Extensions, ",")},
		{"extensions_count", len(c.Extensions)},
		{"extension_ids", strings.Join(c.ExtensionIDs, ",")},
		{"worktree_active", c.Worktree},
	})
}

// Config is the configuration of a session.
type Config struct {
	Model                            string
	CoreTools                        []string
	Extensions, ExtensionIDs         []string
	APIKey, Vertex, GitIgnore, Debug bool
	OutputFormat                     string
	// Worktree reports whether the session is in a Git worktree that Pollux or Gemini CLI has made.
	Worktree bool
}

// RecordModeSwitch records a change of the approval mode.
func (t *Telemetry) RecordModeSwitch(from, to string) {
	if t == nil || from == to {
		return
	}
	t.duration(from)
	t.event("plan.approval_mode_switch", "", "Approval mode "+to, attrs{{"from_mode", from}, {"to_mode", to}})
}

// duration records how long the session was in an approval mode.
func (t *Telemetry) duration(mode string) {
	t.mu.Lock()
	took := time.Since(t.modes)
	t.modes = time.Now()
	t.mu.Unlock()
	t.event("plan.approval_mode_duration", "", "Approval mode was "+mode, attrs{{"mode", mode}, {"duration_ms", int(took.Milliseconds())}})
}

// RecordPlanExecution records that the execution of a plan begins.
func (t *Telemetry) RecordPlanExecution() {
	if t == nil {
		return
	}
	a := attrs{{"approval_mode", t.mode()}}
	t.event("plan.execution", "", "A plan is carried out", a)
	t.meters.add(counter("gemini_cli.plan.execution.count", "Plans that were carried out."), 1, a)
}

// RecordMissingRipgrep records that files are searched without ripgrep because it was not found.
func (t *Telemetry) RecordMissingRipgrep() {
	if t != nil {
		t.event("ripgrep_fallback", "", "Searching without ripgrep: it was not found", attrs{{"error", "ripgrep was not found"}})
	}
}

// RecordWebFetchFallback records why the vendor does not read a page: "primary_failed" or
// "private_ip_skipped".
func (t *Telemetry) RecordWebFetchFallback(reason string) {
	if t != nil {
		t.event("web_fetch_fallback_attempt", "", "Pages are not read by the vendor: "+reason, attrs{{"reason", reason}})
	}
}

// RecordEdit records the strategy that found the place of an edit.
func (t *Telemetry) RecordEdit(how string) {
	if t != nil {
		t.event("edit_strategy", "", "The place of an edit was found: "+how, attrs{{"strategy", how}})
	}
}

// RecordEditCorrection records whether an edit succeeded after a model had corrected it.
func (t *Telemetry) RecordEditCorrection(works bool) {
	if t == nil {
		return
	}
	result := "failure"
	if works {
		result = "success"
	}
	t.event("edit_correction", "", "An edit was corrected: "+result, attrs{{"correction", result}})
}

// RecordLoopCheck records a model's confidence, from 0 to 1, that the agent is in a loop. If a
// second model was asked, model and second are its name and confidence, otherwise second is
// -1.
func (t *Telemetry) RecordLoopCheck(promptID string, first float64, model string, second float64) {
	if t == nil {
		return
	}
	a := attrs{{"prompt_id", promptID}, {"flash_confidence", first}}
	a.addText("main_model", model)
	a.add("main_model_confidence", second)
	t.event("llm_loop_check", promptID, "A model was asked whether the agent is stuck", a)
}

// RecordCompression records that a summary of the history was made, whether or not it replaced the
// history. prompt is the ID of the prompt, or of the command that asked for it.
func (t *Telemetry) RecordCompression(prompt string, c agent.Compression) {
	if t == nil {
		return
	}
	a := attrs{{"tokens_before", c.Before}, {"tokens_after", c.After}}
	t.event("chat_compression", prompt, fmt.Sprintf("History compressed from %d to %d tokens", c.Before, c.After),
		append(slices.Clip(a), attr{"compression_status", int(c.Status)}))
	t.meters.add(counter("gemini_cli.chat_compression", "Compressions of the history."), 1, a)
}

// RecordRewind records that the user has returned to an earlier state of the conversation. Files stay
// as they are, which Gemini CLI calls "rewind_only".
func (t *Telemetry) RecordRewind() {
	if t != nil {
		t.event("rewind", "", "Conversation rewound", attrs{{"outcome", "rewind_only"}})
	}
}

// Phase is a part of the start of a session.
type Phase struct {
	Name       string // that of Gemini CLI for such a part
	Start, End time.Time
}

// RecordStartup records how long the parts of the start took.
func (t *Telemetry) RecordStartup(phases []Phase) {
	if t == nil {
		return
	}
	type phase struct {
		Name       string `json:"name"`
		DurationMS int64  `json:"duration_ms"`
		StartUsec  int64  `json:"start_time_usec"`
		EndUsec    int64  `json:"end_time_usec"`
	}
	var list []phase
	for _, p := range phases {
		took := p.End.Sub(p.Start)
		list = append(list, phase{p.Name, took.Round(time.Millisecond).Milliseconds(), p.Start.UnixMicro(), p.End.UnixMicro()})
		t.meters.add(milliseconds("gemini_cli.startup.duration", "How long the parts of the start took."),
			float64(took.Microseconds())/1000, attrs{{"phase", p.Name}})
	}
	text, _ := json.Marshal(list) // always encodable
	_, err := os.Stat("/.dockerenv")
	t.event("startup_stats", "", fmt.Sprintf("Started in %d parts", len(phases)), attrs{
		{"phases", string(text)},
		{"os_platform", strings.Replace(runtime.GOOS, "windows", "win32", 1)},
		{"is_docker", err == nil},
	})
}

// RecordForcedExit records that the user pressed Ctrl+C a third time because the program had not
// ended.
func (t *Telemetry) RecordForcedExit() {
	if t != nil {
		t.meters.add(counter("gemini_cli.exit.fail.count", "Ends of the program that the user had to force."), 1, nil)
	}
}

// RecordCommand records a / command by its full name, such as "memory show", and whether it failed.
func (t *Telemetry) RecordCommand(name string, failed bool) {
	if t == nil {
		return
	}
	command, sub, _ := strings.Cut(name, " ")
	a := attrs{{"command", command}}
	a.addText("subcommand", sub)
	status := "success"
	if failed {
		status = "error"
	}
	a.add("status", status)
	t.event("slash_command", "", "Command /"+name+": "+status, a)
}

// RecordModelChoice records that the user has chosen another model.
func (t *Telemetry) RecordModelChoice(model string) {
	if t == nil {
		return
	}
	t.event("slash_command.model", "", "Model set to "+model, attrs{{"model_name", model}})
	t.meters.add(counter("gemini_cli.slash_command.model.call_count", "Choices of another model."), 1,
		attrs{{"slash_command.model.model_name", model}})
}
