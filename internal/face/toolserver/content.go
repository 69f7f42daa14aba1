package toolserver

import (
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/tool"
)

// content returns a result in the form of the protocol. advice says how the user can allow a denied call,
// "" for nothing.
func content(r *tool.Result, advice string) *sdk.CallToolResult {
	if r == nil {
		return failed("The call has no result.")
	}
	if r.Error != nil {
		return failed(strings.TrimSpace(r.Error.Message + "\n" + advice))
	}
	out := &sdk.CallToolResult{Content: []sdk.Content{}}
	for i := range r.Content {
		part := &r.Content[i]
		switch data := part.InlineData; {
		case data == nil:
			if part.Text != "" {
				out.Content = append(out.Content, &sdk.TextContent{Text: part.Text})
			}
		case strings.HasPrefix(data.MIMEType, "image/"):
			out.Content = append(out.Content, &sdk.ImageContent{Data: data.Data, MIMEType: data.MIMEType})
		case strings.HasPrefix(data.MIMEType, "audio/"):
			out.Content = append(out.Content, &sdk.AudioContent{Data: data.Data, MIMEType: data.MIMEType})
		default:
			out.Content = append(out.Content, &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{
				URI: "pollux://result", MIMEType: data.MIMEType, Blob: data.Data,
			}})
		}
	}
	if len(out.Content) == 0 && advice != "" { // refused by the person
		return failed(advice)
	}
	return out
}

func failed(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}
