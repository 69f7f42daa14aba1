package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"pollux/internal/guard/policy"
)

// Ordered is a permission of OpenCode, which decides unless a later one matches the call, too.
type Ordered struct {
	Tool, Pattern string // "*" for all calls
	Decision      policy.Decision
	// Server is the MCP server whose tools it is about, "" for none.
	Server string
}

// String returns the permission as reports have it: "deny bash(git push *)".
func (o *Ordered) String() string {
	name := map[policy.Decision]string{policy.Deny: "deny", policy.Ask: "ask", policy.Allow: "allow"}[o.Decision] + " " + o.Tool
	if o.Pattern != "*" {
		name += "(" + o.Pattern + ")"
	}
	return name
}

// ReadOpenCode returns the permissions in a configuration of OpenCode, in its order. servers are its MCP servers.
func ReadOpenCode(text []byte, servers map[string]any) (list []Ordered, err error) {
	if text, err = hujson.Standardize(bytes.Clone(text)); err != nil {
		return nil, errors.New("it is not valid JSON")
	}
	top, err := members(text)
	if err != nil {
		return nil, err
	}
	for _, m := range top {
		if m.name != "permission" {
			continue
		}
		tools := []member{{"*", m.value}}
		if m.isObject() {
			if tools, err = members(m.value); err != nil {
				return nil, err
			}
		}
		for _, tool := range tools {
			patterns := []member{{"*", tool.value}}
			if tool.isObject() {
				if patterns, err = members(tool.value); err != nil {
					return nil, err
				}
			}
			for _, pattern := range patterns {
				o := Ordered{Tool: tool.name, Pattern: pattern.name, Server: serverOf(tool.name, servers)}
				if o.Decision, err = decisionOf(pattern.value); err != nil {
					return nil, fmt.Errorf("permission.%s: %w", tool.name, err)
				}
				list = append(list, o)
			}
		}
	}
	return list, nil
}

// decisionOf returns the decision for an action of OpenCode.
func decisionOf(raw json.RawMessage) (policy.Decision, error) {
	switch string(raw) {
	case `"allow"`:
		return policy.Allow, nil
	case `"ask"`:
		return policy.Ask, nil
	case `"deny"`:
		return policy.Deny, nil
	}
	return "", errors.New("an action is allow, ask or deny")
}

// serverOf returns the MCP server whose tools a name such as "docs_*" is about, "" for none.
func serverOf(tool string, servers map[string]any) string {
	prefix, isAll := strings.CutSuffix(tool, "_*")
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		if isAll && strings.Map(plainRune, name) == prefix {
			return name
		}
	}
	return ""
}

// plainRune replaces the characters that names of tools do not have.
func plainRune(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
		return r
	}
	return '_'
}

// member is a member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

func (m *member) isObject() bool { return bytes.HasPrefix(m.value, []byte("{")) }

// members returns the members of a JSON object in their order.
func members(object []byte) (list []member, err error) {
	d := json.NewDecoder(bytes.NewReader(object))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return nil, errors.New("it is not an object")
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var m member
		if err := d.Decode(&m.value); err != nil {
			return nil, err
		}
		m.name, _ = name.(string)
		list = append(list, m)
	}
	return list, nil
}

// openCodeTool returns the tool of Claude Code that does the same as one of OpenCode, "" if there is none.
func openCodeTool(name string) string {
	switch name {
	case "bash", "read", "edit", "write", "glob", "grep", "task", "skill":
		return strings.ToUpper(name[:1]) + name[1:]
	case "list":
		return "LS"
	case "todowrite":
		return "TodoWrite"
	case "webfetch":
		return "WebFetch"
	case "websearch":
		return "WebSearch"
	}
	return ""
}

