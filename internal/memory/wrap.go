package memory

import (
	"context"
	"encoding/json"
	"slices"

	"pollux/llm"
	"pollux/tool"
)

// Wrap returns the tool with the memory of what it touches behind its results:
// [Memory.Discover] of the files and directories that a call names. It is meant
// for the tools that work with files.
func Wrap(t tool.Tool, m *Memory) tool.Tool { return &wrapped{t, m} }

type wrapped struct {
	tool.Tool
	memory *Memory
}

func (w *wrapped) Build(args json.RawMessage) (tool.Invocation, error) {
	inv, err := w.Tool.Build(args)
	if err != nil {
		return nil, err
	}
	call := &wrappedCall{inv, w.memory, args}
	if edit, ok := inv.(tool.Modifiable); ok {
		return &wrappedEdit{call, edit}, nil
	}
	return call, nil
}

type wrappedCall struct {
	tool.Invocation
	memory *Memory
	args   json.RawMessage
}

// wrappedEdit is a call that a person may edit.
type wrappedEdit struct {
	*wrappedCall
	tool.Modifiable
}

func (c *wrappedCall) Run(ctx context.Context, host tool.Host) *tool.Result {
	r := c.Invocation.Run(ctx, host)
	if r == nil || r.Error != nil || ctx.Err() != nil {
		return r
	}
	text := c.memory.Discover(c.touched()...)
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

// touched returns the paths that the call is about.
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
	_ = json.Unmarshal(c.args, &args) // they fit the schema
	if args.Dir != "" {
		paths = append(paths, args.Dir)
	}
	return append(paths, args.Include...)
}

func isText(p *llm.Part) bool {
	return p.Text != "" && p.InlineData == nil && p.FileData == nil && p.FunctionCall == nil && p.FunctionResponse == nil && !p.Thought
}
