package openai

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/scriptmodel/protocol"
)

// responsesEncoder encodes an answer as items, and each item as events.
type responsesEncoder struct {
	asked    *protocol.Query
	sequence int
	out      []protocol.Frame // of the current piece
	begun    bool

	items  []any // finished items
	index  int   // of the next item
	open   string
	at     int    // index of the open item
	buffer string // text of the open item
	hidden string // text of the open thought; buffer has its summary
	called bool

	status string
	why    any // incomplete_details, nil if complete
	usage  *protocol.Tokens
	signed []protocol.Thought
}

// NewEncoder implements [protocol.Wire].
func (Responses) NewEncoder(a *protocol.Query, _ *protocol.Tokens) protocol.Encoder {
	return &responsesEncoder{asked: a, status: "in_progress"}
}

func (v *responsesEncoder) Frames(p protocol.Piece) []protocol.Frame {
	v.out = nil
	v.begin()
	if p.Thought != "" {
		v.think(p.Thought)
	}
	if p.Text != "" {
		v.speak(p.Text)
	}
	if p.Null {
		v.speak("")
		v.part("response.output_text.delta", map[string]any{"delta": nil, "logprobs": []any{}})
	}
	if len(p.Calls) > 0 {
		v.call(p.Calls)
	}
	if p.Last {
		v.end(p)
	}
	return v.out
}

func (v *responsesEncoder) begin() {
	if v.begun {
		return
	}
	v.begun = true
	v.event("response.created", map[string]any{"response": v.response()})
	v.event("response.in_progress", map[string]any{"response": v.response()})
}

func (v *responsesEncoder) event(name string, fields map[string]any) {
	fields["type"], fields["sequence_number"] = name, v.sequence
	v.sequence++
	v.out = append(v.out, protocol.Frame{Event: name, Data: protocol.MustJSON(fields)})
}

// part emits an event about the only part of the open item: the text of a message, or the summary of a thought.
func (v *responsesEncoder) part(name string, fields map[string]any) {
	prefix, index := "msg", "content_index"
	if v.open == "reasoning" {
		prefix, index = "rs", "summary_index"
	}
	fields["item_id"], fields["output_index"], fields[index] = v.itemID(prefix), v.at, 0
	v.event(name, fields)
}

// itemID returns the ID of the open item, which is unique in the conversation.
func (v *responsesEncoder) itemID(prefix string) string {
	return fmt.Sprintf("%s_%d_%d", prefix, v.asked.Number, v.at+1)
}

// start opens an item of this kind, unless the open item is of this kind.
func (v *responsesEncoder) start(kind string, item func() map[string]any) bool {
	if v.open == kind {
		return false
	}
	v.close("")
	v.open, v.at, v.buffer, v.hidden = kind, v.index, "", ""
	v.index++
	v.event("response.output_item.added", map[string]any{"output_index": v.at, "item": item()})
	return true
}

func (v *responsesEncoder) think(text string) {
	opened := v.start("reasoning", func() map[string]any {
		return map[string]any{"type": "reasoning", "id": v.itemID("rs"), "summary": []any{}}
	})
	v.hidden += text
	if !v.wantsSummary() {
		return
	}
	if opened {
		v.part("response.reasoning_summary_part.added", map[string]any{"part": map[string]any{"type": "summary_text", "text": ""}})
	}
	v.buffer += text
	v.part("response.reasoning_summary_text.delta", map[string]any{"delta": text})
}

func (v *responsesEncoder) speak(text string) {
	opened := v.start("message", func() map[string]any { return v.message("in_progress", []any{}) })
	if opened {
		v.part("response.content_part.added", map[string]any{"part": outputText("")})
	}
	if text == "" {
		return
	}
	v.buffer += text
	v.part("response.output_text.delta", map[string]any{"delta": text, "logprobs": []any{}})
}

func outputText(text string) map[string]any {
	return map[string]any{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}
}

func (v *responsesEncoder) message(status string, content []any) map[string]any {
	return map[string]any{"type": "message", "id": v.itemID("msg"), "role": "assistant", "status": status, "content": content}
}

// close ends the open item. signature is the encrypted content of its thought; "" makes one
// with protocol.Sign.
func (v *responsesEncoder) close(signature string) {
	switch v.open {
	case "reasoning":
		v.closeReasoning(signature)
	case "message":
		part := outputText(v.buffer)
		v.part("response.output_text.done", map[string]any{"text": v.buffer, "logprobs": []any{}})
		v.part("response.content_part.done", map[string]any{"part": part})
		v.done(v.at, v.message("completed", []any{part}))
	}
	v.open = ""
}

func (v *responsesEncoder) closeReasoning(signature string) {
	if signature == "" {
		signature = protocol.Sign(v.hidden)
	}
	item := map[string]any{"type": "reasoning", "id": v.itemID("rs"), "summary": []any{}}
	if v.buffer != "" {
		part := map[string]any{"type": "summary_text", "text": v.buffer}
		v.part("response.reasoning_summary_text.done", map[string]any{"text": v.buffer})
		v.part("response.reasoning_summary_part.done", map[string]any{"part": part})
		item["summary"] = []any{part}
	}
	if v.encrypts() {
		item["encrypted_content"] = signature
		v.signed = append(v.signed, protocol.Thought{Text: v.hidden, Signature: signature})
	}
	v.done(v.at, item)
}

