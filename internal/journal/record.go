package journal

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"pollux/agent"
	"pollux/llm"
	"pollux/llm/ellipsis"
	"pollux/tool"
)

// timeFormat is the layout of times in records, in UTC.
const timeFormat = "2006-01-02T15:04:05.000Z"

func formatTime(t time.Time) string { return t.UTC().Format(timeFormat) }

// version is the version of the format that this package writes. Readers skip records that they do
// not know, so it changes only with the meaning of known ones.
const version = 1

// appendMessage appends a message as a line, and another one for the calls whose results it holds.
func appendMessage(b []byte, e agent.Entry) []byte {
	b = append(appendMessageValue(b, e.Message), '\n')
	if len(e.Calls) > 0 {
		b = append(appendCallsValue(b, e), '\n')
	}
	return b
}

func appendMessageValue(b []byte, m agent.Message) []byte {
	start := len(b)
	b = appendHead(b, m.ID, typeOf(m.Content), m.Time)
	b = append(b, `,"content":`...)
	isModel := m.Content.Role == llm.RoleModel
	if isModel && len(m.Content.Parts) == 1 && isPlainText(&m.Content.Parts[0]) {
		b = llm.AppendString(b, m.Content.Parts[0].Text)
	} else {
		b = llm.AppendParts(b, m.Content.Parts)
	}
	if shown, ok := shownText(m); ok {
		b = appendString(b, "displayContent", shown)
	}
	if !isModel && !m.Content.HasFunctionResponse() {
		b = strconv.AppendBool(append(b, `,"isPrompt":`...), m.IsPrompt)
	}
	if isModel {
		b = appendThoughts(b, m)
		b = appendUsage(b, m.Usage)
		b = appendString(b, "model", m.Model)
		if len(m.Content.FunctionCalls()) > 0 {
			b = append(b, `,"tracked":true`...)
		}
	}
	unbreak(b[start:])
	return append(b, '}')
}

// unbreak makes a JSON value one line. Arguments and results of calls are kept as they were read, with line
// breaks between their tokens if a file or a model has indented them.
func unbreak(value []byte) {
	for _, c := range []byte("\n\r") {
		for rest := value; ; {
			i := bytes.IndexByte(rest, c)
			if i < 0 {
				break
			}
			rest[i] = ' '
			rest = rest[i+1:]
		}
	}
}

// appendHead appends the members that all messages have, without the closing brace.
func appendHead(b []byte, id, kind string, t time.Time) []byte {
	b = append(b, `{"id":`...)
	b = llm.AppendString(b, id)
	b = append(b, `,"timestamp":"`...)
	b = t.UTC().AppendFormat(b, timeFormat)
	b = append(b, `","type":"`...)
	return append(append(b, kind...), '"')
}

func typeOf(c *llm.Content) string {
	if c.Role == llm.RoleModel {
		return "gemini"
	}
	return "user"
}

// isPlainText reports whether a part is nothing but text that is shown.
func isPlainText(p *llm.Part) bool {
	return p.IsText() && p.Text != "" && !p.Thought && p.ThoughtSignature == ""
}

// nothingShown is the text that Gemini CLI shows of a message in place of descriptions of its calls.
const nothingShown = " "

// shownText returns the displayed text of a message if it is not its content.
func shownText(m agent.Message) (string, bool) {
	switch {
	case m.Shown != "":
		return m.Shown, true
	case m.Content.HasFunctionResponse():
		return nothingShown, true
	case len(m.Content.FunctionCalls()) > 0:
		const long = 100 // a text that is longer is shown with the names of the calls, but not written twice
		text := m.Content.Text()
		if strings.TrimSpace(text) == "" {
			text = nothingShown
		}
		return text, len(text) <= long
	}
	return "", false
}

func appendThoughts(b []byte, m agent.Message) []byte {
	if len(m.Thoughts) == 0 {
		return b
	}
	b = append(b, `,"thoughts":[`...)
	for i, t := range m.Thoughts {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"subject":`...)
		b = llm.AppendString(b, t.Subject)
		b = appendString(b, "description", t.Description)
		b = append(b, `,"timestamp":"`...)
		b = append(t.Time.UTC().AppendFormat(b, timeFormat), `"}`...)
	}
	return append(b, ']')
}

func appendUsage(b []byte, u *llm.Usage) []byte {
	if u == nil {
		return append(b, `,"tokens":null`...)
	}
	b = append(b, `,"tokens":{"input":`...)
	b = strconv.AppendInt(b, int64(u.Prompt), 10)
	for _, n := range [...]struct {
		key   string
		value int
	}{{"output", u.Candidates}, {"cached", u.CachedContent}, {"thoughts", u.Thoughts}, {"tool", u.ToolUsePrompt}, {"total", u.Total}, {"cacheWrite", u.CacheWrite}} {
		if n.key == "cacheWrite" && n.value == 0 { // only Pollux knows it
			continue
		}
		b = append(append(append(b, ',', '"'), n.key...), '"', ':')
		b = strconv.AppendInt(b, int64(n.value), 10)
	}
	return append(b, '}')
}

