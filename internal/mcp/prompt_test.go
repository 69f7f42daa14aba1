package mcp

import (
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A prompt of a server has all kinds of content.
func TestPromptParts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		content     sdk.Content
		text, media string
	}{
		{&sdk.TextContent{Text: "t"}, "t", ""},
		{&sdk.ImageContent{MIMEType: "image/png", Data: []byte("a")}, "", "image/png"},
		{&sdk.AudioContent{MIMEType: "audio/wav", Data: []byte("a")}, "", "audio/wav"},
		{&sdk.ResourceLink{Name: "n", URI: "u"}, "Resource Link: n at u", ""},
		{&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{Text: "t"}}, "t", ""},
		{&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{Blob: []byte("abc")}}, "[Binary resource content application/octet-stream, 3 bytes]", ""},
	} {
		part, ok := promptPart(c.content)
		media := ""
		if part.InlineData != nil {
			media = part.InlineData.MIMEType
		}
		if !ok || part.Text != c.text || media != c.media {
			t.Errorf("%+v: %+v", c.content, part)
		}
	}
	if _, ok := promptPart(&sdk.EmbeddedResource{}); ok {
		t.Error("a resource without content is a part")
	}
}
