package telemetry

import "pollux/internal/records"

var _ records.Sink = (*Telemetry)(nil)

// Record records what happened in the session, as the events and metrics of Gemini CLI and OpenTelemetry.
// Requests are recorded by [Telemetry.Begin].
func (t *Telemetry) Record(r records.Record) {
	if t == nil {
		return
	}
	switch r := r.(type) {
	// Prompts.
	case *records.AgentEvent:
		t.agentEvent(r)
	case records.PromptBegan:
		t.promptBegan(r)
	case records.PromptEnded:
		t.promptEnded(r)
	case records.ClientCall:
		t.clientCall(r)
	// Steps of the agent.
	case records.ModelRouted:
		t.modelRouted(r)
	case records.LoopChecked:
		t.loopChecked(r)
	case records.HistoryCompressed:
		t.historyCompressed(r)
	case records.HistoryMasked:
		t.historyMasked(r)
	case records.NextSpeakerChecked:
		t.nextSpeakerChecked(r)
	// Tools, hooks and subagents.
	case records.EditMade:
		t.editMade(r)
	case records.EditCorrected:
		t.editCorrected(r)
	case records.WebFetchFellBack:
		t.webFetchFellBack(r)
	case records.RipgrepMissing:
		t.ripgrepMissing()
	case records.HookRun:
		t.hookRun(r)
	case records.SubagentStarted:
		t.subagentStarted(r)
	case records.SubagentFinished:
		t.subagentFinished(r)
	case records.SubagentRecovered:
		t.subagentRecovered(r)
	// The session and the user.
	case records.SessionConfigured:
		t.sessionConfigured(r)
	case records.SessionStarted:
		t.sessionStarted(r)
	case records.ModeSwitched:
		t.modeSwitched(r)
	case records.PlanApproved:
		t.planApproved()
	case records.ModelChosen:
		t.modelChosen(r)
	case records.CommandRun:
		t.commandRun(r)
	case records.Rewound:
		t.rewound()
	case records.ExitForced:
		t.exitForced()
	}
}
