// Package oauth provides the bearer tokens for requests to a server, such as an MCP server.
//
// A [Source] has the tokens of one server. Its Sign adds a token to a request and refreshes it before it
// expires; its Renew replaces one that the server refuses. When there is none, [Source.Authorize] asks a
// person to sign in with a browser. [Google] has the tokens of Google Cloud instead.
//
//   - source.go: a token for each request. refresh.go: replacing it.
//   - store.go: where tokens are between runs. file.go, credential.go: the formats, which Gemini CLI shares.
//   - authorize.go: the sign-in of a person. discover.go, register.go, callback.go: its steps.
//   - exchange.go: requests for tokens. client.go: to which addresses requests may go.
//
// A server, and the authorization server that it names, may be hostile. Tokens go only to the server for
// which they were issued, whatever another server of that name has as its address, and refresh tokens only
// to the authorization server that has issued them. No error, warning or question contains a token.
package oauth
