package app

import (
	"pollux/internal/exit"
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
