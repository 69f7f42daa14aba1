package project

import (
	"os"
	"path/filepath"

	"pollux/internal/mcp"
	"pollux/internal/process"
	"pollux/internal/workspace"
)

// HasHome reports whether the user has a home directory, or has named one for Pollux. Services often
// have none.
func (p *Project) HasHome() bool {
	info, err := os.Stat(p.Paths.Home())
	return err == nil && info.IsDir() || p.Options.Env.Get("GEMINI_CLI_HOME") != ""
}

// FindProgram returns the path of a program, "" if there is none. One inside the workspace is not
// the user's, but the repository's or the model's, and does not count.
func (p *Project) FindProgram(ws *workspace.Workspace, name string) string {
	outside := ws.Dirs()
	if temp := ws.ProjectTemp(); temp != "" {
		outside = append(outside, temp)
	}
	return process.Finder{Path: p.Env().User().Get("PATH"), Outside: outside}.Find(name)
}

// Ripgrep returns the program that a session in this project searches with, "" if
// there is none.
func (p *Project) Ripgrep() string {
	quiet := p.WithWarn(nil) // a session warns of mistakes
	return quiet.FindProgram(NewWorkspace(quiet), "rg")
}

// ServerSwitches returns the file with the servers that the user has disabled.
func (p *Project) ServerSwitches() mcp.Switches {
	return mcp.Switches{Path: filepath.Join(p.Paths.GeminiDir(), "mcp-server-enablement.json")}
}
