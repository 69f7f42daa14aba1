package scriptmodel

import "slices"

// anthropicVoice says an answer as blocks, and each block as events.
type anthropicVoice struct {
	asked   *asked
	opening *tokens
	out     []frame // of the piece that is being said
	begun   bool

	content []any  // the finished blocks
	open    string // kind of the open block
	index   int    // of the next block
	buffer  string // text of the open block
	called  bool

	reason any
	usage  *tokens
	signed []thought
}

func (anthropic) voice(a *asked, opening *tokens) voice {
	return &anthropicVoice{asked: a, opening: opening}
}

func (v *anthropicVoice) frames(p piece) []frame {
	v.out = nil
	v.begin()
	if p.thought != "" && v.asked.thinking {
		v.start("thinking", map[string]any{"type": "thinking", "thinking": "", "signature": ""})
		v.buffer += p.thought
		v.delta(v.index-1, map[string]any{"type": "thinking_delta", "thinking": p.thought})
	}
	if p.text != "" {
		v.start("text", map[string]any{"type": "text", "text": ""})
		v.buffer += p.text
		v.delta(v.index-1, map[string]any{"type": "text_delta", "text": p.text})
	}
	if p.null {
		v.start("text", map[string]any{"type": "text", "text": ""})
		v.delta(v.index-1, nil)
	}
	if len(p.calls) > 0 {
		v.call(p.calls)
	}
	if p.last {
		v.end(p)
	}
	return v.out
}

func (v *anthropicVoice) event(name string, fields map[string]any) {
	fields["type"] = name
	v.out = append(v.out, frame{event: name, data: mustJSON(fields)})
}

func (v *anthropicVoice) delta(index int, delta any) {
	v.event("content_block_delta", map[string]any{"index": index, "delta": delta})
}

func (v *anthropicVoice) begin() {
	if v.begun {
		return
	}
	v.begun = true
	m := v.message()
	m["content"], m["stop_reason"] = []any{}, nil
	if v.opening != nil {
		usage := anthropicUsage(v.opening)
		usage["output_tokens"] = 1
		m["usage"] = usage
	}
	v.event("message_start", map[string]any{"message": m})
	v.event("ping", map[string]any{})
}

// start opens a block of this kind, unless one is open.
func (v *anthropicVoice) start(kind string, block map[string]any) {
	if v.open == kind {
		return
	}
	v.close("")
	v.open, v.buffer = kind, ""
	v.event("content_block_start", map[string]any{"index": v.index, "content_block": block})
	v.index++
}

// close ends the open block; signature is what its thought is signed with, ""
// for a signature of its own.
func (v *anthropicVoice) close(signature string) {
	switch v.open {
	case "":
		return
	case "thinking":
		if signature == "" {
			signature = sign(v.buffer)
		}
		v.delta(v.index-1, map[string]any{"type": "signature_delta", "signature": signature})
		v.content = append(v.content, map[string]any{"type": "thinking", "thinking": v.buffer, "signature": signature})
		v.signed = append(v.signed, thought{v.buffer, signature})
	case "text":
		v.content = append(v.content, map[string]any{"type": "text", "text": v.buffer})
	}
	v.event("content_block_stop", map[string]any{"index": v.index - 1})
	v.open = ""
}

// call says calls; a signature is that of the thought before them, whose text
// is not told where there was none.
func (v *anthropicVoice) call(calls []sentCall) {
	v.called = true
	signature := calls[0].signature
	if signature != "" && v.open != "thinking" && v.asked.thinking {
		v.start("thinking", map[string]any{"type": "thinking", "thinking": "", "signature": ""})
	}
	v.close(signature)
	first := v.index
	block := func(i int, input any) map[string]any {
		out := map[string]any{"type": "tool_use", "name": calls[i].name, "input": input}
		if calls[i].id != "" || calls[i].emptyID {
			out["id"] = calls[i].id
		}
		return out
	}
	for i := range calls {
		v.index++
		var streamed, whole any = map[string]any{}, calls[i].args
		switch calls[i].form {
		case argsObject:
			streamed = calls[i].args
		case argsBroken, argsEmpty:
			whole = calls[i].text()
		}
		v.event("content_block_start", map[string]any{"index": first + i, "content_block": block(i, streamed)})
		v.content = append(v.content, block(i, whole))
		if calls[i].form != argsObject {
			v.delta(first+i, map[string]any{"type": "input_json_delta", "partial_json": ""})
		}
	}
	interleave(calls, func(i int, delta string) {
		if calls[i].form != argsObject {
			v.delta(first+i, map[string]any{"type": "input_json_delta", "partial_json": delta})
		}
	})
	for i := range calls {
		v.event("content_block_stop", map[string]any{"index": first + i})
	}
}

func (v *anthropicVoice) end(p piece) {
	v.close("")
	v.usage = p.usage
	if p.finish != "" {
		v.reason = v.stopReason(p.finish)
		fields := map[string]any{"delta": map[string]any{"stop_reason": v.reason, "stop_sequence": nil}}
		if p.usage != nil {
			fields["usage"] = anthropicUsage(p.usage)
		}
		v.event("message_delta", fields)
	}
	v.event("message_stop", map[string]any{})
}

// stopReason translates a reason of Gemini's; the vendor's own stays as it is.
func (v *anthropicVoice) stopReason(s string) string {
	switch s {
	case "STOP":
		if v.called {
			return "tool_use"
		}
		return "end_turn"
	case "MAX_TOKENS":
		return "max_tokens"
	}
	return translated(s, "refusal", "end_turn")
}

func (v *anthropicVoice) message() map[string]any {
	m := map[string]any{
		"id": "msg_scripted", "type": "message", "role": "assistant", "model": v.asked.model,
		"content": append([]any{}, v.content...), "stop_reason": v.reason, "stop_sequence": nil,
	}
	if v.usage != nil {
		m["usage"] = anthropicUsage(v.usage)
	}
	return m
}

func anthropicUsage(u *tokens) map[string]any {
	return map[string]any{
		"input_tokens": max(u.prompt+u.tools-u.cached, 0), "cache_read_input_tokens": u.cached,
		"cache_creation_input_tokens": 0, "output_tokens": u.candidates + u.thoughts,
	}
}

func (v *anthropicVoice) whole() []byte { return mustJSON(v.message()) }

func (v *anthropicVoice) thoughts() []thought { return slices.Clone(v.signed) }

func (v *anthropicVoice) failed(f *refusal) []frame {
	v.out = nil
	v.event("error", map[string]any{"error": anthropicError(f)})
	return v.out
}
