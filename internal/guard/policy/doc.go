// Package policy decides which tool calls may run (spec/safety.md §2).
//
// An [Engine] holds rules in falling order of priority; the first that matches
// a call decides: allow it, deny it, or ask. Rules come from the built-in
// table ([Builtin]), from settings ([FromSettings]), from policy files and
// from people who answered "always" ([Engine.Remember]). A shell command is
// taken apart, and each command in it must pass on its own.
//
// The engine only decides. Who asks a person, and what a refused call returns
// to the model, is the gate's business (package guard).
package policy
