package hook

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"pollux/internal/guard"
	"pollux/llm"
	"pollux/tool"
)

// inputOrder is the order of the members of an input, which programs may search as a text. Others come after
// them.
var inputOrder = []string{
	"session_id", "transcript_path", "cwd", "permission_mode", "hook_event_name", "timestamp", "source", "reason", "trigger", "custom_instructions",
	"prompt", "prompt_response", "stop_hook_active", "last_assistant_message", "llm_request", "llm_response",
	"notification_type", "message", "title", "details", "tool_name", "tool_input", "tool_use_id", "tool_response", "changed", "error", "mcp_context",
	"original_request_name",
}

// encodeInput returns an input as programs get it.
func encodeInput(o Output) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	add := func(name string) {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(encode(name))
		b.WriteByte(':')
		b.Write(encode(o[name])) // compact
	}
	for _, name := range inputOrder {
		if _, ok := o[name]; ok {
			add(name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains(inputOrder, name) {
			add(name)
		}
	}
	b.WriteByte('}')
	return b.Bytes()
}

// input returns the input of an event: the members that all events have, and its own.
func (s *Set) input(e Event, own map[string]any) Output {
	transcript := ""
	if s.o.Transcript != nil {
		transcript = s.o.Transcript()
	}
	in := Output{}
	in.set("session_id", s.o.SessionID())
	in.set("transcript_path", transcript)
	in.set("cwd", s.o.Dir)
	in.set("hook_event_name", e)
	in.set("timestamp", time.Now().UTC().Format("2006-01-02T15:04:05.000Z"))
	for name, value := range own {
		in.set(name, value)
	}
	return in
}

type mcpContext struct {
	ServerName string `json:"server_name"`
	ToolName   string `json:"tool_name"`
	Server
}

type toolResponse struct {
	Content any        `json:"llmContent"`
	Display any        `json:"returnDisplay"`
	Error   *toolError `json:"error,omitempty"`
}

type toolError struct {
	Message string         `json:"message"`
	Type    tool.ErrorType `json:"type"`
}

// toolInput returns the members of the input that events about a call have, and the target of matchers.
func (s *Set) toolInput(c guard.HookedCall) (map[string]any, target) {
	at := target{tool: c.Tool.Spec().Name, id: c.ID, args: c.Current, isList: c.Tool.Spec().Kind == tool.KindAgent}
	in := map[string]any{"tool_name": at.tool, "tool_input": c.Current}
	if c.Requested != "" {
		in["original_request_name"] = c.Requested
	}
	if r, ok := tool.As[tool.Remote](c.Tool); ok && r.Server() != "" {
		mcp := mcpContext{ServerName: r.Server(), ToolName: r.RemoteName()}
		at.server, at.remote, at.isList = r.Server(), r.RemoteName(), true
		if s.o.Server != nil {
			subagent := ""
			if p, ok := tool.As[tool.Private](c.Tool); ok {
				subagent = p.Subagent()
			}
			mcp.Server = s.o.Server(r.Server(), subagent)
		}
		in["mcp_context"] = mcp
	}
	return in, at
}

// describeResult returns the result of a call as hooks get it. isList is set for tools whose results are
// lists of parts in Gemini CLI, also if there is one part.
func describeResult(r *tool.Result, isList bool) *toolResponse {
	t := &toolResponse{Content: contentOf(r.Content, isList), Display: displayOf(r.Display)}
	if r.Error != nil {
		t.Error = &toolError{r.Error.Message, r.Error.Type}
		if len(r.Content) == 0 {
			t.Content = r.Error.Message
		}
	}
	return t
}

// contentOf returns the content for the model: a string if it is a single text, else a list of
// parts.
func contentOf(parts []llm.Part, isList bool) any {
	switch {
	case len(parts) == 0:
		return ""
	case len(parts) == 1 && parts[0].IsText() && !isList:
		return parts[0].Text
	}
	list := []any{}
	for i := range parts {
		switch p := &parts[i]; {
		case p.InlineData != nil:
			list = append(list, map[string]any{"inlineData": map[string]string{
				"mimeType": p.InlineData.MIMEType, "data": base64.StdEncoding.EncodeToString(p.InlineData.Data),
			}})
		case p.FileData != nil:
			list = append(list, map[string]any{"fileData": map[string]string{"mimeType": p.FileData.MIMEType, "fileUri": p.FileData.FileURI}})
		default:
			list = append(list, map[string]string{"text": p.Text})
		}
	}
	return list
}

// displayOf returns the display for a person, in the forms of Gemini CLI.
func displayOf(d tool.Display) any {
	switch d := d.(type) {
	case tool.TextDisplay:
		return string(d)
	case tool.TerminalDisplay:
		return string(d)
	case *tool.DiffDisplay:
		return map[string]any{
			"fileDiff": d.Diff, "fileName": d.FileName, "filePath": d.FilePath,
			"originalContent": d.Before, "newContent": d.After, "diffStat": d.Stat, "isNewFile": d.Before == nil,
		}
	case *tool.ListDisplay:
		return map[string]any{"summary": d.Summary, "files": d.Items}
	case *tool.MatchDisplay:
		matches := []map[string]any{}
		for _, m := range d.Matches {
			matches = append(matches, map[string]any{"filePath": m.Path, "lineNumber": m.Line, "line": m.Text})
		}
		return map[string]any{"summary": d.Summary, "matches": matches}
	case *tool.TodoDisplay:
		todos := []map[string]any{}
		for _, t := range d.Todos {
			todos = append(todos, map[string]any{"description": t.Description, "status": t.Status})
		}
		return map[string]any{"todos": todos}
	case *tool.AgentDisplay:
		return d
	}
	return ""
}

// describeQuestion returns the message and the details of a confirmation.
func describeQuestion(c guard.HookedCall, details tool.Confirmation) (message string, fields map[string]any) {
	switch d := details.(type) {
	case *tool.EditConfirmation:
		return "Tool " + d.Title + " requires editing", map[string]any{
			"type": "edit", "title": d.Title, "fileName": d.FileName, "filePath": d.FilePath, "fileDiff": d.Diff,
			"originalContent": d.Before, "newContent": d.After, "isModifying": false,
		}
	case *tool.ExecConfirmation:
		return "Tool " + d.Title + " requires execution", map[string]any{
			"type": "exec", "title": d.Title, "command": d.Command, "rootCommand": strings.Join(d.Roots, ", "),
		}
	case *tool.InfoConfirmation:
		fields := map[string]any{"type": "info", "title": d.Title, "prompt": d.Prompt}
		if d.URLs != nil {
			fields["urls"] = d.URLs
		}
		return "Tool " + d.Title + " requires information", fields
	case *tool.RemoteConfirmation:
		return "Tool " + d.Title + " requires MCP", map[string]any{
			"type": "mcp", "title": d.Title, "serverName": d.Server, "toolName": d.Tool, "toolDisplayName": d.DisplayName,
		}
	case *tool.QuestionConfirmation:
		return otherQuestion("ask_user", d.Title)
	case *tool.PlanConfirmation:
		return otherQuestion("exit_plan_mode", d.Title)
	}
	return otherQuestion("info", c.Tool.Spec().DisplayName)
}

func otherQuestion(kind, title string) (message string, fields map[string]any) {
	return "Tool requires confirmation", map[string]any{"type": kind, "title": title}
}
