package web

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pollux/llm"
	"pollux/tool"
)

// NewSearch returns the tool google_web_search. It needs a model whose vendor runs searches:
// see [CanSearch].
func NewSearch(o Options) tool.Tool { return &searchTool{&o} }

// CanSearch reports whether the vendor of the model for searches runs them, so that the tool
// of [NewSearch] works. which is [Options.ResolveModel].
func CanSearch(which func(question string) (string, llm.Config, error)) bool {
	_, how, err := which(searchQuestion)
	return err == nil && slices.ContainsFunc(how.Tools, func(t *llm.ToolSet) bool { return t.GoogleSearch })
}

const searchQuestion = "web-search"

type searchTool struct{ o *Options }

var searchSpec = tool.Spec{
	Name:        "google_web_search",
	DisplayName: "GoogleSearch",
	Aliases:     []string{"WebSearchTool"},
	Description: "Searches the web with Google and returns an answer in a few paragraphs, with the sources it rests on. " +
		"Use it for what may have changed since you were trained, or what you don't know: releases, error messages, documentation. To read a page whose address is known, use web_fetch.",
	Brief: "Searches the web with Google; returns a short answer with its sources.",
	Schema: json.RawMessage(`{
  "type": "object",
  "properties": {
    "query": {"type": "string", "description": "What to find, in the words that a person would type or as a question."}
  },
  "required": ["query"]
}`),
	Kind: tool.KindSearch,
}

func (*searchTool) Spec() *tool.Spec { return &searchSpec }

func (t *searchTool) Build(args json.RawMessage) (tool.Invocation, error) {
	var a struct{ Query string }
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, fmt.Errorf("params: %w", err)
	}
	if strings.TrimSpace(a.Query) == "" {
		return nil, tool.Message("The 'query' parameter cannot be empty.")
	}
	shown := tool.Described{Title: "Confirm: " + searchSpec.DisplayName, Text: fmt.Sprintf("Searching the web for: %q", a.Query)}
	return &searchCall{shown, t.o, a.Query}, nil
}

type searchCall struct {
	tool.Described
	o     *Options
	query string
}

func (c *searchCall) Run(ctx context.Context, _ tool.Host) *tool.Result {
	r, err := c.ask(ctx)
	switch {
	case ctx.Err() != nil:
		return tool.Fail(tool.ErrExecutionFailed, "Web search was cancelled.")
	case err != nil:
		return tool.Fail(errSearch, fmt.Sprintf("Error during web search for query \"%s\": %v", c.query, err))
	}
	text, found := answer(r, "Untitled", "No URI")
	if !found {
		result := tool.Text(fmt.Sprintf("No search results or information found for query: \"%s\"", c.query))
		result.Summary = "No results"
		result.Display = tool.TextDisplay(result.Summary + ".")
		return result
	}
	result := tool.Text(fmt.Sprintf("Web search results for \"%s\":\n\n%s", c.query, text))
	result.Display = tool.TextDisplay(fmt.Sprintf("Search results for \"%s\" returned.", c.query))
	result.Summary = "Search results returned"
	return result
}

func (c *searchCall) ask(ctx context.Context) (*llm.Response, error) {
	model, how, err := c.o.ResolveModel(searchQuestion)
	if err != nil {
		return nil, err
	}
	return c.o.ask(ctx, model, how, c.query)
}
