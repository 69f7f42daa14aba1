// Package foreign translates servers of other agents to entries of mcpServers. No translation has a key.
//
//   - servers.go decides about each server, and puts variables in the place of keys.
//   - agents.go has the agents, their files, and the forms of their entries.
package foreign

import (
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/config"
	"pollux/internal/secret"
	"pollux/internal/transfer"
)

// Server is a server with its report.
type Server struct {
	*transfer.Item
	Entry  map[string]any // of mcpServers, nil for one that is left out
	prefix string         // of variables for its keys
}

func (r *Server) leave(format string, args ...any) {
	r.Leave(format, args...)
	r.Entry = nil
}

// Servers decides about each of the agent's servers, by name. there are the servers that the user has.
func (a *Agent) Servers(theirs, there map[string]any) (list []*Server) {
	for i, name := range slices.Sorted(maps.Keys(theirs)) {
		r := &Server{Item: transfer.New(name), prefix: variablePrefix(name, i)}
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
		r.Entry = entry
		for _, what := range unused {
			r.Change("without %s", what)
		}
		r.withoutKeys(a.isOwnForm)
		if r.Entry != nil {
			r.Detail = detail(r.Entry)
		}
		if other, isTaken := there[name]; isTaken && r.Entry != nil {
			if reflect.DeepEqual(decoded(other), decoded(r.Entry)) {
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
func (r *Server) withoutKeys(isOwnForm bool) {
	text, _ := json.Marshal(r.Entry) // it was read from JSON
	args, _ := r.Entry["args"].([]any)
	address, _ := r.Entry["url"].(string)
	if address == "" {
		address, _ = r.Entry["httpUrl"].(string)
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
	if oauth, ok := r.Entry["oauth"].(map[string]any); ok && oauth["clientSecret"] != nil {
		oauth["clientSecret"] = r.variable("oauth.clientSecret", r.prefix+"CLIENT_SECRET")
	}
	env, _ := r.Entry["env"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if value, ok := env[name].(string); ok && transfer.IsKey(name, value) {
			env[name] = r.variable("env."+name, name)
		}
	}
	headers, _ := r.Entry["headers"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		value, ok := headers[name].(string)
		scheme, rest, hasScheme := strings.Cut(value, " ")
		switch {
		case !ok:
		case hasScheme && transfer.IsKey(name, rest):
			headers[name] = scheme + " " + r.variable("headers."+name, r.prefix+"TOKEN")
		case transfer.IsKey(name, value):
			headers[name] = r.variable("headers."+name, r.prefix+transfer.VariableWord(name))
		}
	}
	if text, _ := json.Marshal(r.Entry); secret.EraseForms(string(text)) != string(text) { // in another place, such as the command
		r.leave("it has a key: add it with pollux mcp add, and a variable in place of the key")
	}
}

// variable returns a reference to a variable that takes the place of a key, and notes it.
func (r *Server) variable(place, name string) string {
	r.Change("%s is a key, which is not copied: set the variable %s", place, name)
	return "${" + name + "}"
}

// variablePrefix returns the beginning of the names of variables for a server, which is the one with an index.
func variablePrefix(server string, index int) string {
	word := strings.Trim(transfer.VariableWord(server), "_")
	if word == "" { // such as a name in Chinese, which no variable can have
		word = "SERVER_" + strconv.Itoa(index+1)
	} else if word[0] >= '0' && word[0] <= '9' {
		word = "MCP_" + word
	}
	return word + "_"
}
