package guard

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"pollux/agent"
	"pollux/internal/guard/policy"
	"pollux/llm"
	"pollux/tool"
)

// Hooks runs the user's hooks around tool calls. They do not run for a command that a person
// typed word for word.
type Hooks interface {
	// Before runs before the policy decides about a call.
	Before(ctx context.Context, c HookedCall) BeforeTool
	// After runs when the tool has returned a result, also a failed one. The result may have a part of the output; see
	// [tool.Result.Whole].
	After(ctx context.Context, c HookedCall, result *tool.Result) AfterTool
	// Notify runs each time before a person is asked about a call. The question waits for it.
	Notify(ctx context.Context, c HookedCall, details tool.Confirmation)
}

// HookedCall is a tool call as hooks see it.
type HookedCall struct {
	*agent.ToolCall
	Tool tool.Tool
	// Current are the arguments of the call, with the names and types of the tool's schema.
	Current json.RawMessage
	// Requested is the name of the tool that the model called, if a hook continued that call
	// with this one; else "".
	Requested string
	// Changes are those that the call has made in files; nil before it has run, or if none are known.
	Changes *tool.Changes
}

// BeforeTool is the decision of hooks before a call. The zero value lets the call continue.
type BeforeTool struct {
	Stop   bool // end the whole run
	Block  bool // refuse the call
	Reason string
	Args   json.RawMessage // if set, replaces the arguments of the call
	// Ask requires a person's approval, whatever rules, the mode and earlier answers allow.
	// Message is a text for that person.
	Ask     bool
	Message string
}

// AfterTool is the decision of hooks after a call. The zero value changes nothing.
type AfterTool struct {
	Stop    bool // end the whole run
	Block   bool // the model gets Reason instead of the result
	Reason  string
	Context string // for the model, appended to the result
	Tail    *Tail  // the call that replaces this one
}

// Tail is a call that a hook makes after another one. Its result is the result of the first
// call.
type Tail struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// maxTails limits the calls that continue one call.
const maxTails = 100

func (g *gatedCall) hookedCall() HookedCall {
	return HookedCall{ToolCall: g.written, Tool: g.tool, Current: g.call.Args(), Requested: g.written.Requested}
}

// hooks runs the user's hooks before the call. A hook may end the run, refuse the call, change
// its arguments, or require a person's approval.
func (g *gatedCall) hooks(ctx context.Context) *refusal {
	if g.opts.Hooks == nil || g.written.Typed {
		return nil
	}
	before := g.opts.Hooks.Before(ctx, g.hookedCall())
	switch {
	case before.Stop:
		return g.refuseBy(agent.DecidedByHook, before.Reason, tool.Fail(tool.ErrStopExecution, "Agent execution stopped by hook: "+before.Reason))
	case before.Block:
		return g.refuseBy(agent.DecidedByHook, before.Reason, tool.Fail(tool.ErrPolicyViolation, "Tool execution blocked: "+before.Reason))
	}
	g.hooked.IsRequired, g.hooked.Message = before.Ask, before.Message
	if before.Args == nil {
		return nil
	}
	if err := g.rewrite(before.Args, agent.AuthorHook); err != nil {
		return g.refuse(tool.Fail(tool.ErrInvalidParams, "Tool parameter modification by hook failed validation: "+err.Error()))
	}
	g.hooked.IsChanged = true
	return nil
}

// forceQuestion requires a person's approval if a hook or [agent.ToolCall].MustAsk does. The policy
// has allowed the call by then, or requires approval itself.
func (g *gatedCall) forceQuestion(context.Context) *refusal {
	switch {
	case g.hooked.IsRequired:
		g.verdict = policy.Ask
		return g.requirePerson("A hook requires approval.")
	case g.written.MustAsk:
		g.verdict = policy.Ask
		return g.requirePerson("It is proposed again.")
	}
	return nil
}

// afterHooks runs the user's hooks after the call, and returns their decision.
func (g *gatedCall) afterHooks(ctx context.Context, r *tool.Result, changes *tool.Changes) AfterTool {
	if g.opts.Hooks == nil || g.written.Typed {
		return AfterTool{}
	}
	call := g.hookedCall()
	call.Changes = changes
	return g.opts.Hooks.After(ctx, call, r)
}