func (v *responsesEncoder) done(at int, item map[string]any) {
	v.event("response.output_item.done", map[string]any{"output_index": at, "item": item})
	v.items = append(v.items, item)
}

// call encodes calls. A signature is the encrypted content of the thought before the calls; if
// there is none, call encodes a thought without text.
func (v *responsesEncoder) call(calls []protocol.SentCall) {
	v.called = true
	signature := calls[0].Signature
	if signature != "" && v.open != "reasoning" && v.encrypts() {
		v.start("reasoning", func() map[string]any {
			return map[string]any{"type": "reasoning", "id": v.itemID("rs"), "summary": []any{}}
		})
	}
	v.close(signature)
	first := v.index
	item := func(i int, status string, args any) map[string]any {
		c := calls[i]
		out := map[string]any{
			"type": "function_call", "id": fmt.Sprintf("fc_%d_%s", v.asked.Number, c.ID), "name": c.Name, "arguments": args, "status": status,
		}
		if c.ID == "" {
			out["id"] = fmt.Sprintf("fc_%d_%d", v.asked.Number, first+i+1)
		}
		if c.ID != "" || c.EmptyID {
			out["call_id"] = c.ID
		}
		return out
	}
	for i := range calls {
		v.index++
		v.event("response.output_item.added", map[string]any{"output_index": first + i, "item": item(i, "in_progress", "")})
	}
	protocol.Interleave(calls, func(i int, delta string) {
		if calls[i].Form != protocol.ArgsObject {
			v.event("response.function_call_arguments.delta", map[string]any{
				"item_id": item(i, "", "")["id"], "output_index": first + i, "delta": delta,
			})
		}
	})
	for i := range calls {
		var args any = calls[i].Text()
		if calls[i].Form == protocol.ArgsObject {
			args = calls[i].Args
		}
		v.event("response.function_call_arguments.done", map[string]any{
			"item_id": item(i, "", "")["id"], "name": calls[i].Name, "output_index": first + i, "arguments": args,
		})
		v.done(first+i, item(i, "completed", args))
	}
}

func (v *responsesEncoder) wantsSummary() bool {
	r, _ := v.asked.Body["reasoning"].(map[string]any)
	return r["summary"] != nil
}

func (v *responsesEncoder) encrypts() bool {
	return slices.Contains(protocol.AsList(v.asked.Body["include"]), any("reasoning.encrypted_content"))
}

func (v *responsesEncoder) end(p protocol.Piece) {
	v.close("")
	v.usage = p.Usage
	if p.FinishReason == "" {
		return
	}
	v.status = "completed"
	switch reason := protocol.FinishReason(p.FinishReason, "content_filter", "completed"); {
	case p.FinishReason == "MAX_TOKENS":
		v.status, v.why = "incomplete", map[string]any{"reason": "max_output_tokens"}
	case reason == "content_filter" || strings.HasPrefix(reason, "max_"):
		v.status, v.why = "incomplete", map[string]any{"reason": reason}
	}
	v.event("response."+v.status, map[string]any{"response": v.response()})
}

func (v *responsesEncoder) response() map[string]any {
	r := map[string]any{
		"id": "resp_scripted", "object": "response", "created_at": scriptedAt, "status": v.status, "model": v.asked.Model,
		"error": nil, "incomplete_details": v.why, "instructions": v.asked.Body["instructions"], "metadata": map[string]any{},
		"output": append([]any{}, v.items...), "parallel_tool_calls": true, "previous_response_id": nil,
		"reasoning": map[string]any{"effort": nil, "summary": nil}, "store": false, "temperature": 1, "top_p": 1,
		"text": map[string]any{"format": map[string]any{"type": "text"}}, "tool_choice": "auto", "tools": []any{},
		"truncation": "disabled", "usage": nil,
	}
	if v.usage != nil {
		r["usage"] = responsesUsage(v.usage)
	}
	return r
}

func responsesUsage(u *protocol.Tokens) map[string]any {
	in, out := u.Prompt+u.Tools, u.Candidates+u.Thoughts
	return map[string]any{
		"input_tokens": in, "output_tokens": out, "total_tokens": in + out,
		"input_tokens_details":  map[string]any{"cached_tokens": u.Cached, "cache_write_tokens": 0},
		"output_tokens_details": map[string]any{"reasoning_tokens": u.Thoughts},
	}
}

func (v *responsesEncoder) Response() []byte { return protocol.MustJSON(v.response()) }

func (v *responsesEncoder) SignedThoughts() []protocol.Thought { return slices.Clone(v.signed) }

// ErrorFrames returns the error as an event of type error.
func (v *responsesEncoder) ErrorFrames(f *protocol.Error) []protocol.Frame {
	kind, code := codeOf(f)
	v.out = nil
	v.event("error", map[string]any{"code": cmp.Or(code, kind), "message": message(f), "param": nil})
	return v.out
}
