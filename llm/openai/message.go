package openai

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/go-faster/jx"

	"pollux/llm"
)

// appendMessage appends the record of a message; nothing where none of it is sent.
func (t *traits) appendMessage(dst []byte, c *llm.Content) []byte {
	if c.Role != llm.RoleModel {
		// What belongs to results stands before what was said beside them.
		for i := range c.Parts {
			if r := c.Parts[i].FunctionResponse; r != nil {
				dst = t.appendResult(dst, r)
			}
		}
	}
	for i := 0; i < len(c.Parts); i++ {
		p := &c.Parts[i]
		switch {
		case p.FunctionResponse != nil:
		case p.FunctionCall != nil:
			if c.Role == llm.RoleModel {
				dst = t.appendCall(dst, p.FunctionCall)
			}
		case p.Thought:
			if c.Role == llm.RoleModel {
				dst = t.appendThought(dst, p)
			}
		case p.InlineData != nil || p.FileData != nil || len(p.Extra) > 0:
			dst = t.appendOther(dst, p, c.Role == llm.RoleModel)
		case p.Text != "":
			last := i
			for last+1 < len(c.Parts) && c.Parts[last+1].IsText() && !c.Parts[last+1].Thought {
				last++
			}
			dst = appendTexts(dst, c.Parts[i:last+1], c.Role == llm.RoleModel)
			i = last
		}
	}
	return dst
}

// appendTexts appends neighbouring texts as one piece: those of the user line by
// line, those of the model, who said them in one breath, as they are.
func appendTexts(dst []byte, parts []llm.Part, model bool) []byte {
	start := len(dst)
	dst = beginPiece(dst, text, "")
	begun := false
	for i := range parts {
		if parts[i].Text == "" {
			continue
		}
		if begun && !model {
			dst = append(dst, '\\', 'n')
		}
		begun = true
		dst = appendInner(dst, parts[i].Text)
	}
	return endPiece(dst, start)
}

func appendText(dst []byte, s string) []byte {
	start := len(dst)
	return endPiece(appendInner(beginPiece(dst, text, ""), s), start)
}

// appendInner appends s as what stands between the quotes of a JSON string.
func appendInner(dst []byte, s string) []byte {
	start := len(dst)
	dst = llm.AppendString(dst, s)
	copy(dst[start:], dst[start+1:])
	return dst[:len(dst)-2]
}

func (t *traits) appendCall(dst []byte, c *llm.FunctionCall) []byte {
	start := len(dst)
	dst = beginPiece(dst, call, t.wireID(c.ID, c.Name))
	if t.Protocol == Responses {
		dst = append(dst, `","name":"`...)
	} else {
		dst = append(dst, `","type":"function","function":{"name":"`...)
	}
	dst = append(dst, wireName(c.Name)...)
	dst = append(dst, `","arguments":`...)
	dst = llm.AppendString(dst, string(asObject(c.Args)))
	if t.Protocol != Responses {
		dst = append(dst, '}')
	}
	return endPiece(append(dst, '}'), start)
}

