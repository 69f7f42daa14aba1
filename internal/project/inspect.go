package project

import (
	"pollux/internal/exit"
	"pollux/internal/guard/policy"
)

// Inspection describes the beginning of a session, without running or accepting
// anything.
type Inspection struct {
	// Rules is how many rules the policy files have. Refused is why none of them
	// counts, and no session begins.
	Rules   int
	Refused error
	// Instruction is the file that replaces the system instruction, "" for none, and
	// Unread is the error of reading it.
	Instruction string
	Unread      error
	// Discovers reports whether the user has a command that lists tools, and Undiscovered
	// is the reason if it cannot be run.
	Discovers    bool
	Undiscovered error
	// LacksCall reports whether that command is left out, because none calls the tools.
	LacksCall bool
}

// Inspect describes the beginning of a session in this project. It warns of settings
// that have no effect.
func (p *Project) Inspect() Inspection {
	var i Inspection
	r, err := p.ReadPolicies(func(policy.Integrity) bool { return p.takesPolicies() })
	i.Rules, i.Refused = len(r.Rules), err
	_, i.Instruction, i.Unread = p.OwnInstruction()
	i.LacksCall = p.LacksCallCommand()
	if i.Discovers = p.DiscoversTools(); i.Discovers {
		if err := p.Discovery().Check(); err != nil {
			i.Undiscovered = exit.Errorf(exit.Config, "%w", err)
		}
	}
	return i
}
