// Package policy decides which tool calls may run.
//
// An [Engine] has rules sorted by priority. The first rule that matches a call decides to allow
// it, deny it, or ask. Rules come from the built-in table ([Builtin]), from settings
// ([FromSettings]), from policy files ([Load]), and from answers "always" of the user
// ([Engine.Remember]). A shell command is split into its commands, and each of them must be
// allowed.
//
// [Engine.Explain] explains a decision, [CheckFiles] checks policy files, and [ReadTests] reads
// tables of expected decisions.
//
// The engine only decides. Asking the user and reporting a refusal to the model is the task of
// the gate (package guard).
package policy
