package plugin

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"pollux/internal/guard/hook"
	"pollux/internal/guard/policy"
	"pollux/internal/mcp/foreign"
	"pollux/internal/transfer"
)

// extensionPath is the variable with the directory of an extension.
const extensionPath = "${extensionPath}"

// own returns a text with Pollux's names of the plugin's directory and of the tools of its servers.
func (c *Conversion) own(text string) string {
	if !strings.Contains(text, hook.PluginRoot) && !strings.Contains(text, "mcp__plugin_") {
		return text
	}
	text = regexp.MustCompile(`\$\{`+hook.PluginRoot+`(:-[^{}]*)?\}|\$`+hook.PluginRoot+`\b`).ReplaceAllLiteralString(text, extensionPath)
	return strings.ReplaceAll(text, "mcp__plugin_"+c.out.Name+"_", "mcp__")
}

// owned applies a function to all texts of a JSON value in place, except to the names of keys.
func owned(v any, change func(text string) string) any {
	switch v := v.(type) {
	case string:
		return change(v)
	case []any:
		for i := range v {
			v[i] = owned(v[i], change)
		}
	case map[string]any:
		for key := range v {
			v[key] = owned(v[key], change)
		}
	}
	return v
}

// objects returns the objects of a part: those in the usual file, and those that the manifest has or names. Files that cannot be read are
// left out.
func (c *Conversion) objects(key, usual string, part *transfer.Part) (list []component) {
	all := []component{{name: usual}}
	if usual == "" || !c.at.Has(usual) {
		all = nil
	}
	for _, one := range c.components(key, part) {
		if one.name != usual || one.object != nil {
			all = append(all, one)
		}
	}
	for _, one := range all {
		if one.object == nil {
			object, err := read(c.at, one.name)
			if err != nil {
				c.lose(part, one.name).Leave("%v", err)
				continue
			}
			one.object = object
			part.Files = append(part.Files, one.name)
		}
		if left := maxValues; !isSmall(one.object, &left) {
			c.lose(part, cmp.Or(one.name, key)).Leave("it has more than %d values", maxValues)
			continue
		}
		list = append(list, one)
	}
	return list
}

// maxValues bounds an object. Its translation looks for secrets in each value.
const maxValues = 10_000

// isSmall reports whether a JSON value has at most so many values, and takes them off.
func isSmall(v any, left *int) bool {
	*left--
	switch v := v.(type) {
	case []any:
		return *left > 0 && !slices.ContainsFunc(v, func(one any) bool { return !isSmall(one, left) })
	case map[string]any:
		for _, one := range v {
			if !isSmall(one, left) {
				return false
			}
		}
	}
	return *left > 0
}

// servers converts the MCP servers.
func (c *Conversion) servers() *transfer.Part {
	part := &transfer.Part{Kind: "server"}
	c.out.Servers = map[string]any{}
	for _, one := range c.objects("mcpServers", c.form.servers, part) {
		theirs, isWrapped := one.object["mcpServers"].(map[string]any)
		if !isWrapped && c.form.agent != "antigravity" { // others take both
			theirs = one.object
		}
		owned(theirs, func(text string) string {
			return strings.ReplaceAll(c.withOptions(c.own(text)), "${CLAUDE_PROJECT_DIR}", "${workspacePath}")
		})
		for _, s := range foreign.Agents(c.form.agent).Servers(theirs, nil) {
			part.Add(s.Item)
			c.server(s)
		}
	}
	return part
}

// server adds a server to the manifest.
func (c *Conversion) server(s *foreign.Server) {
	text, _ := json.Marshal(s.Entry) // it was read from JSON
	env, isObject := s.Entry["env"].(map[string]any)
	switch {
	case s.Entry == nil:
		return
	case c.out.Servers[s.Name] != nil:
		s.Leave("there is another server with this name")
		return
	case strings.Contains(string(text), option):
		s.Leave("it needs an option that the plugin does not have")
		return
	case strings.Contains(string(text), "CLAUDE_PLUGIN_DATA"):
		s.Change("it uses CLAUDE_PLUGIN_DATA, which Pollux does not set")
	}
	if c.form.agent == "claude" && s.Entry["command"] != nil && (isObject || s.Entry["env"] == nil) {
		withRoot := map[string]any{hook.PluginRoot: extensionPath}
		maps.Copy(withRoot, env)
		s.Entry["env"] = withRoot
	}
	c.out.Servers[s.Name] = s.Entry
}

// hooks converts the hooks.
func (c *Conversion) hooks() *transfer.Part {
	part := &transfer.Part{Kind: "hook"}
	var m hook.Migration
	for _, one := range c.objects("hooks", c.form.hooks, part) {
		owned(one.object, c.own)
		c.optionsOfHooks(one.object)
		if c.form.agent == "antigravity" {
			m.Join(hook.FromAntigravity(one.object, extensionPath))
			continue
		}
		tree, isWrapped := one.object["hooks"].(map[string]any)
		switch {
		case !isWrapped && one.name != "":
			c.lose(part, one.name).Leave(`it has no object "hooks"`)
			continue
		case !isWrapped:
			tree = one.object
		}
		if c.form.agent == "qwen" {
			m.Join(hook.FromPlugin(tree, hook.Qwen))
		} else {
			m.Join(hook.FromPlugin(tree, hook.Claude))
		}
	}
	part.Items, part.Notes = append(part.Items, m.Items...), m.Unmatched(policy.ToolNames())
	if m.Count() == 0 {
		return part
	}
	data, err := json.Marshal(map[string]any{"hooks": m.Definitions()})
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("together with the others it is larger than %d MB", maxFile>>20)
	}
	if err != nil {
		for _, i := range m.Items {
			i.Leave("%v", err)
		}
		return part
	}
	c.files["hooks/hooks.json"] = data
	return part
}
