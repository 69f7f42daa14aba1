package anthropic

import (
	"slices"

	"pollux/internal/scriptmodel/protocol"
)

// encoder encodes an answer as blocks, and each block as events.
type encoder struct {
	asked   *protocol.Query
	opening *protocol.Tokens
	out     []protocol.Frame // of the current piece
	begun   bool

	content []any  // the finished blocks
	open    string // kind of the open block
	index   int    // of the next block
	buffer  string // text of the open block
	called  bool

	reason any
	usage  *protocol.Tokens
	signed []protocol.Thought
}

// NewEncoder implements [protocol.Wire].
func (Wire) NewEncoder(a *protocol.Query, opening *protocol.Tokens) protocol.Encoder {
	return &encoder{asked: a, opening: opening}
}

func (v *encoder) Frames(p protocol.Piece) []protocol.Frame {
	v.out = nil
	v.begin()
	if p.Thought != "" && v.asked.Thinking {
		v.start("thinking", map[string]any{"type": "thinking", "thinking": "", "signature": ""})
		v.buffer += p.Thought
		v.delta(v.index-1, map[string]any{"type": "thinking_delta", "thinking": p.Thought})
	}
	if p.Text != "" {
		v.start("text", map[string]any{"type": "text", "text": ""})
		v.buffer += p.Text
		v.delta(v.index-1, map[string]any{"type": "text_delta", "text": p.Text})
	}
	if p.Null {
		v.start("text", map[string]any{"type": "text", "text": ""})
		v.delta(v.index-1, nil)
	}
	if len(p.Calls) > 0 {
		v.call(p.Calls)
	}
	if p.Last {
		v.end(p)
	}
	return v.out
}

func (v *encoder) event(name string, fields map[string]any) {
	fields["type"] = name
	v.out = append(v.out, protocol.Frame{Event: name, Data: protocol.MustJSON(fields)})
}

func (v *encoder) delta(index int, delta any) {
	v.event("content_block_delta", map[string]any{"index": index, "delta": delta})
}

func (v *encoder) begin() {
	if v.begun {
		return
	}
	v.begun = true
	m := v.message()
	m["content"], m["stop_reason"] = []any{}, nil
	if v.opening != nil {
		usage := encodeUsage(v.opening)
		usage["output_tokens"] = 1
		m["usage"] = usage
	}
	v.event("message_start", map[string]any{"message": m})
	v.event("ping", map[string]any{})
}

// start opens a block of this kind, unless the open block is of this kind.
func (v *encoder) start(kind string, block map[string]any) {
	if v.open == kind {
		return
	}
	v.close("")
	v.open, v.buffer = kind, ""
	v.event("content_block_start", map[string]any{"index": v.index, "content_block": block})
	v.index++
}

// close ends the open block. signature is the signature of its thought; "" makes one with
// protocol.Sign.
func (v *encoder) close(signature string) {
	switch v.open {
	case "":
		return
	case "thinking":
		if signature == "" {
			signature = protocol.Sign(v.buffer)
		}
		v.delta(v.index-1, map[string]any{"type": "signature_delta", "signature": signature})
		v.content = append(v.content, map[string]any{"type": "thinking", "thinking": v.buffer, "signature": signature})
		v.signed = append(v.signed, protocol.Thought{Text: v.buffer, Signature: signature})
	case "text":
		v.content = append(v.content, map[string]any{"type": "text", "text": v.buffer})
	}
	v.event("content_block_stop", map[string]any{"index": v.index - 1})
	v.open = ""
}

// call encodes calls. A signature belongs to the thought before the calls; if there is none,
// call encodes a thought without text.
func (v *encoder) call(calls []protocol.SentCall) {
	v.called = true
	signature := calls[0].Signature
	if signature != "" && v.open != "thinking" && v.asked.Thinking {
		v.start("thinking", map[string]any{"type": "thinking", "thinking": "", "signature": ""})
	}
	v.close(signature)
	first := v.index
	block := func(i int, input any) map[string]any {
		out := map[string]any{"type": "tool_use", "name": calls[i].Name, "input": input}
		if calls[i].ID != "" || calls[i].EmptyID {
			out["id"] = calls[i].ID
		}
		return out
	}
	for i := range calls {
		v.index++
		var streamed, whole any = map[string]any{}, calls[i].Args
		switch calls[i].Form {
		case protocol.ArgsObject:
			streamed = calls[i].Args
		case protocol.ArgsBroken, protocol.ArgsEmpty:
			whole = calls[i].Text()
		}
		v.event("content_block_start", map[string]any{"index": first + i, "content_block": block(i, streamed)})
		v.content = append(v.content, block(i, whole))
		if calls[i].Form != protocol.ArgsObject {
			v.delta(first+i, map[string]any{"type": "input_json_delta", "partial_json": ""})
		}
	}
	protocol.Interleave(calls, func(i int, delta string) {
		if calls[i].Form != protocol.ArgsObject {
			v.delta(first+i, map[string]any{"type": "input_json_delta", "partial_json": delta})
		}
	})
	for i := range calls {
		v.event("content_block_stop", map[string]any{"index": first + i})
	}
}

func (v *encoder) end(p protocol.Piece) {
	v.close("")
	v.usage = p.Usage
	if p.FinishReason != "" {
		v.reason = v.stopReason(p.FinishReason)
		fields := map[string]any{"delta": map[string]any{"stop_reason": v.reason, "stop_sequence": nil}}
		if p.Usage != nil {
			fields["usage"] = encodeUsage(p.Usage)
		}
		v.event("message_delta", fields)
	}
	v.event("message_stop", map[string]any{})
}

// stopReason translates a finish reason of Gemini; it keeps the vendor's own.
func (v *encoder) stopReason(s string) string {
	switch s {
	case "STOP":
		if v.called {
			return "tool_use"
		}
		return "end_turn"
	case "MAX_TOKENS":
		return "max_tokens"
	}
	return protocol.FinishReason(s, "refusal", "end_turn")
}

func (v *encoder) message() map[string]any {
	m := map[string]any{
		"id": "msg_scripted", "type": "message", "role": "assistant", "model": v.asked.Model,
		"content": append([]any{}, v.content...), "stop_reason": v.reason, "stop_sequence": nil,
	}
	if v.usage != nil {
		m["usage"] = encodeUsage(v.usage)
	}
	return m
}

func encodeUsage(u *protocol.Tokens) map[string]any {
	return map[string]any{
		"input_tokens": max(u.Prompt+u.Tools-u.Cached, 0), "cache_read_input_tokens": u.Cached,
		"cache_creation_input_tokens": 0, "output_tokens": u.Candidates + u.Thoughts,
	}
}

func (v *encoder) Response() []byte { return protocol.MustJSON(v.message()) }

func (v *encoder) SignedThoughts() []protocol.Thought { return slices.Clone(v.signed) }

func (v *encoder) ErrorFrames(f *protocol.Error) []protocol.Frame {
	v.out = nil
	v.event("error", map[string]any{"error": encodeError(f)})
	return v.out
}
