package foreign

import (
	"errors"
	"regexp"
	"strings"

	"pollux/internal/config"
	"pollux/internal/transfer"
)

// Agent is another agent with servers.
type Agent struct {
	// User and Project are its files below the home directory and the project. Without the latter, it has none in projects, or Pollux reads
	// these in place.
	User, Project []string
	Key           string // of the object with the servers
	translate     config.ServerTranslator
	// isOwnForm means that $NAME is a variable in its files, as in Pollux's settings.
	isOwnForm bool
	// isLiteral means that no $ begins a variable in its files.
	isLiteral bool
}

// Agents returns the agent with a name, nil if Pollux copies no servers from it.
func Agents(name string) *Agent {
	switch name {
	case "claude":
		return &Agent{User: []string{".claude.json"}, Key: "mcpServers", translate: config.ClaudeServer}
	case "antigravity":
		return &Agent{User: []string{".gemini/config/mcp_config.json"}, Key: "mcpServers", translate: config.AntigravityServer}
	case "codex":
		file := []string{".codex/config.toml"}
		return &Agent{User: file, Project: file, Key: "mcp_servers", translate: codexServer, isLiteral: true}
	case "opencode":
		return &Agent{
			User:    []string{".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"},
			Project: []string{"opencode.json", "opencode.jsonc"}, Key: "mcp", translate: openCodeServer, isLiteral: true,
		}
	case "cursor":
		file := []string{".cursor/mcp.json"}
		return &Agent{User: file, Project: file, Key: "mcpServers", translate: cursorServer}
	case "qwen":
		file := []string{".qwen/settings.json"}
		return &Agent{User: file, Project: file, Key: "mcpServers", translate: qwenServer, isOwnForm: true}
	case "crush":
		return &Agent{
			User:    []string{".config/crush/crush.json"},
			Project: []string{"crush.json", ".crush.json"}, Key: "mcp", translate: crushServer, isOwnForm: true,
		}
	}
	return nil
}

// codexServer translates an entry of mcp_servers in Codex's config.toml.
func codexServer(entry map[string]any) (map[string]any, bool, error) {
	if isOff(entry, "enabled", false) {
		return nil, true, nil
	}
	common := map[string]any{}
	move(entry, "enabled_tools", common, "includeTools")
	move(entry, "disabled_tools", common, "excludeTools")
	if seconds, ok := entry["tool_timeout_sec"].(float64); ok && seconds > 0 && seconds < 1e6 {
		common["timeout"] = seconds * 1000
		delete(entry, "tool_timeout_sec")
	}
	if _, isRemote := entry["url"]; !isRemote {
		if err := passOn(entry); err != nil {
			return nil, false, err
		}
		return join(common)(config.TakeServer(entry, "command", "", "args", "env", "cwd"))
	}
	headers, ok := entry["http_headers"].(map[string]any)
	if entry["http_headers"] != nil && !ok {
		return nil, false, errors.New("its http_headers are not a table")
	}
	if headers == nil {
		headers = map[string]any{}
	}
	delete(entry, "http_headers")
	if name, ok := entry["bearer_token_env_var"].(string); ok {
		if !transfer.IsVariable(name) {
			return nil, false, errors.New("bearer_token_env_var is not the name of a variable")
		}
		headers["Authorization"] = "Bearer ${" + name + "}"
		delete(entry, "bearer_token_env_var")
	}
	fromEnv, _ := entry["env_http_headers"].(map[string]any)
	for header, v := range fromEnv {
		name, _ := v.(string)
		if !transfer.IsVariable(name) {
			return nil, false, errors.New("env_http_headers has a value that is not the name of a variable")
		}
		headers[header] = "${" + name + "}"
	}
	delete(entry, "env_http_headers")
	if len(headers) > 0 {
		common["headers"] = headers
	}
	return join(common)(config.TakeServer(entry, "url", "http"))
}

// passOn turns Codex's list of variables that a server gets from the environment into variables of the server.
func passOn(entry map[string]any) error {
	list, isList := entry["env_vars"].([]any)
	if entry["env_vars"] == nil {
		return nil
	}
	names := config.Texts(list)
	env, isTable := entry["env"].(map[string]any)
	if !isList || len(names) != len(list) || entry["env"] != nil && !isTable {
		return errors.New("env or env_vars have another form")
	}
	if env == nil {
		env = map[string]any{}
	}
	for _, name := range names {
		if !transfer.IsVariable(name) {
			return errors.New("env_vars has a text that is not the name of a variable")
		}
		if env[name] == nil {
			env[name] = "${" + name + "}"
		}
	}
	entry["env"] = env
	delete(entry, "env_vars")
	return nil
}

