// Package schema has the messages of version 1 of the Agent Client Protocol, as far as Pollux sends and reads them. Fields
// that Pollux does not know are ignored; those that it leaves out are optional.
package schema

import "maps"

// Version is the version of the protocol.
const Version = 1

// The methods of the agent.
const (
	Initialize   = "initialize"
	Authenticate = "authenticate"
	Logout       = "logout"
	New          = "session/new"
	Load         = "session/load"
	Resume       = "session/resume"
	List         = "session/list"
	Close        = "session/close"
	Delete       = "session/delete"
	Prompt       = "session/prompt"
	SetMode      = "session/set_mode"
	SetModel     = "session/set_model"
	SetOption    = "session/set_config_option"
	Cancel       = "session/cancel" // a notification
)

// The methods of the client.
const (
	Update            = "session/update" // a notification
	RequestPermission = "session/request_permission"
	ReadTextFile      = "fs/read_text_file"
	WriteTextFile     = "fs/write_text_file"
	CreateTerminal    = "terminal/create"
	TerminalOutput    = "terminal/output"
	WaitForExit       = "terminal/wait_for_exit"
	KillTerminal      = "terminal/kill"
	ReleaseTerminal   = "terminal/release"
	Elicit            = "elicitation/create"
	ElicitationDone   = "elicitation/complete" // a notification
)

// The codes of errors that the protocol adds to those of JSON-RPC.
const (
	AuthRequired = -32000
	NotFound     = -32002
)

// Meta is the field _meta of a message, whose names the protocol leaves to both sides.
type Meta map[string]any

// With returns a copy of m with more fields.
func (m Meta) With(more Meta) Meta {
	all := maps.Clone(m)
	if all == nil {
		all = Meta{}
	}
	maps.Copy(all, more)
	return all
}

// Empty is a result, or a capability, without fields.
type Empty struct{}
