package mcptest

import (
	"context"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// addNews adds tools that send a notice of a change of test://one, and that log.
func addNews(s *sdk.Server, p Process) {
	empty := json.RawMessage(`{"type":"object"}`)
	s.AddTool(&sdk.Tool{Name: "touch", Description: "Changes a resource", InputSchema: empty},
		func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return text("touched"), s.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: "test://one"})
		})
	s.AddTool(&sdk.Tool{Name: "log", Description: "Logs", InputSchema: empty},
		func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			fmt.Fprint(p.Err, "one line\nand ")
			fmt.Fprint(p.Err, "another\n")
			//lint:ignore SA1019 servers of today have logs
			err := r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "debug", Logger: "store", Data: map[string]any{"rows": 3}})
			return text("logged"), err
		})
}