// ordered translates a permission of OpenCode. Its patterns have "*" for any text, also with slashes. later are those that come after it.
func (t *translation) ordered(o *Ordered, later []Ordered) {
	tool, isAll := openCodeTool(o.Tool), o.Pattern == "*"
	switch {
	case o.Server != "":
		t.server(o.Server, "", !isAll)
	case o.Tool == "*" && t.decision == policy.Allow:
		t.leave("it allows every call. See the approval modes")
	case o.Tool == "*":
		t.allTools(later)
		if !isAll {
			t.change("the rule is about all calls")
		}
	case tool == "":
		t.leave("Pollux has no such tool")
	case isAll:
		t.wholeTool(tool)
	case tool == "Bash" && strings.Contains(o.Pattern, "?"):
		if t.decision == policy.Allow {
			t.leave("it has a ? in a place where it may stand for anything")
			return
		}
		t.command(strings.ReplaceAll(o.Pattern, "?", "*"))
		t.change("a ? counts as a *")
	case tool == "Bash":
		t.command(o.Pattern)
	case t.decision == policy.Allow:
		t.leave("a rule would allow more than these calls")
	case tool == "WebFetch" && strings.Contains(o.Pattern, "://") && !strings.ContainsAny(hostOf(o.Pattern), "*?"):
		t.host(hostOf(o.Pattern))
	case tool == "Task" || tool == "Skill":
		if strings.ContainsAny(o.Pattern, "*?") {
			t.wholeTool(tool)
			t.change("the rule is about all calls of the tool")
			return
		}
		t.permission(tool + "(" + o.Pattern + ")")
	case tool == "WebFetch" || tool == "WebSearch" || tool == "TodoWrite" || strings.ContainsAny(o.Pattern, `[]\"!`):
		t.wholeTool(tool)
		t.change("the rule is about all calls of the tool")
	default:
		pattern := o.Pattern
		if rest, ok := strings.CutPrefix(pattern, "$HOME/"); ok {
			pattern = "~/" + rest
		}
		t.path(tool, strings.ReplaceAll(pattern, "*", "**"))
	}
}

// allTools translates a permission for all tools. It leaves out the readers that later permissions allow: Pollux needs no rule to read files of
// the workspace.
func (t *translation) allTools(later []Ordered) {
	free := []string{ // OpenCode has no counterpart of these, which change nothing
		"update_topic", "complete_task", "ask_user", "enter_plan_mode", "exit_plan_mode", "get_internal_docs", "search_tools", "list_background_processes", "read_background_output",
		"tracker_create_task", "tracker_update_task", "tracker_get_task", "tracker_list_tasks", "tracker_add_dependency", "tracker_visualize",
	}
	for _, o := range later {
		if o.Pattern == "*" && o.Decision == policy.Allow {
			free = append(free, map[string]string{"read": "read_file", "glob": "glob", "grep": "grep_search", "list": "list_directory"}[o.Tool])
		}
	}
	t.add(Rule{Tools: slices.DeleteFunc(policy.ToolNames(), func(name string) bool { return slices.Contains(free, name) })})
	t.add(Rule{Tools: []string{"*"}, Server: "*"})
	t.change("the rule is not about discovered tools")
}

// maxRanks is the number of permissions whose order counts. Of more, none allows anything.
const maxRanks = 900

// rank gives rules the order in which OpenCode decides, where that differs from the order by decisions: the last permission that matches a
// call decides. Rules for other tools than those keep the order by decisions.
func rank(rules []Rule) {
	strictness := map[policy.Decision]int{policy.Deny: 2, policy.Ask: 1}
	groups := groupsOf(rules)
	strictest, isRanked := map[int]int{}, map[int]bool{}
	for i, r := range rules {
		g := groups[i]
		isRanked[g] = isRanked[g] || strictness[r.Decision] < strictest[g]
		strictest[g] = max(strictest[g], strictness[r.Decision])
	}
	for i := range rules {
		if isRanked[groups[i]] {
			rules[i].rank = i + 1
		}
	}
}

// groupsOf returns a number for each rule. Rules that may be about the same call have the same one.
func groupsOf(rules []Rule) []int {
	groups := make([]int, len(rules))
	for i := range rules {
		groups[i] = i
		for j := range i {
			old := groups[j]
			if old == groups[i] || !overlap(&rules[i], &rules[j]) {
				continue
			}
			for k := range i {
				if groups[k] == old {
					groups[k] = groups[i]
				}
			}
		}
	}
	return groups
}

// overlap reports whether rules may be about the same call.
func overlap(a, b *Rule) bool {
	isOfAll := func(r *Rule) bool { return r.Server == "" && r.Tools[0] == "*" }
	if isOfAll(a) || isOfAll(b) || (a.Server != "" && b.Server == "*") || (b.Server != "" && a.Server == "*") {
		return true
	}
	return a.Server == b.Server && (a.Server != "" || slices.ContainsFunc(a.Tools, func(tool string) bool { return slices.Contains(b.Tools, tool) }))
}
