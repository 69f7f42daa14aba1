// Package llm says what a language model is: the messages that go to it, the
// answers that come back, and the one interface, [Generator], that every
// vendor's adapter and every decorator implements.
//
// The vocabulary has the shape of the Gemini REST interface, because that is
// the shape in which histories, hooks and recordings are kept on disk, but the
// types are Pollux's own: a vendor's SDK never leaves the package that speaks
// its protocol (llm/gemini, ...). A [Content] survives a round trip through JSON
// without loss, keys of its parts that Pollux does not know included; of a
// [Response] what Pollux has a use for does.
//
// # Values that do not change
//
// A [Content] or [ToolSet] is built once and then left alone. Adapters keep
// the encoded form of each with it (see [Content.Encoded]), so that the cost of
// a request is the cost of what is new in it and not of the whole history.
//
// # Errors
//
// An adapter turns whatever went wrong into an [*Error], whose Kind says what
// can be done about it: wait and try again, switch models, ask the user, give
// up. Nothing above the adapter looks at status codes or vendors' texts.
package llm
