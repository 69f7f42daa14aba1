package ollama

import (
	"maps"

	"pollux/internal/scriptmodel/protocol"
)

// encoder encodes an answer as JSON lines, each with a part of a message.
type encoder struct {
	asked *protocol.Query
	tags  protocol.Tagger

	text, thought string
	calls         []any
	end           map[string]any // more fields of the last line
}

// NewEncoder implements [protocol.Wire].
func (Wire) NewEncoder(a *protocol.Query, _ *protocol.Tokens) protocol.Encoder {
	return &encoder{asked: a, tags: protocol.Tagger{ThoughtField: a.ThoughtField}}
}

func (v *encoder) Frames(p protocol.Piece) []protocol.Frame {
	var out []protocol.Frame
	say := func(message any, more map[string]any) { out = append(out, v.line(message, more)) }
	if p.Thought != "" && v.asked.ThoughtField != "tags" && v.asked.Thinking {
		v.thought += p.Thought
		say(map[string]any{"role": "assistant", "content": "", "thinking": p.Thought}, nil)
	}
	if text := v.tags.VisibleText(p); text != "" {
		v.text += text
		say(map[string]any{"role": "assistant", "content": text}, nil)
	}
	if len(p.Calls) > 0 {
		var calls []any
		for i := range p.Calls {
			calls = append(calls, encodeCall(&p.Calls[i], len(v.calls)+i))
		}
		v.calls = append(v.calls, calls...)
		say(map[string]any{"role": "assistant", "content": "", "tool_calls": calls}, nil)
	}
	if p.Null {
		say(nil, nil)
	}
	if !p.Last || p.FinishReason == "" { // no last line without a finish reason
		return out
	}
	v.end = map[string]any{"done": true, "done_reason": doneReason(p.FinishReason), "total_duration": 5_000_000, "load_duration": 1_000_000}
	if u := p.Usage; u != nil {
		v.end["prompt_eval_count"], v.end["prompt_eval_duration"] = u.Prompt+u.Tools, 1_000_000
		v.end["eval_count"], v.end["eval_duration"] = u.Candidates+u.Thoughts, 3_000_000
	}
	say(map[string]any{"role": "assistant", "content": ""}, v.end)
	return out
}

func encodeCall(c *protocol.SentCall, index int) map[string]any {
	function := map[string]any{"index": index, "name": c.Name}
	switch c.Form {
	case protocol.ArgsBroken, protocol.ArgsEmpty: // a broken object would make the whole line invalid
		function["arguments"] = c.Text()
	default:
		function["arguments"] = c.Args
	}
	out := map[string]any{"function": function}
	if c.ID != "" || c.EmptyID {
		out["id"] = c.ID
	}
	return out
}

// doneReason translates a finish reason of Gemini; it keeps the server's own.
func doneReason(s string) string {
	if s == "MAX_TOKENS" {
		return "length"
	}
	return protocol.FinishReason(s, "stop", "stop")
}

func (v *encoder) line(message any, more map[string]any) protocol.Frame {
	out := map[string]any{"model": v.asked.Model, "created_at": modifiedAt, "message": message, "done": false}
	maps.Copy(out, more)
	return protocol.Frame{Data: protocol.MustJSON(out)}
}

func (v *encoder) Response() []byte {
	m := map[string]any{"role": "assistant", "content": v.text}
	if v.thought != "" {
		m["thinking"] = v.thought
	}
	if len(v.calls) > 0 {
		m["tool_calls"] = v.calls
	}
	return v.line(m, v.end).Data
}

func (v *encoder) ErrorFrames(f *protocol.Error) []protocol.Frame {
	return []protocol.Frame{{Data: Wire{}.EncodeError(f)}}
}

func (v *encoder) SignedThoughts() []protocol.Thought { return nil }
