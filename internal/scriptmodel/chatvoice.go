package scriptmodel

// chatVoice says an answer in chunks of which each is a completion with a delta.
type chatVoice struct {
	asked *asked
	begun bool
	inTag bool // in a thought that is written into the text
	count int  // calls so far

	text, thought string
	calls         []any
	finish        any
	usage         *tokens
}

func (chat) voice(a *asked, _ *tokens) voice { return &chatVoice{asked: a} }

func (v *chatVoice) frames(p piece) []frame {
	var out []frame
	say := func(delta any) { out = append(out, v.chunk(delta, nil)) }
	if !v.begun {
		v.begun = true
		say(map[string]any{"role": "assistant", "content": "", "refusal": nil})
	}
	if text := v.spoken(p); text != "" {
		v.text += text
		say(map[string]any{"content": text})
	}
	if p.thought != "" && v.asked.thoughtsIn != "tags" {
		v.thought += p.thought
		say(map[string]any{v.thoughtField(): p.thought})
	}
	if p.null {
		say(nil)
	}
	v.call(p.calls, say)
	if !p.last {
		return out
	}
	v.usage = p.usage
	if p.finish != "" {
		v.finish = v.reason(p.finish)
		out = append(out, v.chunk(map[string]any{}, v.finish))
	}
	if p.usage != nil && v.wantsUsage() {
		c := v.completion("chat.completion.chunk", []any{})
		c["usage"] = chatUsage(p.usage)
		out = append(out, frame{data: mustJSON(c)})
	}
	return append(out, frame{data: []byte("[DONE]")})
}

// spoken is what of p goes into the text: thoughts as well, if they have no
// field of their own.
func (v *chatVoice) spoken(p piece) string {
	tags := v.asked.thoughtsIn == "tags"
	text := ""
	if p.thought != "" && tags {
		if !v.inTag {
			text, v.inTag = "<think>", true
		}
		return text + p.thought
	}
	if v.inTag && (p.text != "" || len(p.calls) > 0 || p.last) {
		text, v.inTag = "</think>", false
	}
	return text + p.text
}

func (v *chatVoice) thoughtField() string {
	if v.asked.thoughtsIn != "" {
		return v.asked.thoughtsIn
	}
	return "reasoning_content"
}

// call says calls: first what they are, then their arguments bit by bit.
func (v *chatVoice) call(calls []sentCall, say func(any)) {
	first := v.count
	tool := func(i int, fields map[string]any) {
		fields["index"] = first + i
		say(map[string]any{"tool_calls": []any{fields}})
	}
	for i := range calls {
		c := &calls[i]
		v.count++
		head := func(args any) map[string]any {
			out := map[string]any{"type": "function", "function": map[string]any{"name": c.name, "arguments": args}}
			if c.id != "" || c.emptyID {
				out["id"] = c.id
			}
			return out
		}
		if c.form == argsObject {
			v.calls = append(v.calls, head(c.args))
			tool(i, head(c.args))
			continue
		}
		v.calls = append(v.calls, head(c.text()))
		tool(i, head(""))
		if len(calls) == 1 {
			for _, delta := range c.deltas() {
				tool(i, map[string]any{"function": map[string]any{"arguments": delta}})
			}
		}
	}
	if len(calls) > 1 {
		interleave(calls, func(i int, delta string) {
			if calls[i].form != argsObject {
				tool(i, map[string]any{"function": map[string]any{"arguments": delta}})
			}
		})
	}
}

// reason translates a reason of Gemini's; the vendor's own stays as it is.
func (v *chatVoice) reason(s string) string {
	switch s {
	case "STOP":
		if v.count > 0 {
			return "tool_calls"
		}
		return "stop"
	case "MAX_TOKENS":
		return "length"
	}
	return translated(s, "content_filter", "stop")
}

// translated returns blocked for the reasons of Gemini's that say so, other for
// the rest, and a reason in lower case, which is a vendor's own, as it is.
func translated(reason, blocked, other string) string {
	switch reason {
	case "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY":
		return blocked
	}
	if isCode(reason) && reason[0] <= 'Z' {
		return other
	}
	return reason
}

func (v *chatVoice) wantsUsage() bool {
	options, _ := v.asked.root["stream_options"].(map[string]any)
	return options["include_usage"] == true
}

func (v *chatVoice) chunk(delta, finish any) frame {
	c := v.completion("chat.completion.chunk", []any{map[string]any{
		"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish,
	}})
	if v.wantsUsage() {
		c["usage"] = nil
	}
	return frame{data: mustJSON(c)}
}

func (v *chatVoice) completion(object string, choices []any) map[string]any {
	return map[string]any{
		"id": "chatcmpl-scripted", "object": object, "created": scriptedAt, "model": v.asked.model,
		"system_fingerprint": "fp_scripted", "choices": choices,
	}
}

func (v *chatVoice) whole() []byte {
	m := map[string]any{"role": "assistant", "content": v.text, "refusal": nil, "annotations": []any{}}
	if v.text == "" && v.count > 0 {
		m["content"] = nil
	}
	if v.thought != "" {
		m[v.thoughtField()] = v.thought
	}
	if v.count > 0 {
		m["tool_calls"] = v.calls
	}
	c := v.completion("chat.completion", []any{map[string]any{
		"index": 0, "message": m, "logprobs": nil, "finish_reason": v.finish,
	}})
	if v.usage != nil {
		c["usage"] = chatUsage(v.usage)
	}
	return mustJSON(c)
}

func chatUsage(u *tokens) map[string]any {
	prompt, completion := u.prompt+u.tools, u.candidates+u.thoughts
	return map[string]any{
		"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion,
		"prompt_tokens_details":     map[string]any{"cached_tokens": u.cached, "audio_tokens": 0},
		"completion_tokens_details": map[string]any{"reasoning_tokens": u.thoughts, "audio_tokens": 0},
	}
}

func (v *chatVoice) failed(f *refusal) []frame { return []frame{{data: openai{}.refusal(f)}} }

func (v *chatVoice) thoughts() []thought { return nil }
