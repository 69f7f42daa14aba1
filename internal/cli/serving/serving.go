// Package serving serves other programs: MCP clients with Pollux's tools and editors with sessions, both on standard input and output, and programs that
// give tasks to an agent, by HTTP.
package serving

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"pollux/internal/config"
	"pollux/internal/face/acp"
	"pollux/internal/face/toolserver"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/session"
	"pollux/internal/terminal"
)

// Tools serves the tools of the working directory to an MCP client until standard input ends.
func Tools(ctx context.Context, t *terminal.Terminal, o session.Options) (err error) {
	process.Seal() // the environment may hold keys, and commands run as the same user
	p := &o.Project
	if p.Dir, err = config.WorkingDir(); err != nil {
		return err
	}
	p.Flags[string(config.MCPAllowed)] = []any{} // servers of the settings are not for other clients
	p.Interactive, p.DebugLog, o.Offline = true, t.Err, true
	s, err := session.Open(ctx, o)
	if err != nil {
		return err
	}
	defer s.Close()
	return toolserver.Serve(ctx, s, toolserver.Options{In: t.In, Out: t.Out.JSON()})
}

// Editor serves an editor until standard input ends. The editor names the directories of sessions, and writes the prompts. loaded
// is called with each project once its settings are read.
func Editor(ctx context.Context, t *terminal.Terminal, o session.Options, loaded func(p *project.Project, o *session.Options)) error {
	process.Seal() // the environment may hold keys, and commands run as the same user
	o.SessionID, o.IsNewID, o.Resume, o.SessionFile, o.Patch = "", false, "", "", nil
	o.Project.InWorktree, o.Project.WorktreeName = false, ""
	o.Project.Dir, o.Project.DebugLog = "", t.Err
	return acp.Serve(ctx, acp.Options{
		In: t.In, Out: t.Out.JSON(), Log: t.Err, Session: o, Terminal: t,
		IsGemini: strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == "gemini",
		OnSession: func(s *session.Options) {
			s.Project.Loaded = func(p *project.Project) { loaded(p, s) }
		},
	})
}
