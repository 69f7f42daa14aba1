package tool

import (
	"context"
	"encoding/json"
	"os"
)

// Tool is one thing that a model may ask for. Its methods may be called from
// several goroutines at once.
type Tool interface {
	// Spec describes the tool. It returns the same value at every call.
	Spec() *Spec

	// Build makes an invocation of a model's arguments, a JSON object that
	// already fits the schema. It touches nothing: it may look at the disk to
	// refuse what cannot work, and its error text goes to the model as it is.
	// Call it through [Build].
	Build(args json.RawMessage) (Invocation, error)
}

// Spec is what a tool says of itself (spec/tools.md §1.1).
type Spec struct {
	Name string // as the model calls it
	// DisplayName is what a person reads.
	DisplayName string
	// Aliases are other names that calls and settings may use: a former name
	// that models still know, the class name that old settings files use.
	Aliases []string
	// Description tells a model when and how to use the tool. Brief is for
	// model families that need fewer words; where it is empty, Description serves all.
	Description string
	Brief       string
	Schema      json.RawMessage // JSON schema of the arguments
	Kind        Kind
	// Serial tools run alone and in the order of the calls; all others may run
	// beside each other (spec/tools.md §5.3).
	Serial bool
	// First tools run before the other calls of the same answer, wherever the model
	// has put them (spec/tools.md §5.2).
	First bool
	// Plain output is not Markdown.
	Plain bool
}

// Kind is what a tool does to the world.
type Kind string

// The kinds of tools.
const (
	KindRead        Kind = "read"
	KindEdit        Kind = "edit"
	KindDelete      Kind = "delete"
	KindMove        Kind = "move"
	KindSearch      Kind = "search"
	KindExecute     Kind = "execute"
	KindThink       Kind = "think"
	KindAgent       Kind = "agent"
	KindFetch       Kind = "fetch"
	KindCommunicate Kind = "communicate"
	KindPlan        Kind = "plan"
	KindSwitchMode  Kind = "switch_mode"
	KindOther       Kind = "other"
)

// Mutates reports whether tools of this kind change something.
func (k Kind) Mutates() bool {
	switch k {
	case KindEdit, KindDelete, KindMove, KindExecute:
		return true
	}
	return false
}

// Invocation is one call of a tool, checked and ready to run. It is used by
// one goroutine at a time and run at most once.
type Invocation interface {
	// Summary says in one line what the call will do.
	Summary() string

	// Locations names the files that the call is about; often none.
	Locations() []Location

	// Confirmation returns what a person should see before the call runs. Nil
	// means that there is nothing to ask about: the call cannot succeed and
	// will say so itself when it runs.
	Confirmation(ctx context.Context) (Confirmation, error)

	// Run does the work. It never panics for bad input and never returns nil;
	// a failure is a Result with Error set. When ctx is cancelled it stops what
	// it started, child processes included, and returns within 100 ms with
	// what there was so far.
	Run(ctx context.Context, host Host) *Result
}

// Location is a place in a file.
type Location struct {
	Path string // absolute
	Line int    // from 1; 0 for the whole file
}

// Host is what a running invocation may use of the place it runs in. The zero
// Host works: output is not shown live, and is cut to nothing but memory's bounds.
type Host struct {
	// Output, where set, shows what the tool has so far. It replaces what was
	// shown before, and returns quickly.
	Output func(Display)
	// Started, where set, is told the process that does the work.
	Started func(pid int)
	// Limit is how many characters (UTF-16 units) the model may get; 0 is no
	// limit. A tool whose output can be huge keeps to it while it produces
	// (see [Collector]); others leave the cutting to the gate.
	Limit int
	// Spill, where set, creates the file that takes what the model does not
	// get. It is created at most once per call, mode 0600.
	Spill func() (*os.File, error)
}
