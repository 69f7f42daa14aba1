// Package foreign translates permissions of other agents into policy rules. A translation never allows more than the original:
// permissions without an exact translation become stricter, or are left out, and their reports say so.
//
//   - foreign.go has the lists of permissions, and the order of the rules.
//   - claude.go translates permissions of Claude Code by tool, antigravity.go those of Antigravity CLI by action, codex.go prefixes of
//     commands of Codex, opencode.go those of OpenCode in their order, qwen.go those of Qwen Code.
//   - patterns.go translates patterns of commands, paths and hosts.
//   - write.go writes rules as TOML.
package foreign

import (
	"fmt"
	"strings"

	"pollux/internal/guard/policy"
	"pollux/internal/transfer"
)

// Agent is an agent whose permissions are translated, by its name.
type Agent string

// The agents.
const (
	Claude      Agent = "Claude Code"
	Antigravity Agent = "Antigravity CLI"
	Codex       Agent = "Codex"
	OpenCode    Agent = "OpenCode"
	Qwen        Agent = "Qwen Code"
)

// Permissions are the lists of permissions of an agent.
type Permissions struct {
	Agent            Agent
	Deny, Ask, Allow []string
	// Ordered are those of OpenCode.
	Ordered []Ordered
	// Unread are names of statements of Codex that cannot be read, and Doubtful are permissions to allow something in files with these.
	Unread, Doubtful []string
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
	rank       int    // in the order of OpenCode, from 1; 0 for the order by decisions
}

// Translate returns the rules for permissions, and a report about each permission, with its list: "deny Bash(git push:*)".
func Translate(p Permissions) (rules []Rule, reports []*transfer.Item) {
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
			more, report := p.translate(name, list.decision, func(t *translation) {
				switch item = strings.TrimSpace(item); p.Agent {
				case Antigravity:
					t.action(item)
				case Codex:
					t.prefix(item)
				case Qwen:
					t.qwen(item)
				default:
					t.permission(item)
				}
			})
			rules, reports = append(rules, more...), append(reports, report)
		}
	}
	for i := range p.Ordered {
		o := &p.Ordered[i]
		more, report := p.translate(o.String(), o.Decision, func(t *translation) {
			if len(p.Ordered) > maxRanks && o.Decision == policy.Allow {
				t.leave("there are more than %d permissions", maxRanks)
				return
			}
			t.ordered(o, p.Ordered[i+1:])
		})
		rules, reports = append(rules, more...), append(reports, report)
	}
	for _, name := range p.Unread {
		item := transfer.New(name)
		item.Restricts = true
		item.Leave("Pollux reads only prefix_rule, with texts and lists of them")
		reports = append(reports, item)
	}
	for _, prefix := range p.Doubtful {
		item := transfer.New("allow " + prefix)
		item.Leave("its file has statements that Pollux does not read")
		reports = append(reports, item)
	}
	if len(p.Ordered) <= maxRanks {
		rank(rules)
	}
	return rules, reports
}

// translate returns the rules for a permission, and the report about it.
func (p *Permissions) translate(name string, decision policy.Decision, translate func(t *translation)) ([]Rule, *transfer.Item) {
	t := translation{home: p.Home, decision: decision}
	if decision == policy.Allow && p.IsOfProject {
		t.leave("a project must not allow anything")
	} else {
		translate(&t)
	}
	for i := range t.rules {
		t.rules[i].Permission, t.rules[i].Decision = name, decision
	}
	return t.rules, t.report(name)
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

func (t *translation) report(name string) *transfer.Item {
	i := transfer.New(name)
	i.Restricts = t.decision != policy.Allow
	for _, note := range t.notes {
		i.Change("%s", note)
	}
	if t.isLeft || len(t.rules) == 0 {
		i.Result = transfer.LeftOut
	}
	return i
}
