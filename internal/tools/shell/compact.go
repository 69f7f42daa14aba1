package shell

import (
	"encoding/json"

	"pollux/tool"
)

// noInput is in all descriptions of the tool, which have its limits after it.
const noInput = "The command gets no input."

// compact is the declaration for a model with little room. Calls may have the parameters that
// it leaves out. See [Options.describe] for the limits in its description.
var compact = &tool.Declaration{
	Description: "Runs a command with bash and returns its output and exit code. " + noInput,
	Schema: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"},` +
		`"dir_path":{"type":"string","description":"Where to run it."},` +
		`"is_background":{"type":"boolean","description":"True for a command that goes on running, such as a server."},` +
		`"timeout_seconds":{"type":"number"}},"required":["command"]}`),
}
