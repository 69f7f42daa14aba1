// Package foreign translates subagents of other agents to files of subagents. A translation never has more tools than the original.
package foreign

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pollux/internal/charset"
	"pollux/internal/frontmatter"
	"pollux/internal/guard/hook"
	"pollux/internal/secret"
	"pollux/internal/subagent"
	"pollux/internal/transfer"
)

// Agent has the form of an agent's subagents.
type Agent struct {
	// tool returns Pollux's name of a tool, "" if there is none.
	tool func(name string) string
	// hasModes means that a subagent may also be an agent for the user.
	hasModes bool
}

// Agents returns the form of an agent's subagents. ok is false if it has none that are known.
func Agents(name string) (a Agent, ok bool) {
	switch name {
	case "claude", "cursor":
		return Agent{tool: claudeTool}, true
	case "antigravity":
		return Agent{tool: hook.AntigravityTool}, true
	case "opencode":
		return Agent{tool: openCodeTool, hasModes: true}, true
	case "qwen":
		return Agent{tool: qwenTool}, true
	}
	return a, false
}

// claudeTool returns Pollux's name of a tool of Claude Code.
func claudeTool(name string) string {
	rest, isServer := strings.CutPrefix(name, "mcp__")
	if !isServer {
		return hook.ClaudeTool(name)
	}
	server, tool, _ := strings.Cut(rest, "__")
	if tool == "" {
		tool = "*"
	}
	return "mcp_" + server + "_" + tool
}

// known is a tool that the agents have.
type known struct{ openCode, claude, own string }

// tools returns the tools that the agents have, with their names.
func tools() []known {
	return []known{
		{"bash", "Bash", "run_shell_command"},
		{"edit", "Edit", "replace"},
		{"glob", "Glob", "glob"},
		{"grep", "Grep", "grep_search"},
		{"list", "LS", "list_directory"},
		{"read", "Read", "read_file"},
		{"skill", "Skill", "activate_skill"},
		{"task", "Task", "invoke_agent"},
		{"todowrite", "TodoWrite", "write_todos"},
		{"webfetch", "WebFetch", "web_fetch"},
		{"websearch", "WebSearch", "google_web_search"},
		{"write", "Write", "write_file"},
	}
}

// openCodeTool returns Pollux's name of a tool of OpenCode.
func openCodeTool(name string) string {
	for _, t := range tools() {
		if t.openCode == name {
			return t.own
		}
	}
	return ""
}

// qwenTool returns Pollux's name of a tool of Qwen Code, which has most names of Gemini CLI.
func qwenTool(name string) string {
	if name == "web_search" {
		return "google_web_search"
	}
	return hook.QwenTool(name)
}

// definition is a subagent in the making.
type definition struct {
	name, description, prompt string
	tools                     []string // nil for all
	turns, minutes            int
	item                      *transfer.Item
}

// Translate returns a file with the subagent that a text is, and says in the item how it differs. name is its name if it has none of its own.
// It returns nil for a subagent that is left out.
func (a Agent) Translate(name string, text []byte, item *transfer.Item) []byte {
	front, body, ok := frontmatter.Cut(charset.Text(text))
	fields := frontmatter.Fields(front)
	switch {
	case !ok:
		item.Leave("it does not begin with a description between two lines ---")
		return nil
	case secret.EraseForms(body) != body || secret.EraseForms(front) != front:
		item.Leave("it has a key")
		return nil
	}
	d := definition{name: name, prompt: body, item: item}
	if text, ok := fields["name"].(string); ok && !a.hasModes {
		d.name = text
	}
	d.description, _ = fields["description"].(string)
	if d.description = strings.TrimSpace(d.description); d.description == "" {
		item.Leave("it has no description")
		return nil
	}
	if mode := fields["mode"]; a.hasModes && mode != "subagent" && mode != "all" && mode != nil {
		item.Leave("it is an agent for the user, which Pollux does not have")
		return nil
	}
	a.readTools(&d, fields)
	d.readOthers(fields)
	d.plainName()
	file := d.file()
	if _, err := subagent.Parse(file); err != nil {
		_, reason, _ := strings.Cut(err.Error(), ":\n") // behind the title
		item.Leave("Pollux cannot use it: %s", strings.ReplaceAll(cmp.Or(reason, err.Error()), "\n", "; "))
		return nil
	}
	return file
}

// readTools reads the keys about tools.
func (a Agent) readTools(d *definition, fields map[string]any) {
	disallowed := names(fields["disallowedTools"])
	off := a.ownNames(disallowed)
	switch v := fields["tools"].(type) {
	case map[string]any: // of OpenCode: a tool is on or off
		a.without(d, func(name string) bool { return v[name] == false || v["*"] == false && v[name] != true })
	case nil:
		if len(disallowed) > 0 {
			a.without(d, func(name string) bool { return slices.Contains(disallowed, name) || slices.Contains(off, name) })
		}
	default:
		d.tools = []string{}
		for _, name := range names(v) {
			a.add(d, name, slices.Contains(disallowed, name))
		}
		d.tools = slices.DeleteFunc(d.tools, func(tool string) bool { return slices.Contains(off, tool) })
	}
	if fields["readonly"] == true || fields["permissionMode"] == "plan" || fields["approvalMode"] == "plan" { // of Cursor, Claude Code and Qwen Code
		d.keep(func(tool string) bool { return slices.Contains(readers(), tool) })
		d.item.Change("with the tools that only read")
	}
	if permission := fields["permission"]; permission != nil {
		a.permit(d, permission)
	}
	if d.tools == nil {
		d.item.Change("without a list of tools, it may use all of them")
	}
}

