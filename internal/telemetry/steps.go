package telemetry

import (
	"fmt"
	"slices"
	"strings"

	"pollux/internal/records"
	"pollux/llm/ellipsis"
)

func (t *Telemetry) modelRouted(r records.ModelRouted) {
	ms := int(r.Took.Milliseconds())
	a := attrs{
		{"decision_model", r.Model},
		{"decision_source", r.Source},
		{"routing_latency_ms", ms},
		{"failed", r.Err != nil},
		{"approval_mode", t.mode()},
		{"prompt_id", r.PromptID},
	}
	if t.o.LogPrompts {
		a.addText("reasoning", ellipsis.Bytes(r.Reasoning, 4<<10)) // it may repeat the prompt
	}
	labels := attrs{{"routing.decision_model", r.Model}, {"routing.decision_source", r.Source}}
	if r.Err != nil {
		a.add("error_message", ellipsis.Bytes(r.Err.Error(), 4<<10))
		t.meters.add(counter("gemini_cli.model_routing.failure.count", "Decisions about the model that failed."), 1, labels)
	}
	t.event("model_routing", r.PromptID, "Answered by "+r.Model, a)
	t.meters.add(milliseconds("gemini_cli.model_routing.latency", "How long it took to choose a model."), float64(ms), labels)
}

func (t *Telemetry) loopChecked(r records.LoopChecked) {
	a := attrs{{"prompt_id", r.PromptID}, {"flash_confidence", r.First}}
	a.addText("main_model", r.Model)
	a.add("main_model_confidence", r.Second)
	t.event("llm_loop_check", r.PromptID, "A model was asked whether the agent is stuck", a)
}

func (t *Telemetry) historyCompressed(c records.HistoryCompressed) {
	a := attrs{{"tokens_before", c.Before}, {"tokens_after", c.After}}
	t.event("chat_compression", c.PromptID, fmt.Sprintf("History compressed from %d to %d tokens", c.Before, c.After),
		append(slices.Clip(a), attr{"compression_status", int(c.Status)}))
	t.meters.add(counter("gemini_cli.chat_compression", "Compressions of the history."), 1, a)
}

func (t *Telemetry) historyMasked(r records.HistoryMasked) {
	before, changed := 0, 0
	for i := range r.Before {
		before += r.Before[i].Content.Tokens()
		if i < len(r.After) && r.After[i].Content != r.Before[i].Content {
			changed++
		}
	}
	t.event("tool_output_masking", "", fmt.Sprintf("Put %d tokens of old output out of sight", r.Saved),
		attrs{{"tokens_before", before}, {"tokens_after", max(0, before-r.Saved)}, {"masked_count", changed}})
}

// hookRun records one run of a hook. Its command, input and output are recorded only together with
// prompts; otherwise the name is the first word of the command, without its directory.
func (t *Telemetry) hookRun(r records.HookRun) {
	name, short := r.Name, hookName(r.Name)
	if !t.o.LogPrompts {
		name = short
	}
	outcome := map[bool]string{false: "succeeded", true: "failed"}[r.Failed]
	ms := int(r.Took.Milliseconds())
	a := attrs{
		{"hook_event_name", r.Event},
		{"hook_type", r.Kind},
		{"hook_name", name},
		{"duration_ms", ms},
		{"success", !r.Failed},
		{"exit_code", r.Code},
	}
	if r.Err != nil {
		a.addText("error", ellipsis.Bytes(r.Err.Error(), maxText))
	}
	if t.o.LogPrompts {
		a.add("hook_input", func() string { return ellipsis.Bytes(pretty(r.Input), maxText) })
		if r.Output != nil {
			a.add("hook_output", func() string { return ellipsis.Bytes(pretty(r.Output()), maxText) })
		}
		a.add("stdout", ellipsis.Bytes(r.Stdout, maxText))
		a.add("stderr", ellipsis.Bytes(r.Stderr, maxText))
	}
	t.event("hook_call", "", fmt.Sprintf("Hook call %s.%s %s in %dms", r.Event, name, outcome, ms), a)
	labels := attrs{{"hook_event_name", r.Event}, {"hook_name", short}, {"success", !r.Failed}}
	t.meters.add(counter("gemini_cli.hook_call.count", "Runs of hooks."), 1, labels)
	t.meters.add(milliseconds("gemini_cli.hook_call.latency", "How long hooks took."), float64(ms), labels)
}

// hookName returns a name without directories and arguments, which may be private.
func hookName(name string) string {
	if words := strings.Fields(name); len(words) > 0 {
		parts := strings.FieldsFunc(words[0], func(r rune) bool { return r == '/' || r == '\\' })
		if len(parts) > 0 {
			return parts[len(parts)-1]
		}
	}
	return "unknown-command"
}

func (t *Telemetry) subagentFinished(r records.SubagentFinished) {
	ms := int(r.Took.Milliseconds())
	t.event("agent.finish", "", fmt.Sprintf("Agent %s finished. Reason: %s. Duration: %dms. Turns: %d.", r.Name, r.Reason, ms, r.Turns),
		append(subagentAttrs(r.Subagent), attr{"duration_ms", ms}, attr{"turn_count", r.Turns}, attr{"terminate_reason", r.Reason}))
	name := attrs{{"agent_name", r.Name}}
	t.meters.add(counter("gemini_cli.agent.run.count", "Runs of subagents."), 1, append(subagentAttrs(r.Subagent)[1:], attr{"terminate_reason", r.Reason}))
	t.meters.add(milliseconds("gemini_cli.agent.duration", "Duration of the runs of subagents."), float64(ms), name)
	t.meters.add(instrument{name: "gemini_cli.agent.turns", description: "Requests of a run of a subagent.", unit: "turns", bounds: tokens}, float64(r.Turns), name)
}

func (t *Telemetry) subagentRecovered(r records.SubagentRecovered) {
	ms := int(r.Took.Milliseconds())
	t.event("agent.recovery_attempt", "", fmt.Sprintf("Agent %s recovery attempt. Reason: %s. Success: %t. Duration: %dms.", r.Name, r.Reason, r.Success, ms),
		append(subagentAttrs(r.Subagent), attr{"reason", r.Reason}, attr{"duration_ms", ms}, attr{"success", r.Success}, attr{"turn_count", r.Turns}))
	t.meters.add(counter("gemini_cli.agent.recovery_attempt.count", "Requests for a result after the end of a budget."), 1,
		append(subagentAttrs(r.Subagent)[1:], attr{"reason", r.Reason}, attr{"success", r.Success}))
	t.meters.add(milliseconds("gemini_cli.agent.recovery_attempt.duration", "Duration of these requests."), float64(ms), subagentAttrs(r.Subagent)[1:])
}

func subagentAttrs(a records.Subagent) attrs {
	return attrs{{"agent_id", a.ID}, {"agent_name", a.Name}}
}
