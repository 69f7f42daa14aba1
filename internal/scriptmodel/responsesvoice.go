package scriptmodel

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// responsesVoice says an answer as items, and each item as events.
type responsesVoice struct {
	asked    *asked
	sequence int
	out      []frame // of the piece that is being said
	begun    bool

	items  []any // finished, in their order
	index  int   // of the next item
	open   string
	at     int    // index of the open item
	buffer string // text of the open item
	hidden string // the open thought, of which a summary may be in buffer
	called bool

	status string
	why    any // it is incomplete
	usage  *tokens
	signed []thought
}

func (responses) voice(a *asked, _ *tokens) voice {
	return &responsesVoice{asked: a, status: "in_progress"}
}

func (v *responsesVoice) frames(p piece) []frame {
	v.out = nil
	v.begin()
	if p.thought != "" {
		v.think(p.thought)
	}
	if p.text != "" {
		v.speak(p.text)
	}
	if p.null {
		v.speak("")
		v.event("response.output_text.delta", map[string]any{
			"item_id": v.itemID("msg"), "output_index": v.at, "content_index": 0, "delta": nil, "logprobs": []any{},
		})
	}
	if len(p.calls) > 0 {
		v.call(p.calls)
	}
	if p.last {
		v.end(p)
	}
	return v.out
}

func (v *responsesVoice) begin() {
	if v.begun {
		return
	}
	v.begun = true
	v.event("response.created", map[string]any{"response": v.response()})
	v.event("response.in_progress", map[string]any{"response": v.response()})
}

func (v *responsesVoice) event(name string, fields map[string]any) {
	fields["type"], fields["sequence_number"] = name, v.sequence
	v.sequence++
	v.out = append(v.out, frame{event: name, data: mustJSON(fields)})
}

// itemID is the id of the open item, which no other of the conversation has.
func (v *responsesVoice) itemID(prefix string) string {
	return fmt.Sprintf("%s_%d_%d", prefix, v.asked.number, v.at+1)
}

// start opens an item of this kind, unless one is open.
func (v *responsesVoice) start(kind string, item func() map[string]any) bool {
	if v.open == kind {
		return false
	}
	v.close("")
	v.open, v.at, v.buffer, v.hidden = kind, v.index, "", ""
	v.index++
	v.event("response.output_item.added", map[string]any{"output_index": v.at, "item": item()})
	return true
}

func (v *responsesVoice) think(text string) {
	opened := v.start("reasoning", func() map[string]any {
		return map[string]any{"type": "reasoning", "id": v.itemID("rs"), "summary": []any{}}
	})
	v.hidden += text
	if !v.wantsSummary() {
		return
	}
	fields := func(more string, value any) map[string]any {
		return map[string]any{"item_id": v.itemID("rs"), "output_index": v.at, "summary_index": 0, more: value}
	}
	if opened {
		v.event("response.reasoning_summary_part.added", fields("part", map[string]any{"type": "summary_text", "text": ""}))
	}
	v.buffer += text
	v.event("response.reasoning_summary_text.delta", fields("delta", text))
}

func (v *responsesVoice) speak(text string) {
	opened := v.start("message", func() map[string]any { return v.message("in_progress", []any{}) })
	if opened {
		v.event("response.content_part.added", map[string]any{
			"item_id": v.itemID("msg"), "output_index": v.at, "content_index": 0, "part": outputText(""),
		})
	}
	if text == "" {
		return
	}
	v.buffer += text
	v.event("response.output_text.delta", map[string]any{
		"item_id": v.itemID("msg"), "output_index": v.at, "content_index": 0, "delta": text, "logprobs": []any{},
	})
}

func outputText(text string) map[string]any {
	return map[string]any{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}
}

func (v *responsesVoice) message(status string, content []any) map[string]any {
	return map[string]any{"type": "message", "id": v.itemID("msg"), "role": "assistant", "status": status, "content": content}
}

// close ends the open item; signature is what its thought is to be signed with,
// "" for a signature of its own.
func (v *responsesVoice) close(signature string) {
	switch v.open {
	case "reasoning":
		v.closeReasoning(signature)
	case "message":
		part := outputText(v.buffer)
		where := func() map[string]any {
			return map[string]any{"item_id": v.itemID("msg"), "output_index": v.at, "content_index": 0}
		}
		done, partDone := where(), where()
		done["text"], done["logprobs"] = v.buffer, []any{}
		partDone["part"] = part
		v.event("response.output_text.done", done)
		v.event("response.content_part.done", partDone)
		v.done(v.at, v.message("completed", []any{part}))
	}
	v.open = ""
}

