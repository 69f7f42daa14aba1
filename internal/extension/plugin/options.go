package plugin

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/transfer"
)

// option is the beginning of the place of an option in texts of a plugin of Claude Code.
const option = "${user_config."

// settings converts the options of a plugin of Claude Code, and takes over the settings of an extension of Qwen Code: Pollux asks for their
// values when it installs the extension.
func (c *Conversion) settings() *transfer.Part {
	part := &transfer.Part{Kind: "option"}
	c.options = map[string]string{}
	for _, fields := range c.fields {
		list, _ := fields["settings"].([]any)
		if c.form.agent == "qwen" {
			for i, one := range list {
				c.setting(part.Add(transfer.New(fmt.Sprintf("settings[%d]", i))), one)
			}
		}
		declared, _ := fields["userConfig"].(map[string]any)
		if c.form.agent == "claude" {
			for _, name := range slices.Sorted(maps.Keys(declared)) {
				c.option(name, declared[name], part.Add(transfer.New(name)))
			}
		}
	}
	return part
}

// setting takes over a setting in the form of Pollux.
func (c *Conversion) setting(item *transfer.Item, v any) {
	members, _ := v.(map[string]any)
	name, _ := members["name"].(string)
	variable, _ := members["envVar"].(string)
	about, _ := members["description"].(string)
	if name == "" || !transfer.IsVariable(variable) {
		item.Leave("it has no name, or envVar is not the name of a variable")
		return
	}
	item.Name, item.Detail = name, variable
	c.out.Settings = append(c.out.Settings, map[string]any{"name": name, "description": about, "envVar": variable, "sensitive": members["sensitive"] == true})
}

// option converts an option. Servers and hooks name it, and get its value in a variable.
func (c *Conversion) option(name string, v any, item *transfer.Item) {
	members, isObject := v.(map[string]any)
	title, _ := members["title"].(string)
	about, _ := members["description"].(string)
	variable := "CLAUDE_PLUGIN_OPTION_" + transfer.VariableWord(name)
	switch {
	case !isObject || !transfer.IsVariable(name):
		item.Leave("it is not an object, or its name has other characters than letters, digits and _")
		return
	case members["multiple"] == true:
		item.Leave("it is a list")
		return
	case slices.Contains(slices.Collect(maps.Values(c.options)), variable):
		item.Leave("another option differs only in case")
		return
	}
	if title == "" {
		title = name
	}
	item.Detail = variable
	if members["default"] != nil {
		item.Change("its default %s is not set by itself: enter it", config.Printable(fmt.Sprint(members["default"])))
	}
	c.options[name] = variable
	c.out.Settings = append(c.out.Settings, map[string]any{"name": title, "description": about, "envVar": variable, "sensitive": members["sensitive"] == true})
}

// withOptions returns a text with variables in the place of options. Those that the plugin does not declare stay.
func (c *Conversion) withOptions(text string) string {
	if !strings.Contains(text, option) {
		return text
	}
	return regexp.MustCompile(`\$\{user_config\.(\w+)\}`).ReplaceAllStringFunc(text, func(place string) string {
		if variable := c.options[strings.TrimSuffix(strings.TrimPrefix(place, option), "}")]; variable != "" {
			return "${" + variable + "}"
		}
		return place
	})
}

// optionsOfHooks puts variables in the place of options in command lines, in which the shell replaces them. In single quotes and in the
// arguments of programs nothing does: these stay, so that the hook is left out.
func (c *Conversion) optionsOfHooks(v any) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			c.optionsOfHooks(one)
		}
	case map[string]any:
		shell, _ := v["shell"].(string)
		if command, ok := v["command"].(string); ok && v["args"] == nil && !strings.Contains(command, "'") && (shell == "" || shell == "bash" || shell == "sh") {
			v["command"] = c.withOptions(command)
		}
		for _, one := range v {
			c.optionsOfHooks(one)
		}
	}
}

// contexts takes over the files with instructions of an extension of Qwen Code.
func (c *Conversion) contexts() *transfer.Part {
	part := &transfer.Part{Kind: "context file"}
	if c.form.agent != "qwen" {
		return part
	}
	named := c.components("contextFileName", part)
	if len(named) == 0 && c.at.Has("QWEN.md") {
		named = []component{{name: "QWEN.md"}}
	}
	for _, one := range named {
		item := part.Add(transfer.New(one.name))
		if one.object != nil || !c.at.Has(one.name) {
			item.Leave("it does not exist")
			continue
		}
		c.out.ContextFiles = append(c.out.ContextFiles, one.name)
	}
	return part
}
