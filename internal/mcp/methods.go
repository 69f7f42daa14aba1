package mcp

import (
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The SDK decodes schemas into maps, which lose the order of their members, and refuses a whole result
// for a part that it does not know. So tools are listed and called with types of our own. It also leaves out empty
// arguments of a prompt, without which servers in TypeScript refuse those whose arguments are all optional. The SDK has
// such types only for methods that are not standard: these have a prefix, and [toWire] removes it.
const (
	ownPrefix       = "own/"
	methodListTools = ownPrefix + "tools/list"
	methodCallTool  = ownPrefix + "tools/call"
	methodGetPrompt = ownPrefix + "prompts/get"
)

// params are those of all these methods: a page of a list, or a tool or a prompt with its arguments.
type params struct {
	sdk.ParamsBase
	Cursor    string          `json:"cursor,omitempty"`
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

type listToolsResult struct {
	sdk.ResultBase
	Tools      []json.RawMessage `json:"tools"`
	NextCursor string            `json:"nextCursor"`
}

type callToolResult struct {
	sdk.ResultBase
	Content    json.RawMessage `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    any             `json:"isError"`
}

// addMethods makes a client send the methods above.
func addMethods(c *sdk.Client) {
	// They fail only for names that are standard.
	_ = sdk.AddSendingCustomMethod[*params, *listToolsResult](c, methodListTools)
	_ = sdk.AddSendingCustomMethod[*params, *callToolResult](c, methodCallTool)
	_ = sdk.AddSendingCustomMethod[*params, *sdk.GetPromptResult](c, methodGetPrompt)
}

// toWire returns a message as it is sent: with the standard name of its method.
func toWire(msg jsonrpc.Message) jsonrpc.Message {
	if r, ok := msg.(*jsonrpc.Request); ok && strings.HasPrefix(r.Method, ownPrefix) {
		standard := *r
		standard.Method = strings.TrimPrefix(r.Method, ownPrefix)
		return &standard
	}
	return msg
}
