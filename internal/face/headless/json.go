package headless

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"pollux/agent"
	"pollux/llm"
)

// jsonObject writes one object when all is over (spec/cli.md §6.3).
type jsonObject struct {
	*face
	response []byte // the answer since the last tool results
	turnAt   int    // where in response the current turn begins
	called   bool   // tools, since response began
	warnings []string
	unusable string // why there is no usable answer
}

func (j *jsonObject) begin() {}

// turn forgets the text before the last tool calls. Turns without calls in
// between are one answer that the model gave in pieces.
func (j *jsonObject) turn() {
	if j.called {
		j.response, j.called = j.response[:0], false
	}
	j.turnAt = len(j.response)
}

func (j *jsonObject) text(s string) { j.response = append(j.response, s...) }

func (j *jsonObject) discard() { j.response = j.response[:j.turnAt] }

func (j *jsonObject) call(*agent.ToolCall) { j.called = true }

func (j *jsonObject) result(*agent.ToolFinished) {}

func (j *jsonObject) notice(n notice) {
	if n.severity != "" && !n.passing {
		j.warnings = append(j.warnings, n.message)
	}
}

func (j *jsonObject) invalid(message string) { j.unusable = message }

func (j *jsonObject) success() {
	b := append([]byte{'{'}, `"session_id":`...)
	b = appendString(b, j.SessionID)
	b = append(b, `,"response":`...)
	b = appendString(b, string(j.response))
	b = append(b, `,"stats":`...)
	counts := j.Stats.Snapshot()
	b = counts.AppendJSON(b)
	if j.unusable != "" {
		b = append(b, `,"error":`...)
		b = appendError(b, invalidStream, j.unusable)
	}
	if len(j.warnings) > 0 {
		b = append(b, `,"warnings":[`...)
		for i, w := range j.warnings {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(b, w)
		}
		b = append(b, ']')
	}
	j.out.write(indented(append(b, '}')))
}

// failure writes the error to both streams: to Err because scripts look for it
// there, to Out because that is where an object belongs.
func (j *jsonObject) failure(x explanation) {
	object := j.errorObject(x)
	j.out.write(object)
	j.out.flush()
	j.err.write(object)
}

func (j *jsonObject) early(x explanation) {
	if !x.plain {
		j.failure(x)
		return
	}
	j.out.write(j.errorObject(x))
	j.out.flush()
	j.err.failure(x, j.Color)
}

func (j *jsonObject) errorObject(x explanation) []byte {
	b := append([]byte{'{'}, `"session_id":`...)
	b = appendString(b, j.SessionID)
	b = append(b, `,"error":`...)
	b = appendError(b, x.kind, x.message)
	b = append(b[:len(b)-1], `,"code":`...)
	b = strconv.AppendInt(b, int64(x.code), 10)
	return indented(append(b, "}}"...))
}

// invalidStream is the type of the error that an unusable answer is.
const invalidStream = "INVALID_STREAM"

// indented returns b, a JSON value, in lines.
func indented(b []byte) []byte {
	var out bytes.Buffer
	if err := json.Indent(&out, b, "", "  "); err != nil {
		return append(b, '\n') // not reached: b was written here
	}
	out.WriteByte('\n')
	return out.Bytes()
}

func appendError(b []byte, kind, message string) []byte {
	b = append(b, `{"type":`...)
	b = appendString(b, kind)
	b = append(b, `,"message":`...)
	b = appendString(b, message)
	return append(b, '}')
}

// appendString appends s as a JSON string, whatever bytes it holds.
func appendString(b []byte, s string) []byte {
	return llm.AppendString(b, strings.ToValidUTF8(s, "\uFFFD"))
}