func appendString(b []byte, key, value string) []byte {
	b = append(append(append(b, ',', '"'), key...), '"', ':')
	return llm.AppendString(b, value)
}

// callsID returns the id of the record about the calls whose results a message holds.
func callsID(message string) string { return message[max(0, len(message)-8):] + "-c" }

// appendCallsValue appends the record about finished calls, which people see. It repeats neither
// arguments nor results.
func appendCallsValue(b []byte, e agent.Entry) []byte {
	b = appendHead(b, callsID(e.ID), "info", e.Time)
	b = append(b, `,"toolCalls":[`...)
	for i := range e.Calls {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendCall(b, &e.Calls[i], &e.Message)
	}
	return append(b, "]}"...)
}

// callJSON is a finished call in a record.
type callJSON struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	Args        json.RawMessage `json:"args,omitempty"`   // read from Gemini CLI's files
	Result      json.RawMessage `json:"result,omitempty"` // read from Gemini CLI's files
	Status      string          `json:"status"`
	Timestamp   time.Time       `json:"timestamp,omitzero"` // of the end; zero is that of the record
	AgentID     string          `json:"agentId,omitempty"`
	Description string          `json:"description,omitempty"`
	Display     any             `json:"resultDisplay,omitempty"`
	IsMarkdown  *bool           `json:"renderOutputAsMarkdown,omitempty"` // nil is true
	Millis      int64           `json:"durationMs,omitempty"`             // without the time in which the call waited
	// HasRun is set of a call that did not succeed, but began to run.
	HasRun bool `json:"hasRun,omitempty"`
	// IsInterrupted is set of a call that the end of Pollux cancelled.
	IsInterrupted bool `json:"interrupted,omitempty"`
	// Executions are the executions of the call.
	Executions []executionJSON `json:"executions,omitempty"`
}

// executionJSON is one execution of a call: its arguments, display and time, unless they are those of the
// call.
type executionJSON struct {
	agent.Execution
	Display any   `json:"resultDisplay,omitempty"`
	Millis  int64 `json:"durationMs,omitempty"`
}

// executionsJSON returns the executions of a call without members that repeat the record of the call. A
// call that ran alone, as the model wrote it and without a question, has none.
func executionsJSON(c *agent.CallRecord) []executionJSON {
	if len(c.Executions) == 1 && isPlain(c, &c.Executions[0]) {
		return nil
	}
	var list []executionJSON
	for i, x := range c.Executions {
		one := executionJSON{Execution: x}
		if one.Args = bytes.ToValidUTF8(x.Args, []byte("\uFFFD")); x.IsAsWritten() || !json.Valid(one.Args) {
			one.Args = nil
		}
		if i < len(c.Executions)-1 {
			one.Display = shownJSON(x.Result.Display)
		}
		if i == 0 {
			one.Summary = ""
		}
		if len(c.Executions) > 1 {
			one.Millis = x.Active.Milliseconds()
		}
		list = append(list, one)
	}
	return list
}

// isPlain reports whether the record of a call has all data of its only execution. The diff of an edit has its changes.
func isPlain(c *agent.CallRecord, x *agent.Execution) bool {
	_, isEdit := c.Display.(*tool.DiffDisplay)
	return (x.Changes == nil || isEdit) && x.IsAsWritten() && x.Name == c.Name && x.Status == c.Status &&
		x.Decision == agent.Decision{By: agent.DecidedByPolicy, Outcome: tool.ProceedOnce}
}

// appendCall appends a call whose result is in a message.
func appendCall(b []byte, c *agent.CallRecord, m *agent.Message) []byte {
	type plain struct {
		callJSON
		Timestamp string `json:"timestamp,omitempty"`
	}
	p := plain{callJSON: callJSON{
		ID: c.ID, Name: c.Name, Status: string(c.Status), AgentID: c.AgentID, Description: c.Description,
		Display: displayJSON(c, m.Content), Millis: c.Active.Milliseconds(), HasRun: c.HasRun && c.Status != agent.Success,
		IsInterrupted: c.IsInterrupted, Executions: executionsJSON(c),
	}}
	if c.Plain && p.Display != nil {
		p.IsMarkdown = new(bool)
	}
	if end := formatTime(c.Ended); end != formatTime(m.Time) {
		p.Timestamp = end
	}
	data, err := json.Marshal(p)
	if err != nil {
		panic("journal: a call has only strings and numbers") // cannot happen
	}
	return append(b, data...)
}

// maxShown is how much of a text for people a record keeps, in bytes, and maxDiff how much of a diff, with
// which an edit can be undone. The model's text is whole.
const (
	maxShown = 512
	maxDiff  = 256 << 10
)

// displayJSON returns the display of a call's result in the form of Gemini CLI: a text, or an object for a
// diff or a list of tasks; nil for nothing. It omits parts that repeat the result or the diff.
func displayJSON(c *agent.CallRecord, results *llm.Content) any {
	switch d := c.Display.(type) {
	case tool.TextDisplay:
		return textJSON(string(d), c.ID, results)
	case tool.TerminalDisplay:
		return textJSON(string(d), c.ID, results)
	case *tool.ListDisplay:
		return textJSON(d.Summary, c.ID, results)
	case *tool.MatchDisplay:
		return textJSON(d.Summary, c.ID, results)
	}
	return shownJSON(c.Display)
}

