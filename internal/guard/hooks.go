package guard

import (
	"context"
	"encoding/json"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// Hooks are the user's programs around tools (spec/safety.md §1).
type Hooks interface {
	// Before runs when the policy has let a call pass, or wants a person asked.
	Before(ctx context.Context, call *agent.ToolCall, spec *tool.Spec, args json.RawMessage) BeforeTool
	// After runs when the tool has returned, with an error or without.
	After(ctx context.Context, call *agent.ToolCall, spec *tool.Spec, args json.RawMessage, result *tool.Result) AfterTool
}

// BeforeTool is what hooks decided before a call; the zero value lets it go on.
type BeforeTool struct {
	Stop   bool // end the whole run
	Block  bool // refuse the call
	Reason string
	Ask    bool            // a person must agree
	Args   json.RawMessage // where set, in place of the call's
}

// AfterTool is what hooks decided after a call; the zero value changes nothing.
type AfterTool struct {
	Stop    bool // end the whole run
	Block   bool // the model gets Reason in place of the result
	Reason  string
	Context string // for the model, behind the result
}

// hooksAfter lets the user's programs see a result and change what the model
// gets of it (spec/tools.md §5.7).
func (p *passage) hooksAfter(ctx context.Context, r *tool.Result) *tool.Result {
	if p.opts.Hooks == nil {
		return r
	}
	note := ""
	if p.modified {
		note = "\n\n[System] Tool input parameters were modified by a hook before execution."
	}
	after := p.opts.Hooks.After(ctx, p.call, p.spec, p.args, r)
	switch {
	case after.Stop:
		return tool.Fail(tool.ErrStopExecution, "Agent execution stopped by hook: "+after.Reason)
	case after.Block:
		failed := tool.Fail(tool.ErrExecutionFailed, after.Reason)
		failed.Display = r.Display // the person may still see what happened
		return failed
	case after.Context != "":
		note += "\n\n<hook_context>" + after.Context + "</hook_context>"
	}
	if note == "" {
		return r
	}
	return appendText(r, note)
}

// appendText returns the result with text behind what the model gets of it.
func appendText(r *tool.Result, text string) *tool.Result {
	changed := *r
	if r.Error != nil {
		e := *r.Error
		e.Message += text
		changed.Error = &e
		return &changed
	}
	changed.Content = append([]llm.Part(nil), r.Content...)
	for i := len(changed.Content) - 1; i >= 0; i-- {
		if isText(&changed.Content[i]) {
			changed.Content[i].Text += text
			return &changed
		}
	}
	changed.Content = append(changed.Content, llm.Text(text))
	return &changed
}

// isText reports whether a part is text and nothing else.
func isText(p *llm.Part) bool {
	return p.InlineData == nil && p.FileData == nil && p.FunctionCall == nil && p.FunctionResponse == nil && len(p.Extra) == 0
}
