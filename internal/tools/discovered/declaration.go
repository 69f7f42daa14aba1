package discovered

import (
	"encoding/json"
	"errors"
	"strings"
)

// declaration is the declaration of a tool in a listing.
type declaration struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"parametersJsonSchema"`
}

// parseListing parses a listing: a JSON array of declarations, or of objects that bundle
// declarations. It skips items that are not declarations or have no name.
func parseListing(listing []byte) ([]declaration, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(listing, &items); err != nil || items == nil {
		//lint:ignore ST1005 scripts depend on the text
		return nil, errors.New("Tool discovery command did not return a JSON array of tools.")
	}
	var found []declaration
	for _, item := range items {
		var bundle struct {
			Snake []json.RawMessage `json:"function_declarations"`
			Camel []json.RawMessage `json:"functionDeclarations"`
		}
		_ = json.Unmarshal(item, &bundle) // an item that is not a bundle may be a declaration
		members := bundle.Snake
		if members == nil {
			members = bundle.Camel
		}
		if members == nil {
			members = []json.RawMessage{item}
		}
		for _, m := range members {
			if d, ok := parseDeclaration(m); ok {
				found = append(found, d)
			}
		}
	}
	return found, nil
}

// parseDeclaration parses a declaration. It reports false if the declaration has no usable
// name.
func parseDeclaration(raw json.RawMessage) (d declaration, ok bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || json.Unmarshal(fields["name"], &d.Name) != nil {
		return d, false
	}
	if strings.TrimSpace(d.Name) == "" || strings.Contains(d.Name, "\x00") { // the name becomes an argument of the call command, which cannot contain NUL
		return d, false
	}
	_ = json.Unmarshal(fields["description"], &d.Description) // a description that is not a string counts as missing
	d.Schema = objectSchema(fields["parametersJsonSchema"])
	return d, true
}

// objectSchema returns the declared schema, {} if it is not an object.
func objectSchema(raw json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members == nil {
		return json.RawMessage(`{}`)
	}
	return raw
}

// modelName returns the name of a tool for models. Providers limit the characters and the
// length of tool names.
func modelName(name string) string {
	clean := []byte("discovered_tool_" + name)
	for i, c := range clean {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '.', c == ':', c == '-':
		default:
			clean[i] = '_'
		}
	}
	const maxLen, part = 63, 30
	if len(clean) > maxLen {
		return string(clean[:part]) + "..." + string(clean[len(clean)-part:])
	}
	return string(clean)
}
