package telemetry

import (
	"cmp"
	"encoding/json"
	"fmt"
	"mime"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pollux/agent"
	"pollux/llm"
	"pollux/llm/ellipsis"
	"pollux/tool"
)

// tool records a completed call of the agent that runs the prompt.
func (w *watcher) tool(e *agent.ToolFinished) {
	w.executions(e)
	if w.calls--; w.calls == 0 {
		w.t.ended("schedule_tool_calls", w.batch, w.scheduled, "", nil)
	}
}

// executions records each execution of a call as a call of its own.
func (w *watcher) executions(e *agent.ToolFinished) {
	for i := range e.Executions {
		c := &completedCall{Execution: &e.Executions[i], of: e.Call, response: e.Response}
		if i < len(e.Executions)-1 { // the model does not get its result
			c.response = c.Result.Content
		}
		w.execution(c)
	}
}

// completedCall is an execution that telemetry records.
type completedCall struct {
	*agent.Execution
	of       *agent.ToolCall // the call of the model
	response []llm.Part
}

func (w *watcher) execution(c *completedCall) {
	t := w.t
	ms, success := int(c.Duration.Milliseconds()), c.Status == agent.Success
	began := cmp.Or(c.Began, time.Now().Add(-c.Duration))
	spec, server := t.describe(c.Name)
	kind := "native"
	if server != "" {
		kind = "mcp"
	}
	decision := decisionOf(c.Decision.Outcome)

	a := attrs{{"function_name", c.Name}}
	if t.o.LogPrompts {
		a.add("function_args", func() string { return ellipsis.Bytes(pretty(c.Args), maxText) })
	}
	a.add("duration_ms", ms)
	a.add("success", success)
	a.addText("decision", decision)
	a.add("prompt_id", c.of.PromptID)
	a.add("tool_type", kind)
	a.add("content_length", lengthOf(c.response))
	a.addText("mcp_server_name", server)
	a.add("start_time", int(began.UnixMilli()))
	a.add("end_time", int(began.Add(c.Duration).UnixMilli()))
	if diff, ok := c.Result.Display.(*tool.DiffDisplay); ok && success {
		b, _ := json.Marshal(diff.Stat) // always encodable
		a.add("metadata", json.RawMessage(b))
	} else if n := c.ShownChanges(); n != nil {
		b, _ := json.Marshal(map[string]int{ // always encodable
			"files_created": n.Created, "files_changed": n.Changed, "files_deleted": n.Deleted, "lines_added": n.Added, "lines_removed": n.Removed,
		})
		a.add("metadata", json.RawMessage(b))
	}
	failure := ""
	if !success {
		kind, message := failureOf(c.Result)
		failure = ellipsis.Bytes(message, 16<<10)
		if !t.o.LogPrompts { // it may quote the model's text
			failure = kind
		}
		a.add("error", failure)
		a.add("error.message", failure)
		a.add("error_type", kind)
		a.add("error.type", kind)
	}
	t.emit("gemini_cli.tool_call", c.of.PromptID, fmt.Sprintf("Tool %s: %s after %d ms", c.Name, outcomeOf(!success), ms), !success, a)
	w.span(c, began, failure)
	w.measure(c, decision, kind)
	w.lines(c)
	if success {
		w.files(c, spec)
		w.truncated(c)
	}
}

// span records the call's span, below the span of the calls scheduled together.
func (w *watcher) span(c *completedCall, began time.Time, failure string) {
	in := newPlace()
	in.trace, in.parent = w.in.trace, w.batch.span
	a := attrs{{"gen_ai.tool.name", c.Name}, {"gen_ai.tool.call_id", c.of.ID}}
	if w.t.o.LogPrompts && w.t.o.Traces {
		a.add("gen_ai.tool.call.arguments", func() string { return ellipsis.Bytes(string(c.Args), maxText) })
		a.add("gen_ai.tool.call.result", func() string { return ellipsis.Bytes(string(llm.AppendParts(nil, c.response)), maxText) })
	}
	w.t.ended("tool_call", in, began, failure, a)
}

func (w *watcher) measure(c *completedCall, decision, kind string) {
	name := attrs{{"function_name", c.Name}}
	labels := attrs{{"function_name", c.Name}, {"success", c.Status == agent.Success}}
	labels.addText("decision", decision)
	labels.add("tool_type", kind)
	w.t.meters.add(counter("gemini_cli.tool.call.count", "Tool calls."), 1, labels)
	w.t.meters.add(milliseconds("gemini_cli.tool.call.latency", "How long tool calls took."), float64(c.Duration.Milliseconds()), name)
}

