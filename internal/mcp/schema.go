package mcp

import (
	"bytes"
	"encoding/json"
)

// cleanSchema returns the schema of a tool's arguments, which is valid JSON, as the server wrote it but
// without white space, or one without arguments if the server has none that is a JSON object. Each
// provider adapts it to its own limits.
func cleanSchema(schema json.RawMessage) json.RawMessage {
	var compact bytes.Buffer
	if json.Compact(&compact, schema) != nil || !bytes.HasPrefix(compact.Bytes(), []byte("{")) {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return compact.Bytes()
}
