package plan

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"pollux/tool"
)

// Confine restricts a tool that writes file_path to the plans directory while the session is
// in plan mode. Unlike a policy, which sees only the path as written, it resolves links, which
// a project may have put among its plans.
func Confine(t tool.Tool, o Options) tool.Tool {
	return confined{t, &session{Options: o}}
}

type confined struct {
	tool.Tool

	s *session
}

// Unwrap returns the tool below, for [tool.As].
func (c confined) Unwrap() tool.Tool { return c.Tool }

// Build implements [tool.Tool].
func (c confined) Build(raw json.RawMessage) (tool.Invocation, error) {
	if c.s.Mode() != modePlan {
		return c.Tool.Build(raw)
	}
	var args map[string]json.RawMessage // by exact names
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, fmt.Errorf("params must be valid JSON: %w", err)
	}
	var path string
	if err := json.Unmarshal(args["file_path"], &path); err != nil {
		return nil, fmt.Errorf("read file_path: %w", err)
	}
	real, err := c.s.file(path)
	if err != nil {
		return nil, err
	}
	if args["file_path"], err = json.Marshal(real); err != nil {
		return nil, fmt.Errorf("write file_path: %w", err)
	}
	if raw, err = json.Marshal(args); err != nil {
		return nil, fmt.Errorf("write the arguments: %w", err)
	}
	call, err := c.Tool.Build(raw)
	if err != nil || c.s.Written == nil {
		return call, err
	}
	return &planCall{call, c.s, real}, nil
}

// planCall is a call that writes a plan.
type planCall struct {
	tool.Invocation

	s    *session
	path string
}

// Unwrap returns the invocation below, for [tool.As].
func (c *planCall) Unwrap() tool.Invocation { return c.Invocation }

// Run implements [tool.Invocation].
func (c *planCall) Run(ctx context.Context, host tool.Host) *tool.Result {
	r := c.Invocation.Run(ctx, host)
	if plan, problem := c.s.read(c.path); problem == "" && r.Error == nil {
		c.s.Written.set(c.path, plan)
	}
	return r
}

// Written holds the plans as the model has written them. It is safe for concurrent use.
type Written struct{ plans sync.Map } // path to text

func (w *Written) set(path, plan string) { w.plans.Store(path, plan) }

// is reports whether a plan is as the model has written it.
func (w *Written) is(path, plan string) bool {
	if w == nil {
		return false
	}
	known, ok := w.plans.Load(path)
	return ok && known == plan
}
