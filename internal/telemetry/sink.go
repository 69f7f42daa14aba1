package telemetry

import "pollux/internal/records"

var _ records.Sink = (*Telemetry)(nil)

// Record records the events of the session, as the events and metrics of Gemini CLI and OpenTelemetry.
// Requests are recorded by [Telemetry.Begin].
func (t *Telemetry) Record(r records.Record) {
	if t == nil {
		return
	}
	switch r := r.(type) {
	case *records.AgentEvent:
		if w := t.prompt(r.PromptID); w != nil {
			w.see(r.Event)
		}
	case records.PromptBegan:
		t.promptBegan(r)
	case records.PromptEnded:
		t.promptEnded(r)
	case records.ClientCall:
		// It belongs to no prompt.
		(&watcher{t: t, id: r.Finished.Call.PromptID, in: newPlace()}).executions(&r.Finished)
	case records.ModelRouted:
		t.modelRouted(r)
	case records.LoopChecked:
		t.loopChecked(r)
	case records.HistoryCompressed:
		t.historyCompressed(r)
	case records.HistoryMasked:
		t.historyMasked(r)
	case records.NextSpeakerChecked:
		t.event("next_speaker_check", "", "Next speaks the "+string(r.Role), attrs{{"result", string(r.Role)}})
	case records.EditMade:
		t.event("edit_strategy", "", "The place of an edit was found: "+r.Strategy, attrs{{"strategy", r.Strategy}})
	case records.EditCorrected:
		result := outcomeOf(!r.Success)
		t.event("edit_correction", "", "An edit was corrected: "+result, attrs{{"correction", result}})
	case records.WebFetchFellBack:
		t.event("web_fetch_fallback_attempt", "", "Pages are not read by the vendor: "+r.Reason, attrs{{"reason", r.Reason}})
	case records.RipgrepMissing:
		t.event("ripgrep_fallback", "", "Searching without ripgrep: it was not found", attrs{{"error", "ripgrep was not found"}})
	case records.HookRun:
		t.hookRun(r)
	case records.SubagentStarted:
		t.event("agent.start", "", "Agent "+r.Name+" started.", subagentAttrs(r.Subagent))
	case records.SubagentFinished:
		t.subagentFinished(r)
	case records.SubagentRecovered:
		t.subagentRecovered(r)
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
		// Files stay as they are, which Gemini CLI calls "rewind_only".
		t.event("rewind", "", "Conversation rewound", attrs{{"outcome", "rewind_only"}})
	case records.ExitForced:
		t.meters.add(counter("gemini_cli.exit.fail.count", "Ends of the program that the user had to force."), 1, nil)
	}
}
