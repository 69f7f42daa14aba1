package telemetry

import (
	"fmt"
	"slices"

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

func (t *Telemetry) nextSpeakerChecked(r records.NextSpeakerChecked) {
	t.event("next_speaker_check", "", "Next speaks the "+string(r.Role), attrs{{"result", string(r.Role)}})
}
