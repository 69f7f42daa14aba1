package policy

import (
	"slices"
	"sync"
)

// ruleset holds rules in order of precedence. It is immutable.
type ruleset struct {
	all []Rule
	// byTool are the rules about one tool, which are found at its first call. A session has few
	// tools, and may have thousands of rules.
	byTool sync.Map // toolKey to toolRules
}

type toolKey struct {
	name, server, serverOf string
	guessed                bool
}

type toolRules struct {
	aliases  []string
	rules    []*Rule
	programs []programs // of each rule
}

// programs is a set of programs that a rule's prefixes begin with. It is a bloom filter: it may
// contain others. Most rules are about one program, and most commands about none of them.
type programs uint64

const anyProgram = ^programs(0)

// programOf returns the set of the program that a command or a prefix begins with.
func programOf(command string) programs {
	hash := uint32(2166136261) // FNV-1a
	for i := 0; i < len(command) && command[i] != ' ' && command[i] != '"'; i++ {
		hash = (hash ^ uint32(command[i])) * 16777619
	}
	return 1 << (hash >> 26)
}

// programs returns the programs of the rule's prefixes; of a rule without prefixes, any.
func (r *Rule) programs() programs {
	if len(r.Prefixes) == 0 {
		return anyProgram
	}
	var set programs
	for _, p := range r.Prefixes {
		set |= programOf(p)
	}
	return set
}

func newRuleset(rules []Rule) *ruleset {
	sortRules(rules)
	return &ruleset{all: rules}
}

// about returns the rules that match the tool of a call, in order of precedence.
func (s *ruleset) about(q *query) *toolRules {
	key := toolKey{q.Name, q.Server, q.ServerOf, q.guessed}
	if known, ok := s.byTool.Load(key); ok && slices.Equal(known.(*toolRules).aliases, q.Aliases) {
		return known.(*toolRules)
	}
	var few [32]*Rule
	matching := few[:0]
	for i := range s.all {
		if r := &s.all[i]; r.matchesName(q) {
			matching = append(matching, r)
		}
	}
	t := &toolRules{aliases: q.Aliases, rules: slices.Clone(matching), programs: make([]programs, len(matching))}
	for i, r := range t.rules {
		t.programs[i] = r.programs()
	}
	if q.Name != agentTool { // whose rules depend on its arguments
		s.byTool.Store(key, t)
	}
	return t
}
