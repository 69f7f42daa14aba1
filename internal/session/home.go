package session

import (
	"os"
	"pollux/internal/process"
	"pollux/internal/workspace"
)

// hasHome reports whether the user has a home directory, or has named one for Pollux. Services often
// have none.
func (p *Setup) hasHome() bool {
	info, err := os.Stat(p.Paths.Home())
	return err == nil && info.IsDir() || p.Env.Get("GEMINI_CLI_HOME") != ""
}

// findProgram returns the path of a program, "" if there is none. One inside the workspace is not
// the user's, but the repository's or the model's, and does not count.
func (p *Setup) findProgram(ws *workspace.Workspace, name string) string {
	outside := ws.Dirs()
	if temp := ws.ProjectTemp(); temp != "" {
		outside = append(outside, temp)
	}
	return process.Finder{Path: p.Env.Get("PATH"), Outside: outside}.Find(name)
}

// ripgrep returns the path of rg.
func (p *Setup) ripgrep(ws *workspace.Workspace) string { return p.findProgram(ws, "rg") }

// Ripgrep returns the program that a session with this setup searches with, "" if
// there is none.
func (p *Setup) Ripgrep() string {
	quiet := p.quiet() // a session warns of what is wrong
	return quiet.ripgrep(newWorkspace(quiet))
}
