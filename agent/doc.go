// Package agent is the loop at the heart of Pollux: it sends a prompt to a model, runs
// the tools that the model requests, sends their results back, and repeats this until the
// model requests nothing more.
//
// [Agent.Run] is that loop (run.go). It calls each step by name (steps.go):
//
//   - one exchange with the model, with retries (turn.go), repeated with a compressed
//     history if the request was too long (overflow.go);
//   - a response while it arrives (reply.go, thought.go);
//   - the tool calls of one response, which pass the gate (scheduler.go);
//   - the conversation: its messages, their size in tokens, ids and the journal
//     (conversation.go, history.go);
//   - prompts that a person adds while a run is in progress (waiting.go), and changes
//     between two runs (between.go).
//
// The package declares its dependencies as interfaces (contracts.go). Only a model and a
// [Gate] are required.
//
// A run reports what happens as a sequence of [Event] values. It never prints and never asks
// a person: a face, the code that reads the events, does both.
package agent
