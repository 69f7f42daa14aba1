package headless

import (
	"bytes"
	"encoding/json"
	"time"

	"pollux/agent"
)

// jsonLines writes one object per line as things happen (spec/cli.md §6.4).
type jsonLines struct {
	*face
	b        []byte // the line being written, reused
	said     bool   // something in this turn
	unusable string // why there is no usable answer
}

func (l *jsonLines) begin() {
	l.open("init")
	l.member("session_id", l.SessionID)
	l.member("model", l.Model)
	l.close()
	l.open("message")
	l.member("role", "user")
	l.member("content", l.Prompt)
	l.close()
}

func (l *jsonLines) turn() { l.said = false }

func (l *jsonLines) text(s string) {
	l.said = l.said || s != ""
	l.open("message")
	l.member("role", "assistant")
	l.member("content", s)
	l.b = append(l.b, `,"delta":true`...)
	l.close()
}

func (l *jsonLines) discard() {
	if l.said {
		l.notice(discardNotice())
		l.said = false
	}
}

func (l *jsonLines) call(c *agent.ToolCall) {
	l.open("tool_use")
	l.member("tool_name", c.Name)
	l.member("tool_id", c.ID)
	l.b = append(l.b, `,"parameters":`...)
	l.b = appendArgs(l.b, c.Args)
	l.close()
}

func (l *jsonLines) result(r *agent.ToolFinished) {
	l.open("tool_result")
	l.member("tool_id", r.Call.ID)
	if r.Status == agent.Success {
		l.member("status", "success")
	} else {
		l.member("status", "error")
	}
	if r.Result != nil {
		if text, ok := displayText(r.Result.Display); ok {
			l.member("output", text)
		}
	}
	if r.Status != agent.Success {
		l.failed(callError(r))
	}
	l.close()
}

func (l *jsonLines) notice(n notice) {
	if n.severity != "" {
		l.open("error")
		l.member("severity", n.severity)
		l.member("message", n.message)
		l.close()
	}
}

func (l *jsonLines) invalid(message string) {
	l.unusable = message
	l.notice(notice{severity: "error", message: message})
}

func (l *jsonLines) success() {
	if l.unusable != "" {
		l.end(invalidStream, l.unusable)
		return
	}
	l.open("result")
	l.member("status", "success")
	l.stats(time.Since(l.Start))
	l.close()
}

func (l *jsonLines) failure(x explanation) { l.end(x.streamKind, x.streamMessage) }

// early speaks to a person as well: without a run there is no one else to.
func (l *jsonLines) early(x explanation) {
	l.failure(x)
	l.out.flush()
	l.err.failure(x, l.Color)
}

// end writes the last line of a run that failed; by contract its duration is 0.
func (l *jsonLines) end(kind, message string) {
	l.open("result")
	l.member("status", "error")
	l.failed(kind, message)
	l.stats(0)
	l.close()
}

func (l *jsonLines) stats(took time.Duration) {
	l.b = append(l.b, `,"stats":`...)
	counts := l.Stats.Snapshot()
	l.b = counts.AppendStreamJSON(l.b, took)
}

func (l *jsonLines) failed(kind, message string) {
	l.b = append(l.b, `,"error":`...)
	l.b = appendError(l.b, kind, message)
}

// open begins a line.
func (l *jsonLines) open(kind string) {
	l.b = append(l.b[:0], `{"type":"`...)
	l.b = append(l.b, kind...)
	l.b = append(l.b, `","timestamp":"`...)
	l.b = time.Now().UTC().AppendFormat(l.b, "2006-01-02T15:04:05.000Z")
	l.b = append(l.b, '"')
}

func (l *jsonLines) member(key, value string) {
	l.b = append(l.b, `,"`...)
	l.b = append(l.b, key...)
	l.b = append(l.b, `":`...)
	l.b = appendString(l.b, value)
}

func (l *jsonLines) close() {
	l.b = append(l.b, '}', '\n')
	l.out.write(l.b)
	if cap(l.b) > keep {
		l.b = nil
	}
}

// keep is how large a line's buffer may be to be used again.
const keep = 64 << 10

// appendArgs appends a model's arguments in one line; what is not JSON becomes {}.
func appendArgs(b []byte, args json.RawMessage) []byte {
	args = bytes.ToValidUTF8(args, []byte("\uFFFD"))
	out := bytes.NewBuffer(b)
	if len(args) == 0 || json.Compact(out, args) != nil {
		return append(b, "{}"...)
	}
	return out.Bytes()
}

// callError is the type and message of a call that did not succeed.
func callError(r *agent.ToolFinished) (kind, message string) {
	switch {
	case r.Result != nil && r.Result.Error != nil:
		return string(r.Result.Error.Type), r.Result.Error.Message
	case r.Status == agent.CallCancelled:
		return "unknown", "Operation cancelled"
	}
	return "unknown", "The tool failed without a reason"
}
