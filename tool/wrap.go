package tool

// Remote is implemented by tools that an MCP server offers. Find it with [As],
// because the tool may be wrapped.
type Remote interface {
	// Server returns the name of the server in the user's settings.
	Server() string
	// RemoteName returns the name of the tool on the server.
	RemoteName() string
	// Annotations returns the server's statements about the tool, such as
	// "readOnlyHint".
	Annotations() map[string]any
}

// Private is implemented by a [Remote] tool of a server that only one subagent has.
type Private interface {
	// Subagent returns the name of the subagent, "" if the server is the session's.
	Subagent() string
}

// Relayed is implemented by an [Invocation] that sends a model's choice to an MCP server, although
// its tool is not one of the server's.
type Relayed interface {
	// Remote returns a [Remote] tool: the call needs the approval that a call of this tool would need.
	Remote() Tool
}

// Ordered is implemented by an [Invocation] that takes its turn before it runs: of calls that run side by side, Enter
// is called for each before it runs, in the order of the calls. A call may also run without it.
type Ordered interface{ Enter() }

// As finds an optional interface, such as [Remote], [Modifiable] or
// [Answerable], of a [Tool] or an [Invocation]. It returns v itself if that
// implements T, and else unwraps v, like errors.As: a wrapper has a method Unwrap
// that returns the Tool or the Invocation below it.
func As[T any](v any) (found T, ok bool) {
	for {
		if found, ok = v.(T); ok {
			return found, true
		}
		switch w := v.(type) {
		case interface{ Unwrap() Tool }:
			v = w.Unwrap()
		case interface{ Unwrap() Invocation }:
			v = w.Unwrap()
		default:
			return found, false
		}
	}
}
