// Package savememory has the tool save_memory, which adds a fact to the user's memory file.
package savememory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"pollux/internal/memory"
	"pollux/internal/workspace"
	"pollux/llm"
	"pollux/tool"
)

// New returns the tool save_memory, which adds a line to file, the user's global memory
// file. Models without this tool edit the file themselves, so most sessions do not have it.
func New(file string) tool.Tool {
	return &save{file: file, spec: tool.Spec{
		Name:        "save_memory",
		DisplayName: "SaveMemory",
		Aliases:     []string{"MemoryTool"},
		Kind:        tool.KindEdit,
		Serial:      true,
		Description: "Remembers one short fact about the user, or a preference of theirs, for all later sessions in all projects. Use it when the user " +
			"asks to remember something, or says plainly what should always be so. It is not for what only this project or this conversation " +
			"needs, and never for secrets.",
		Schema: json.RawMessage(`{"type":"object","properties":{` +
			`"fact":{"type":"string","description":"The fact, as one sentence that makes sense without this conversation."}` +
			`},"required":["fact"]}`),
	}}
}

type save struct {
	file string
	spec tool.Spec
}

// Effect implements [tool.Foreseeable].
func (t *save) Effect(json.RawMessage) tool.Effect {
	return tool.Effect{Paths: []string{workspace.RealPath(t.file)}}
}

func (t *save) Spec() *tool.Spec { return &t.spec }

func (t *save) Build(raw json.RawMessage) (tool.Invocation, error) {
	var args struct{ Fact string }
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, fmt.Errorf("params must be valid JSON: %w", err)
	}
	if strings.TrimSpace(args.Fact) == "" {
		//lint:ignore ST1005 models know the text
		return nil, errors.New(`Parameter "fact" must be a non-empty string.`)
	}
	if _, err := memory.Item(args.Fact); err != nil {
		return nil, fmt.Errorf("the fact cannot be saved: %w", err)
	}
	return &saveCall{file: t.file, fact: args.Fact}, nil
}

type saveCall struct{ file, fact string }

func (c *saveCall) Summary() string { return "in " + c.file }

func (c *saveCall) Locations() []tool.Location { return []tool.Location{{Path: c.file}} }

// Confirmation shows the resulting file.
func (c *saveCall) Confirmation(context.Context) (tool.Confirmation, error) {
	before, err := memory.Read(c.file)
	if err != nil {
		return nil, nil // Run reports the error
	}
	item, err := memory.Item(c.fact)
	if err != nil {
		return nil, nil
	}
	return &tool.EditConfirmation{Title: "Confirm Memory Save: " + c.file, DiffDisplay: *c.diff(before, memory.AppendItem(before, item))}, nil
}

func (c *saveCall) diff(before, after string) *tool.DiffDisplay {
	name := filepath.Base(c.file)
	d := &tool.DiffDisplay{
		Diff:     udiff.Unified("Current", "Proposed", before, after),
		FileName: name, FilePath: c.file, After: after,
	}
	if before != "" {
		d.Before = &before
	}
	return d
}

func (c *saveCall) Run(context.Context, tool.Host) *tool.Result {
	item, added, err := memory.Add(c.file, c.fact)
	if err != nil {
		return tool.Fail(tool.ErrExecutionFailed, fmt.Sprintf("Error saving memory: %v", err))
	}
	text := fmt.Sprintf("Saved in %s: %s", c.file, item)
	if !added {
		text = fmt.Sprintf("It is already in %s: %s", c.file, item)
	}
	return &tool.Result{Content: []llm.Part{llm.Text(text)}, Display: tool.TextDisplay(text), Summary: strings.TrimPrefix(item, "- ")}
}
