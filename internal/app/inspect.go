package app

import (
	"pollux/internal/exit"
	"pollux/internal/program"
	"pollux/internal/workspace"
)

// Inspection is what a session with given options would begin with. Nothing is run
// for it, or accepted.
type Inspection struct {
	// Rules is how many rules the policy files have. Refused is why none of it
	// counts, and no session begins.
	Rules   int
	Refused error
	// Instruction is the file that takes the place of Pollux's own instruction, ""
	// for none, and Unread why it cannot be read.
	Instruction string
	Unread      error
	// Discovers says that a command of the user's lists tools, and Undiscovered
	// why it cannot even be run.
	Discovers    bool
	Undiscovered error
}

// Ripgrep returns the program that a session with these options searches with, "" if
// there is none.
func Ripgrep(o Options) string {
	o.Warn = func(string) {} // it is said where there is a session
	return ripgrep(o, newWorkspace(o))
}

// ripgrep finds it. One inside the workspace is not the user's, but whoever's the
// repository is, or the model's, and does not count.
func ripgrep(o Options, ws *workspace.Workspace) string {
	outside := ws.Dirs()
	if temp := ws.ProjectTemp(); temp != "" {
		outside = append(outside, temp)
	}
	return program.Finder{Path: o.Env.Get("PATH"), Outside: outside}.Find("rg")
}

// Inspect finds that out. What does not count goes to o.Warn.
func Inspect(o Options) Inspection {
	var i Inspection
	r, err := policyFiles(o, acceptable)
	i.Rules, i.Refused = len(r.Rules), err
	_, i.Instruction, i.Unread = ownInstruction(o)
	if i.Discovers = discovers(o); i.Discovers {
		if err := discovery(o).Check(); err != nil {
			i.Undiscovered = exit.Errorf(exit.Config, "%w", err)
		}
	}
	return i
}
