package openai

import (
	"slices"
	"strconv"
	"strings"

	"pollux/llm"
)

// addThinking sets the amount of reasoning that the request asks for. A request
// that only asks to see thoughts keeps the service's default amount; with
// [ThinkingEnable] it must still turn thinking on.
func (o *memberWriter) addThinking(k *llm.Thinking, stream bool) {
	t := o.t
	if t.Thinking == ThinkingEnable && !stream {
		o.add("enable_thinking", []byte(`false`)) // these services require it in requests without streaming
		return
	}
	if k == nil {
		return
	}
	if k.Level == "" && (k.Budget == nil || *k.Budget < 0) {
		if t.Thinking == ThinkingEnable && k.IncludeThoughts {
			o.add("enable_thinking", []byte(`true`))
		}
		return
	}
	isOn, effort := !isThinkingOff(k), t.effort(k)
	switch t.Thinking {
	case ThinkingEffort:
		o.add("reasoning_effort", quoted(effort))
	case ThinkingEnable:
		o.add("enable_thinking", strconv.AppendBool(nil, isOn))
		if isOn && k.Budget != nil && *k.Budget > 0 {
			o.add("thinking_budget", strconv.AppendInt(nil, int64(*k.Budget), 10))
		}
	case ThinkingType:
		if !isOn {
			o.add("thinking", []byte(`{"type":"disabled"}`))
			return
		}
		o.add("thinking", []byte(`{"type":"enabled"}`))
		if len(t.Efforts) > 0 {
			o.add("reasoning_effort", quoted(effort))
		}
	case ThinkingObject:
		switch {
		case !isOn:
			o.add("reasoning", []byte(`{"enabled":false}`))
		case k.Level != "":
			o.add("reasoning", append(append([]byte(`{"effort":`), quoted(effort)...), '}'))
		default:
			o.add("reasoning", append(strconv.AppendInt([]byte(`{"max_tokens":`), int64(*k.Budget), 10), '}'))
		}
	case ThinkingTemplate:
		o.add("chat_template_kwargs", append(strconv.AppendBool([]byte(`{"enable_thinking":`), isOn), '}'))
	}
}

func quoted(s string) []byte { return llm.AppendString(nil, s) }

// effort returns the amount of reasoning as an effort that the model supports.
func (t *traits) effort(k *llm.Thinking) string {
	switch {
	case k.Level != "":
		return t.nearestEffort(strings.ToLower(k.Level))
	case *k.Budget == 0 && t.EffortOff != "":
		return t.EffortOff
	case *k.Budget == 0:
		return t.nearestEffort(lowestEffort(t.model))
	case *k.Budget <= 1024:
		return t.nearestEffort("low")
	case *k.Budget <= 8192:
		return t.nearestEffort("medium")
	}
	return t.nearestEffort("high")
}

func isThinkingOff(k *llm.Thinking) bool {
	return k != nil && (strings.EqualFold(k.Level, "none") || k.Level == "" && k.Budget != nil && *k.Budget == 0)
}

// nearestEffort returns the supported effort that is nearest to word, and of
// two equally near the higher one. It replaces only "none" with "none".
func (t *traits) nearestEffort(word string) string {
	scale := []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
	index := slices.Index(scale, word)
	if index < 0 || len(t.Efforts) == 0 {
		return word
	}
	for distance := range scale {
		for _, i := range []int{index + distance, index - distance} {
			if i >= 0 && i < len(scale) && slices.Contains(t.Efforts, scale[i]) && (i > 0 || index == 0) {
				return scale[i]
			}
		}
	}
	return word
}
