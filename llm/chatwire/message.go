package chatwire

import (
	"bytes"
	"cmp"
	"encoding/json"

	"pollux/llm"
	"pollux/llm/media"
)

// Form encodes the parts of messages for one protocol. Its methods append
// nothing for parts that are not sent.
type Form interface {
	// Key returns a cache key. It identifies the protocol and every option of
	// the model that changes the encoding.
	Key() string
	// WireID returns the id to send for the call id of the function name.
	WireID(id, name string) string
	// AppendCall appends the encoding of a call after its id.
	AppendCall(dst []byte, c *llm.FunctionCall) []byte
	// AppendThought appends the form in which a thought is sent back.
	AppendThought(dst []byte, p *llm.Part) []byte
	// AppendMedia appends the encoding of inline data or a file.
	AppendMedia(dst []byte, p *llm.Part) []byte
}

// Record returns the encoded pieces of a message, which are cached with it. It
// is empty if nothing of the message is sent.
func Record(f Form, c *llm.Content) []byte {
	return c.Encoded(f.Key(), func(dst []byte, c *llm.Content) []byte {
		if c.Role == llm.RoleModel {
			return appendModel(dst, f, c.Parts)
		}
		return appendUser(dst, f, c.Parts)
	})
}

func appendModel(dst []byte, f Form, parts []llm.Part) []byte {
	for i := 0; i < len(parts); i++ {
		p, start := &parts[i], len(dst)
		switch {
		case p.FunctionResponse != nil:
		case p.FunctionCall != nil:
			c := p.FunctionCall
			dst = endPiece(f.AppendCall(beginPiece(dst, Call, f.WireID(c.ID, c.Name), c.Name), c), start)
		case p.Thought:
			dst = appendPiece(dst, Thought, p, f.AppendThought)
		case isNonText(p):
			dst = appendOmitted(dst, p)
		case p.Text != "":
			n := countTexts(parts[i:])
			dst = appendTexts(dst, parts[i:i+n], ``) // adjacent texts of a model are one text
			i += n - 1
		}
	}
	return dst
}

func appendUser(dst []byte, f Form, parts []llm.Part) []byte {
	// Results come before the text that accompanies them.
	for i := range parts {
		if r := parts[i].FunctionResponse; r != nil {
			dst = appendResult(dst, f, r)
		}
	}
	for i := 0; i < len(parts); i++ {
		p := &parts[i]
		switch {
		case p.FunctionResponse != nil, p.FunctionCall != nil, p.Thought:
		case isNonText(p):
			dst = appendMedia(dst, f, p)
		case p.Text != "":
			n := countTexts(parts[i:])
			dst = appendTexts(dst, parts[i:i+n], `\n`)
			i += n - 1
		}
	}
	return dst
}

func isNonText(p *llm.Part) bool { return p.InlineData != nil || p.FileData != nil || len(p.Extra) > 0 }

// appendPiece appends a piece with the output of data, or nothing if that is
// empty.
func appendPiece(dst []byte, k Kind, p *llm.Part, data func([]byte, *llm.Part) []byte) []byte {
	start := len(dst)
	dst = beginPiece(dst, k, "", "")
	head := len(dst)
	if dst = data(dst, p); len(dst) == head {
		return dst[:start]
	}
	return endPiece(dst, start)
}

// countTexts returns how many consecutive text parts are at the start of parts.
// The first part must be one.
func countTexts(parts []llm.Part) int {
	n := 1
	for n < len(parts) && parts[n].IsText() && !parts[n].Thought {
		n++
	}
	return n
}

// appendTexts appends the texts of parts as one piece.
func appendTexts(dst []byte, parts []llm.Part, between string) []byte {
	start := len(dst)
	return endPiece(appendJoined(beginPiece(dst, Text, "", ""), parts, between), start)
}

// appendJoined appends the visible text of parts as the contents of a JSON
// string.
func appendJoined(dst []byte, parts []llm.Part, between string) []byte {
	hasText := false
	for i := range parts {
		if parts[i].Text == "" || parts[i].Thought {
			continue
		}
		if hasText {
			dst = append(dst, between...)
		}
		hasText = true
		dst = AppendInner(dst, parts[i].Text)
	}
	return dst
}

func appendText(dst []byte, s string) []byte {
	start := len(dst)
	return endPiece(AppendInner(beginPiece(dst, Text, "", ""), s), start)
}

// appendResult appends the result of a call, followed by its media.
func appendResult(dst []byte, f Form, r *llm.FunctionResponse) []byte {
	start := len(dst)
	dst = beginPiece(dst, Result, f.WireID(r.ID, r.Name), r.Name)
	dst = endPiece(AppendInner(dst, resultContent(r.Response)), start)
	isNamed := false
	for i := range r.Parts {
		p := &r.Parts[i]
		switch {
		case p.InlineData != nil || p.FileData != nil:
			if !isNamed {
				dst, isNamed = appendText(dst, "From "+r.Name+":"), true
			}
			dst = appendMedia(dst, f, p)
		case p.Text != "" && !p.Thought:
			dst = appendText(dst, p.Text)
		}
	}
	return dst
}

// resultContent returns the text of a result: its output or error, or the whole
// JSON if it has neither.
func resultContent(response json.RawMessage) string {
	response = bytes.TrimSpace(response)
	if len(response) == 0 {
		return ""
	}
	var members struct{ Output, Error json.RawMessage }
	if response[0] == '{' && json.Unmarshal(response, &members) == nil {
		for _, m := range []json.RawMessage{members.Output, members.Error} {
			var s string
			switch {
			case len(m) == 0 || string(m) == "null":
				continue
			case json.Unmarshal(m, &s) == nil:
				return s
			}
			return string(m)
		}
	}
	return string(response)
}

// appendMedia appends media, or a line of text in place of media that cannot be
// sent.
func appendMedia(dst []byte, f Form, p *llm.Part) []byte {
	start := len(dst)
	if dst = appendPiece(dst, Media, p, f.AppendMedia); len(dst) == start {
		dst = appendOmitted(dst, p)
	}
	return dst
}

func appendOmitted(dst []byte, p *llm.Part) []byte {
	switch {
	case p.InlineData != nil:
		return appendText(dst, omittedText(p.InlineData.MIMEType, p.InlineData.DisplayName, media.Reason(p.InlineData)))
	case p.FileData != nil:
		return appendText(dst, omittedText(p.FileData.MIMEType, p.FileData.DisplayName, "this model does not take it")+" "+p.FileData.FileURI)
	}
	for k := range p.Extra {
		return appendText(dst, "["+k+"]")
	}
	return dst
}

// omittedText returns the text that replaces media which the model does not
// get.
func omittedText(mime, name, reason string) string {
	if name != "" {
		name = " " + name
	}
	return "[" + cmp.Or(mime, "data") + name + " left out: " + reason + "]"
}
