// Package agent is the loop at the heart of Pollux: a prompt goes to a model,
// the model asks for tools, the tools run, their results go back, until the
// model has no more to ask for.
//
// [Agent.Run] is that loop, small enough to read in one sitting (run.go). What
// makes it good is called from it step by step: one model exchange with its
// retries (turn.go), or with a shorter history where there was too much of it
// (overflow.go), an answer while it comes in (reply.go, thought.go), the history
// that is sent and the history that is kept (history.go), the calls of one answer
// on their way through the gate (scheduler.go). What a person does to a conversation
// between two runs is in between.go. What it needs from outside it declares in
// contracts.go; everything but a [Gate] and a model may be nil.
//
// A run reports what happens as a sequence of [Event]s. It never prints, asks
// or decides for a person: a face does, by what it makes of the events.
package agent
