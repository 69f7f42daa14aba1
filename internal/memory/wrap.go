package memory

import (
	"context"
	"encoding/json"
	"slices"

	"pollux/llm"
	"pollux/tool"
)

// Wrap returns a tool that appends the memory for the paths it accesses to its results, by
// [Memory.Discover]. It is meant for tools that work with files.
func Wrap(t tool.Tool, m *Memory) tool.Tool { return &wrapped{t, m} }

// Rewrap returns a tool of [Wrap] with another memory, and any other tool as it is.
func Rewrap(t tool.Tool, m *Memory) tool.Tool {
	if w, ok := t.(*wrapped); ok {
		return Wrap(w.Tool, m)
	}
	return t
}

type wrapped struct {
	tool.Tool
	memory *Memory
}

func (w *wrapped) Build(args json.RawMessage) (tool.Invocation, error) {
	inv, err := w.Tool.Build(args)
	if err != nil {
		return nil, err
	}
	return &wrappedCall{inv, w.memory, args, w.Spec().Kind == tool.KindEdit}, nil
}

// Unwrap returns the tool below, for [tool.As].
func (w *wrapped) Unwrap() tool.Tool { return w.Tool }

type wrappedCall struct {
	tool.Invocation
	memory *Memory
	args   json.RawMessage
	edits  bool
}

// Unwrap returns the invocation below, for [tool.As].
func (c *wrappedCall) Unwrap() tool.Invocation { return c.Invocation }

func (c *wrappedCall) Run(ctx context.Context, host tool.Host) *tool.Result {
	r := c.Invocation.Run(ctx, host)
	if r == nil || r.Error != nil || ctx.Err() != nil {
		return r
	}
	paths := c.touched()
	if c.edits {
		c.memory.Wrote(paths...)
	}
	text := c.memory.Discover(paths...)
	if text == "" {
		return r
	}
	with := *r
	with.Content = slices.Clone(r.Content)
	if last := len(with.Content) - 1; last >= 0 && isText(&with.Content[last]) {
		with.Content[last] = llm.Text(with.Content[last].Text + text)
	} else {
		with.Content = append(with.Content, llm.Text(text))
	}
	return &with
}

func (c *wrappedCall) touched() []string {
	var paths []string
	for _, at := range c.Locations() {
		paths = append(paths, at.Path)
	}
	if len(paths) > 0 {
		return paths
	}
	var args struct {
		Dir     string   `json:"dir_path"`
		Include []string `json:"include"`
	}
	_ = json.Unmarshal(c.args, &args) // they match the schema
	if args.Dir != "" {
		paths = append(paths, args.Dir)
	}
	return append(paths, args.Include...)
}

func isText(p *llm.Part) bool {
	return p.Text != "" && p.InlineData == nil && p.FileData == nil && p.FunctionCall == nil && p.FunctionResponse == nil && !p.Thought
}
