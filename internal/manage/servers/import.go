package servers

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/secret"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// importCommand returns the command that copies the user's servers in another agent.
func importCommand() *manage.Command {
	return &manage.Command{
		Name: "import", Summary: "Copy your servers from another agent", Run: manage.With(manage.Open, importServers),
		Example: "  pollux mcp import                   # show the servers, and write nothing\n  pollux mcp import --from antigravity --apply",
		Flags: []manage.Flag{
			{Name: "from", Default: "claude", Usage: "`agent` Agent to copy from", Choices: []string{"claude", "antigravity"}},
			{Name: "apply", Default: false, Usage: "Write the servers"},
			manage.JSON,
		},
	}
}

// agent is another agent with servers of the user.
type agent struct {
	file      string // in the home directory
	translate func(servers map[string]any) (config.OtherServers, map[string]any)
}

// agentOf returns the agent with a name.
func agentOf(name string) agent {
	if name == "antigravity" {
		return agent{".gemini/config/mcp_config.json", config.AntigravityServers}
	}
	return agent{".claude.json", config.ClaudeServers}
}

// maxAgentFile is the maximum size of such a file, in bytes. That of Claude Code has much else in it.
const maxAgentFile = 64 << 20

// imported is the report about a server.
type imported struct {
	Name   string         `json:"name"`
	Result string         `json:"result"` // taken, changed or left out
	Notes  []string       `json:"notes,omitempty"`
	entry  map[string]any // nil for one that is not written
	prefix string         // of variables for its keys
}

func (r *imported) leave(format string, args ...any) {
	r.Result, r.Notes, r.entry = "left out", []string{fmt.Sprintf(format, args...)}, nil
}

func (r *imported) change(format string, args ...any) {
	r.Result, r.Notes = "changed", append(r.Notes, fmt.Sprintf(format, args...))
}

func importServers(_ context.Context, c *manage.Call, p *project.Project) (o outcome.Outcome, err error) {
	from := agentOf(c.Value("from"))
	file := filepath.Join(p.Paths.Home(), filepath.FromSlash(from.file))
	theirs, err := readAgentServers(p, file)
	if err != nil {
		return o, err
	}
	there := map[string]any{}
	if target := p.Paths.File(config.User); !durable.IsMissing(target) {
		tree, err := readObject(target)
		if err != nil {
			return o, exit.Errorf(exit.Config, "Cannot read %s: %w.", p.DisplayFile(target), err)
		}
		there, _ = tree[string(config.MCPServers)].(map[string]any)
	}
	others, entries := from.translate(theirs)
	list := reports(theirs, there, entries, others)
	var b strings.Builder
	fmt.Fprintf(&b, "Servers in %s:\n\n", p.DisplayFile(file))
	writes := 0
	for _, r := range list {
		line := fmt.Sprintf("%-8s  %s", r.Result, terminal.Brief(terminal.Line(r.Name)))
		if len(r.Notes) > 0 {
			line += " (" + terminal.Line(strings.Join(r.Notes, "; ")) + ")"
		}
		b.WriteString(line + "\n")
		if r.entry != nil {
			writes++
		}
	}
	target := p.DisplayFile(p.Paths.File(config.User))
	switch {
	case writes == 0:
		b.WriteString("\nThere are no servers to copy.")
	case !c.Is("apply"):
		fmt.Fprintf(&b, "\nNothing is written yet. To copy %s to %s, add --apply.", wording.Count(writes, "server"), target)
	default:
		for _, r := range list {
			if r.entry == nil {
				continue
			}
			if err := p.ChangeSettings(config.User, func() error {
				_, err := p.Paths.SetServer(config.User, r.Name, r.entry)
				return err
			}); err != nil {
				return o, err
			}
			if err := enableNew(p, r.Name); err != nil {
				return o, err
			}
		}
		fmt.Fprintf(&b, "\nCopied %s to %s. To try one, run: pollux mcp test NAME", wording.Count(writes, "server"), target)
	}
	return outcome.New(outcome.Text(b.String())).WithValue(append([]*imported{}, list...)), nil
}

// readAgentServers returns the servers in a file of another agent.
func readAgentServers(p *project.Project, file string) (map[string]any, error) {
	if durable.IsMissing(file) {
		return nil, exit.Errorf(exit.Input, "There is no %s.", p.DisplayFile(file))
	}
	tree, err := readObject(file)
	if err != nil {
		return nil, exit.Errorf(exit.Config, "Cannot read %s: %w.", p.DisplayFile(file), err)
	}
	servers, _ := tree[string(config.MCPServers)].(map[string]any)
	if len(servers) == 0 {
		return nil, exit.Errorf(exit.Input, "There are no servers in %s.", p.DisplayFile(file))
	}
	return servers, nil
}

