// Package host describes the program that a session runs in, such as an editor: the parts that it provides in place of Pollux's own.
package host

import (
	"context"

	"pollux/internal/mcp"
	"pollux/internal/process"
	"pollux/internal/records"
	"pollux/internal/workspace"
)

// Host is a program that a session runs in, such as an editor or a sandbox, as the session sees it. The zero Host leaves
// all to Pollux.
type Host struct {
	// Disk serves the files of the workspace, by absolute paths. Functions that are nil are those of the real disk.
	// Programs see the real disk.
	Disk workspace.Disk
	// Buffers are the texts of an editor, some of which are not saved, nil for none.
	Buffers *workspace.Buffers
	// Launch is around the start of each program, the first one outermost: a sandbox, a terminal of the host.
	Launch []process.Middleware
	// Servers are more MCP servers. They replace those of the settings and of extensions with the same name, and are used
	// even if the folder is not trusted.
	Servers []mcp.Config
	// Observers take the records of the session, from its start on. [Options.Warn] also gets the warnings of before.
	Observers []records.Sink
	// LacksForms says that the person cannot type answers: the model then has no tool that asks for them.
	LacksForms bool
	// Terminal starts a command in a terminal of the host; nil if it has none. Such a command is not confined, see the setting
	// pollux.acp.terminal.
	Terminal func(ctx context.Context, c process.HostCommand) (*process.HostTerminal, error)
	// OpenPage opens a web page for the person; nil uses the browser of this machine.
	OpenPage func(ctx context.Context, page string) error
}
