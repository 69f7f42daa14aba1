package mcp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"pollux/internal/terminal"
	"pollux/llm"
	"pollux/tool"
)

// block is a part of the content of a result.
type block struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Data     []byte `json:"data"` // base64 in JSON
	MIMEType string `json:"mimeType"`
	URI      string `json:"uri"`
	Name     string `json:"name"`
	Title    string `json:"title"`
	Resource *struct {
		Text     *string `json:"text"`
		Blob     []byte  `json:"blob"`
		MIMEType string  `json:"mimeType"`
	} `json:"resource"`
}

// result returns what the model and the person get of a call's result. Text is marked as untrusted for
// the model. Structured content is a copy of the text for programs.
func (c *call) result(r *callToolResult) *tool.Result {
	var blocks []json.RawMessage
	if json.Unmarshal(r.Content, &blocks) != nil {
		raw := string(r.Content)
		return &tool.Result{
			Content: []llm.Part{llm.Text("[Error: Could not parse tool response]")},
			Display: tool.TextDisplay("```json\n" + raw + "\n```"),
		}
	}
	var texts, shown []string
	var media []llm.Part
	for _, raw := range blocks {
		var b block
		if err := json.Unmarshal(raw, &b); err != nil {
			b.Type = cmp.Or(b.Type, "invalid")
			shown = append(shown, fmt.Sprintf("[Unreadable content of type %s]", b.Type))
			continue
		}
		text, display, part := c.block(&b)
		if text != "" {
			texts = append(texts, text)
		}
		if part != nil {
			media = append(media, *part)
		}
		shown = append(shown, display)
	}
	var content []llm.Part
	if len(texts) > 0 || len(media) == 0 {
		content = append(content, llm.Text(strings.Join(texts, "\n")))
	}
	return &tool.Result{Content: append(content, media...), Display: tool.TextDisplay(strings.Join(shown, "\n"))}
}

// block returns what the model gets of a block, as text and as media, and what a person sees.
func (c *call) block(b *block) (text, shown string, media *llm.Part) {
	switch b.Type {
	case "text":
		return fence(b.Text), b.Text, nil
	case "image", "audio":
		name := strings.ToUpper(b.Type[:1]) + b.Type[1:]
		return c.note(b.Type, b.MIMEType), fmt.Sprintf("[%s: %s]", name, b.MIMEType), inline(b.MIMEType, b.Data)
	case "resource":
		switch {
		case b.Resource == nil:
		case b.Resource.Text != nil:
			return fence(*b.Resource.Text), *b.Resource.Text, nil
		case b.Resource.Blob != nil:
			mime := cmp.Or(b.Resource.MIMEType, "application/octet-stream")
			return c.note("embedded resource", mime), fmt.Sprintf("[Embedded Resource: %s]", mime), inline(mime, b.Resource.Blob)
		}
	case "resource_link":
		name := cmp.Or(b.Title, b.Name)
		return fence(resourceLink(name, b.URI)), fmt.Sprintf("[Link to %s: %s]", name, b.URI), nil
	}
	return "", fmt.Sprintf("[Unknown content type: %s]", b.Type), nil
}

// note introduces media to the model.
func (c *call) note(kind, mime string) string {
	return fmt.Sprintf("[Tool '%s' provided the following %s data with mime-type: %s]", c.listed.Name, kind, terminal.Cut(oneLine(mime), 100))
}

// resourceLink tells the model of a resource that a server points to.
func resourceLink(name, uri string) string { return fmt.Sprintf("Resource Link: %s at %s", name, uri) }

func inline(mime string, data []byte) *llm.Part {
	return &llm.Part{InlineData: &llm.Blob{MIMEType: mime, Data: data}}
}

// Marks around text from a server.
const (
	untrusted    = "<untrusted_context>"
	untrustedEnd = "</untrusted_context>"
)

// fence marks a text as untrusted. The text cannot end the mark.
func fence(text string) string {
	return untrusted + "\n" + strings.ReplaceAll(text, untrustedEnd, "&lt;/untrusted_context&gt;") + "\n" + untrustedEnd
}
