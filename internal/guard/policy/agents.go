package policy

import (
	"slices"

	"github.com/dlclark/regexp2"
)

const remoteAgents = "Default: remote agents"

// SetRemoteAgents makes these the subagents that run elsewhere: each call of one needs approval, unless a
// rule of the user's decides otherwise.
func (e *Engine) SetRemoteAgents(names []string) {
	e.change.Lock()
	defer e.change.Unlock()
	s := *e.state.Load()
	rules := slices.DeleteFunc(slices.Clone(s.rules.all), func(r Rule) bool { return r.Source == remoteAgents })
	if len(names) == 0 && len(rules) == len(s.rules.all) {
		return
	}
	for _, name := range names {
		rules = append(rules, Rule{
			Tools: []string{agentTool}, Decision: Ask, Priority: 1.150, Modes: In(Default, AutoEdit), Source: remoteAgents,
			Args: &Pattern{source: `\x00"agent_name":"` + regexp2.Escape(name) + `"\x00`},
		})
	}
	sortRules(rules)
	s.rules = newRuleset(rules)
	e.state.Store(&s)
}
