// Package subagent runs agents that a model delegates work to with the tool invoke_agent.
//
//   - definition.go defines a subagent; parse.go reads definitions from files, load.go the files of
//     several sources; builtin.go has Pollux's own subagents. set.go finds them, override.go applies settings.
//   - acknowledge.go stores which definitions of a project the user has accepted.
//   - invoke.go is the tool invoke_agent, complete.go the tool with which a subagent returns its result.
//   - run.go runs a subagent within its budgets; clock.go measures its time, progress.go reports its work.
//
// The session builds the agent that runs; see [Options.Start].
package subagent

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"
)

// Definition describes a subagent.
type Definition struct {
	Name        string
	DisplayName string // "" for none
	// Description explains to a model when to use the subagent.
	Description string
	Kind        Kind
	Origin      Origin
	// Path is the file of the definition, "" for built-in ones. Extension is the name of the extension
	// that brings it, "" for none.
	Path, Extension string
	// Hash identifies the acknowledged definition of a project's subagent: the SHA-256 of its file or
	// of its inline card in hexadecimal, or the address of its card.
	Hash string
	// Content identifies the content of the project's files that the servers of a project's subagent run, ""
	// if there are none.
	Content string

	// Fields of local subagents.

	// Prompt is the system instruction, and Query the first message; "" is the prompt of the call. Both
	// are templates, see [Expand]. Input is the name of the input in them, beside "prompt".
	Prompt, Query, Input string
	// IsCore uses the system instruction of Pollux in the place of Prompt.
	IsCore bool
	// Tools are the names of the tools that the subagent may use, nil for all.
	Tools []string
	// Servers are MCP servers for this subagent alone, by name, as entries of the setting mcpServers.
	Servers map[string]json.RawMessage
	// ProjectServers are the names of those that the settings of a project add.
	ProjectServers []string
	// Model is the name of the model; "" is that of the session. Class, if set, selects a model where the
	// session's is one of Google's, and Model is "".
	Model string
	Class Class
	// Settings change the request parameters of the model, as generateContentConfig does.
	Settings map[string]any
	// MaxTurns and Timeout limit a run.
	MaxTurns int
	Timeout  time.Duration
	// Output is the result that the subagent must return; nil is text.
	Output *Output

	// Fields of remote subagents. Exactly one of CardURL and CardJSON is set. Auth is the value of the key
	// auth as it is in the file, nil for none.
	CardURL, CardJSON string
	Auth              map[string]any
}

// Kind is where a subagent runs.
type Kind string

// The kinds.
const (
	LocalKind  Kind = "local"
	RemoteKind Kind = "remote"
)

// Class is a kind of work for which Google's models differ.
type Class string

// The classes.
const (
	Investigation Class = "investigation" // much reading
	QuickAnswer   Class = "quick"
)

// Origin is where a definition comes from.
type Origin string

// The origins, in the order of precedence.
const (
	Builtin       Origin = "built-in"
	Project       Origin = "project"
	User          Origin = "user"
	FromExtension Origin = "extension"
)

// Output describes the result of a subagent.
type Output struct {
	Name        string          // of the argument of complete_task
	Description string          // for the model
	Schema      json.RawMessage // of the argument: an object with required members
	// Text returns the result for the agent that called.
	Text func(value json.RawMessage) string
}

// Remote sends prompts to a remote subagent. Its methods may be called from several goroutines at once.
type Remote interface {
	// Describe returns the description in the subagent's card.
	Describe(ctx context.Context) (string, error)
	// Address returns the scheme and the host to which Send sends, "" if that is not known. It may load the
	// card.
	Address(ctx context.Context) string
	// Send sends a text and returns the response. It calls update with the response so far. With an
	// error, the response is the part that has arrived.
	Send(ctx context.Context, text string, update func(text string)) (string, error)
}

// The limits of a run whose definition has none.
const (
	DefaultTurns   = 30
	DefaultTimeout = 10 * time.Minute
)

// IsOfProject reports whether a project brings the server with this name.
func (d *Definition) IsOfProject(server string) bool {
	return d.Origin == Project || slices.Contains(d.ProjectServers, server)
}

// Title returns the name of the subagent for people.
func (d *Definition) Title() string { return cmp.Or(d.DisplayName, d.Name) }
