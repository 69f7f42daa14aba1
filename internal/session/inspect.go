package session

import (
	"pollux/internal/exit"
	"pollux/internal/guard/policy"
	"pollux/internal/process"
	"pollux/internal/workspace"
)

// Inspection describes what a session would begin with, without running or accepting
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

// Inspect returns what a session with this setup would begin with. It warns of settings
// that have no effect.
func (p *Setup) Inspect() Inspection {
	var i Inspection
	r, err := p.policyFiles(func(policy.Integrity) bool { return p.takesPolicies() })
	i.Rules, i.Refused = len(r.Rules), err
	_, i.Instruction, i.Unread = p.ownInstruction()
	i.LacksCall = p.lacksCallCommand()
	if i.Discovers = p.discoversTools(); i.Discovers {
		if err := p.discovery().Check(); err != nil {
			i.Undiscovered = exit.Errorf(exit.Config, "%w", err)
		}
	}
	return i
}

// Ripgrep returns the program that a session with this setup searches with, "" if
// there is none.
func (p *Setup) Ripgrep() string {
	quiet := p.quiet() // a session warns of what is wrong
	return quiet.ripgrep(newWorkspace(quiet))
}

// ripgrep returns the path of rg.
func (p *Setup) ripgrep(ws *workspace.Workspace) string { return p.findProgram(ws, "rg") }

// findProgram returns the path of a program, "" if there is none. One inside the workspace is not
// the user's, but the repository's or the model's, and does not count.
func (p *Setup) findProgram(ws *workspace.Workspace, name string) string {
	outside := ws.Dirs()
	if temp := ws.ProjectTemp(); temp != "" {
		outside = append(outside, temp)
	}
	return process.Finder{Path: p.Env.Get("PATH"), Outside: outside}.Find(name)
}
