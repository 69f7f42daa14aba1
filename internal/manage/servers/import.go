package servers

import (
	"context"
	"encoding/json"
	"maps"
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
	"pollux/internal/transfer"
)

// importCommand returns the command that copies the servers of another agent.
func importCommand() *manage.Command {
	return &manage.Command{
		Name: "import", Summary: "Copy your servers from another agent", Run: manage.With(manage.Open, importServers),
		Example: "  pollux mcp import                   # show the servers, and write nothing\n  pollux mcp import --from antigravity --apply",
		Flags: []manage.Flag{
			{Name: "from", Default: "claude", Usage: "`agent` Agent to copy from", Choices: []string{"claude", "antigravity", "codex", "opencode", "cursor", "qwen", "crush"}},
			{Name: "apply", Default: false, Usage: "Write the servers"},
			manage.JSON,
		},
	}
}

func importServers(_ context.Context, c *manage.Call, p *project.Project) (o outcome.Outcome, err error) {
	name := c.Value("from")
	part, err := Import(p, name, config.User)
	place := transfer.Place{Dir: p.Paths.Home()}
	switch {
	case err != nil:
		return o, err
	case part.Files == nil:
		return o, exit.Errorf(exit.Input, "There is no %s.", p.DisplayFile(place.Path(agentOf(name).user[0])))
	case len(part.Items) == 0:
		return o, exit.Errorf(exit.Input, "There are no servers in %s.", p.DisplayFile(part.Files[0]))
	}
	r := transfer.Report{Agent: name, Scope: "user", Parts: []*transfer.Part{part}, HowToApply: "add --apply"}
	if c.Is("apply") {
		err = r.Apply()
	}
	return r.Outcome(p.DisplayFile), err
}

// Import returns the servers that an agent has in a scope, and that Pollux does not read in place. The part has no files if there are none.
func Import(p *project.Project, name string, scope config.Scope) (*transfer.Part, error) {
	part := &transfer.Part{Kind: "server", Target: p.Paths.File(scope), Settings: p.Paths.File(scope), Next: "To try one, run: pollux mcp test NAME"}
	from := agentOf(name)
	if from == nil {
		return part, nil
	}
	place, names := transfer.Place{Dir: p.Paths.Home()}, from.user
	if scope == config.Workspace {
		place, names = transfer.Place{Dir: p.Paths.Dir(), IsProject: true}, from.project
	}
	files, err := place.Objects(names...)
	if err != nil || files == nil {
		return part, err
	}
	there, err := serversOf(p, scope)
	if err != nil {
		return part, err
	}
	part.Files = transfer.Paths(files)
	var list []*imported
	for _, f := range files {
		servers, _ := f.Object[from.key].(map[string]any)
		list = append(list, from.reports(servers, there)...)
		for _, r := range list { // of two files with the same server, the first has it
			if r.entry != nil {
				there[r.Name] = r.entry
			}
		}
		if name == "claude" {
			list = append(list, ofProjects(p, f.Object)...)
		}
	}
	for _, r := range list {
		part.Add(r.Item)
	}
	part.Write = func() error { return writeServers(p, scope, list) }
	return part, nil
}

// serversOf returns the entries of mcpServers in the settings file of a scope.
func serversOf(p *project.Project, scope config.Scope) (map[string]any, error) {
	there := map[string]any{}
	target := p.Paths.File(scope)
	if target == "" || durable.IsMissing(target) {
		return there, nil
	}
	tree, err := readObject(target)
	if err != nil {
		return nil, exit.Errorf(exit.Config, "Cannot read %s: %w.", p.DisplayFile(target), err)
	}
	servers, _ := tree[string(config.MCPServers)].(map[string]any)
	maps.Copy(there, servers)
	return there, nil
}

// writeServers adds servers to the settings of a scope.
func writeServers(p *project.Project, scope config.Scope, list []*imported) error {
	for _, r := range list {
		if !r.IsWritten() || r.entry == nil {
			continue
		}
		if err := p.ChangeSettings(scope, func() error {
			_, err := p.Paths.SetServer(scope, r.Name, r.entry)
			return err
		}); err != nil {
			return err
		}
		if err := enableNew(p, r.Name); err != nil {
			return err
		}
	}
	return nil
}