// asObject returns raw, which services want to be an object. Anything else
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
func (t *traits) appendResult(dst []byte, r *llm.FunctionResponse) []byte {
	start := len(dst)
	dst = beginPiece(dst, output, t.wireID(r.ID, r.Name))
	dst = endPiece(appendInner(dst, resultText(r.Response)), start)
	named := false
	for i := range r.Parts {
		p := &r.Parts[i]
		switch {
		case p.InlineData != nil || p.FileData != nil:
			if !named {
				dst, named = appendText(dst, "From "+r.Name+":"), true
			}
			dst = t.appendOther(dst, p, false)
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

// appendThought appends what of a thought goes back to the service.
func (t *traits) appendThought(dst []byte, p *llm.Part) []byte {
	signature := p.SignatureBy(t.vendor)
	start := len(dst)
	switch {
	case t.Protocol == Responses:
		if !t.noReasoningItems && strings.HasPrefix(signature, `{"type":"reasoning"`) && json.Valid([]byte(signature)) {
			return endPiece(append(beginPiece(dst, thought, ""), signature...), start)
		}
	case t.ReasoningOut == "reasoning_details":
		if inner, ok := listIn(signature, t.ReasoningOut); ok {
			return endPiece(append(beginPiece(dst, thought, ""), inner...), start)
		}
	case t.ReasoningOut != "":
		words, ours := stringIn(signature, "text")
		if !ours {
			words = p.Text
		}
		if words != "" {
			return endPiece(appendInner(beginPiece(dst, thought, ""), words), start)
		}
	}
	return dst
}

// stringIn returns the string under key in the JSON object s.
func stringIn(s, key string) (value string, found bool) {
	if s == "" || s[0] != '{' {
		return "", false
	}
	err := jx.DecodeStr(s).ObjBytes(func(d *jx.Decoder, k []byte) error {
		if string(k) != key || d.Next() != jx.String {
			return d.Skip()
		}
		var err error
		value, err = d.Str()
		found = err == nil
		return err
	})
	return value, found && err == nil
}

// listIn returns what stands between the brackets of the list under key in the
// JSON object s.
func listIn(s, key string) (inner string, found bool) {
	if !json.Valid([]byte(s)) || s[0] != '{' {
		return "", false
	}
	err := jx.DecodeStr(s).ObjBytes(func(d *jx.Decoder, k []byte) error {
		if string(k) != key || d.Next() != jx.Array {
			return d.Skip()
		}
		raw, err := d.Raw()
		if err == nil {
			inner = strings.TrimSpace(string(raw[1 : len(raw)-1]))
		}
		return err
	})
	return inner, err == nil && inner != ""
}

// appendOther appends media, or a line that stands for what cannot be sent.
func (t *traits) appendOther(dst []byte, p *llm.Part, model bool) []byte {
	if !model {
		start := len(dst)
		b := beginPiece(dst, media, "")
		head := len(b)
		if b = t.appendMedia(b, p); len(b) > head {
			return endPiece(b, start)
		}
	}
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

// appendMedia appends an element of a message's content; nothing where the model
// does not take it.
func (t *traits) appendMedia(b []byte, p *llm.Part) []byte {
	if f := p.FileData; f != nil {
		isWeb := strings.HasPrefix(f.FileURI, "https://") || strings.HasPrefix(f.FileURI, "http://")
		if !strings.HasPrefix(f.MIMEType, "image/") || !isWeb || t.NoImages {
			return b
		}
		return t.appendImage(b, func(b []byte) []byte { return llm.AppendString(b, f.FileURI) })
	}
	d := p.InlineData
	if d == nil {
		return b
	}
	data := func(b []byte) []byte {
		b = append(appendInner(append(b, `"data:`...), d.MIMEType), ";base64,"...)
		return append(base64.StdEncoding.AppendEncode(b, d.Data), '"')
	}
	switch mime, _, _ := strings.Cut(d.MIMEType, ";"); {
	case strings.HasPrefix(mime, "image/") && !t.NoImages:
		return t.appendImage(b, data)
	case mime == "application/pdf" && !t.NoPDF:
		name := d.DisplayName
		if name == "" {
			name = "document.pdf"
		}
		if t.Protocol == Responses {
			b = llm.AppendString(append(b, `{"type":"input_file","filename":`...), name)
			return append(data(append(b, `,"file_data":`...)), '}')
		}
		b = llm.AppendString(append(b, `{"type":"file","file":{"filename":`...), name)
		return append(data(append(b, `,"file_data":`...)), `}}`...)
	case strings.HasPrefix(mime, "audio/") && !t.NoAudio && t.Protocol != Responses:
		format := audioFormat(mime)
		if format == "" {
			return b
		}
		b = append(b, `{"type":"input_audio","input_audio":{"data":"`...)
		b = base64.StdEncoding.AppendEncode(b, d.Data)
		return append(append(append(b, `","format":"`...), format...), `"}}`...)
	}
	return b
}

func (t *traits) appendImage(b []byte, url func([]byte) []byte) []byte {
	if t.Protocol == Responses {
		return append(url(append(b, `{"type":"input_image","detail":"auto","image_url":`...)), '}')
	}
	return append(url(append(b, `{"type":"image_url","image_url":{"url":`...)), `}}`...)
}

func audioFormat(mime string) string {
	switch mime {
	case "audio/wav", "audio/x-wav", "audio/wave":
		return "wav"
	case "audio/mpeg", "audio/mp3":
		return "mp3"
	}
	return ""
}
