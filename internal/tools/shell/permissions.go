package shell

import (
	"bytes"
	"encoding/json"
)

// permissions is the parameter by which a call asks for more than the sandbox allows. Sandbox steps of the gate read it.
const permissions = `,"additional_permissions":{"type":"object","description":"What the command needs and the sandbox refuses. The user is asked about it. Set it only if a run without it has failed, or is certain to.",` +
	`"properties":{"network":{"type":"boolean","description":"All of it. The user is asked about single TCP hosts anyway, while a command waits for them."},"fileSystem":{"type":"object","properties":{` +
	`"read":{"type":"array","items":{"type":"string"},"description":"Hidden files to read."},` +
	`"write":{"type":"array","items":{"type":"string"},"description":"Files or directories outside of the workspace to change."}}}}}`

// withPermissions returns the schema with that parameter.
func withPermissions(schema json.RawMessage) json.RawMessage {
	return bytes.Replace(schema, []byte(`},"required"`), []byte(permissions+`},"required"`), 1)
}
