package owncalls

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"pollux/agent"
	"pollux/internal/records"
	"pollux/tool"

	"github.com/google/uuid"
)

// conversational are tools that make sense only in a conversation of Pollux.
var conversational = []string{
	"ask_user", "enter_plan_mode", "exit_plan_mode", "write_todos", "update_topic", "activate_skill", "invoke_agent",
	"list_mcp_resources", "read_mcp_resource",
}

// ClientTools returns the tools that a program can call itself, in a fixed order: those of the session
// that no rule hides, without those of MCP servers and those that belong to a conversation.
func (c *Calls) ClientTools() []tool.Tool {
	return slices.DeleteFunc(slices.Clone(c.parts.Registry.Snapshot().Tools()), func(t tool.Tool) bool {
		_, isRemote := tool.As[tool.Remote](t)
		return isRemote || slices.Contains(conversational, t.Spec().Name) || c.needsModel(t.Spec())
	})
}

// needsModel reports whether a tool needs a model that the session does not have.
func (c *Calls) needsModel(spec *tool.Spec) bool {
	return c.parts.Models.Unreachable() != nil && (spec.Name == c.parts.Tools.Search.Spec().Name || spec.Name == "web_fetch")
}

// CallTool runs a call of one of [Calls.ClientTools] for a program: through the gate, as a model's call,
// and outside of the conversation. ask asks a person for approval. It may be called from several
// goroutines; calls that may change something run alone.
func (c *Calls) CallTool(ctx context.Context, name string, args json.RawMessage, host tool.Host, ask agent.Ask) *tool.Result {
	i := slices.IndexFunc(c.ClientTools(), func(t tool.Tool) bool { return t.Spec().Name == name })
	if i < 0 {
		return tool.Fail(tool.ErrNotRegistered, fmt.Sprintf("There is no tool %q.", name))
	}
	t := c.ClientTools()[i]
	switch t.Spec().Kind {
	case tool.KindRead, tool.KindSearch, tool.KindFetch:
		c.client.RLock()
		defer c.client.RUnlock()
	default:
		c.client.Lock()
		defer c.client.Unlock()
	}
	call := &agent.ToolCall{ID: name + "__" + uuid.NewString(), Name: name, Args: args}
	admission := c.parts.Gate.Admit(ctx, call, t, ask)
	list := []agent.Execution{admission.Record}
	if admission.Run != nil {
		list = admission.Run(ctx, agent.Host{Tool: host, Ask: ask})
	}
	c.record(call, list)
	return list[len(list)-1].Result
}

// run runs an admitted call that a person has made by a command of their own, and returns the result. It
// is no call of the model, and is recorded if hooks have changed it or continued it.
func (c *Calls) run(ctx context.Context, call *agent.ToolCall, a agent.Admission) *tool.Result {
	list := a.Run(ctx, agent.Host{Ask: c.approve})
	if slices.ContainsFunc(list, func(x agent.Execution) bool { return !x.IsAsWritten() }) {
		c.record(call, list)
	}
	return list[len(list)-1].Result
}

// record records the executions for a call that is not part of the conversation.
func (c *Calls) record(call *agent.ToolCall, list []agent.Execution) {
	last := &list[len(list)-1]
	f := agent.ToolFinished{
		Call: call, Status: last.Status, Result: last.Result, Executions: list, Response: last.Result.Content,
		Began: list[0].Began, Duration: last.Began.Add(last.Duration).Sub(list[0].Began),
	}
	for i := range list {
		f.Active += list[i].Active
	}
	c.parts.Records.Emit(records.ClientCall{Finished: f})
}
