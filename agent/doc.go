// Package agent is the loop at the heart of Pollux: it sends a prompt to a model, runs
// the tools that the model requests, sends their results back, and repeats this until the
// model requests nothing more.
//
// [Agent.Run] is that loop (run.go). A turn is one exchange with the model:
//
//   - steps prepare it (steps.go): the message (message.go) has to fit the model's window (fit.go);
//   - attempts send the message (turn.go, request.go) and show the response while it arrives
//     (reply.go, show.go, and package thought);
//   - if an attempt goes wrong, the first recovery that sees the problem repairs it (recovery.go,
//     and a file for each recovery);
//   - the calls of the response pass the gate (scheduler.go), and their results are the next
//     message (calls.go).
//
// The conversation has the messages, their size in tokens, ids and the journal (conversation.go,
// history.go). A person can add prompts while a run is in progress (waiting.go), and change the
// conversation between two runs (between.go).
//
// The package declares its dependencies as interfaces (contracts.go). Only a model and a
// [Gate] are required.
//
// A run reports what happens as a sequence of [Event] values. It never prints and never asks
// a person: a face, the code that reads the events, does both.
package agent
