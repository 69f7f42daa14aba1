package discovered

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// declaration is a tool as a listing has it.
type declaration struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"parametersJsonSchema"`
}

// parse reads a listing: declarations, alone or in bundles. What has no name is
// skipped, and so is what is none.
func parse(listing []byte) ([]declaration, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(listing, &items); err != nil || items == nil {
		//lint:ignore ST1005 scripts know the text
		return nil, errors.New("Tool discovery command did not return a JSON array of tools.")
	}
	var found []declaration
	for _, item := range items {
		var bundle struct {
			Snake []json.RawMessage `json:"function_declarations"`
			Camel []json.RawMessage `json:"functionDeclarations"`
		}
		_ = json.Unmarshal(item, &bundle) // what is no bundle may be a declaration
		members := bundle.Snake
		if members == nil {
			members = bundle.Camel
		}
		if members == nil {
			members = []json.RawMessage{item}
		}
		for _, m := range members {
			if d, ok := parseOne(m); ok {
				found = append(found, d)
			}
		}
	}
	return found, nil
}

func parseOne(raw json.RawMessage) (d declaration, ok bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || json.Unmarshal(fields["name"], &d.Name) != nil {
		return d, false
	}
	if strings.TrimSpace(d.Name) == "" || strings.Contains(d.Name, "\x00") { // the latter can be no argument
		return d, false
	}
	_ = json.Unmarshal(fields["description"], &d.Description) // anything but a text is none
	d.Schema = schema(fields["parametersJsonSchema"])
	return d, true
}

const waitForPrevious = `"wait_for_previous":{"type":"boolean","description":"True to wait until the calls before this one have ended."}`

// schema returns what is declared for a schema: one of an object also takes
// what every call may say of its order (spec/tools.md §1.1).
func schema(raw json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members == nil {
		return json.RawMessage(`{}`)
	}
	var kind string
	_ = json.Unmarshal(members["type"], &kind)
	properties := map[string]json.RawMessage{}
	given := bytes.TrimSpace(members["properties"])
	if kind != "object" || len(given) > 0 && (json.Unmarshal(given, &properties) != nil || properties == nil) {
		return raw
	}
	switch {
	case properties["wait_for_previous"] != nil:
		return raw
	case len(properties) == 0:
		given = []byte("{" + waitForPrevious + "}")
	default: // in the order in which they are written
		given = []byte(string(given[:len(given)-1]) + "," + waitForPrevious + "}")
	}
	members["properties"] = given
	whole, err := json.Marshal(members)
	if err != nil {
		return raw
	}
	return whole
}

// wireName is what a model calls a tool. Vendors take few characters, and few of them.
func wireName(name string) string {
	clean := []byte("discovered_tool_" + name)
	for i, c := range clean {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '.', c == ':', c == '-':
		default:
			clean[i] = '_'
		}
	}
	const most, part = 63, 30
	if len(clean) > most {
		return string(clean[:part]) + "..." + string(clean[len(clean)-part:])
	}
	return string(clean)
}
