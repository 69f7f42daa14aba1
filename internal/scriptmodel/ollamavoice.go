package scriptmodel

// ollamaVoice says an answer in lines of which each is a piece of a message.
type ollamaVoice struct {
	asked *asked
	tags  chatVoice // for thoughts that are written into the text

	text, thought string
	calls         []any
	end           map[string]any // what the last line says besides
}

func (ollama) voice(a *asked, _ *tokens) voice {
	return &ollamaVoice{asked: a, tags: chatVoice{asked: a}}
}

func (v *ollamaVoice) frames(p piece) []frame {
	var out []frame
	say := func(message any, more map[string]any) { out = append(out, v.line(message, more)) }
	if p.thought != "" && v.asked.thoughtsIn != "tags" && v.asked.thinking {
		v.thought += p.thought
		say(map[string]any{"role": "assistant", "content": "", "thinking": p.thought}, nil)
	}
	if text := v.tags.spoken(p); text != "" {
		v.text += text
		say(map[string]any{"role": "assistant", "content": text}, nil)
	}
	if len(p.calls) > 0 {
		var calls []any
		for i := range p.calls {
			calls = append(calls, ollamaCall(&p.calls[i], len(v.calls)+i))
		}
		v.calls = append(v.calls, calls...)
		say(map[string]any{"role": "assistant", "content": "", "tool_calls": calls}, nil)
	}
	if p.null {
		say(nil, nil)
	}
	if !p.last || p.finish == "" { // without a reason it does not end
		return out
	}
	v.end = map[string]any{"done": true, "done_reason": ollamaReason(p.finish), "total_duration": 5_000_000, "load_duration": 1_000_000}
	if u := p.usage; u != nil {
		v.end["prompt_eval_count"], v.end["prompt_eval_duration"] = u.prompt+u.tools, 1_000_000
		v.end["eval_count"], v.end["eval_duration"] = u.candidates+u.thoughts, 3_000_000
	}
	say(map[string]any{"role": "assistant", "content": ""}, v.end)
	return out
}

func ollamaCall(c *sentCall, index int) map[string]any {
	function := map[string]any{"index": index, "name": c.name}
	switch c.form {
	case argsBroken, argsEmpty: // a broken object would break the whole line
		function["arguments"] = c.text()
	default:
		function["arguments"] = c.args
	}
	out := map[string]any{"function": function}
	if c.id != "" || c.emptyID {
		out["id"] = c.id
	}
	return out
}

// ollamaReason translates a reason of Gemini's; the server's own stays as it is.
func ollamaReason(s string) string {
	if s == "MAX_TOKENS" {
		return "length"
	}
	return translated(s, "stop", "stop")
}

func (v *ollamaVoice) line(message any, more map[string]any) frame {
	out := map[string]any{"model": v.asked.model, "created_at": ollamaTime, "message": message, "done": false}
	for name, value := range more {
		out[name] = value
	}
	return frame{data: mustJSON(out)}
}

func (v *ollamaVoice) whole() []byte {
	m := map[string]any{"role": "assistant", "content": v.text}
	if v.thought != "" {
		m["thinking"] = v.thought
	}
	if len(v.calls) > 0 {
		m["tool_calls"] = v.calls
	}
	return v.line(m, v.end).data
}

func (v *ollamaVoice) failed(f *refusal) []frame { return []frame{{data: ollama{}.refusal(f)}} }

func (v *ollamaVoice) thoughts() []thought { return nil }
