package policy

import (
	"maps"
	"slices"

	"github.com/dlclark/regexp2"
)

// AgentRules are the rules in the definitions of subagents.
type AgentRules struct {
	// Remote are the subagents that run elsewhere: each call of one needs approval, unless a rule of the
	// user's decides otherwise.
	Remote []string
	// Trusted are the MCP servers whose tools a subagent may call without a question, by the subagent.
	Trusted map[string][]string
}

const agentSource = "Agent definitions"

// isRemoteAgent reports whether a call is one of a remote subagent. An answer is about one such call alone:
// the text of the next one is unknown.
func (e *Engine) isRemoteAgent(q *query) bool {
	return q.Name == agentTool && slices.ContainsFunc(e.Rules(), func(r Rule) bool {
		return r.isAboutRemoteAgent() && r.matches(q, Default, true)
	})
}

// isAboutRemoteAgent reports whether the rule, nil for none, asks about a remote subagent because it is one.
func (r *Rule) isAboutRemoteAgent() bool {
	return r != nil && r.Source == agentSource && r.Decision == Ask
}

// SetAgentRules replaces the rules from definitions of subagents.
func (e *Engine) SetAgentRules(r AgentRules) {
	e.change.Lock()
	defer e.change.Unlock()
	s := *e.state.Load()
	rules := slices.DeleteFunc(slices.Clone(s.rules.all), func(r Rule) bool { return r.Source == agentSource })
	if len(r.Remote)+len(r.Trusted) == 0 && len(rules) == len(s.rules.all) {
		return
	}
	for _, name := range r.Remote {
		rules = append(rules, Rule{
			Tools: []string{agentTool}, Decision: Ask, Priority: 1.150, Modes: In(Default, AutoEdit), Source: agentSource,
			Args: &Pattern{source: `\x00"agent_name":"` + regexp2.Escape(name) + `"\x00`},
		})
	}
	for _, name := range slices.Sorted(maps.Keys(r.Trusted)) {
		for _, server := range r.Trusted[name] {
			rules = append(rules, Rule{
				Tools: serverTools(server), owner: server, ownerOf: name, Decision: Allow, Priority: 4.2, Modes: In(Default, AutoEdit, Yolo), Subagent: name, Source: agentSource,
			})
		}
	}
	s.rules = newRuleset(rules)
	e.state.Store(&s)
}
