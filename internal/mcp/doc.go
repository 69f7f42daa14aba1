// Package mcp connects a session with MCP servers: programs and network services that offer tools,
// prompts and resources through the Model Context Protocol.
//
// [Parse] reads the description of a server in the settings. [New] takes the servers of a session,
// and [Servers.Start] connects to all of them at once, in the background. The tools of a server join the
// session's [tool.Registry] when the server has listed them, under an owner of its own, and leave it
// when the connection ends.
//
//   - config.go: the settings of a server.
//   - servers.go: the servers of a session. server.go: the life of one.
//   - program.go, network.go: how messages reach a server. methods.go: the requests to it in types of
//     our own. signin.go: tokens for services, from package oauth.
//   - start.go: how many start at once.
//   - offer.go: the offer of a server. renew.go: lists that change. kept.go: offers stored for the next session.
//     recheck.go: whether they still hold.
//   - tool.go, call.go, result.go: calling its tools.
//   - asks.go: the server's own requests while a request to it runs (errand.go): an answer of a person
//     (elicit.go, package form), or of the model (sample.go).
//
// Nothing that a server sends is trusted: names, texts, sizes, times and the order of messages.
package mcp
