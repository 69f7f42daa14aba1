package acp

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"

	"pollux/agent"
	"pollux/internal/face/acp/schema"
	"pollux/internal/face/kit"
	"pollux/internal/journal"
	"pollux/internal/terminal"
	"pollux/llm"
	"pollux/tool"
)

// replay sends a recorded session as the client has seen it before: prompts, thoughts, answers, and each tool call with its end. Messages that Pollux has added for the model are left out.
func (c *chat) replay(ctx context.Context) error {
	w := c.current()
	info, err := w.live.Record.Store().Find(ctx, c.id)
	if err != nil {
		return err
	}
	recorded, err := journal.LoadRecent(info.Path)
	if err != nil {
		return err
	}
	var plan *schema.Plan
	args := map[string]json.RawMessage{} // by the ids of calls
	for _, entry := range recorded.Entries {
		m := entry.Message
		for _, f := range m.Content.FunctionCalls() {
			args[f.ID] = f.Args
		}
		switch {
		case m.IsPrompt:
			c.replayPrompt(m)
		case m.Content.Role == llm.RoleModel:
			for _, t := range m.Thoughts {
				c.thought(t)
			}
			if text := terminal.Clean(m.Content.Text()); strings.TrimSpace(text) != "" {
				c.text.send(text)
			}
			c.messages.endResponse()
		}
		for i := range entry.Calls {
			r := &entry.Calls[i]
			if len(r.Args) == 0 {
				r.Args = args[r.ID]
			}
			if last := c.replayCall(w, r, m.Content); last != nil {
				plan = last
			}
		}
	}
	if plan != nil {
		c.send(plan)
	}
	c.mu.Lock()
	c.hasTitle = true // by the prompt that it began with
	c.mu.Unlock()
	return nil
}

// replayPrompt tells the client a prompt, as the person wrote it.
func (c *chat) replayPrompt(m agent.Message) {
	text := m.Shown
	if text == "" {
		text = m.Content.Text()
	}
	id := c.messages.ofPrompt()
	if text = terminal.Clean(text); text != "" {
		c.chunk(schema.UserChunk, id, schema.TextOf(text))
	}
	for _, p := range m.Content.Parts {
		if b := p.InlineData; b != nil && strings.HasPrefix(b.MIMEType, "image/") {
			c.chunk(schema.UserChunk, id, schema.Block{Type: "image", MIMEType: b.MIMEType, Data: base64.StdEncoding.EncodeToString(b.Data)})
		}
	}
}

// replayCall tells the client a call that has ended. It returns the list of tasks that the call has written, nil for none.
func (c *chat) replayCall(w *work, r *agent.CallRecord, results *llm.Content) *schema.Plan {
	ran := r.Ran()
	end := agent.ToolFinished{Call: &agent.ToolCall{ID: r.ID, Name: r.Name, Args: r.Args}, Status: r.Status, Executions: ran}
	for i := range ran {
		if ran[i].Result == nil {
			ran[i].Result = &tool.Result{Display: r.Display}
		}
	}
	k := &call{id: r.ID, agent: end.Call, title: kit.Label(w.names, r.Name, r.Description), tool: schema.ToolOther, locations: []schema.Location{}}
	k.entitle(r.Args)
	for _, spec := range w.live.Tools() {
		if spec.Name == r.Name {
			k.tool = kindOf(spec.Kind)
		}
	}
	k.locations = c.locations(namedFiles(w, r.Args))
	if last := ran[len(ran)-1].Result; last.Display == nil && (k.tool == schema.ToolExecute || k.tool == schema.ToolOther) {
		last.Display = tool.TerminalDisplay(resultText(results, r.ID)) // the record has it only once
	}
	shown := k.whole()
	shown.Kind, shown.Status = schema.CallBegan, statusOf(r.Status)
	shown.Content, shown.Output = c.results(&end, "")
	c.send(shown)
	return planOf(&end)
}

// resultText returns the result of a call, as the model has it, without the frame around it.
func resultText(results *llm.Content, id string) string {
	for _, p := range results.Parts {
		if p.FunctionResponse == nil || p.FunctionResponse.ID != id {
			continue
		}
		var result struct {
			Output string `json:"output"`
			Error  string `json:"error"`
		}
		if json.Unmarshal(p.FunctionResponse.Response, &result) != nil {
			return ""
		}
		text := cmp.Or(result.Output, result.Error)
		text = strings.TrimSuffix(strings.TrimPrefix(text, "<untrusted_context>\n"), "\n</untrusted_context>")
		return strings.TrimPrefix(text, "Output: ")
	}
	return ""
}

// namedFiles returns the file that the arguments of a call name, if any.
func namedFiles(w *work, args json.RawMessage) []tool.Location {
	var named struct {
		File string `json:"file_path"`
		Dir  string `json:"dir_path"`
	}
	if json.Unmarshal(args, &named) != nil || named.File+named.Dir == "" {
		return nil
	}
	return []tool.Location{{Path: w.live.Workspace.Resolve(cmp.Or(named.File, named.Dir))}}
}
