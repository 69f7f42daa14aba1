// Package tool defines tools: actions on the user's machine that a model may
// request.
//
// A [Tool] is declared to the model by its [Spec]. A model's call becomes an
// [Invocation] with [Build], which checks the arguments against the tool's
// schema and lets the tool check conditions that a schema cannot express. An
// invocation can describe itself, and run; its outcome is a [Result].
//
// A tool does not decide whether it may run, ask for permission, or cut its
// output to a size that suits the model. The caller of the invocation does all
// of this in one place (see agent.Gate).
//
// A [Registry] holds the tools of a session. An optional interface of a tool or
// an invocation, such as [Remote] or [Modifiable], is found with [As].
package tool