// files records the file that a call has read or changed.
func (w *watcher) files(c *completedCall, spec *tool.Spec) {
	operation, path, lines := "", "", 0
	if diff, ok := c.Result.Display.(*tool.DiffDisplay); ok {
		operation, path, lines = "update", diff.FilePath, linesOf(diff.After)
		if diff.Before == nil {
			operation = "create"
		}
	} else if spec != nil && spec.Kind == tool.KindRead {
		var args struct {
			Path string `json:"file_path"`
		}
		_ = json.Unmarshal(c.Args, &args) // valid; not all reading tools have a path
		operation, path, lines = "read", args.Path, linesOf(llm.PartsText(c.Result.Content))
	}
	if path == "" {
		return
	}
	labels := attrs{{"operation", operation}}
	if lines > 0 {
		labels.add("lines", lines)
	}
	extension := strings.ToLower(filepath.Ext(path))
	if kind, _, _ := strings.Cut(mime.TypeByExtension(extension), ";"); kind != "" {
		labels.add("mimetype", kind)
	}
	labels.addText("extension", extension)
	labels.addText("programming_language", language(extension))
	w.t.event("file_operation", w.id, "File operation: "+operation, append(attrs{{"tool_name", c.Name}}, labels...))
	w.t.meters.add(counter("gemini_cli.file.operation.count", "Files read, created and changed."), 1, labels)
}

// lines records the numbers of lines that a call has added and removed.
func (w *watcher) lines(c *completedCall) {
	n := c.Lines()
	for _, one := range []struct {
		kind string
		n    int
	}{{"added", n.Added}, {"removed", n.Removed}} {
		if one.n > 0 {
			w.t.meters.add(counter("gemini_cli.lines.changed", "Lines that calls added to and removed from files."), float64(one.n),
				attrs{{"function_name", c.Name}, {"type", one.kind}})
		}
	}
}

// truncated records an output that was shortened for the model.
func (w *watcher) truncated(c *completedCall) {
	if c.Result.OutputFile == "" {
		return
	}
	a := attrs{{"tool_name", c.Name}, {"prompt_id", w.id}}
	if info, err := os.Stat(c.Result.OutputFile); err == nil {
		a.add("original_content_length", int(info.Size()))
	}
	a.add("truncated_content_length", tool.Units(llm.PartsText(c.Result.Content)))
	w.t.event("tool_output_truncated", w.id, "Output of "+c.Name+" was cut", a)
}

// describe returns a tool's specification, nil if unknown, and its MCP server, "" if there is
// none.
func (t *Telemetry) describe(name string) (spec *tool.Spec, server string) {
	if t.o.Tool == nil {
		return nil, ""
	}
	known, ok := t.o.Tool(name)
	if !ok {
		return nil, ""
	}
	if remote, ok := tool.As[tool.Remote](known); ok {
		server = remote.Server()
	}
	return known.Spec(), server
}

// decisionOf returns how a call was approved, "" if no decision was made.
func decisionOf(o tool.Outcome) string {
	return map[tool.Outcome]string{
		tool.ProceedOnce: "accept", tool.ModifyWithEditor: "modify", tool.Cancel: "reject",
		tool.ProceedAlways: "auto_accept", tool.ProceedAlwaysAndSave: "auto_accept",
		tool.ProceedAlwaysServer: "auto_accept", tool.ProceedAlwaysTool: "auto_accept",
	}[o]
}

// outcomeOf returns the word for the end of a call in events.
func outcomeOf(failed bool) string { return map[bool]string{false: "success", true: "failure"}[failed] }

func failureOf(r *tool.Result) (kind, message string) {
	if r.Error != nil {
		return string(r.Error.Type), r.Error.Message
	}
	return "cancelled", "The call was cancelled."
}

// lengthOf returns the number of characters that the model gets.
func lengthOf(response []llm.Part) int {
	n := 0
	for i := range response {
		n += tool.Units(response[i].Text)
		if f := response[i].FunctionResponse; f != nil {
			var text struct{ Output, Error string }
			_ = json.Unmarshal(f.Response, &text) // other shapes count as empty
			n += tool.Units(text.Output) + tool.Units(text.Error)
		}
	}
	return n
}

// linesOf counts lines like Gemini CLI: text after the last line feed counts as a line, even
// if empty.
func linesOf(text string) int { return strings.Count(text, "\n") + min(1, len(text)) }

// languages are the programming languages with their file extensions.
var languages = [...][2]string{
	{"C", ".c .h"},
	{"C++", ".cc .cpp .hpp"},
	{"C#", ".cs"},
	{"CSS", ".css"},
	{"Go", ".go"},
	{"HTML", ".html"},
	{"Java", ".java"},
	{"JavaScript", ".js .jsx .mjs .cjs"},
	{"JSON", ".json"},
	{"Kotlin", ".kt"},
	{"Markdown", ".md"},
	{"PHP", ".php"},
	{"Python", ".py"},
	{"Ruby", ".rb"},
	{"Rust", ".rs"},
	{"Shell", ".sh .bash"},
	{"SQL", ".sql"},
	{"Swift", ".swift"},
	{"TypeScript", ".ts .tsx"},
	{"XML", ".xml"},
	{"YAML", ".yaml .yml"},
}

// language returns the programming language for a file extension, "" if unknown.
func language(extension string) string {
	for _, l := range languages {
		if slices.Contains(strings.Fields(l[1]), extension) {
			return l[0]
		}
	}
	return ""
}
