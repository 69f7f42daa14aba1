package anthropic

import (
	"encoding/json"
	"strings"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// isPaused reports whether the service wants the answer back to go on with it.
func (r *reply) isPaused() bool { return r.ended && r.stop == "pause_turn" }

// resume makes r ready for the next piece of a paused answer, and returns what
// there is of it.
func (r *reply) resume() []byte {
	r.ended, r.stop = false, ""
	r.paused, r.output = r.paused+r.output, 0
	return r.soFar()
}

// soFar returns the answer's blocks as the service wants them back.
func (r *reply) soFar() []byte {
	l := blocks{}
	for _, b := range r.blocks {
		switch b.kind {
		case "text":
			l.text(strings.TrimRight(string(b.text), " \t\r\n")) // see modelBlocks
		case "thinking", "redacted_thinking":
			if len(b.proof) > 0 {
				l.next()
				l.b = b.mind().append(l.b)
			}
		case "tool_use":
			l.call(&llm.FunctionCall{ID: b.id, Name: b.name, Args: arguments(b.text)})
		default:
			l.next()
			l.b = append(l.b, b.whole()...)
		}
	}
	return l.b
}

// whole returns a block that is only sent back, its input the one that was
// streamed behind its beginning.
func (b *block) whole() []byte {
	if len(b.text) == 0 {
		return b.raw
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(b.raw, &members) != nil {
		return b.raw
	}
	members["input"] = sound(httpwire.AsObject(b.text, "input"))
	data, err := json.Marshal(members)
	if err != nil {
		return b.raw
	}
	return data
}
