// Package tool says what a tool is: something that a model may ask to have
// done on the user's machine.
//
// A [Tool] is declared to the model by its [Spec]. A model's call becomes an
// [Invocation] with [Build], which checks the arguments against the tool's
// schema and lets the tool check what a schema can't say. An invocation can
// tell a person what it will do, and do it; what came of it is a [Result].
//
// No tool decides whether it may run, asks for permission, or cuts its output
// to the model's liking: whoever runs the invocation does (see agent.Gate), so
// there is one place where it is done.
package tool
