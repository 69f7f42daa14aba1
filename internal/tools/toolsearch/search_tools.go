// Package toolsearch has the tool search_tools, with which a model finds tools of MCP servers that its requests
// have no room for.
package toolsearch

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pollux/agent"
	"pollux/llm"
	"pollux/llm/ellipsis"
	"pollux/tool"
)

// Name is the name of the tool.
const Name = "search_tools"

// New returns the finder for the tools of a registry, see [tool.Registry.SetFinder].
func New(r *tool.Registry) *tool.Finder {
	return &tool.Finder{Tool: searchTools{r}, Describe: describe}
}

// Recall makes a registry declare the tools that a conversation has called or loaded before.
func Recall(r *tool.Registry, history []agent.Message) {
	r.Unload()
	var names []string
	for _, m := range history {
		for _, p := range m.Content.Parts {
			switch {
			case p.FunctionCall != nil:
				names = append(names, p.FunctionCall.Name)
			case p.FunctionResponse != nil && p.FunctionResponse.Name == Name:
				names = append(names, loadedIn(p.FunctionResponse.Response)...)
			}
		}
	}
	r.Load(names...)
}

// Limits of one search: tools that it names and that it loads, and the tokens of those that it loads, except for the
// best one.
const (
	maxFound  = 10
	maxLoaded = 5
	maxTokens = 1500
)

var spec = tool.Spec{
	Name:        Name,
	DisplayName: "SearchTools",
	Kind:        tool.KindSearch,
	Description: "Finds tools of MCP servers, and makes them available.",
	Schema: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string",` +
		`"description":"Words for what the tool does, or exact names of tools, separated by spaces."}},"required":["query"],"additionalProperties":false}`),
}

type searchTools struct{ registry *tool.Registry }

func (searchTools) Spec() *tool.Spec { return &spec }

func (t searchTools) Build(raw json.RawMessage) (tool.Invocation, error) {
	var args struct {
		Query string `json:"query"`
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, fmt.Errorf("read the query: %w", err)
	}
	if strings.TrimSpace(args.Query) == "" {
		//lint:ignore ST1005 the model reads it as a sentence
		return nil, fmt.Errorf("The query is empty. Write words for what the tool does, or names of tools.")
	}
	return &call{Described: tool.Described{Title: "Search tools", Text: ellipsis.Bytes(args.Query, 200)}, registry: t.registry, query: args.Query}, nil
}

type call struct {
	tool.Described
	registry *tool.Registry
	query    string
}

func (c *call) Run(context.Context, tool.Host) *tool.Result {
	tools := c.registry.Snapshot().Findable()
	found := search(tools, c.query)
	if len(found) == 0 {
		return tool.Text("No tool fits these words. Try others, or a name. " + list(tools, fullList))
	}
	load := choose(found)
	var names, lines, others []string
	for i, f := range found {
		s := f.Spec()
		if i < load {
			names = append(names, s.Name)
			lines = append(lines, s.Name+signature(s.Schema)+": "+firstLine(s.Description, 300))
		} else {
			others = append(others, s.Name+": "+firstLine(s.Description, 120))
		}
	}
	c.registry.Load(names...)
	text := loadedPrefix + strings.Join(names, ", ") + "\nYou can call them now.\n" + tool.Untrusted(strings.Join(lines, "\n"))
	if len(others) > 0 {
		text += "\nAlso found, not loaded; calling one loads it:\n" + tool.Untrusted(strings.Join(others, "\n"))
	}
	return &tool.Result{
		Content: []llm.Part{llm.Text(text)}, Display: tool.TextDisplay("Loaded " + strings.Join(names, ", ")),
		Summary: fmt.Sprintf("%d found, %d loaded", len(found), len(names)),
	}
}

// nearly is the part of the best score that a tool needs to be loaded with the best one.
const nearly = 0.7

// choose returns how many of the found tools, the best first, are loaded: all with an exact name, else those that fit
// nearly as well as the best one.
func choose(found []match) int {
	n, left := 0, maxTokens
	for _, f := range found {
		if !f.isExact && (n == maxLoaded || f.score < found[0].score*nearly || found[0].isExact) {
			break
		}
		s := f.Spec()
		d := llm.FunctionDeclaration{Name: s.Name, Description: s.Description, Parameters: s.Schema}
		if left -= d.Tokens(); left < 0 && n > 0 && !f.isExact {
			break
		}
		n++
	}
	return n
}

// loadedPrefix begins the result of a search, and the names of the loaded tools follow it.
const loadedPrefix = "Loaded: "

// loadedIn returns the names of the tools that a search has loaded, from its response in a conversation.
func loadedIn(response json.RawMessage) []string {
	var r struct {
		Output string `json:"output"`
	}
	_ = json.Unmarshal(response, &r) // others are of failed calls
	line, _, _ := strings.Cut(r.Output, "\n")
	if line, ok := strings.CutPrefix(line, loadedPrefix); ok {
		return strings.Split(line, ", ")
	}
	return nil
}

// The sizes of lists of tools, in bytes.
const (
	compactList = 1200
	fullList    = 4000
)

// describe returns the description of the tool for requests that leave out these tools.
func describe(form tool.Form, left []tool.Tool) string {
	size := fullList
	if form == tool.Compact {
		size = compactList
	}
	return "Finds tools of MCP servers and makes them available: they are not all declared, to save room. Search before you say that something cannot be done. " +
		"Tools that are loaded stay. " + list(left, size)
}

// list lists the servers with the names of their tools, those of the smallest servers first, as far as size
// reaches; of the others it counts them.
func list(tools []tool.Tool, size int) string {
	var servers []string
	byServer := map[string][]string{}
	for _, t := range tools {
		r, _ := tool.As[tool.Remote](t)
		if byServer[r.Server()] == nil {
			servers = append(servers, r.Server())
		}
		byServer[r.Server()] = append(byServer[r.Server()], t.Spec().Name)
	}
	isNamed := map[string]bool{}
	bySize := slices.SortedStableFunc(slices.Values(servers), func(a, b string) int { return len(byServer[a]) - len(byServer[b]) })
	for _, server := range bySize {
		if size -= len(strings.Join(byServer[server], ", ")) + len(server); size < 0 {
			break
		}
		isNamed[server] = true
	}
	var b strings.Builder
	b.WriteString("Servers:")
	for i, server := range servers {
		if b.Len() > fullList {
			fmt.Fprintf(&b, "\n- %d more servers", len(servers)-i)
			break
		}
		fmt.Fprintf(&b, "\n- %s, %d tools", firstLine(server, 60), len(byServer[server]))
		if isNamed[server] {
			b.WriteString(": " + strings.Join(byServer[server], ", "))
		}
	}
	return b.String()
}

// firstLine returns the first line of a text, at most size bytes of it.
func firstLine(text string, size int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return ellipsis.Bytes(strings.TrimSpace(line), size)
}
