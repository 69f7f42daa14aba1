package openai

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/go-faster/jx"

	"pollux/llm"
	"pollux/llm/chatwire"
	"pollux/llm/httpwire"
	"pollux/llm/media"
)

// Key implements [chatwire.Form].
func (t *traits) Key() string { return t.key }

// AppendCall implements [chatwire.Form].
func (t *traits) AppendCall(dst []byte, c *llm.FunctionCall) []byte {
	if t.Protocol == Responses {
		dst = append(dst, `","name":"`...)
	} else {
		dst = append(dst, `","type":"function","function":{"name":"`...)
	}
	dst = append(dst, wireName(c.Name)...)
	dst = append(dst, `","arguments":`...)
	dst = llm.AppendString(dst, string(httpwire.AsObject(c.Args, "input")))
	if t.Protocol != Responses {
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

// AppendThought implements [chatwire.Form].
func (t *traits) AppendThought(dst []byte, p *llm.Part) []byte {
	signature := p.SignatureBy(t.vendor)
	switch {
	case t.Protocol == Responses:
		if !t.refusesReasoningItems && strings.HasPrefix(signature, `{"type":"reasoning"`) && json.Valid([]byte(signature)) {
			return append(dst, signature...)
		}
	case t.ReasoningOut == "reasoning_details":
		if inner, ok := listMember(signature, t.ReasoningOut); ok {
			return append(dst, inner...)
		}
	case t.ReasoningOut != "":
		text, found := stringMember(signature, "text")
		if !found {
			text = p.Text
		}
		return chatwire.AppendInner(dst, text)
	}
	return dst
}

// stringMember returns the string value of key in the JSON object s.
func stringMember(s, key string) (value string, found bool) {
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

// listMember returns the elements of the array at key in the JSON object s,
// without the brackets.
func listMember(s, key string) (inner string, found bool) {
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

// AppendMedia implements [chatwire.Form]. It appends an element of a content
// array.
func (t *traits) AppendMedia(b []byte, p *llm.Part) []byte {
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
	mime, problem := media.Type(d)
	if problem != "" {
		return b
	}
	data := func(b []byte) []byte {
		b = append(append(append(b, `"data:`...), mime...), ";base64,"...)
		return append(base64.StdEncoding.AppendEncode(b, d.Data), '"')
	}
	switch {
	case isImage(mime) && !t.NoImages:
		return t.appendImage(b, data)
	case mime == "application/pdf" && !t.NoPDF:
		name := cmp.Or(d.DisplayName, "document.pdf")
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

// isImage reports whether services accept images of this type.
func isImage(mime string) bool {
	switch mime {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

func audioFormat(mime string) string {
	switch mime {
	case "audio/wav":
		return "wav"
	case "audio/mpeg":
		return "mp3"
	}
	return ""
}
