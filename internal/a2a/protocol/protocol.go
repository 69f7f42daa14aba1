// Package protocol has the names of the protocol A2A (https://a2a-protocol.org) that its client, package a2a, and its server,
// package face/a2a, share. Version 1.0 has other names than version 0.3.
package protocol

import "strings"

const (
	// CardPath is where an agent's card is, in both versions.
	CardPath = "/.well-known/agent-card.json"
	// VersionHeader is the header with the version of a request. A request without it has version 0.3.
	VersionHeader = "A2A-Version"
	// Old and New are the versions.
	Old, New = "0.3.0", "1.0"
)

// IsNew reports whether a version is 1.0 or one that is compatible with it.
func IsNew(version string) bool { return version == "1" || strings.HasPrefix(version, "1.") }

// The kinds of events.
const (
	TaskEvent     = "task"
	MessageEvent  = "message"
	StatusEvent   = "status-update"
	ArtifactEvent = "artifact-update"
)

// Method is a method by its names in JSON-RPC.
type Method struct{ Old, New string }

// Name returns the name of the method in a version.
func (m Method) Name(isNew bool) string {
	if isNew {
		return m.New
	}
	return m.Old
}

// The methods.
var (
	Send      = Method{"message/send", "SendMessage"}
	Stream    = Method{"message/stream", "SendStreamingMessage"}
	Get       = Method{"tasks/get", "GetTask"}
	Cancel    = Method{"tasks/cancel", "CancelTask"}
	Subscribe = Method{"tasks/resubscribe", "SubscribeToTask"}
)

// The prefixes of states and roles in version 1.0.
const (
	statePrefix = "TASK_STATE_"
	rolePrefix  = "ROLE_"
)

// State returns a state of a task as version 0.3 writes it, such as input-required.
func State(state string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(state, statePrefix)), "_", "-")
}

// NewState returns a state of version 0.3 as version 1.0 writes it.
func NewState(state string) string {
	return statePrefix + strings.ToUpper(strings.ReplaceAll(state, "-", "_"))
}

// Role returns a role as version 0.3 writes it: agent or user.
func Role(role string) string {
	return strings.ToLower(strings.TrimPrefix(strings.ToUpper(role), rolePrefix))
}

// NewRole returns a role of version 0.3 as version 1.0 writes it.
func NewRole(role string) string { return rolePrefix + strings.ToUpper(role) }

// The codes of errors, beside those of JSON-RPC.
const (
	TaskNotFound       = -32001
	NotCancelable      = -32002
	NoPush             = -32003
	Unsupported        = -32004
	BadContentType     = -32005
	NoExtendedCard     = -32007
	UnsupportedVersion = -32009
)
