package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

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

// structured returns the structured content of a result, "" if there is none.
func (r *callToolResult) structured() string {
	switch text := string(bytes.TrimSpace(r.Structured)); text {
	case "null", "{}", "[]":
		return ""
	default:
		return text
	}
}

// errorContent returns the content of a result that is an error: the structured content if there is no other.
func (r *callToolResult) errorContent() json.RawMessage {
	var blocks []json.RawMessage
	if text := r.structured(); text != "" && (json.Unmarshal(r.Content, &blocks) != nil || len(blocks) == 0) {
		return json.RawMessage(text)
	}
	return r.Content
}

// result returns a call's result for the model and the person. Text is marked as untrusted for the
// model. Structured content is a copy of the text for programs, and stands for it where there is no text.
func (c *call) result(r *callToolResult) *tool.Result {
	var blocks []json.RawMessage
	if json.Unmarshal(r.Content, &blocks) != nil && (len(r.Content) > 0 || r.structured() == "") {
		raw := string(r.Content)
		return &tool.Result{
			Content: []llm.Part{llm.Text("[Error: Could not parse tool response]")},
			Display: tool.TextDisplay("```json\n" + raw + "\n```"),
		}
	}
	var texts, shown []string
	hasText := false
	var media []llm.Part
	for _, raw := range blocks {
		var b block
		if err := json.Unmarshal(raw, &b); err != nil {
			text := fmt.Sprintf("[Unreadable content of type %s]", kindOf(&b))
			texts, shown = append(texts, text), append(shown, text)
			hasText = true
			continue
		}
		text, display, part := c.block(&b)
		if text != "" {
			texts = append(texts, text)
			hasText = hasText || part == nil
		}
		if part != nil {
			media = append(media, *part)
		}
		shown = append(shown, display)
	}
	if text := r.structured(); !hasText && text != "" {
		texts, shown = append(texts, tool.Untrusted(text)), append(shown, text)
	}
	var content []llm.Part
	if len(texts) > 0 || len(media) == 0 {
		content = append(content, llm.Text(strings.Join(texts, "\n")))
	}
	return &tool.Result{Content: append(content, media...), Display: tool.TextDisplay(strings.Join(shown, "\n"))}
}

// block returns a block as text and media for the model, and as text for a person.
func (c *call) block(b *block) (text, shown string, media *llm.Part) {
	switch b.Type {
	case "text":
		return tool.Untrusted(b.Text), b.Text, nil
	case "image", "audio", "blob": // the last one is not of the protocol: servers for files send it
		return c.media(b.Type, strings.ToUpper(b.Type[:1])+b.Type[1:], b.MIMEType, b.Data)
	case "resource":
		switch {
		case b.Resource == nil:
		case b.Resource.Text != nil:
			return tool.Untrusted(*b.Resource.Text), *b.Resource.Text, nil
		case b.Resource.Blob != nil:
			return c.media("embedded resource", "Embedded Resource", b.Resource.MIMEType, b.Resource.Blob)
		}
	case "resource_link":
		name := cmp.Or(b.Title, b.Name)
		return tool.Untrusted(resourceLink(name, b.URI)), fmt.Sprintf("[Link to %s: %s]", name, b.URI), nil
	}
	text = fmt.Sprintf("[Unknown content type: %s]", kindOf(b))
	return text, text, nil
}

// kindOf returns the type of a block on one line, without the braces of the note that has it.
func kindOf(b *block) string {
	kind := strings.NewReplacer("[", "", "]", "", "<", "", ">", "").Replace(oneLine(b.Type))
	return cmp.Or(terminal.Cut(kind, 100), "invalid")
}

// media returns data for the model and for a person. Data that reads as text and has no type of media is
// text. Other data without a known type is left out, because no service takes it.
func (c *call) media(kind, title, mime string, data []byte) (text, shown string, part *llm.Part) {
	mime = cmp.Or(mime, noType)
	if isTextData(mime, data) {
		return tool.Untrusted(string(data)), string(data), nil
	}
	shown = fmt.Sprintf("[%s: %s]", title, mime)
	if !isMedia(mime) {
		mime = terminal.Cut(oneLine(mime), 100)
		return fmt.Sprintf("[Tool '%s' provided %d bytes of %s data with mime-type %s, which you cannot read]", c.listed.Name, len(data), kind, mime), shown, nil
	}
	return fmt.Sprintf("[Tool '%s' provided the following %s data with mime-type: %s]", c.listed.Name, kind, terminal.Cut(oneLine(mime), 100)), shown, inline(mime, data)
}

// isTextData reports whether data that a server sends as binary reads as text, and has no type of media.
func isTextData(mime string, data []byte) bool {
	mime, _, _ = strings.Cut(mime, ";")
	isText := mime == noType || strings.HasPrefix(mime, "text/") || mime == "application/json" || mime == "application/xml" || mime == "application/yaml"
	return isText && utf8.Valid(data) && bytes.IndexByte(data, 0) < 0
}

// isMedia reports whether a model may take data of a type.
func isMedia(mime string) bool {
	return !strings.HasPrefix(mime, "application/") || strings.HasPrefix(mime, "application/pdf")
}

// resourceLink describes a resource that a server links to, for the model.
func resourceLink(name, uri string) string { return fmt.Sprintf("Resource Link: %s at %s", name, uri) }

func inline(mime string, data []byte) *llm.Part {
	return &llm.Part{InlineData: &llm.Blob{MIMEType: mime, Data: data}}
}

// noType is the MIME type of data of which nothing is known.
const noType = "application/octet-stream"
