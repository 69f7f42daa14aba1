package servers

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/project"
)

// addCommand returns the command that adds a server. It reads its words itself: options that it does not
// know, and all words after --, are arguments of the server.
func addCommand(scope manage.Flag) *manage.Command {
	return &manage.Command{
		Name: "add", Args: "<name> <command-or-url> [args...]", Summary: "Add a server to the settings", Run: add, ReadsFlags: true,
		Example: "  pollux mcp add files npx -y @modelcontextprotocol/server-filesystem .\n" +
			"  pollux mcp add --transport http docs https://docs.example/mcp -H 'X-Team: $TEAM'",
		Flags: []manage.Flag{
			scope,
			{Name: "transport", Short: "t", Default: "stdio", Usage: "`transport` How to talk to the server: stdio, sse or http"},
			{Name: "env", Short: "e", Default: []string{}, Usage: "Variable of the server's environment, as `NAME=value`"},
			{Name: "header", Short: "H", Default: []string{}, Usage: "HTTP header of requests, as `'Name: value'`"},
			{Name: "timeout", Default: 0, Usage: "Time for each request, in `milliseconds`"},
			{Name: "trust", Default: false, Usage: "Run the server's tools without approval"},
			{Name: "description", Default: "", Usage: "Description of the server"},
			{Name: "include-tools", Default: []string{}, Usage: "Tools to use, as `names` with commas between them"},
			{Name: "exclude-tools", Default: []string{}, Usage: "Tools not to use, as `names` with commas between them"},
		},
	}
}

// addition holds the arguments of pollux mcp add.
type addition struct {
	help                    bool
	scope, transport        string
	description             string
	env, headers            []string
	include, exclude, words []string // words are the name, the command or URL, and the server's arguments
	timeout                 string
	trust                   bool
}

func parseAdd(words []string) (*addition, error) {
	a := &addition{transport: "stdio"}
	texts := map[string]*string{
		"-s": &a.scope, "--scope": &a.scope, "-t": &a.transport, "--transport": &a.transport, "--type": &a.transport,
		"--timeout": &a.timeout, "--description": &a.description,
	}
	lists := map[string]*[]string{
		"-e": &a.env, "--env": &a.env, "-H": &a.headers, "--header": &a.headers, "--include-tools": &a.include, "--exclude-tools": &a.exclude,
	}
	for i := 0; i < len(words); i++ {
		word := words[i]
		if word == "--" {
			a.words = append(a.words, words[i+1:]...)
			break
		}
		name, value, hasValue := strings.Cut(word, "=")
		text, list := texts[name], lists[name]
		switch {
		case name == "-h" || name == "--help":
			a.help = true
		case name == "--trust":
			a.trust = !hasValue || value != "false"
		case text == nil && list == nil:
			a.words = append(a.words, word)
		default:
			if !hasValue {
				if i++; i == len(words) {
					return nil, exit.Errorf(exit.Input, "Not enough arguments following: %s", strings.TrimLeft(name, "-"))
				}
				value = words[i]
			}
			if text != nil {
				*text = value
				continue
			}
			isTools := strings.HasSuffix(name, "-tools")
			take := func(value string) {
				if !isTools {
					*list = append(*list, value)
					return
				}
				for tool := range strings.SplitSeq(value, ",") {
					if tool = strings.TrimSpace(tool); tool != "" {
						*list = append(*list, tool)
					}
				}
			}
			take(value)
			// Lists of tools take all words up to the next option.
			for isTools && i+1 < len(words) && !strings.HasPrefix(words[i+1], "-") {
				i++
				take(words[i])
			}
		}
	}
	if len(a.words) < 2 && !a.help {
		return nil, exit.Errorf(exit.General, "Not enough non-option arguments: got %d, need at least 2", len(a.words))
	}
	return a, nil
}

// entry returns the entry of mcpServers.
func (a *addition) entry() (map[string]any, error) {
	e := map[string]any{}
	switch a.transport {
	case "stdio":
		e["command"], e["args"] = a.words[1], append([]string{}, a.words[2:]...)
		env := map[string]string{}
		for _, pair := range a.env {
			name, value, found := strings.Cut(pair, "=")
			if !found || name == "" {
				return nil, exit.Errorf(exit.Input, "--env %s is not of the form NAME=value.", pair)
			}
			env[name] = value
		}
		if len(env) > 0 {
			e["env"] = env
		}
	case "sse", "http":
		e["url"], e["type"] = a.words[1], a.transport
		headers := map[string]string{}
		for _, pair := range a.headers {
			name, value, found := strings.Cut(pair, ":")
			if !found || strings.TrimSpace(name) == "" {
				return nil, exit.Errorf(exit.Input, "--header %s is not of the form 'Name: value'.", pair)
			}
			headers[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
		if len(headers) > 0 {
			e["headers"] = headers
		}
		if len(a.words) > 2 {
			return nil, exit.Errorf(exit.Input, "A server with a URL takes no arguments: %s", strings.Join(a.words[2:], " "))
		}
	default:
		return nil, exit.Errorf(exit.Input, "There is no transport %q. Use stdio, sse or http.", a.transport)
	}
	if a.timeout != "" {
		ms, err := strconv.ParseFloat(a.timeout, 64)
		if err != nil || ms <= 0 {
			return nil, exit.Errorf(exit.Input, "--timeout %s is not a number of milliseconds.", a.timeout)
		}
		e["timeout"] = ms
	}
	if a.trust {
		e["trust"] = true
	}
	if a.description != "" {
		e["description"] = a.description
	}
	if a.include != nil {
		e["includeTools"] = a.include
	}
	if a.exclude != nil {
		e["excludeTools"] = a.exclude
	}
	raw, err := json.Marshal(e) // in the form in which settings are edited
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	return fields, json.Unmarshal(raw, &fields)
}

// enableNew forgets that a server was disabled that had the name of a new one.
func enableNew(p *project.Project, name string) error {
	disabled, err := p.ServerSwitches().Disabled()
	if err != nil || !slices.Contains(disabled, strings.ToLower(strings.TrimSpace(name))) {
		return err
	}
	return p.ServerSwitches().Set(name, true)
}

func add(ctx context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	a, err := parseAdd(c.Words)
	switch {
	case err != nil:
		return o, err
	case a.help:
		return o, manage.ErrHelp
	}
	p, err := c.Open(ctx)
	if err != nil {
		return o, err
	}
	scope, err := settingsScope(p, a.scope)
	if err != nil {
		return o, err
	}
	entry, err := a.entry()
	if err != nil {
		return o, err
	}
	name := a.words[0]
	var replaced bool
	err = p.ChangeSettings(scope, func() (err error) {
		replaced, err = p.Paths.SetServer(scope, name, entry)
		return err
	})
	if err != nil {
		return o, err
	}
	if !replaced {
		if err := enableNew(p, name); err != nil {
			return o, err
		}
	}
	o = outcome.Textf("MCP server %q added to %s settings. (%s)", name, scopeName(scope), a.transport)
	if replaced {
		o = outcome.Textf("MCP server %q is already configured within %[2]s settings.\nMCP server %[1]q updated in %[2]s settings.", name, scopeName(scope))
	}
	if target := a.words[1]; a.transport == "stdio" && strings.Contains(target, "://") {
		o.Notes = []string{fmt.Sprintf("Note: %s will be started as a program. For a service, add --transport http.", target)}
	}
	return o, nil
}