// openCodeServer translates an entry of mcp in OpenCode's configuration.
func openCodeServer(entry map[string]any) (map[string]any, bool, error) {
	if isOff(entry, "enabled", false) {
		return nil, true, nil
	}
	kind, _ := entry["type"].(string)
	delete(entry, "type")
	if err := rewrite(entry, regexp.MustCompile(`\{(env|file):([^{}]*)\}`), func(groups []string) (string, error) {
		if groups[1] == "file" || !transfer.IsVariable(groups[2]) {
			return "", errors.New("it has the content of a file, or of a variable that no shell can set")
		}
		return "${" + groups[2] + "}", nil
	}); err != nil {
		return nil, false, err
	}
	common := map[string]any{}
	if n, ok := entry["timeout"].(float64); ok && n > 0 {
		move(entry, "timeout", common, "timeout")
	}
	switch kind {
	case "local":
		list, _ := entry["command"].([]any)
		words := config.Texts(list)
		if len(words) == 0 || len(words) != len(list) {
			return nil, false, errors.New("its command is not a list of texts")
		}
		entry["command"] = list[0]
		if len(list) > 1 {
			entry["args"] = list[1:]
		}
		move(entry, "environment", entry, "env")
		return join(common)(config.TakeServer(entry, "command", "", "args", "env", "cwd"))
	case "remote":
		if oauth, ok := entry["oauth"].(map[string]any); ok && len(oauth) == 0 || entry["oauth"] == false {
			delete(entry, "oauth") // Pollux signs in if the server asks for it
		}
		return join(common)(config.TakeServer(entry, "url", "http", "headers"))
	}
	return nil, false, errors.New("its type is not local or remote")
}

// cursorServer translates an entry of Cursor's mcp.json, which has the form of Claude Code's, and other variables.
func cursorServer(entry map[string]any) (map[string]any, bool, error) {
	if isOff(entry, "disabled", true) {
		return nil, true, nil
	}
	if err := rewrite(entry, regexp.MustCompile(`\$\{([^{}]*)\}`), func(groups []string) (string, error) {
		name, isEnv := strings.CutPrefix(groups[1], "env:")
		if !isEnv || !transfer.IsVariable(name) {
			return "", errors.New("it has ${" + config.Printable(groups[1]) + "}, which Pollux does not know")
		}
		return "${" + name + "}", nil
	}); err != nil {
		return nil, false, err
	}
	return config.ClaudeServer(entry)
}

// qwenServer translates an entry of mcpServers in Qwen Code's settings, which have the form of Gemini CLI's.
func qwenServer(entry map[string]any) (map[string]any, bool, error) {
	common := map[string]any{}
	for _, key := range []string{"timeout", "includeTools", "excludeTools", "description", "oauth", "authProviderType"} {
		move(entry, key, common, key)
	}
	for _, main := range []string{"httpUrl", "url"} {
		if _, isSet := entry[main]; isSet {
			kind, _ := entry["type"].(string)
			if kind != "http" && kind != "sse" || main == "httpUrl" {
				kind = ""
			} else {
				delete(entry, "type")
			}
			return join(common)(config.TakeServer(entry, main, kind, "headers"))
		}
	}
	return join(common)(config.TakeServer(entry, "command", "", "args", "env", "cwd"))
}

// crushServer translates an entry of mcp in Crush's configuration. $NAME is a variable there, too.
func crushServer(entry map[string]any) (map[string]any, bool, error) {
	if isOff(entry, "disabled", true) {
		return nil, true, nil
	}
	if err := rewrite(entry, regexp.MustCompile("\\$\\(|`"), func([]string) (string, error) {
		return "", errors.New("it has $(...), which runs a program")
	}); err != nil {
		return nil, false, err
	}
	common := map[string]any{}
	move(entry, "disabled_tools", common, "excludeTools")
	move(entry, "enabled_tools", common, "includeTools")
	if seconds, ok := entry["timeout"].(float64); ok && seconds > 0 && seconds < 1e6 {
		common["timeout"] = seconds * 1000
		delete(entry, "timeout")
	}
	return join(common)(config.ClaudeServer(entry))
}

// isOff reports whether a key has the value that switches a server off, and removes the key.
func isOff(entry map[string]any, key string, off bool) bool {
	v, isBool := entry[key].(bool)
	if isBool {
		delete(entry, key)
	}
	return isBool && v == off
}

// move moves a value to another object, under another name.
func move(from map[string]any, name string, to map[string]any, as string) {
	v, isSet := from[name]
	if isSet {
		delete(from, name)
		to[as] = v
	}
}

// join returns a function that adds keys to the result of a translation.
func join(common map[string]any) func(translated map[string]any, isDisabled bool, err error) (map[string]any, bool, error) {
	return func(translated map[string]any, isDisabled bool, err error) (map[string]any, bool, error) {
		for key, v := range common {
			if err == nil && translated[key] == nil {
				translated[key] = v
			}
		}
		return translated, isDisabled, err
	}
}

// rewrite replaces the matches of an expression in all strings of an entry, except in the names of keys.
func rewrite(entry map[string]any, re *regexp.Regexp, replace func(groups []string) (string, error)) (err error) {
	var each func(v any) any
	each = func(v any) any {
		switch v := v.(type) {
		case string:
			return re.ReplaceAllStringFunc(v, func(match string) string {
				text, failure := replace(re.FindStringSubmatch(match))
				if failure != nil {
					err = failure
				}
				return text
			})
		case []any:
			for i := range v {
				v[i] = each(v[i])
			}
		case map[string]any:
			for key := range v {
				v[key] = each(v[key])
			}
		}
		return v
	}
	each(entry)
	return err
}
