package openai

import (
	"strconv"
	"strings"

	"pollux/llm"
)

// thinking asks for reasoning, where the request says how much.
func (o *options) thinking(k *llm.Thinking, stream bool) {
	t := o.t
	if k == nil || k.Level == "" && (k.Budget == nil || *k.Budget < 0) {
		return
	}
	on, words := true, t.effort(k)
	if k.Level == "" {
		on = *k.Budget > 0
	} else if strings.EqualFold(k.Level, "none") {
		on = false
	}
	switch t.Thinking {
	case ThinkingEffort:
		o.raw("reasoning_effort", quoted(words))
	case ThinkingEnable:
		on = on && stream // without a stream such a service refuses to think
		o.raw("enable_thinking", strconv.AppendBool(nil, on))
		if on && k.Budget != nil && *k.Budget > 0 {
			o.raw("thinking_budget", strconv.AppendInt(nil, int64(*k.Budget), 10))
		}
	case ThinkingType:
		if on {
			o.raw("thinking", []byte(`{"type":"enabled"}`))
		} else {
			o.raw("thinking", []byte(`{"type":"disabled"}`))
		}
	case ThinkingObject:
		switch {
		case !on:
			o.raw("reasoning", []byte(`{"enabled":false}`))
		case k.Level != "":
			o.raw("reasoning", append(append([]byte(`{"effort":`), quoted(words)...), '}'))
		default:
			o.raw("reasoning", append(strconv.AppendInt([]byte(`{"max_tokens":`), int64(*k.Budget), 10), '}'))
		}
	case ThinkingTemplate:
		o.raw("chat_template_kwargs", append(strconv.AppendBool([]byte(`{"enable_thinking":`), on), '}'))
	}
}

func quoted(s string) []byte { return llm.AppendString(nil, s) }

// effort is how much to think, as a word (spec/agent.md §4).
func (t *traits) effort(k *llm.Thinking) string {
	switch {
	case k.Level != "":
		return strings.ToLower(k.Level)
	case *k.Budget == 0 && t.EffortOff != "":
		return t.EffortOff
	case *k.Budget == 0:
		return effortOff(t.model)
	case *k.Budget <= 1024:
		return "low"
	case *k.Budget <= 8192:
		return "medium"
	}
	return "high"
}
