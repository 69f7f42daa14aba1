package schema

// Block is a block of content. Its fields depend on Type: "text", "image", "audio", "resource_link" or "resource".
type Block struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	Data     string    `json:"data,omitempty"` // in base64
	MIMEType string    `json:"mimeType,omitempty"`
	URI      string    `json:"uri,omitempty"`
	Name     string    `json:"name,omitempty"`
	Resource *Resource `json:"resource,omitempty"`
}

// Resource is a file in a prompt: its text, or its bytes in base64.
type Resource struct {
	URI      string  `json:"uri"`
	MIMEType string  `json:"mimeType,omitempty"`
	Text     *string `json:"text,omitempty"`
	Blob     *string `json:"blob,omitempty"`
}

// TextBlock is a block of text.
type TextBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// TextOf returns a text as a block.
func TextOf(text string) TextBlock { return TextBlock{"text", text} }

// CallContent is a part of the content of a tool call: a text, the change of a file, or a terminal of the client. Its type is
// "content", "diff" or "terminal".
type CallContent struct {
	Type       string     `json:"type"`
	Content    *TextBlock `json:"content,omitempty"`
	TerminalID string     `json:"terminalId,omitempty"`
	*Diff
}

// Diff is the change of a file. OldText is nil for a new file.
type Diff struct {
	Path    string  `json:"path"`
	OldText *string `json:"oldText"`
	NewText string  `json:"newText"`
	Meta    Meta    `json:"_meta,omitempty"`
}

// Show returns a text as a part of the content of a tool call.
func Show(text string) CallContent {
	block := TextOf(text)
	return CallContent{Type: "content", Content: &block}
}

// Change returns the change of a file as a part of the content of a tool call.
func Change(d *Diff) CallContent { return CallContent{Type: "diff", Diff: d} }

// InTerminal returns a terminal of the client as a part of the content of a tool call.
func InTerminal(id string) CallContent { return CallContent{Type: "terminal", TerminalID: id} }