// shownJSON returns the displayed result, nil for nothing and for texts.
func shownJSON(d tool.Display) any {
	switch d := d.(type) {
	case *tool.DiffDisplay:
		shown := map[string]any{"fileDiff": ellipsis.Bytes(d.Diff, maxDiff), "fileName": d.FileName, "filePath": d.FilePath, "diffStat": statJSON(d.Stat), "isNewFile": d.Before == nil}
		if d.NewDirs > 0 {
			shown["newDirectories"] = d.NewDirs
		}
		return shown
	case *tool.TodoDisplay:
		todos := []map[string]any{}
		for _, t := range d.Todos {
			todos = append(todos, map[string]any{"description": t.Description, "status": t.Status})
		}
		return map[string]any{"todos": todos}
	case *tool.AgentDisplay:
		return agentJSON(d)
	}
	return nil
}

// maxActivity is the number of activities of a subagent that a record keeps. The subagent's own record
// has all of them.
const maxActivity = 20

// agentJSON returns the work of a subagent without its result, which is in the result of the call.
func agentJSON(d *tool.AgentDisplay) *tool.AgentDisplay {
	short := *d
	short.Result = ""
	short.Activity = slices.Clone(d.Activity[max(0, len(d.Activity)-maxActivity):])
	for i := range short.Activity {
		short.Activity[i].Args = ""
	}
	return &short
}

// textJSON returns a text for people, nil if it is empty or in the result of the call.
func textJSON(text, id string, results *llm.Content) any {
	text = strings.TrimSpace(text)
	quoted := llm.AppendString(nil, text)
	isSaid := func(p llm.Part) bool {
		return p.FunctionResponse != nil && p.FunctionResponse.ID == id && bytes.Contains(p.FunctionResponse.Response, quoted[1:len(quoted)-1])
	}
	if text == "" || slices.ContainsFunc(results.Parts, isSaid) {
		return nil
	}
	return ellipsis.Bytes(text, maxShown)
}

// statJSON returns the numbers of a diff that are not 0.
func statJSON(stat tool.DiffStat) map[string]int {
	var numbers map[string]int
	data, _ := json.Marshal(stat) // numbers
	_ = json.Unmarshal(data, &numbers)
	maps.DeleteFunc(numbers, func(_ string, n int) bool { return n == 0 })
	return numbers
}

// appendSet appends a record that replaces the history and repeats the header.
func appendSet(b []byte, entries []agent.Entry, h *Header) []byte {
	b = append(b, `{"$set":{"messages":[`...)
	for i, e := range entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendMessageValue(b, e.Message)
		if len(e.Calls) > 0 {
			b = appendCallsValue(append(b, ','), e)
		}
	}
	b = append(b, "],"...)
	whole := *h
	whole.Pollux = version
	members := appendHeader(nil, whole)
	return append(append(b, members[1:len(members)-1]...), "}\n"...)
}

// summaryMember returns the member of a header that has the title.
func summaryMember(title string) string { return string(appendString(nil, "summary", title)[1:]) }

// Request is a request that a model has answered, and whose response is not in the conversation.
type Request struct {
	Use   llm.Use
	Model string
	Usage *llm.Usage // nil if the provider did not report it
	Took  time.Duration
}

// appendRequest appends the usage of a request, as a message that people do not see.
func appendRequest(b []byte, r Request, t time.Time) []byte {
	b = appendHead(b, uuid.NewString(), "info", t)
	b = append(b, `,"content":""`...)
	b = appendString(b, "use", string(r.Use))
	b = appendUsage(b, r.Usage)
	b = appendString(b, "model", r.Model)
	b = strconv.AppendInt(append(b, `,"durationMs":`...), r.Took.Milliseconds(), 10)
	return append(b, "}\n"...)
}

// appendNote appends a message that only people see.
func appendNote(b []byte, text string, t time.Time) []byte {
	b = appendHead(b, uuid.NewString(), "info", t)
	return append(appendString(b, "content", text), "}\n"...)
}

// appendRewind appends a record that removes a message and all after it.
func appendRewind(b []byte, id string) []byte {
	b = append(b, `{"$rewindTo":`...)
	return append(llm.AppendString(b, id), "}\n"...)
}

// IsContext reports whether a message is one that Pollux writes at the start of a session. It is new
// in each session, so that a resumed history is without it.
func IsContext(m agent.Message) bool {
	return m.Shown == "" && m.Content.Role == llm.RoleUser && strings.HasPrefix(m.Content.Text(), "<session_context>")
}

// withoutContext returns the messages of a history that belong to the conversation.
func withoutContext(history []agent.Message) []agent.Message {
	if !slices.ContainsFunc(history, IsContext) {
		return history
	}
	return slices.DeleteFunc(slices.Clone(history), IsContext)
}
