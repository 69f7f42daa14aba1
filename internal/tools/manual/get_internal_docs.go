// Package manual has the tool get_internal_docs, with which a model reads Pollux's
// documentation.
package manual

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"pollux/llm"
	"pollux/tool"
)

// New returns the tool get_internal_docs, which lists and reads the Markdown files of pages.
func New(pages fs.FS) tool.Tool { return getDocs{pages} }

type getDocs struct{ pages fs.FS }

var spec = tool.Spec{
	Name:        "get_internal_docs",
	DisplayName: "Read Documentation",
	Aliases:     []string{"GetInternalDocsTool"},
	Kind:        tool.KindRead,
	Description: "Reads the documentation of Pollux itself, the program you run in. Without a path it lists the pages. What it does not say, do not make up.",
	Schema: json.RawMessage(`{"type":"object","properties":{` +
		`"path":{"type":"string","description":"A page, as the list has it. Without one you get the list."}}}`),
}

func (getDocs) Spec() *tool.Spec { return &spec }

func (t getDocs) Build(raw json.RawMessage) (tool.Invocation, error) {
	var args struct {
		Path string `json:"path"`
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, fmt.Errorf("read the path: %w", err)
	}
	summary := "List the documentation"
	if args.Path != "" {
		summary = "Read the documentation: " + strings.Join(strings.Fields(args.Path), " ")
	}
	return &call{tool.Described{Title: "Confirm: " + spec.DisplayName, Text: summary}, t.pages, args.Path}, nil
}

type call struct {
	tool.Described
	pages fs.FS
	path  string // "" means the list
}

func (c *call) Run(context.Context, tool.Host) *tool.Result {
	read := c.page
	if c.path == "" {
		read = c.list
	}
	text, err := read()
	if err != nil {
		return tool.Fail(tool.ErrExecutionFailed, err.Error())
	}
	return &tool.Result{Content: []llm.Part{llm.Text(text)}, Display: tool.TextDisplay(c.Summary())}
}

func (c *call) list() (string, error) {
	text := "Available Pollux documentation files:\n"
	err := fs.WalkDir(c.pages, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && path.Ext(name) == ".md" {
			text += "\n- " + name
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("list the documentation: %w", err)
	}
	return text, nil
}

func (c *call) page() (string, error) {
	name := path.Clean(strings.TrimPrefix(strings.ReplaceAll(c.path, `\`, "/"), "./"))
	if !fs.ValidPath(name) {
		//lint:ignore ST1005 the model reads it as a sentence
		return "", fmt.Errorf("Access denied: %q is outside the documentation.", c.path)
	}
	if path.Ext(name) != ".md" {
		name += ".md"
	}
	f, err := c.pages.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		//lint:ignore ST1005 the model reads it as a sentence
		return "", fmt.Errorf("There is no page %q. Call without a path for a list.", c.path)
	}
	if err != nil {
		return "", fmt.Errorf("read the documentation: %w", err)
	}
	defer f.Close()
	const most = 1 << 20
	page, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return "", fmt.Errorf("read the documentation: %w", err)
	}
	return strings.ToValidUTF8(string(page), "\uFFFD"), nil
}
