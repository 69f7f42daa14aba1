package chatwire

import (
	"bytes"
	"encoding/json"

	"pollux/llm"
)

// Form is how a protocol has the parts of messages. Where there is nothing to be
// sent of a part, nothing is appended for it.
type Form interface {
	// Key names the protocol, and all of the form that depends on the model.
	Key() string
	// WireID is a call's id as the service knows it.
	WireID(id, name string) string
	// AppendCall appends what stands behind the id of a call.
	AppendCall(dst []byte, c *llm.FunctionCall) []byte
	// AppendThought appends what goes back of a thought.
	AppendThought(dst []byte, p *llm.Part) []byte
	// AppendMedia appends data or a file as the model can be shown it.
	AppendMedia(dst []byte, p *llm.Part) []byte
}

// Record returns the pieces of a message, one behind the other; none where
// nothing of it is sent.
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
			dst = appendAny(dst, Thought, p, f.AppendThought)
		case isOther(p):
			dst = appendOmitted(dst, p)
		case p.Text != "":
			n := textsAt(parts[i:])
			dst = appendTexts(dst, parts[i:i+n], ``) // said in one breath
			i += n - 1
		}
	}
	return dst
}

func appendUser(dst []byte, f Form, parts []llm.Part) []byte {
	// What belongs to results stands before what was said beside them.
	for i := range parts {
		if r := parts[i].FunctionResponse; r != nil {
			dst = appendResult(dst, f, r)
		}
	}
	for i := 0; i < len(parts); i++ {
		p := &parts[i]
		switch {
		case p.FunctionResponse != nil, p.FunctionCall != nil, p.Thought:
		case isOther(p):
			dst = appendMedia(dst, f, p)
		case p.Text != "":
			n := textsAt(parts[i:])
			dst = appendTexts(dst, parts[i:i+n], `\n`)
			i += n - 1
		}
	}
	return dst
}

func isOther(p *llm.Part) bool { return p.InlineData != nil || p.FileData != nil || len(p.Extra) > 0 }

// appendAny appends a piece, if it turns out to hold anything.
func appendAny(dst []byte, k Kind, p *llm.Part, data func([]byte, *llm.Part) []byte) []byte {
	start := len(dst)
	dst = beginPiece(dst, k, "", "")
	head := len(dst)
	if dst = data(dst, p); len(dst) == head {
		return dst[:start]
	}
	return endPiece(dst, start)
}

// textsAt is how many parts there are at the head of parts that hold text alone;
// the first one does.
func textsAt(parts []llm.Part) int {
	n := 1
	for n < len(parts) && parts[n].IsText() && !parts[n].Thought {
		n++
	}
	return n
}

// appendTexts appends neighbouring texts as one piece.
func appendTexts(dst []byte, parts []llm.Part, between string) []byte {
	start := len(dst)
	return endPiece(appendJoined(beginPiece(dst, Text, "", ""), parts, between), start)
}

// appendJoined appends the visible text of parts as the inside of a JSON string.
func appendJoined(dst []byte, parts []llm.Part, between string) []byte {
	begun := false
	for i := range parts {
		if parts[i].Text == "" || parts[i].Thought {
			continue
		}
		if begun {
			dst = append(dst, between...)
		}
		begun = true
		dst = AppendInner(dst, parts[i].Text)
	}
	return dst
}

func appendText(dst []byte, s string) []byte {
	start := len(dst)
	return endPiece(AppendInner(beginPiece(dst, Text, "", ""), s), start)
}

// appendResult appends what came of a call, and the media of it behind it.
func appendResult(dst []byte, f Form, r *llm.FunctionResponse) []byte {
	start := len(dst)
	dst = beginPiece(dst, Output, f.WireID(r.ID, r.Name), r.Name)
	dst = endPiece(AppendInner(dst, resultText(r.Response)), start)
	named := false
	for i := range r.Parts {
		p := &r.Parts[i]
		switch {
		case p.InlineData != nil || p.FileData != nil:
			if !named {
				dst, named = appendText(dst, "From "+r.Name+":"), true
			}
			dst = appendMedia(dst, f, p)
		case p.Text != "" && !p.Thought:
			dst = appendText(dst, p.Text)
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

// appendMedia appends media, or a line that stands for what cannot be sent.
func appendMedia(dst []byte, f Form, p *llm.Part) []byte {
	start := len(dst)
	if dst = appendAny(dst, Media, p, f.AppendMedia); len(dst) == start {
		dst = appendOmitted(dst, p)
	}
	return dst
}

func appendOmitted(dst []byte, p *llm.Part) []byte {
	switch {
	case p.InlineData != nil:
		return appendText(dst, omitted(p.InlineData.MIMEType, p.InlineData.DisplayName))
	case p.FileData != nil:
		return appendText(dst, omitted(p.FileData.MIMEType, p.FileData.DisplayName)+" "+p.FileData.FileURI)
	}
	for k := range p.Extra {
		return appendText(dst, "["+k+"]")
	}
	return dst
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
