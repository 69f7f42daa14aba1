package ollama

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"

	"pollux/llm"
	"pollux/llm/catalog"
)

// appendMessage appends the record of a message; nothing where none of it is sent.
func (m *model) appendMessage(dst []byte, c *llm.Content) []byte {
	said := c.Role == llm.RoleModel
	if !said {
		// What belongs to results stands before what was said beside them.
		for i := range c.Parts {
			if r := c.Parts[i].FunctionResponse; r != nil {
				dst = m.appendResult(dst, r)
			}
		}
	}
	for i := 0; i < len(c.Parts); i++ {
		p := &c.Parts[i]
		switch {
		case p.FunctionResponse != nil:
		case p.FunctionCall != nil:
			if said {
				dst = appendCall(dst, p.FunctionCall)
			}
		case p.Thought:
			if said && p.Text != "" {
				dst = appendString(dst, thought, p.Text)
			}
		case p.InlineData != nil || p.FileData != nil || len(p.Extra) > 0:
			dst = m.appendOther(dst, p, said)
		case p.Text != "":
			last := i
			for last+1 < len(c.Parts) && c.Parts[last+1].IsText() && !c.Parts[last+1].Thought {
				last++
			}
			dst = appendTexts(dst, c.Parts[i:last+1], said)
			i = last
		}
	}
	return dst
}

// appendTexts appends neighbouring texts as one piece: those of the user line by
// line, those of the model, who said them in one breath, as they are.
func appendTexts(dst []byte, parts []llm.Part, said bool) []byte {
	start := len(dst)
	dst = beginPiece(dst, text, "", "")
	begun := false
	for i := range parts {
		if parts[i].Text == "" {
			continue
		}
		if begun && !said {
			dst = append(dst, '\\', 'n')
		}
		begun = true
		dst = appendInner(dst, parts[i].Text)
	}
	return endPiece(dst, start)
}

func appendString(dst []byte, k kind, s string) []byte {
	start := len(dst)
	return endPiece(appendInner(beginPiece(dst, k, "", ""), s), start)
}

// appendInner appends s as what stands between the quotes of a JSON string.
func appendInner(dst []byte, s string) []byte {
	start := len(dst)
	dst = llm.AppendString(dst, s)
	copy(dst[start:], dst[start+1:])
	return dst[:len(dst)-2]
}

func appendCall(dst []byte, c *llm.FunctionCall) []byte {
	start := len(dst)
	dst = beginPiece(dst, call, wireID(c.ID, c.Name), c.Name)
	return endPiece(append(dst, asObject(c.Args)...), start)
}

// wireID is a call's id as the server knows it: without the tool's name that ids
// carry inside. Calls without an id get the tool's name for one; the nth response
// of it answers the nth call.
func wireID(id, name string) string {
	if id = strings.TrimPrefix(id, name+"__"); id == "" {
		return "call_" + name
	}
	return id
}

// asObject returns raw, which the server wants to be an object. Anything else
// (another vendor's model wrote it, or a hand-edited session) becomes the member
// of one.
func asObject(raw json.RawMessage) []byte {
	trimmed := bytes.TrimSpace(raw)
	if len(trimmed) == 0 {
		return []byte(`{}`)
	}
	valid := json.Valid(trimmed)
	if valid && trimmed[0] == '{' {
		return trimmed
	}
	b := []byte(`{"input":`)
	if valid {
		b = append(b, trimmed...)
	} else {
		b = llm.AppendString(b, string(trimmed))
	}
	return append(b, '}')
}

// appendResult appends what came of a call, and the media of it behind it.
func (m *model) appendResult(dst []byte, r *llm.FunctionResponse) []byte {
	start := len(dst)
	dst = beginPiece(dst, output, wireID(r.ID, r.Name), r.Name)
	dst = endPiece(appendInner(dst, resultText(r.Response)), start)
	named := false
	for i := range r.Parts {
		p := &r.Parts[i]
		switch {
		case p.InlineData != nil || p.FileData != nil:
			if !named {
				dst, named = appendString(dst, text, "From "+r.Name+":"), true
			}
			dst = m.appendOther(dst, p, false)
		case p.Text != "" && !p.Thought:
			dst = appendString(dst, text, p.Text)
		}
	}
	return dst
}

// resultText is what a model is told of a result: its output or error, or all of
// it where it has neither.
func resultText(response json.RawMessage) string {
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

// appendOther appends an image, or a line that stands for what cannot be sent.
func (m *model) appendOther(dst []byte, p *llm.Part, said bool) []byte {
	switch d := p.InlineData; {
	case d != nil && !said && m.sees != catalog.No && isPicture(d):
		start := len(dst)
		dst = append(beginPiece(dst, image, "", ""), '"')
		return endPiece(append(base64.StdEncoding.AppendEncode(dst, d.Data), '"'), start)
	case d != nil:
		return appendString(dst, text, omitted(d.MIMEType, d.DisplayName))
	case p.FileData != nil:
		return appendString(dst, text, omitted(p.FileData.MIMEType, p.FileData.DisplayName)+" "+p.FileData.FileURI)
	}
	for k := range p.Extra {
		return appendString(dst, text, "["+k+"]")
	}
	return dst
}

// isPicture reports whether data is an image of a kind that the server reads; for
// any other it refuses the whole request.
func isPicture(d *llm.Blob) bool {
	switch mime, _, _ := strings.Cut(strings.ToLower(d.MIMEType), ";"); strings.TrimSpace(mime) {
	case "image/png", "image/jpeg", "image/jpg", "image/webp":
		return len(d.Data) > 0
	}
	return false
}

// omitted stands for media that the model cannot be shown.
func omitted(mime, name string) string {
	if mime == "" {
		mime = "data"
	}
	if name != "" {
		name = " " + name
	}
	return "[" + mime + name + " left out: this model does not take it]"
}
