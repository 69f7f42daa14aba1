package hook

import (
	"context"

	"pollux/agent"
)

type callKey struct{}

func withCall(ctx context.Context, c *agent.ToolCall) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// CallOf returns the tool call before or after which a hook runs, given the context of the hook; nil for hooks of other
// events.
func CallOf(ctx context.Context) *agent.ToolCall {
	c, _ := ctx.Value(callKey{}).(*agent.ToolCall)
	return c
}

// around begins the run of a program, until end is called.
func (s *Set) around(ctx context.Context, h *Hook) (end func()) {
	if s.o.Around == nil {
		return func() {}
	}
	return s.o.Around(ctx, h)
}
