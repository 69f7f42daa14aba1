package headless

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"pollux/agent"
	"pollux/llm"
)

// jsonObject is the json format: one object at the end of the run.
type jsonObject struct {
	*face
	response  []byte // the text since the last tool results
	turnStart int    // offset of the current turn in response
	hasCalls  bool   // a tool was called since response began
	warnings  []string
	unusable  string // error message for an unusable response
}

func (j *jsonObject) begin() {}

// turn drops the text before the last tool calls. The texts of turns without tool calls in between are one answer.
func (j *jsonObject) turn() {
	if j.hasCalls {
		j.response, j.hasCalls = j.response[:0], false
	}
	j.turnStart, j.unusable = len(j.response), ""
}

func (j *jsonObject) text(s string) { j.response = append(j.response, s...) }

func (j *jsonObject) discard(agent.Retried) { j.response = j.response[:j.turnStart] }

func (j *jsonObject) call(*agent.ToolCall) { j.hasCalls = true }

func (j *jsonObject) result(r *agent.ToolFinished) {
	if r.Result != nil && r.Result.Answer != "" { // comes in the same turn
		j.turn()
	}
}

func (j *jsonObject) notice(n notice) {
	if n.severity != "" && !n.isTransient {
		j.warnings = append(j.warnings, n.message)
	}
	if n.isForPeople {
		j.printErr(n.line)
	}
}

func (j *jsonObject) invalid(message string) {
	j.unusable = message
	j.printErr("[ERROR] " + message)
}

func (j *jsonObject) success() {
	b := append([]byte{'{'}, `"session_id":`...)
	b = appendString(b, j.SessionID)
	b = append(b, `,"response":`...)
	b = appendString(b, string(j.response))
	b = append(b, `,"stats":`...)
	counts := j.Stats.Snapshot()
	counts.Paths, counts.MorePaths = j.Stats.ChangedFiles()
	b = counts.AppendJSON(b)
	if j.unusable != "" {
		b = append(b, `,"error":`...)
		b = appendError(b, invalidStream, j.unusable)
	}
	b = appendUnfinished(b, j.unfinished, false)
	b = appendList(b, "citations", j.citations)
	b = appendList(b, "warnings", j.warnings)
	j.out.writeJSON(indented(append(b, '}')))
}

// failure writes the error object to Out and, for scripts that search it there, to Err.
func (j *jsonObject) failure(x explanation) {
	object := j.errorObject(x)
	j.out.writeJSON(object)
	j.out.flush()
	_, _ = j.err.w.JSON().Write(object)
}

func (j *jsonObject) early(x explanation) {
	if !x.alwaysLine {
		j.failure(x)
		return
	}
	j.out.writeJSON(j.errorObject(x))
	j.out.flush()
	j.err.printFailure(x, j.Color)
}

func (j *jsonObject) errorObject(x explanation) []byte {
	b := append([]byte{'{'}, `"session_id":`...)
	b = appendString(b, j.SessionID)
	b = append(b, `,"error":`...)
	b = appendError(b, x.kind, x.message)
	b = append(b[:len(b)-1], `,"code":`...)
	b = strconv.AppendInt(b, int64(x.code), 10)
	b = appendDetails(append(b, '}'), x.details)
	return indented(append(b, '}'))
}

// invalidStream is the error type of an unusable response.
const invalidStream = "INVALID_STREAM"

// appendList appends a member of an object with a list of strings, none for an empty list.
func appendList(b []byte, name string, list []string) []byte {
	if len(list) == 0 {
		return b
	}
	b = append(append(append(b, `,"`...), name...), `":[`...)
	for i, w := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, w)
	}
	return append(b, ']')
}

// indented returns a JSON value indented, with a final line feed.
func indented(b []byte) []byte {
	var out bytes.Buffer
	if err := json.Indent(&out, b, "", "  "); err != nil {
		return append(b, '\n') // cannot happen: b is valid
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

// appendDetails adds the provider's response to an error object at the end of b.
func appendDetails(b []byte, details string) []byte {
	if details == "" {
		return b
	}
	b = append(b[:len(b)-1], `,"details":`...)
	return append(appendString(b, details), '}')
}

// appendString appends s as a JSON string, with U+FFFD for invalid UTF-8.
func appendString(b []byte, s string) []byte {
	return llm.AppendString(b, strings.ToValidUTF8(s, "\uFFFD"))
}
