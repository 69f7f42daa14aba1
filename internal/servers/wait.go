package servers

import (
	"context"
	"fmt"
	"strings"
	"time"

	"pollux/internal/config"
	"pollux/internal/mcp"
	"pollux/internal/project"
	"pollux/internal/terminal"
)

// waitNotice is the time after which the user learns which servers are waited for.
const waitNotice = 3 * time.Second

// WaitLimit returns how long to wait for servers.
func WaitLimit(p *project.Project) time.Duration {
	return time.Duration(config.MCPStartWait.In(p.Settings()) * float64(time.Second))
}

// Wait waits for servers that start, and tells the user after a moment which ones these are and what they do. Each has
// the time limit, from when it begins to start, because only some start at once. Wait returns the names of those that have
// not answered in their time.
func Wait(ctx context.Context, p *project.Project, live *mcp.Servers, limit time.Duration) (pending []string) {
	deadline := time.Now().Add(limit)
	soon, stop := context.WithTimeout(ctx, min(waitNotice, limit))
	defer stop()
	if pending = live.Settle(soon); len(pending) == 0 || ctx.Err() != nil {
		return nil
	}
	if waitNotice < limit {
		tell(p, live, pending, limit)
	}
	for {
		until, stop := context.WithDeadline(ctx, deadline)
		pending = live.Settle(until)
		stop()
		if len(pending) == 0 || ctx.Err() != nil {
			return nil
		}
		next := live.LastStart(pending).Add(limit)
		if !next.After(deadline) {
			return pending
		}
		deadline = next
	}
}

// tell says which servers are waited for, and what they do.
func tell(p *project.Project, live *mcp.Servers, pending []string, limit time.Duration) {
	each := ""
	if len(pending) > 1 {
		each = " each"
	}
	p.Warn(terminal.Line(fmt.Sprintf("Waiting for MCP servers: %s (up to %v s%s, see %s). To skip one: pollux mcp disable NAME",
		strings.Join(pending, ", "), limit.Seconds(), each, config.MCPStartWait)))
	for _, name := range pending {
		if doing := live.Progress(name); doing != "" {
			p.Warn(terminal.Line(fmt.Sprintf("MCP server %q: %s.", name, doing)))
		}
	}
}
