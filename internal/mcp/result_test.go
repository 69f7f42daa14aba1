package mcp

import (
	"encoding/json"
	"testing"

	"pollux/tool"
)

// Structured content stands for text where there is none.
func TestStructured(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ content, structured, want string }{
		{``, `{"a":1}`, tool.Untrusted(`{"a":1}`)},
		{`[]`, `{"a":1}`, tool.Untrusted(`{"a":1}`)},
		{`[{"type":"text","text":"b"}]`, `{"a":1}`, tool.Untrusted("b")},
		{`[{"type":"image","mimeType":"image/png","data":"aGVsbG8K"}]`, `{"a":1}`, "[Tool 'look' provided the following image data with mime-type: image/png]\n" + tool.Untrusted(`{"a":1}`)},
		{`[]`, `null`, ""},
		{`[]`, `{}`, ""},
		{``, ``, "[Error: Could not parse tool response]"},
		{`7`, `{"a":1}`, "[Error: Could not parse tool response]"},
	} {
		c := &call{remote: &remote{listed: listed{Name: "look"}}}
		got := c.result(&callToolResult{Content: json.RawMessage(tt.content), Structured: json.RawMessage(tt.structured)})
		if len(got.Content) == 0 || got.Content[0].Text != tt.want {
			t.Errorf("%s with %s: %+v, want %q", tt.content, tt.structured, got.Content, tt.want)
		}
	}
}

// Each block of a result is converted by its kind. Data without a known type is text if it reads as text,
// and is never sent as it is: no service takes it.
func TestResultBlocks(t *testing.T) {
	t.Parallel()
	const png, hello, noise = "iVBORw0KGgo=", "aGVsbG8K", "AAEC/w=="
	for _, tt := range []struct{ name, block, text, shown, mime string }{
		{"image", `{"type":"image","mimeType":"image/png","data":"` + png + `"}`, "[Tool 'look' provided the following image data with mime-type: image/png]", "[Image: image/png]", "image/png"},
		{"audio", `{"type":"audio","mimeType":"audio/wav","data":"` + png + `"}`, "[Tool 'look' provided the following audio data with mime-type: audio/wav]", "[Audio: audio/wav]", "audio/wav"},
		{"resource with text", `{"type":"resource","resource":{"text":"a"}}`, tool.Untrusted("a"), "a", ""},
		{"resource with data", `{"type":"resource","resource":{"mimeType":"application/pdf","blob":"` + png + `"}}`, "[Tool 'look' provided the following embedded resource data with mime-type: application/pdf]", "[Embedded Resource: application/pdf]", "application/pdf"},
		{"text as data", `{"type":"resource","resource":{"blob":"` + hello + `"}}`, tool.Untrusted("hello\n"), "hello\n", ""},
		{"text as data of a type", `{"type":"resource","resource":{"mimeType":"application/octet-stream","blob":"` + hello + `"}}`, tool.Untrusted("hello\n"), "hello\n", ""},
		{"source code", `{"type":"resource","resource":{"mimeType":"text/x-go","blob":"` + hello + `"}}`, tool.Untrusted("hello\n"), "hello\n", ""},
		{"data", `{"type":"resource","resource":{"blob":"` + noise + `"}}`, "[Tool 'look' provided 4 bytes of embedded resource data with mime-type application/octet-stream, which you cannot read]", "[Embedded Resource: application/octet-stream]", ""},
		{"blob", `{"type":"blob","mimeType":"application/octet-stream","data":"` + hello + `"}`, tool.Untrusted("hello\n"), "hello\n", ""},
		{"picture of no type", `{"type":"image","data":"` + noise + `"}`, "[Tool 'look' provided 4 bytes of image data with mime-type application/octet-stream, which you cannot read]", "[Image: application/octet-stream]", ""},
		{"link", `{"type":"resource_link","name":"n","uri":"x:1"}`, tool.Untrusted("Resource Link: n at x:1"), "[Link to n: x:1]", ""},
		{"titled link", `{"type":"resource_link","name":"n","title":"t","uri":"x:1"}`, tool.Untrusted("Resource Link: t at x:1"), "[Link to t: x:1]", ""},
		{"type of two lines", `{"type":"audio","mimeType":"a/b\nc","data":"` + png + `"}`, "[Tool 'look' provided the following audio data with mime-type: a/b c]", "[Audio: a/b\nc]", "a/b\nc"},
		{"unknown", `{"type":"smell"}`, "[Unknown content type: smell]", "[Unknown content type: smell]", ""},
		{"unknown, on several lines", `{"type":"a\n[b]"}`, "[Unknown content type: a b]", "[Unknown content type: a b]", ""},
		{"unreadable", `{"type":"image","data":1}`, "[Unreadable content of type image]", "[Unreadable content of type image]", ""},
		{"a type that no model takes", `{"type":"resource","resource":{"mimeType":"application/zip","blob":"AAEC"}}`, "[Tool 'look' provided 3 bytes of embedded resource data with mime-type application/zip, which you cannot read]", "[Embedded Resource: application/zip]", ""},
	} {
		c := &call{remote: &remote{listed: listed{Name: "look"}}}
		got := c.result(&callToolResult{Content: json.RawMessage("[" + tt.block + "]")})
		if len(got.Content) == 0 || got.Content[0].Text != tt.text {
			t.Errorf("%s: the model gets %+v, want %q", tt.name, got.Content, tt.text)
		}
		mime := ""
		for _, p := range got.Content {
			if p.InlineData != nil {
				mime = p.InlineData.MIMEType
			}
		}
		if shown, _ := got.Display.(tool.TextDisplay); mime != tt.mime || string(shown) != tt.shown {
			t.Errorf("%s: shown %q, media %q, want %q, %q", tt.name, got.Display, mime, tt.shown, tt.mime)
		}
	}
}
