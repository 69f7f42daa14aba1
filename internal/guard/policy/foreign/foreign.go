// Package foreign translates permissions of other agents into policy rules. A translation never allows more than the original:
// permissions without an exact translation become stricter, or are left out, and a [Report] names them.
//
//   - foreign.go has the lists of permissions, and the order of the rules.
//   - claude.go translates permissions of Claude Code by tool, antigravity.go those of Antigravity CLI by action.
//   - patterns.go translates patterns of commands, paths and hosts.
//   - write.go writes rules as TOML.
package foreign

import (
	"fmt"
	"strings"

	"pollux/internal/guard/policy"
)

// Agent is an agent whose permissions are translated, by its name.
type Agent string

// The agents.
const (
	Claude      Agent = "Claude Code"
	Antigravity Agent = "Antigravity CLI"
)

// Permissions are the lists of permissions of an agent.
type Permissions struct {
	Agent            Agent
	Deny, Ask, Allow []string
	// Home is the home directory, for paths that begin with "~".
	Home string
	// IsOfProject leaves out all that allow: a project must not grant anything.
	IsOfProject bool
}

// Rule is a rule of a policy file.
type Rule struct {
	Permission string // as the agent has it
	Decision   policy.Decision
	Tools      []string
	Server     string // mcpName
	Prefix     string // commandPrefix
	Command    string // commandRegex
	Args       string // argsPattern
}

// Result is the result of the translation of a permission.
type Result string

// The results.
const (
	Taken   Result = "taken"
	Changed Result = "changed" // it is stricter, or covers only a part
	LeftOut Result = "left out"
)

// Report is the report about a permission.
type Report struct {
	Permission string `json:"permission"` // with its list, as in "deny Bash(git push:*)"
	Result     Result `json:"result"`
	Note       string `json:"note,omitempty"`
}

// IsLost reports whether the permission restricts something, and no rule does it instead.
func (r *Report) IsLost() bool {
	return r.Result == LeftOut && !strings.HasPrefix(r.Permission, "allow ")
}

// Translate returns the rules for permissions, and a report about each permission.
func Translate(p Permissions) (rules []Rule, reports []Report) {
	seen := map[string]bool{}
	for _, list := range []struct {
		name     string
		decision policy.Decision
		items    []string
	}{{"deny", policy.Deny, p.Deny}, {"ask", policy.Ask, p.Ask}, {"allow", policy.Allow, p.Allow}} {
		for _, item := range list.items {
			name := list.name + " " + item
			if seen[name] {
				continue
			}
			seen[name] = true
			t := translation{home: p.Home, decision: list.decision}
			switch item = strings.TrimSpace(item); {
			case list.decision == policy.Allow && p.IsOfProject:
				t.leave("a project must not allow anything")
			case p.Agent == Antigravity:
				t.action(item)
			default:
				t.permission(item)
			}
			for i := range t.rules {
				t.rules[i].Permission, t.rules[i].Decision = name, list.decision
			}
			rules = append(rules, t.rules...)
			reports = append(reports, t.report(name))
		}
	}
	return rules, reports
}

// translation is the translation of one permission.
type translation struct {
	home     string
	decision policy.Decision
	rules    []Rule
	notes    []string
	isLeft   bool
}

// leave leaves the permission out.
func (t *translation) leave(format string, args ...any) {
	t.rules, t.isLeft, t.notes = nil, true, []string{fmt.Sprintf(format, args...)}
}

// change notes how the rules differ from the permission.
func (t *translation) change(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

// add adds a rule. Of a rule with a pattern that policies do not take, it leaves out the condition if that is stricter.
func (t *translation) add(r Rule) {
	_, err := policy.NewPattern(r.Args)
	if _, commandErr := policy.CommandPattern(r.Command); err == nil {
		err = commandErr
	}
	switch {
	case err == nil:
	case t.decision == policy.Allow:
		t.leave("its pattern is too complex")
		return
	default:
		r.Args, r.Command = "", ""
		t.change("its pattern is too complex, so the rule is about all calls of the tool")
	}
	t.rules = append(t.rules, r)
}

func (t *translation) report(name string) Report {
	r := Report{Permission: name, Result: Taken, Note: strings.Join(t.notes, "; ")}
	switch {
	case t.isLeft || len(t.rules) == 0:
		r.Result = LeftOut
	case len(t.notes) > 0:
		r.Result = Changed
	}
	return r
}
