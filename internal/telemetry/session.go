package telemetry

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"pollux/internal/records"
)

// sessionConfigured also begins to measure how long the session is in its approval mode.
func (t *Telemetry) sessionConfigured(c records.SessionConfigured) {
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

func (t *Telemetry) sessionStarted(r records.SessionStarted) {
	type phase struct {
		Name       string `json:"name"`
		DurationMS int64  `json:"duration_ms"`
		StartUsec  int64  `json:"start_time_usec"`
		EndUsec    int64  `json:"end_time_usec"`
	}
	var list []phase
	for _, p := range r.Phases {
		took := p.End.Sub(p.Start)
		list = append(list, phase{p.Name, took.Round(time.Millisecond).Milliseconds(), p.Start.UnixMicro(), p.End.UnixMicro()})
		t.meters.add(milliseconds("gemini_cli.startup.duration", "How long the parts of the start took."),
			float64(took.Microseconds())/1000, attrs{{"phase", p.Name}})
	}
	text, _ := json.Marshal(list) // always encodable
	_, err := os.Stat("/.dockerenv")
	t.event("startup_stats", "", fmt.Sprintf("Started in %d parts", len(r.Phases)), attrs{
		{"phases", string(text)},
		{"os_platform", strings.Replace(runtime.GOOS, "windows", "win32", 1)},
		{"is_docker", err == nil},
	})
}

func (t *Telemetry) modeSwitched(r records.ModeSwitched) {
	if r.From == r.To {
		return
	}
	t.duration(r.From)
	t.event("plan.approval_mode_switch", "", "Approval mode "+r.To, attrs{{"from_mode", r.From}, {"to_mode", r.To}})
}

// duration records how long the session was in an approval mode.
func (t *Telemetry) duration(mode string) {
	t.mu.Lock()
	took := time.Since(t.modes)
	t.modes = time.Now()
	t.mu.Unlock()
	t.event("plan.approval_mode_duration", "", "Approval mode was "+mode, attrs{{"mode", mode}, {"duration_ms", int(took.Milliseconds())}})
}

func (t *Telemetry) planApproved() {
	a := attrs{{"approval_mode", t.mode()}}
	t.event("plan.execution", "", "A plan is carried out", a)
	t.meters.add(counter("gemini_cli.plan.execution.count", "Plans that were carried out."), 1, a)
}

func (t *Telemetry) modelChosen(r records.ModelChosen) {
	t.event("slash_command.model", "", "Model set to "+r.Model, attrs{{"model_name", r.Model}})
	t.meters.add(counter("gemini_cli.slash_command.model.call_count", "Choices of another model."), 1,
		attrs{{"slash_command.model.model_name", r.Model}})
}

func (t *Telemetry) commandRun(r records.CommandRun) {
	command, sub, _ := strings.Cut(r.Name, " ")
	a := attrs{{"command", command}}
	a.addText("subcommand", sub)
	status := map[bool]string{false: "success", true: "error"}[r.Failed]
	a.add("status", status)
	t.event("slash_command", "", "Command /"+r.Name+": "+status, a)
}