// applyHooks returns the result with the changes of hooks after the call.
func (g *gatedCall) applyHooks(after AfterTool, r *tool.Result) *tool.Result {
	note := ""
	if g.hooked.IsChanged && r.Error == nil {
		note = "\n\n[System] Tool input parameters were modified by a hook before execution."
	}
	switch {
	case after.Stop:
		return refusedResult(tool.ErrStopExecution, after.Reason, "Agent execution stopped by hook: ")
	case after.Block:
		r, note = refusedResult(tool.ErrExecutionFailed, after.Reason, "Tool result blocked: "), ""
	case after.Context != "":
		escaped := strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(after.Context)
		note += "\n\n<hook_context>" + escaped + "</hook_context>"
	}
	if note != "" {
		r = AppendText(r, note)
	}
	return r
}

// refusedResult returns the result that replaces a refused one. The person sees label and
// reason, the model gets the reason.
func refusedResult(t tool.ErrorType, reason, label string) *tool.Result {
	return &tool.Result{Error: &tool.Error{Type: t, Message: reason}, Display: tool.TextDisplay(label + reason)}
}

// runTails runs the call that a hook makes after this one, then the call that a hook makes after
// that, and so on. Each goes through the whole gate. It returns the records of all calls, after those in
// list.
func (g *gatedCall) runTails(ctx context.Context, host agent.Host, list []agent.Execution, tail *Tail) []agent.Execution {
	g.tails.Lock() // calls that change nothing run side by side, but their tails may change something
	defer g.tails.Unlock()
	for n := 0; tail != nil && ctx.Err() == nil; n++ {
		if n == maxTails {
			return append(list, agent.Refused(g.continuation(tail), tool.Fail(tool.ErrExecutionFailed,
				fmt.Sprintf("Hooks made %d calls after this one, and then another one. Pollux stopped there.", maxTails))))
		}
		list, tail = g.runTail(ctx, host, list, tail)
	}
	return list
}

// continuation returns the call with which a hook continues this one. It belongs to the same call of the
// model.
func (g *gatedCall) continuation(tail *Tail) *agent.ToolCall {
	call := *g.written
	call.Name, call.Args, call.FromClient = tail.Name, tail.Args, false
	call.Requested = cmp.Or(call.Requested, g.spec.Name)
	return &call
}

// runTail runs a call that a hook makes. It returns list with its records, and the next call that
// hooks make.
func (g *gatedCall) runTail(ctx context.Context, host agent.Host, list []agent.Execution, tail *Tail) (ran []agent.Execution, more *Tail) {
	call := g.continuation(tail)
	defer g.recoverPanic(func(r *tool.Result) { ran, more = append(list, agent.Refused(call, r)), nil })
	var t tool.Tool
	if g.opts.Tool != nil {
		t, _ = g.opts.Tool(tail.Name)
	}
	if t == nil {
		return append(list, agent.Refused(call, tool.Fail(tool.ErrNotRegistered,
			fmt.Sprintf("A hook continued this call with the tool %q, which is not available.", tail.Name)))), nil
	}
	next := g.newCall(call, t, askOf(host))
	next.hooked.Continues = call.Requested
	if no := next.pass(ctx); no != nil {
		x := no.record()
		x.Result = no.answer()
		return append(list, x), nil
	}
	if host.Continues != nil {
		host.Continues(next.call)
	}
	return next.run(ctx, host, list)
}

// askOf returns the function that asks a person while a call runs.
func askOf(host agent.Host) agent.Ask {
	if host.Ask != nil {
		return host.Ask
	}
	return func(context.Context, *agent.Question) (tool.Answer, error) {
		return tool.Answer{Outcome: tool.Cancel, Unattended: true}, nil
	}
}

// answer returns the result of a refused call that a hook made.
func (r *refusal) answer() *tool.Result {
	if !r.cancelled || r.result.Error != nil {
		return r.result
	}
	return tool.Fail(tool.ErrExecutionFailed, "User denied execution."+r.feedback())
}

// feedback returns a sentence for the model with the text of the user who has refused the call, "" if there is none.
func (r *refusal) feedback() string {
	if text := strings.TrimSpace(llm.PartsText(r.result.Content)); text != "" {
		return " Do what they say instead: " + text
	}
	return ""
}

// AppendText returns the result with text appended to the text for the model.
func AppendText(r *tool.Result, text string) *tool.Result {
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