// ownNames returns Pollux's names of tools. A tool with a pattern counts as a whole.
func (a Agent) ownNames(list []string) (own []string) {
	for _, name := range list {
		name, _, _ = strings.Cut(name, "(")
		if tool := a.tool(strings.TrimSpace(name)); tool != "" {
			own = append(own, tool)
		}
	}
	return own
}

// readers returns the tools that only read.
func readers() []string { return []string{"read_file", "glob", "grep_search", "list_directory"} }

// add adds a tool by its name in the other agent.
func (a Agent) add(d *definition, name string, isDisallowed bool) {
	base, _, hasPattern := strings.Cut(name, "(")
	tool := a.tool(base)
	switch {
	case isDisallowed:
	case hasPattern:
		d.item.Change("without %s: a subagent has all of a tool or nothing", name)
	case name == "*" && !isDisallowed:
		d.tools = append(d.tools, "*")
	case tool == "":
		d.item.Change("without %s, which Pollux does not have", name)
	case !slices.Contains(d.tools, tool):
		d.tools = append(d.tools, tool)
	}
}

// without gives the subagent the tools that both agents have, but for some.
func (a Agent) without(d *definition, isOff func(name string) bool) {
	d.tools = []string{}
	for _, t := range tools() {
		theirs := t.openCode
		if !a.hasModes {
			theirs = t.claude
		}
		if !isOff(theirs) && !isOff(t.own) {
			d.tools = append(d.tools, t.own)
		}
	}
	d.item.Change("with a list of the other tools, in which those of servers are missing")
}

// permit takes away the tools that a permission of OpenCode does not allow in all cases.
func (a Agent) permit(d *definition, permission any) {
	if d.tools == nil {
		a.without(d, func(string) bool { return false })
	}
	members, isObject := permission.(map[string]any)
	isAllowed := func(name string) bool {
		v, isSet := members[name]
		if !isSet {
			v, isSet = members["*"]
		}
		return isObject && (!isSet || v == "allow") || permission == "allow"
	}
	d.keep(func(tool string) bool {
		for _, t := range tools() {
			name := t.openCode
			if name == "write" {
				name = "edit" // the permission for all changes
			}
			if t.own == tool && !isAllowed(name) {
				return false
			}
		}
		return true
	})
	d.item.Change("without the tools that its permission denies or asks about")
}

// keep removes the tools that a function does not report.
func (d *definition) keep(isKept func(tool string) bool) {
	if d.tools == nil || slices.Contains(d.tools, "*") {
		d.tools = readers()
	}
	d.tools = slices.DeleteFunc(d.tools, func(tool string) bool { return !isKept(tool) })
}

// names returns the names in a list, or in a text with commas between them.
func names(v any) (list []string) {
	switch v := v.(type) {
	case string:
		depth := 0 // a comma in parentheses separates nothing
		fields := strings.FieldsFunc(v, func(r rune) bool {
			switch r {
			case '(':
				depth++
			case ')':
				depth--
			}
			return depth <= 0 && (r == ',' || r == '\n')
		})
		for _, name := range fields {
			if name = strings.TrimSpace(name); name != "" {
				list = append(list, name)
			}
		}
	case []any:
		for _, one := range v {
			if name, ok := one.(string); ok && strings.TrimSpace(name) != "" {
				list = append(list, strings.TrimSpace(name))
			}
		}
	}
	return list
}

// readOthers reads the other keys.
func (d *definition) readOthers(fields map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		switch v := fields[key]; key {
		case "name", "description", "tools", "disallowedTools", "readonly", "permission", "mode":
		case "maxTurns", "max_turns":
			if n, ok := v.(int); ok && n > 0 && n <= subagent.MaxTurns {
				d.turns = n
				continue
			}
			d.item.Change("without %s", key)
		case "timeout_mins":
			if n, ok := v.(int); ok && n > 0 && n <= subagent.MaxMinutes {
				d.minutes = n
				continue
			}
			d.item.Change("without %s", key)
		case "model":
			if v != "inherit" {
				d.item.Change("without model %s: it uses that of the session", brief(v))
			}
		case "hooks":
			d.item.Change("without its hooks, which may have refused calls")
		default:
			d.item.Change("without %s", brief(key))
		}
	}
}

// brief returns a value for a note.
func brief(v any) string {
	text := fmt.Sprint(v)
	if len(text) > 40 {
		text = strings.ToValidUTF8(text[:40], "") + "…"
	}
	return text
}

// plainName makes the name one that Pollux takes.
func (d *definition) plainName() {
	name := strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, strings.ToLower(strings.TrimSpace(d.name))), "-")
	if name != d.name && name != "" {
		d.item.Change("it is called %s", name)
	}
	d.name = name
}

// file returns the file of the subagent.
func (d *definition) file() []byte {
	var b bytes.Buffer
	b.WriteString("---\nname: " + frontmatter.Quote(d.name) + "\ndescription: " + frontmatter.Quote(d.description) + "\n")
	if d.tools != nil {
		list := []string{}
		for _, tool := range d.tools {
			list = append(list, frontmatter.Quote(tool))
		}
		b.WriteString("tools: [" + strings.Join(list, ", ") + "]\n")
	}
	if d.turns > 0 {
		fmt.Fprintf(&b, "max_turns: %d\n", d.turns)
	}
	if d.minutes > 0 {
		fmt.Fprintf(&b, "timeout_mins: %d\n", d.minutes)
	}
	prompt := d.prompt
	for _, name := range []string{"query", "prompt"} { // the inputs of a subagent
		if mark := "${" + name + "}"; strings.Contains(prompt, mark) {
			prompt = strings.ReplaceAll(prompt, mark, "$ {"+name+"}")
			d.item.Change("a space is in %s, which would be the task", mark)
		}
	}
	b.WriteString("---\n\n" + prompt + "\n")
	return b.Bytes()
}
