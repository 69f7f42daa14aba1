package ollama

import (
	"encoding/base64"
	"strings"

	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/chatwire"
	"pollux/llm/httpwire"
)

// Key implements [chatwire.Form].
func (m *model) Key() string { return m.key }

// WireID implements [chatwire.Form]: a call's id is sent without the tool's name
// that ids carry inside. Calls without an id get the tool's name for one; the nth
// response of it answers the nth call.
func (m *model) WireID(id, name string) string {
	if id = strings.TrimPrefix(id, name+"__"); id == "" {
		return "call_" + name
	}
	return id
}

// AppendCall implements [chatwire.Form].
func (m *model) AppendCall(dst []byte, c *llm.FunctionCall) []byte {
	dst = llm.AppendString(append(dst, `","function":{"name":`...), c.Name)
	dst = append(append(dst, `,"arguments":`...), httpwire.AsObject(c.Args, "input")...)
	return append(dst, `}}`...)
}

// AppendThought implements [chatwire.Form]: it appends the inside of a string.
func (m *model) AppendThought(dst []byte, p *llm.Part) []byte {
	return chatwire.AppendInner(dst, p.Text)
}

// AppendMedia implements [chatwire.Form]: it appends an image as a string of
// base64.
func (m *model) AppendMedia(dst []byte, p *llm.Part) []byte {
	if p.InlineData == nil || m.sees == catalog.No || !isPicture(p.InlineData) {
		return dst
	}
	return append(base64.StdEncoding.AppendEncode(append(dst, '"'), p.InlineData.Data), '"')
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
