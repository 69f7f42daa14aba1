package openai

import (
	"slices"
	"strconv"
	"strings"

	"pollux/llm"
)

// thinking asks for reasoning as far as the request says how much. One that only
// wants to see the thoughts gets as many as the vendor is used to; that takes
// asking where thinking is switched on in so many words.
func (o *options) thinking(k *llm.Thinking, stream bool) {
	t := o.t
	if t.Thinking == ThinkingEnable && !stream {
		o.raw("enable_thinking", []byte(`false`)) // such a service does not think without a stream, and insists on that
		return
	}
	if k == nil {
		return
	}
	if k.Level == "" && (k.Budget == nil || *k.Budget < 0) {
		if t.Thinking == ThinkingEnable && k.IncludeThoughts {
			o.raw("enable_thinking", []byte(`true`))
		}
		return
	}
	on, word := !off(k), t.effort(k)
	switch t.Thinking {
	case ThinkingEffort:
		o.raw("reasoning_effort", quoted(word))
	case ThinkingEnable:
		o.raw("enable_thinking", strconv.AppendBool(nil, on))
		if on && k.Budget != nil && *k.Budget > 0 {
			o.raw("thinking_budget", strconv.AppendInt(nil, int64(*k.Budget), 10))
		}
	case ThinkingType:
		if !on {
			o.raw("thinking", []byte(`{"type":"disabled"}`))
			return
		}
		o.raw("thinking", []byte(`{"type":"enabled"}`))
		if len(t.Efforts) > 0 {
			o.raw("reasoning_effort", quoted(word))
		}
	case ThinkingObject:
		switch {
		case !on:
			o.raw("reasoning", []byte(`{"enabled":false}`))
		case k.Level != "":
			o.raw("reasoning", append(append([]byte(`{"effort":`), quoted(word)...), '}'))
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
		return t.nearest(strings.ToLower(k.Level))
	case *k.Budget == 0 && t.EffortOff != "":
		return t.EffortOff
	case *k.Budget == 0:
		return t.nearest(effortOff(t.model))
	case *k.Budget <= 1024:
		return t.nearest("low")
	case *k.Budget <= 8192:
		return t.nearest("medium")
	}
	return t.nearest("high")
}

// off reports whether a request wants no thinking.
func off(k *llm.Thinking) bool {
	return k != nil && (strings.EqualFold(k.Level, "none") || k.Level == "" && k.Budget != nil && *k.Budget == 0)
}

// nearest is the word that the model knows for a word of effort; of two that are
// as near, the one that asks for more. Some thinking does not become none.
func (t *traits) nearest(word string) string {
	scale := []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
	at := slices.Index(scale, word)
	if at < 0 || len(t.Efforts) == 0 {
		return word
	}
	for off := range scale {
		for _, i := range []int{at + off, at - off} {
			if i >= 0 && i < len(scale) && slices.Contains(t.Efforts, scale[i]) && (i > 0 || at == 0) {
				return scale[i]
			}
		}
	}
	return word
}
