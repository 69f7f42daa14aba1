package openai

import (
	"cmp"

	"pollux/internal/scriptmodel/protocol"
)

// chatEncoder encodes an answer as chunks, each a completion with a delta.
type chatEncoder struct {
	asked *protocol.Query
	begun bool
	tags  protocol.Tagger
	count int // number of calls so far

	text, thought string
	calls         []any
	finish        any
	usage         *protocol.Tokens
}

// NewEncoder implements [protocol.Wire].
func (Chat) NewEncoder(a *protocol.Query, _ *protocol.Tokens) protocol.Encoder {
	return newChatEncoder(a)
}

func newChatEncoder(a *protocol.Query) *chatEncoder {
	return &chatEncoder{asked: a, tags: protocol.Tagger{ThoughtField: a.ThoughtField}}
}

func (v *chatEncoder) Frames(p protocol.Piece) []protocol.Frame {
	var out []protocol.Frame
	say := func(delta any) { out = append(out, v.chunk(delta, nil)) }
	if !v.begun {
		v.begun = true
		say(map[string]any{"role": "assistant", "content": "", "refusal": nil})
	}
	if text := v.tags.VisibleText(p); text != "" {
		v.text += text
		say(map[string]any{"content": text})
	}
	if p.Thought != "" && v.asked.ThoughtField != "tags" {
		v.thought += p.Thought
		say(map[string]any{v.thoughtField(): p.Thought})
	}
	if p.Null {
		say(nil)
	}
	v.call(p.Calls, say)
	if !p.Last {
		return out
	}
	v.usage = p.Usage
	if p.FinishReason != "" {
		v.finish = v.reason(p.FinishReason)
		out = append(out, v.chunk(map[string]any{}, v.finish))
	}
	if p.Usage != nil && v.wantsUsage() {
		c := v.completion("chat.completion.chunk", []any{})
		c["usage"] = chatUsage(p.Usage)
		out = append(out, protocol.Frame{Data: protocol.MustJSON(c)})
	}
	return append(out, protocol.Frame{Data: []byte("[DONE]")})
}

func (v *chatEncoder) thoughtField() string { return cmp.Or(v.asked.ThoughtField, "reasoning_content") }

// call encodes calls: first ID and name, then the arguments in pieces.
func (v *chatEncoder) call(calls []protocol.SentCall, say func(any)) {
	first := v.count
	tool := func(i int, fields map[string]any) {
		fields["index"] = first + i
		say(map[string]any{"tool_calls": []any{fields}})
	}
	for i := range calls {
		c := &calls[i]
		v.count++
		head := func(args any) map[string]any {
			out := map[string]any{"type": "function", "function": map[string]any{"name": c.Name, "arguments": args}}
			if c.ID != "" || c.EmptyID {
				out["id"] = c.ID
			}
			return out
		}
		if c.Form == protocol.ArgsObject {
			v.calls = append(v.calls, head(c.Args))
			tool(i, head(c.Args))
			continue
		}
		v.calls = append(v.calls, head(c.Text()))
		tool(i, head(""))
		if len(calls) == 1 {
			for _, delta := range c.Deltas() {
				tool(i, map[string]any{"function": map[string]any{"arguments": delta}})
			}
		}
	}
	if len(calls) > 1 {
		protocol.Interleave(calls, func(i int, delta string) {
			if calls[i].Form != protocol.ArgsObject {
				tool(i, map[string]any{"function": map[string]any{"arguments": delta}})
			}
		})
	}
}

// reason translates a finish reason of Gemini; it keeps the vendor's own.
func (v *chatEncoder) reason(s string) string {
	switch s {
	case "STOP":
		if v.count > 0 {
			return "tool_calls"
		}
		return "stop"
	case "MAX_TOKENS":
		return "length"
	}
	return protocol.FinishReason(s, "content_filter", "stop")
}

func (v *chatEncoder) wantsUsage() bool {
	options, _ := v.asked.Body["stream_options"].(map[string]any)
	return options["include_usage"] == true
}

func (v *chatEncoder) chunk(delta, finish any) protocol.Frame {
	c := v.completion("chat.completion.chunk", []any{map[string]any{
		"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish,
	}})
	if v.wantsUsage() {
		c["usage"] = nil
	}
	return protocol.Frame{Data: protocol.MustJSON(c)}
}

func (v *chatEncoder) completion(object string, choices []any) map[string]any {
	return map[string]any{
		"id": "chatcmpl-scripted", "object": object, "created": scriptedAt, "model": v.asked.Model,
		"system_fingerprint": "fp_scripted", "choices": choices,
	}
}

func (v *chatEncoder) Response() []byte {
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
	return protocol.MustJSON(c)
}

func chatUsage(u *protocol.Tokens) map[string]any {
	prompt, completion := u.Prompt+u.Tools, u.Candidates+u.Thoughts
	return map[string]any{
		"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion,
		"prompt_tokens_details":     map[string]any{"cached_tokens": u.Cached, "audio_tokens": 0},
		"completion_tokens_details": map[string]any{"reasoning_tokens": u.Thoughts, "audio_tokens": 0},
	}
}

func (v *chatEncoder) ErrorFrames(f *protocol.Error) []protocol.Frame {
	return []protocol.Frame{{Data: base{}.EncodeError(f)}}
}

func (v *chatEncoder) SignedThoughts() []protocol.Thought { return nil }
