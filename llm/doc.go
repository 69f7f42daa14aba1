// Package llm defines messages to language models, their answers, and [Generator],
// the interface that all vendors' adapters and all decorators implement.
//
// The types follow Gemini's REST API, because histories, hooks and recordings on
// disk have its form. Types of vendors' SDKs do not leave the adapters (llm/gemini
// and others). Encoding a [Content] to JSON and back loses nothing, including keys
// of parts that Pollux does not know. A [Response] keeps the fields declared here.
//
// # Immutable values
//
// A [Content] or [ToolSet] must not change after it has been used in a request.
// Adapters keep its encoded form with it (see [Content.Encoded]), so that a request
// costs only its new part, not the whole history.
//
// # Errors
//
// Adapters return failures as an [*Error], whose Kind determines the reaction: wait and try
// again, switch models, ask the user, or give up. Code above the adapters never
// looks at status codes or vendors' error texts.
package llm
