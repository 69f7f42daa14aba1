package shorten

import (
	"bytes"
	"encoding/json"
	"io"
	"unicode/utf8"

	"github.com/go-faster/jx"

	"pollux/llm"
)

// Text returns the text of a tool result: an output, an error, both, or else indented JSON.
func Text(response json.RawMessage) string {
	text, _ := Split(response)
	return text
}

// Split returns the text of a tool result, see [Text], and whether it is an error alone.
func Split(response json.RawMessage) (text string, isError bool) {
	if text, isError, ok := only(response); ok {
		return text, isError
	}
	return split(response)
}

// only returns the text of a result that has nothing but an output or an error, as nearly all have.
func only(response json.RawMessage) (text string, isError, ok bool) {
	d := jx.GetDecoder()
	defer jx.PutDecoder(d)
	d.ResetBytes(response)
	members := 0
	err := d.ObjBytes(func(d *jx.Decoder, key []byte) (err error) {
		members++
		isError = string(key) == "error"
		if !isError && string(key) != "output" || members > 1 {
			return d.Skip()
		}
		text, err = d.Str() // an error for another value
		ok = err == nil
		return err
	})
	isWhole := err == nil && d.Skip() == io.EOF
	return text, isError, ok && isWhole && members == 1 && utf8.ValidString(text)
}

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

// response returns a result with this text.
func response(text string, isError bool) json.RawMessage {
	if isError {
		return llm.Failure("", "", text).Response
	}
	return llm.Output("", "", text).Response
}