func readObject(file string) (map[string]any, error) {
	data, err := durable.ReadFile(file, maxAgentFile)
	if err != nil {
		return nil, err
	}
	return config.ParseObject(data)
}

// reports decides about each of their servers. there are those of the user's settings.
func reports(theirs, there, entries map[string]any, others config.OtherServers) (list []*imported) {
	for i, name := range slices.Sorted(maps.Keys(theirs)) {
		r := &imported{Name: name, Result: "taken", prefix: variablePrefix(name, i)}
		list = append(list, r)
		unused := unusedOf(name, others.Unused)
		entry, isUsed := entries[name].(map[string]any)
		switch {
		case slices.Contains(others.Disabled, name):
			r.leave("it is disabled")
			continue
		case !isUsed:
			r.leave("%s", strings.Join(unused, "; "))
			continue
		}
		r.entry = entry
		for _, what := range unused {
			r.change("without %s", what)
		}
		r.withoutKeys()
		if other, isTaken := there[name]; isTaken && r.entry != nil {
			if reflect.DeepEqual(decoded(other), decoded(r.entry)) {
				r.leave("your settings have it already")
			} else {
				r.leave("your settings have another server with this name")
			}
		}
	}
	return list
}

// unusedOf returns the parts of a server that cannot be used, without the name of the server.
func unusedOf(name string, unused []string) (list []string) {
	for _, text := range unused {
		if rest, ok := strings.CutPrefix(text, config.Printable(name)+" ("); ok {
			list = append(list, strings.TrimSuffix(rest, ")"))
		} else if rest, ok := strings.CutPrefix(text, config.Printable(name)+"."); ok {
			list = append(list, rest)
		}
	}
	return list
}

func decoded(v any) (d any) {
	data, _ := json.Marshal(v) // it was read from JSON
	_ = json.Unmarshal(data, &d)
	return d
}

// bareVariable matches a name of a variable without braces, which is one in Pollux's settings and not in the files of other agents.
const bareVariable = `\$[A-Za-z_]`

// withoutKeys puts variables in the place of keys. A server with a key in its arguments or its address is left out.
func (r *imported) withoutKeys() {
	text, _ := json.Marshal(r.entry) // it was read from JSON
	args, _ := r.entry["args"].([]any)
	address, _ := r.entry["url"].(string)
	switch {
	case len(secret.InArgs(config.Texts(args))) > 0:
		r.leave("its arguments have a key: add it with pollux mcp add, and a variable in place of the key")
		return
	case len(secret.InURL(address)) > 0:
		r.leave("its address has a key: add it with pollux mcp add, and a variable in place of the key")
		return
	case regexp.MustCompile(bareVariable).Match(text):
		r.leave("it has a $ that Pollux would read as a variable")
		return
	}
	if oauth, ok := r.entry["oauth"].(map[string]any); ok && oauth["clientSecret"] != nil {
		oauth["clientSecret"] = r.variable("oauth.clientSecret", r.prefix+"CLIENT_SECRET")
	}
	env, _ := r.entry["env"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if value, ok := env[name].(string); ok && isKey(name, value) {
			env[name] = r.variable("env."+name, name)
		}
	}
	headers, _ := r.entry["headers"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		value, ok := headers[name].(string)
		scheme, rest, hasScheme := strings.Cut(value, " ")
		switch {
		case !ok:
		case hasScheme && isKey(name, rest):
			headers[name] = scheme + " " + r.variable("headers."+name, r.prefix+"TOKEN")
		case isKey(name, value):
			headers[name] = r.variable("headers."+name, r.prefix+variableWord(name))
		}
	}
	if text, _ := json.Marshal(r.entry); secret.EraseForms(string(text)) != string(text) { // in another place, such as the command
		r.leave("it has a key: add it with pollux mcp add, and a variable in place of the key")
	}
}

// isKey reports whether a value, by the name of its variable or header, may be a secret. A reference to a variable is none.
func isKey(name, value string) bool {
	return value != "" && !strings.Contains(value, "${") && (secret.InName(name) || secret.IsKey(value) || secret.InVariable(name, value))
}

// variable returns a reference to a variable that takes the place of a key, and notes it.
func (r *imported) variable(place, name string) string {
	r.change("%s is a key, which is not copied: set the variable %s", place, name)
	return "${" + name + "}"
}

// variablePrefix returns the beginning of the names of variables for a server, which is the one with an index.
func variablePrefix(server string, index int) string {
	word := strings.Trim(variableWord(server), "_")
	if word == "" { // such as a name in Chinese, which no variable can have
		word = "SERVER_" + strconv.Itoa(index+1)
	} else if word[0] >= '0' && word[0] <= '9' {
		word = "MCP_" + word
	}
	return word + "_"
}

// variableWord returns a text as a part of the name of a variable.
func variableWord(text string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '_'
	}, strings.ToUpper(text))
}
