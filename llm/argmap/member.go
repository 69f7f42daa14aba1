package argmap

import (
	"bytes"
	"encoding/json"
	"errors"
)

// member is a member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// members returns the members of an object in their order, as encoding/json reads them: the policy
// must see the same value under a name as the tool gets. The values are parts of object.
func members(object json.RawMessage) ([]member, error) {
	rest := bytes.TrimLeft(object, spaces)
	if len(rest) == 0 || rest[0] != '{' || !json.Valid(object) {
		return nil, errors.New("no object")
	}
	var out []member
	for {
		rest = bytes.TrimLeft(rest[1:], spaces) // after the brace or a comma
		if rest[0] == '}' {
			return out, nil
		}
		var m member
		end := valueEnd(rest)
		if err := json.Unmarshal(rest[:end], &m.name); err != nil {
			return nil, err
		}
		rest = bytes.TrimLeft(rest[end:], spaces)
		rest = bytes.TrimLeft(rest[1:], spaces) // after the colon
		end = valueEnd(rest)
		m.value = json.RawMessage(rest[:end:end])
		out = append(out, m)
		rest = bytes.TrimLeft(rest[end:], spaces)
		if rest[0] == '}' {
			return out, nil
		}
	}
}

const spaces = " \t\r\n"

// valueEnd returns the length of the value at the beginning of valid JSON.
func valueEnd(json []byte) int {
	depth := 0
	for i := 0; i < len(json); i++ {
		switch json[i] {
		case '"':
			i = stringEnd(json, i)
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default:
			if depth == 0 {
				return i + wordEnd(json[i:])
			}
			continue
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(json)
}

// stringEnd returns the position of the quote that ends the string which begins at i.
func stringEnd(json []byte, i int) int {
	for i++; json[i] != '"'; i++ {
		if json[i] == '\\' {
			i++
		}
	}
	return i
}

// wordEnd returns the length of the number, true, false or null at the beginning of json.
func wordEnd(json []byte) int {
	if n := bytes.IndexAny(json, spaces+",}]"); n >= 0 {
		return n
	}
	return len(json)
}
