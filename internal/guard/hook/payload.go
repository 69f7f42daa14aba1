package hook

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"pollux/internal/guard"
	"pollux/llm"
	"pollux/tool"
)

// base is the part of the input that all events have.
type base struct {
	SessionID  string `json:"session_id"`
	Transcript string `json:"transcript_path"`
	Dir        string `json:"cwd"`
	Event      Event  `json:"hook_event_name"`
	Time       string `json:"timestamp"`
}

func (s *Set) base(e Event) base {
	transcript := ""
	if s.o.Transcript != nil {
		transcript = s.o.Transcript()
	}
	return base{
		SessionID: s.o.SessionID(), Transcript: transcript, Dir: s.o.Dir, Event: e,
		Time: time.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
	}
}

type sourceInput struct {
	base
	Source StartSource `json:"source"`
}

type reasonInput struct {
	base
	Reason EndReason `json:"reason"`
}

type triggerInput struct {
	base
	Trigger string `json:"trigger"`
}

type promptInput struct {
	base
	Prompt string `json:"prompt"`
}

type responseInput struct {
	base
	Prompt   string `json:"prompt"`
	Response string `json:"prompt_response"`
	IsAgain  bool   `json:"stop_hook_active"`
}

type modelInput struct {
	base
	Request  json.RawMessage `json:"llm_request"`
	Response *llmResponse    `json:"llm_response,omitempty"`
}

type toolInput struct {
	base
	Tool      string          `json:"tool_name"`
	Args      json.RawMessage `json:"tool_input"`
	Result    *toolResponse   `json:"tool_response,omitempty"`
	MCP       *mcpContext     `json:"mcp_context,omitempty"`
	Requested string          `json:"original_request_name,omitempty"`
}

type mcpContext struct {
	Server string `json:"server_name"`
	Tool   string `json:"tool_name"`
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

func (s *Set) toolInput(e Event, c guard.HookedCall) toolInput {
	in := toolInput{base: s.base(e), Tool: c.Tool.Spec().Name, Args: c.Current, Requested: c.Requested}
	if r, ok := tool.As[tool.Remote](c.Tool); ok && r.Server() != "" {
		in.MCP = &mcpContext{Server: r.Server(), Tool: r.RemoteName()}
	}
	return in
}

// describeResult returns the result of a call as hooks get it.
func describeResult(r *tool.Result) *toolResponse {
	t := &toolResponse{Content: contentOf(r.Content), Display: displayOf(r.Display)}
	if r.Error != nil {
		t.Error = &toolError{r.Error.Message, r.Error.Type}
		if len(r.Content) == 0 {
			t.Content = r.Error.Message
		}
	}
	return t
}

// contentOf returns what the model gets: a string if it is a single text, else a list of parts.
func contentOf(parts []llm.Part) any {
	if len(parts) == 0 {
		return ""
	}
	if len(parts) == 1 && parts[0].IsText() {
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

// displayOf returns what a person sees, in the forms of Gemini CLI.
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

type notificationInput struct {
	base
	Type    string         `json:"notification_type"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
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
