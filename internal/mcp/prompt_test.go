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

// Requests for prompts have arguments, even if there are none: some servers refuse others.
func TestPromptWithoutArguments(t *testing.T) {
	t.Parallel()
	s, _, _ := run(t, Options{Configs: []Config{toy(t, "raw", "prompts")}})
	defer s.Close()
	for _, p := range s.Prompts() {
		for _, args := range []map[string]string{nil, {}} {
			parts, err := s.GetPrompt(t.Context(), p, args)
			if want := p.Name + " with {}"; err != nil || len(parts) != 1 || parts[0].Text != want {
				t.Errorf("%s: %+v, %v, want %s", p.Name, parts, err, want)
			}
		}
	}
	if len(s.Prompts()) != 2 {
		t.Errorf("prompts: %+v", s.Prompts())
	}
	parts, err := s.GetPrompt(t.Context(), s.Prompts()[0], map[string]string{"city": "Oslo"})
	if err != nil || len(parts) != 1 || parts[0].Text != s.Prompts()[0].Name+` with {"city":"Oslo"}` {
		t.Errorf("%+v, %v", parts, err)
	}
}