func (v *responsesVoice) closeReasoning(signature string) {
	if signature == "" {
		signature = sign(v.hidden)
	}
	item := map[string]any{"type": "reasoning", "id": v.itemID("rs"), "summary": []any{}}
	if v.buffer != "" {
		where := func() map[string]any {
			return map[string]any{"item_id": v.itemID("rs"), "output_index": v.at, "summary_index": 0}
		}
		part := map[string]any{"type": "summary_text", "text": v.buffer}
		done, partDone := where(), where()
		done["text"], partDone["part"] = v.buffer, part
		v.event("response.reasoning_summary_text.done", done)
		v.event("response.reasoning_summary_part.done", partDone)
		item["summary"] = []any{part}
	}
	if v.encrypts() {
		item["encrypted_content"] = signature
		v.signed = append(v.signed, thought{text: v.hidden, signature: signature})
	}
	v.done(v.at, item)
}

func (v *responsesVoice) done(at int, item map[string]any) {
	v.event("response.output_item.done", map[string]any{"output_index": at, "item": item})
	v.items = append(v.items, item)
}

// call says calls; a signature is the encrypted content of the thought before
// them, which has no text where there was none.
func (v *responsesVoice) call(calls []sentCall) {
	v.called = true
	signature := calls[0].signature
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
			"type": "function_call", "id": fmt.Sprintf("fc_%d_%s", v.asked.number, c.id), "name": c.name, "arguments": args, "status": status,
		}
		if c.id == "" {
			out["id"] = fmt.Sprintf("fc_%d_%d", v.asked.number, first+i+1)
		}
		if c.id != "" || c.emptyID {
			out["call_id"] = c.id
		}
		return out
	}
	for i := range calls {
		v.index++
		v.event("response.output_item.added", map[string]any{"output_index": first + i, "item": item(i, "in_progress", "")})
	}
	interleave(calls, func(i int, delta string) {
		if calls[i].form != argsObject {
			v.event("response.function_call_arguments.delta", map[string]any{
				"item_id": item(i, "", "")["id"], "output_index": first + i, "delta": delta,
			})
		}
	})
	for i := range calls {
		var args any = calls[i].text()
		if calls[i].form == argsObject {
			args = calls[i].args
		}
		v.event("response.function_call_arguments.done", map[string]any{
			"item_id": item(i, "", "")["id"], "name": calls[i].name, "output_index": first + i, "arguments": args,
		})
		v.done(first+i, item(i, "completed", args))
	}
}

func (v *responsesVoice) wantsSummary() bool {
	r, _ := v.asked.root["reasoning"].(map[string]any)
	return r["summary"] != nil
}

func (v *responsesVoice) encrypts() bool {
	return slices.Contains(list(v.asked.root["include"]), any("reasoning.encrypted_content"))
}

func (v *responsesVoice) end(p piece) {
	v.close("")
	v.usage = p.usage
	if p.finish == "" {
		return
	}
	v.status = "completed"
	switch reason := translated(p.finish, "content_filter", "completed"); {
	case p.finish == "MAX_TOKENS":
		v.status, v.why = "incomplete", map[string]any{"reason": "max_output_tokens"}
	case reason == "content_filter" || strings.HasPrefix(reason, "max_"):
		v.status, v.why = "incomplete", map[string]any{"reason": reason}
	}
	v.event("response."+v.status, map[string]any{"response": v.response()})
}

func (v *responsesVoice) response() map[string]any {
	r := map[string]any{
		"id": "resp_scripted", "object": "response", "created_at": scriptedAt, "status": v.status, "model": v.asked.model,
		"error": nil, "incomplete_details": v.why, "instructions": v.asked.root["instructions"], "metadata": map[string]any{},
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

func responsesUsage(u *tokens) map[string]any {
	in, out := u.prompt+u.tools, u.candidates+u.thoughts
	return map[string]any{
		"input_tokens": in, "output_tokens": out, "total_tokens": in + out,
		"input_tokens_details":  map[string]any{"cached_tokens": u.cached, "cache_write_tokens": 0},
		"output_tokens_details": map[string]any{"reasoning_tokens": u.thoughts},
	}
}

func (v *responsesVoice) whole() []byte { return mustJSON(v.response()) }

func (v *responsesVoice) thoughts() []thought { return slices.Clone(v.signed) }

// failed says the error in an event of its own.
func (v *responsesVoice) failed(f *refusal) []frame {
	kind, code := openAIError(f)
	if code == "" {
		code = kind
	}
	v.out = nil
	v.event("error", map[string]any{"code": code, "message": cmp.Or(f.message, openAIText(f)), "param": nil})
	return v.out
}
