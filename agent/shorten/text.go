package shorten

import (
	"bytes"
	"encoding/json"

	"pollux/llm"
)

// Text returns the text of a tool result: an output, an error, both, or else indented JSON.
func Text(response json.RawMessage) string {
	text, _ := split(response)
	return text
}

// split returns the text of a tool result, and whether it is an error alone.
func split(response json.RawMessage) (text string, isError bool) {
	if json.Unmarshal(response, &text) == nil {
		return text, false
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(response, &members) != nil {
		return string(response), false
	}
	take := func(key string) (string, bool) {
		var s string
		raw, found := members[key]
		if !found || json.Unmarshal(raw, &s) != nil {
			return "", false
		}
		delete(members, key)
		return s, true
	}
	output, hasOutput := take("output")
	failure, hasFailure := take("error")
	if len(members) > 0 {
		if !hasOutput && !hasFailure {
			if content, ok := take("content"); ok && len(members) == 0 {
				return content, false
			}
		}
		var pretty bytes.Buffer
		if json.Indent(&pretty, response, "", "  ") != nil {
			return string(response), false
		}
		return pretty.String(), false
	}
	switch {
	case hasOutput && hasFailure:
		return output + "\nError: " + failure, false
	case hasFailure:
		return failure, true
	}
	return output, false
}

// response returns a result with another text in the place of the old one.
func response(old json.RawMessage, text string) json.RawMessage {
	if _, isError := split(old); isError {
		return llm.Failure("", "", text).Response
	}
	return llm.Output("", "", text).Response
}
