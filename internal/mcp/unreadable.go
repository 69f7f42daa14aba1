package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"pollux/internal/terminal"
)

// unreadable returns an error for the request whose response cannot be decoded because of err, so that the request does not
// wait for another one. It returns nil if there is no err, or if the line is not a response.
func unreadable(line []byte, err error) *jsonrpc.Response {
	if err == nil {
		return nil
	}
	found := map[string]any{}
	for name, value := range members(line) {
		found[name] = value
	}
	_, isRequest := found["method"]
	_, hasResult := found["result"]
	_, hasError := found["error"]
	id, wrong := jsonrpc.MakeID(found["id"])
	if found["jsonrpc"] != "2.0" || isRequest || !hasResult && !hasError || wrong != nil || !id.IsValid() {
		return nil
	}
	reason := terminal.Cut(rootCause(err).Error(), 200) // it may quote the line
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		reason = fmt.Sprintf("its member %q has the wrong type", wrong.Field)
	}
	return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "the server's response cannot be read: " + reason}}
}

// members returns the members of an object of any depth, as far as it can be read. The value of an array or object is its
// first token.
func members(object []byte) iter.Seq2[string, any] {
	return func(yield func(name string, value any) bool) {
		d := json.NewDecoder(bytes.NewReader(object))
		name, depth := "", 0
		for {
			t, err := d.Token()
			switch {
			case err != nil:
				if name != "" {
					yield(name, nil) // its value cannot be read
				}
				return
			case t == json.Delim('}') || t == json.Delim(']'):
				depth--
				continue
			case depth == 0 && t != json.Delim('{'):
				return
			case depth == 1 && name == "":
				name, _ = t.(string)
			case depth == 1:
				if !yield(name, t) {
					return
				}
				name = ""
			}
			if t == json.Delim('{') || t == json.Delim('[') {
				depth++
			}
		}
	}
}
