package anthropic

import (
	"encoding/json"
	"strings"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// isPaused reports whether the service has paused the response and expects it back to
// continue.
func (r *reply) isPaused() bool { return r.ended && r.stop == "pause_turn" }

// resume prepares r for the rest of a paused response and returns the blocks so far.
func (r *reply) resume() []byte {
	r.ended, r.stop = false, ""
	r.outputBeforePause, r.output = r.outputBeforePause+r.output, 0
	return r.partialBlocks()
}

// partialBlocks returns the blocks of the response so far as JSON, to send them back.
func (r *reply) partialBlocks() []byte {
	l := blocks{}
	for _, b := range r.blocks {
		switch b.kind {
		case "text":
			l.addText(strings.TrimRight(string(b.text), " \t\r\n")) // see modelBlocks
		case "thinking", "redacted_thinking":
			if len(b.signature) > 0 {
				l.startBlock()
				l.b = b.thinkingBlock().append(l.b)
			}
		case "tool_use":
			l.addCall(&llm.FunctionCall{ID: b.id, Name: b.name, Args: arguments(b.text)})
		default:
			l.startBlock()
			l.b = append(l.b, b.wireJSON()...)
		}
	}
	return l.b
}

// wireJSON returns the JSON of a block that the client does not decode, with the
// input that was streamed after its start.
func (b *block) wireJSON() []byte {
	if len(b.text) == 0 {
		return b.raw
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(b.raw, &members) != nil {
		return b.raw
	}
	members["input"] = fixSurrogates(httpwire.AsObject(b.text, "input"))
	data, err := json.Marshal(members)
	if err != nil {
		return b.raw
	}
	return data
}
