package guard

import (
	"context"
	"encoding/json"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// Hooks runs the user's hooks before and after tool calls.
type Hooks interface {
	// Before runs when the policy has allowed a call or requires a person's approval.
	Before(ctx context.Context, call *agent.ToolCall, spec *tool.Spec, args json.RawMessage) BeforeTool
	// After runs when the tool has returned a result, also a failed one.
	After(ctx context.Context, call *agent.ToolCall, spec *tool.Spec, args json.RawMessage, result *tool.Result) AfterTool
}

// BeforeTool is the decision of hooks before a call. The zero value lets the call continue.
type BeforeTool struct {
	Stop   bool // end the whole run
	Block  bool // refuse the call
	Reason string
	Ask    bool            // require a person's approval
	Args   json.RawMessage // if set, replaces the arguments of the call
}

// AfterTool is the decision of hooks after a call. The zero value changes nothing.
type AfterTool struct {
	Stop    bool // end the whole run
	Block   bool // the model gets Reason instead of the result
	Reason  string
	Context string // for the model, appended to the result
}

// runAfterHooks runs the user's hooks after the call and returns the result with their
// changes.
func (g *gatedCall) runAfterHooks(ctx context.Context, r *tool.Result) *tool.Result {
	if g.opts.Hooks == nil {
		return r
	}
	note := ""
	if g.isModified {
		note = "\n\n[System] Tool input parameters were modified by a hook before execution."
	}
	after := g.opts.Hooks.After(ctx, g.call, g.spec, g.args, r)
	switch {
	case after.Stop:
		return tool.Fail(tool.ErrStopExecution, "Agent execution stopped by hook: "+after.Reason)
	case after.Block:
		failed := tool.Fail(tool.ErrExecutionFailed, after.Reason)
		failed.Display = r.Display // the person still sees the result
		return failed
	case after.Context != "":
		note += "\n\n<hook_context>" + after.Context + "</hook_context>"
	}
	if note == "" {
		return r
	}
	return appendText(r, note)
}

// appendText returns the result with text appended to what the model gets.
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
