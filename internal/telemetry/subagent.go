package telemetry

import (
	"fmt"

	"pollux/internal/records"
)

func (t *Telemetry) subagentStarted(r records.SubagentStarted) {
	t.event("agent.start", "", "Agent "+r.Name+" started.", subagentAttrs(r.Subagent))
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
