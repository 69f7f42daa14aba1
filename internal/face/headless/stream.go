package headless

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"pollux/agent"
	"pollux/tool"
)

// jsonLines is the stream-json format: one object per line, written as events arrive.
type jsonLines struct {
	*face
	buf      []byte // the current line; reused
	hasText  bool   // the turn has text
	unusable string // error message for an unusable response
}

func (l *jsonLines) begin() {
	l.init()
	l.openLine("message")
	l.member("role", "user")
	l.member("content", l.Prompt)
	l.closeLine()
}

// init writes the first line of each run, also of one that could not begin.
func (l *jsonLines) init() {
	l.openLine("init")
	l.member("session_id", l.SessionID)
	l.member("model", l.Model)
	if l.Sandbox != "" {
		l.member("sandbox", l.Sandbox)
	}
	l.buf = appendList(l.buf, "warnings", l.LeftOut)
	l.closeLine()
}

func (l *jsonLines) turn() { l.hasText, l.unusable = false, "" }

func (l *jsonLines) text(s string) {
	l.hasText = l.hasText || s != ""
	l.openLine("message")
	l.member("role", "assistant")
	l.member("content", s)
	l.buf = append(l.buf, `,"delta":true`...)
	l.closeLine()
}

func (l *jsonLines) discard(e agent.Retried) {
	if l.hasText {
		l.notice(noticeOf(e))
		l.hasText = false
	}
}

func (l *jsonLines) call(c *agent.ToolCall) {
	l.openLine("tool_use")
	l.member("tool_name", c.Name)
	l.member("tool_id", c.ID)
	l.buf = append(l.buf, `,"parameters":`...)
	l.buf = appendArgs(l.buf, c.Args)
	l.closeLine()
}

func (l *jsonLines) result(r *agent.ToolFinished) {
	l.openLine("tool_result")
	l.member("tool_id", r.Call.ID)
	if r.Status == agent.Success {
		l.member("status", "success")
	} else {
		l.member("status", "error")
	}
	if r.Result != nil {
		if text, ok := tool.DisplayText(r.Result.Display); ok {
			l.member("output", text)
		}
	}
	if r.Status != agent.Success {
		l.errorMember(callError(r))
	}
	if slices.ContainsFunc(r.Executions, func(x agent.Execution) bool { return !x.IsAsWritten() }) {
		l.buf = append(l.buf, `,"executions":`...)
		l.buf = appendExecutions(l.buf, r.Executions)
	}
	if c := r.Changes(); c != nil {
		l.buf = appendValue(append(l.buf, `,"changed":`...), c)
	}
	l.closeLine()
}

// appendExecutions appends the executions of a call, which differ from the call of tool_use.
func appendExecutions(b []byte, list []agent.Execution) []byte {
	list = slices.Clone(list)
	for i := range list {
		list[i].Args = appendArgs(nil, list[i].Args)
	}
	return appendValue(b, list)
}

// appendValue appends a value that has only strings, numbers and JSON.
func appendValue(b []byte, v any) []byte {
	all, err := json.Marshal(v)
	if err != nil {
		panic("headless: a value cannot be written as JSON") // cannot happen
	}
	return append(b, all...)
}

func (l *jsonLines) notice(n notice) {
	if n.severity != "" && !n.isUnstreamed {
		l.openLine("error")
		l.member("severity", n.severity)
		l.member("message", n.message)
		l.closeLine()
	}
	if n.isForPeople {
		l.printErr(n.line)
	}
}

func (l *jsonLines) invalid(message string) {
	l.unusable = message
	l.notice(notice{severity: "error", message: message, line: "[ERROR] " + message, isForPeople: true})
}

func (l *jsonLines) success() {
	if l.unusable != "" {
		l.errorResult(invalidStream, l.unusable, "")
		return
	}
	l.openLine("result")
	if l.unfinished == "" {
		l.member("status", "success")
	} else {
		l.member("status", status)
		l.buf = appendUnfinished(l.buf, l.unfinished, true)
	}
	l.statsMember(time.Since(l.Start))
	l.buf = appendList(l.buf, "citations", l.citations)
	l.closeLine()
}

func (l *jsonLines) failure(x explanation) { l.errorResult(x.streamKind, x.streamMessage, x.details) }

// early also writes the message for people to Err.
func (l *jsonLines) early(x explanation) {
	l.init()
	l.failure(x)
	l.out.flush()
	l.err.printFailure(x, l.Color)
}

// errorResult writes the last line of a failed run, with duration 0 as Gemini CLI does.
func (l *jsonLines) errorResult(kind, message, details string) {
	l.openLine("result")
	l.member("status", "error")
	l.buf = appendUnfinished(l.buf, l.unfinished, true)
	l.errorMember(kind, message)
	l.buf = appendDetails(l.buf, details)
	l.statsMember(0)
	l.closeLine()
}

func (l *jsonLines) statsMember(took time.Duration) {
	l.buf = append(l.buf, `,"stats":`...)
	counts := l.Stats.Snapshot()
	l.buf = counts.AppendStreamJSON(l.buf, took)
}

func (l *jsonLines) errorMember(kind, message string) {
	l.buf = append(l.buf, `,"error":`...)
	l.buf = appendError(l.buf, kind, message)
}

// openLine starts a line with the type and the timestamp.
func (l *jsonLines) openLine(kind string) {
	l.buf = append(l.buf[:0], `{"type":"`...)
	l.buf = append(l.buf, kind...)
	l.buf = append(l.buf, `","timestamp":"`...)
	l.buf = time.Now().UTC().AppendFormat(l.buf, "2006-01-02T15:04:05.000Z")
	l.buf = append(l.buf, '"')
}

func (l *jsonLines) member(key, value string) {
	l.buf = append(l.buf, `,"`...)
	l.buf = append(l.buf, key...)
	l.buf = append(l.buf, `":`...)
	l.buf = appendString(l.buf, value)
}

func (l *jsonLines) closeLine() {
	l.buf = append(l.buf, '}', '\n')
	l.out.writeJSON(l.buf)
	if cap(l.buf) > maxKeptBuffer {
		l.buf = nil
	}
}

// maxKeptBuffer is the size up to which the buffer of a line is reused, in bytes.
const maxKeptBuffer = 64 << 10

// appendArgs appends the arguments of a call in one line, or {} if they are not JSON.
func appendArgs(b []byte, args json.RawMessage) []byte {
	args = bytes.ToValidUTF8(args, []byte("\uFFFD"))
	out := bytes.NewBuffer(b)
	if len(args) == 0 || json.Compact(out, args) != nil {
		return append(b, "{}"...)
	}
	return out.Bytes()
}

// callError returns the type and the message of an unsuccessful call.
func callError(r *agent.ToolFinished) (kind, message string) {
	switch {
	case r.Result != nil && r.Result.Error != nil:
		return string(r.Result.Error.Type), r.Result.Error.Message
	case r.Status == agent.CallCancelled:
		return "unknown", cmp.Or(r.Reason, "Operation cancelled")
	}
	return "unknown", "The tool failed without a reason"
}
