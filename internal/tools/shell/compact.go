package shell

import (
	"encoding/json"

	"pollux/tool"
)

// compact is the declaration for a model with little room. Calls may have the parameters that
// it leaves out.
var compact = &tool.Declaration{
	Description: "Runs a command with bash and returns its output and exit code. It gets no input. $(...) and backticks outside single quotes are refused.",
	Schema: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"},` +
		`"dir_path":{"type":"string","description":"Where to run it."},` +
		`"is_background":{"type":"boolean","description":"True for a command that goes on running, such as a server."}},"required":["command"]}`),
}
