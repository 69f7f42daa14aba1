package telemetry

import (
	"fmt"
	"time"
)

// Agent identifies a run of a subagent.
type Agent struct{ ID, Name string }

func (a Agent) attrs() attrs { return attrs{{"agent_id", a.ID}, {"agent_name", a.Name}} }

// RecordAgentStart records that a subagent runs.
func (t *Telemetry) RecordAgentStart(a Agent) {
	if t != nil {
		t.event("agent.start", "", "Agent "+a.Name+" started.", a.attrs())
	}
}

// RecordAgentFinish records why a subagent has ended, how long it took, and how many requests it sent.
func (t *Telemetry) RecordAgentFinish(a Agent, reason string, took time.Duration, turns int) {
	if t == nil {
		return
	}
	ms := int(took.Milliseconds())
	t.event("agent.finish", "", fmt.Sprintf("Agent %s finished. Reason: %s. Duration: %dms. Turns: %d.", a.Name, reason, ms, turns),
		append(a.attrs(), attr{"duration_ms", ms}, attr{"turn_count", turns}, attr{"terminate_reason", reason}))
	name := attrs{{"agent_name", a.Name}}
	t.meters.add(counter("gemini_cli.agent.run.count", "Runs of subagents."), 1, append(a.attrs()[1:], attr{"terminate_reason", reason}))
	t.meters.add(milliseconds("gemini_cli.agent.duration", "Duration of the runs of subagents."), float64(ms), name)
	t.meters.add(instrument{name: "gemini_cli.agent.turns", description: "Requests of a run of a subagent.", unit: "turns", bounds: tokens}, float64(turns), name)
}

// RecordAgentRecovery records that a subagent was asked for a result after the end of its budgets, and
// whether it gave one.
func (t *Telemetry) RecordAgentRecovery(a Agent, reason string, took time.Duration, success bool, turns int) {
	if t == nil {
		return
	}
	ms := int(took.Milliseconds())
	t.event("agent.recovery_attempt", "", fmt.Sprintf("Agent %s recovery attempt. Reason: %s. Success: %t. Duration: %dms.", a.Name, reason, success, ms),
		append(a.attrs(), attr{"reason", reason}, attr{"duration_ms", ms}, attr{"success", success}, attr{"turn_count", turns}))
	t.meters.add(counter("gemini_cli.agent.recovery_attempt.count", "Requests for a result after the end of a budget."), 1,
		append(a.attrs()[1:], attr{"reason", reason}, attr{"success", success}))
	t.meters.add(milliseconds("gemini_cli.agent.recovery_attempt.duration", "Duration of these requests."), float64(ms), a.attrs()[1:])
}
