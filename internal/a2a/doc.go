// Package a2a is the client of remote agents, which speak the protocol A2A (https://a2a-protocol.org).
//
// An [Agent] is one agent that the user has set up. Its card describes its skills and its address. [Agent.Describe]
// returns the description for the model, [Agent.Send] gives the agent a task and returns the result.
//
//   - agent.go: an agent, and its card, which is loaded once. card.go: the members of a card.
//   - send.go: one call: the request, its events, the end. poll.go: the end of a task of an agent without streams.
//     conversation.go: the conversations that calls continue.
//   - endpoint.go: the requests: JSON-RPC or REST, of the versions 0.3 and 1.0 of the protocol.
//   - event.go: the events of an agent. result.go: the resulting text.
//   - wire.go: HTTP, with credentials. auth.go, secret.go, signin.go: where these come from.
//   - address.go: to which addresses a card may lead. failure.go: errors.
//
// An agent and its card may be hostile. Credentials go only to the address that the definition of the agent
// names, whatever its card or a redirect names. No error contains a credential. Pollux limits the size of
// an agent's responses, and removes control characters from them.
//
// The package speaks the protocol itself. The client of the protocol's own module
// (github.com/a2aproject/a2a-go) contains gRPC and protobuf, which the program must not; its types do not,
// but they contain encoding/gob, know one version of the protocol, and refuse an event because of one part
// that they do not know. Tests use that module as the judge. An agent that offers only gRPC cannot be called.
package a2a