// ofProjects reports the servers that a user of Claude Code has for single projects.
func ofProjects(p *project.Project, tree map[string]any) (list []*imported) {
	projects, _ := tree["projects"].(map[string]any)
	for _, dir := range slices.Sorted(maps.Keys(projects)) {
		one, _ := projects[dir].(map[string]any)
		servers, _ := one["mcpServers"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(servers)) {
			r := &imported{Item: transfer.New(name)}
			r.leave("it is only for the project %s: add it there with pollux mcp add", p.Paths.Display(dir))
			list = append(list, r)
		}
	}
	return list
}

// maxAgentFile is the maximum size of a settings file, in bytes.
const maxAgentFile = 64 << 20

func readObject(file string) (map[string]any, error) {
	data, err := durable.ReadFile(file, maxAgentFile)
	if err != nil {
		return nil, err
	}
	return config.ParseObject(data)
}

// imported is a server with its report.
type imported struct {
	*transfer.Item
	entry  map[string]any // nil for one that is not written
	prefix string         // of variables for its keys
}

func (r *imported) leave(format string, args ...any) {
	r.Leave(format, args...)
	r.entry = nil
}

// reports decides about each of their servers. there are those of the settings.
func (a *agent) reports(theirs, there map[string]any) (list []*imported) {
	for i, name := range slices.Sorted(maps.Keys(theirs)) {
		r := &imported{Item: transfer.New(name), prefix: variablePrefix(name, i)}
		list = append(list, r)
		if a.isLiteral && mentionsDollar(theirs[name]) {
			r.leave("it has a $ that Pollux would read as a variable")
			continue
		}
		others, entries := config.TranslateServers(map[string]any{name: theirs[name]}, a.translate)
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
			r.Change("without %s", what)
		}
		r.withoutKeys(a.isOwnForm)
		if r.entry != nil {
			r.Detail = detail(r.entry)
		}
		if other, isTaken := there[name]; isTaken && r.entry != nil {
			if reflect.DeepEqual(decoded(other), decoded(r.entry)) {
				r.Keep()
			} else {
				r.leave("your settings have another server with this name")
			}
		}
	}
	return list
}

// mentionsDollar reports whether a value has a text that would be a variable in settings.
func mentionsDollar(v any) bool {
	text, _ := json.Marshal(v) // it was read from JSON
	return regexp.MustCompile(`\$[A-Za-z_{]`).Match(text)
}

// detail describes a server: its program with the arguments or its address, and the names of its variables and headers.
func detail(entry map[string]any) string {
	words := []string{}
	for _, key := range []string{"command", "httpUrl", "url"} {
		if text, ok := entry[key].(string); ok && len(words) == 0 {
			words = append(words, text)
		}
	}
	args, _ := entry["args"].([]any)
	text := strings.Join(append(words, config.Texts(args)...), " ")
	for _, key := range []string{"env", "headers"} {
		if members, _ := entry[key].(map[string]any); len(members) > 0 {
			text += ", " + key + ": " + strings.Join(slices.Sorted(maps.Keys(members)), " ")
		}
	}
	return text
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

// withoutKeys puts variables in the place of keys. A server with a key in its arguments or its address is left out. isOwnForm means that $NAME is
// a variable in the file of the server, too.
func (r *imported) withoutKeys(isOwnForm bool) {
	text, _ := json.Marshal(r.entry) // it was read from JSON
	args, _ := r.entry["args"].([]any)
	address, _ := r.entry["url"].(string)
	if address == "" {
		address, _ = r.entry["httpUrl"].(string)
	}
	switch {
	case len(secret.InArgs(config.Texts(args))) > 0:
		r.leave("its arguments have a key: add it with pollux mcp add, and a variable in place of the key")
		return
	case len(secret.InURL(address)) > 0:
		r.leave("its address has a key: add it with pollux mcp add, and a variable in place of the key")
		return
	case !isOwnForm && regexp.MustCompile(bareVariable).Match(text):
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
	return value != "" && !isReference(value) && (secret.InName(name) || secret.IsKey(value) || secret.InVariable(name, value))
}

// isReference reports whether a value of an environment or a header is a variable. $NAME is one in no file but those in Pollux's own form,
// and servers from others that have it are left out before.
func isReference(value string) bool {
	name, isBare := strings.CutPrefix(value, "$")
	return strings.Contains(value, "${") || isBare && isVariable(name)
}

// variable returns a reference to a variable that takes the place of a key, and notes it.
func (r *imported) variable(place, name string) string {
	r.Change("%s is a key, which is not copied: set the variable %s", place, name)
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
