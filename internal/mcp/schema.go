package mcp

import "encoding/json"

// cleanSchema returns the schema of a tool's arguments as the server wrote it, or one without arguments if
// the server has none that is a JSON object. What a provider cannot take of it is left to the provider.
func cleanSchema(schema json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(schema, &members) != nil || members == nil {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return schema
}
