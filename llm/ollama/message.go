package ollama

import (
	"encoding/base64"
	"strings"

	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/chatwire"
	"pollux/llm/httpwire"
	"pollux/llm/media"
)

// Key implements [chatwire.Form].
func (m *model) Key() string { return m.key }

// WireID implements [chatwire.Form]. It removes the tool's name from the front
// of id. A call without an id gets one derived from name; the nth result with
// that id belongs to the nth call.
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

// AppendThought implements [chatwire.Form]. It appends the contents of a JSON
// string.
func (m *model) AppendThought(dst []byte, p *llm.Part) []byte {
	return chatwire.AppendInner(dst, p.Text)
}

// AppendMedia implements [chatwire.Form]. It appends an image as a base64
// string.
func (m *model) AppendMedia(dst []byte, p *llm.Part) []byte {
	if p.InlineData == nil || m.imageSupport == catalog.No || !isSupportedImage(p.InlineData) {
		return dst
	}
	return append(base64.StdEncoding.AppendEncode(append(dst, '"'), p.InlineData.Data), '"')
}

// isSupportedImage reports whether d is an image in a format that the server
// supports. The server rejects requests with other formats.
func isSupportedImage(d *llm.Blob) bool {
	switch mime, problem := media.Type(d); mime {
	case "image/png", "image/jpeg", "image/webp":
		return problem == ""
	}
	return false
}
