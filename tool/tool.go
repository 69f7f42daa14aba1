package tool

import (
	"context"
	"encoding/json"
	"iter"
	"os"
	"slices"

	"pollux/llm/ellipsis"
)

// Tool is one action that a model may request. Its methods may be called from
// several goroutines at once.
type Tool interface {
	// Spec describes the tool. It always returns the same value.
	Spec() *Spec

	// Build creates an invocation from a model's arguments, a JSON object that matches the
	// schema. It changes nothing, but may read the disk to reject calls that cannot succeed.
	// The model gets the text of the error. Callers use the function [Build], which checks the
	// schema first.
	Build(args json.RawMessage) (Invocation, error)
}

// Spec describes a tool.
type Spec struct {
	Name string // as the model calls it
	// DisplayName is the name for people.
	DisplayName string
	// Aliases are other names that calls and settings may use: a former name
	// that models still know, the class name that old settings files use.
	Aliases []string
	// Description explains to a model when and how to use the tool. Brief is a shorter
	// description for model families that need fewer words; if it is empty, all families get
	// Description.
	Description string
	Brief       string
	Schema      json.RawMessage // JSON schema of the arguments
	// Accepted, if set, is the schema that calls are checked against. It accepts more than Schema, which
	// models get.
	Accepted json.RawMessage
	// WholeTexts are the parameters whose value is a whole text, see [llm.FunctionDeclaration].
	WholeTexts []string
	// Compact, if set, is declared to a model with little room, see [Form]. Its schema has the
	// parameters that are used every day; a call may still have those of Schema.
	Compact *Declaration
	Kind    Kind
	// Serial tools run alone and in the order of the calls, whatever their Kind. So do tools
	// that change something or whose effect is unknown; all others may run at the same time.
	Serial bool
	// First tools run before the other calls of the same response, whatever their
	// position in it.
	First bool
	// Plain is true if the output is not Markdown.
	Plain bool
}

// Names returns the name of the tool and its aliases.
func (s *Spec) Names() []string { return append([]string{s.Name}, s.Aliases...) }

// IsNamed reports whether a name is that of the tool, or one of its aliases.
func (s *Spec) IsNamed(name string) bool { return s.Name == name || slices.Contains(s.Aliases, name) }

// Declaration is the description of a tool for a model.
type Declaration struct {
	Description string
	Schema      json.RawMessage
}

// Kind is the effect of a tool.
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
	// Summary describes the call in one line.
	Summary() string

	// Locations returns the files that the call reads or changes, as far as they are known.
	Locations() []Location

	// Confirmation returns the question to ask a person before the call runs. Nil
	// means that no question is needed, because the call cannot succeed and
	// will report why when it runs.
	Confirmation(ctx context.Context) (Confirmation, error)

	// Run does the work. It never panics for bad input and never returns nil;
	// a failure is a Result with Error set. When ctx is cancelled it stops all
	// its work, child processes included, and returns the output so far within
	// 100 ms.
	Run(ctx context.Context, host Host) *Result
}

// Location is a place in a file.
type Location struct {
	Path string // absolute
	Line int    // from 1; 0 for the whole file
}

// Host connects a running invocation to its caller. All fields may be zero: then the call
// shows no output while it runs, and limits its output only to protect memory.
type Host struct {
	// CallID is the id of the call of the model; "" if it has none.
	CallID string
	// Output, if set, shows the output so far in place of the output shown before. It returns
	// quickly.
	Output func(Display)
	// Started, if set, receives the id of the process that the call has started.
	Started func(pid int)
	// Ask, if set, asks a person while the call runs.
	Ask Ask
	// Nested, if set, receives the events of an agent that the call runs. Call agent.Forward,
	// which calls it.
	Nested func(NestedEvent)
	// Limit is the maximum number of characters (UTF-16 units) that the model gets; 0 is no
	// limit. A tool whose output may be huge observes it while it produces the output (see
	// [Collector]); for other tools the gate shortens the output.
	Limit int
	// Room is the number of tokens that the result should have at most; 0 is no limit. A tool
	// that can return a smaller part, and name it, observes it. The caller shortens the
	// results of other tools that do not fit.
	Room int
	// Earlier, if set, returns the results of earlier calls of the same tool that the model still
	// has as they were returned, the newest first: the arguments of each and a function that returns its
	// text, false for a failed call. It ends at the last call, of any tool, that may have changed
	// files, is nil after such a call of the same response, and leaves out results that are far back,
	// because they may be shortened or removed before the next request.
	Earlier func() iter.Seq2[json.RawMessage, func() (string, bool)]
	// Unasked is true for a call that runs because it is known to be harmless, without the approval of
	// a person or of a rule of theirs. It gets no secrets.
	Unasked bool
	// Spill, if set, creates the file for the complete output, with mode 0600. It is called at
	// most once for each call.
	Spill func() (*os.File, error)
}

// NestedEvent is an event of an agent that runs inside a tool call. Package agent defines the
// kinds.
type NestedEvent interface{ NestedEvent() }

// BriefArgs returns the arguments of a call, or their beginning, as the [Invocation.Summary] of a tool that
// knows no more of them.
func BriefArgs(args []byte) string {
	return ellipsis.Bytes(string(args), 200)
}
