// Package ide connects a session with the person's editor.
package ide

import (
	"context"
	"fmt"
	"strings"
	"time"

	"pollux/internal/companion"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/process"
	"pollux/internal/terminal"
)

// Command returns the commands about the editor in whose terminal Pollux runs.
func Command() *manage.Command {
	return manage.SessionOnly(&manage.Command{
		Name: "ide", Summary: "Connect to the editor in whose terminal Pollux runs",
		Subs: []*manage.Command{
			{Name: "status", Summary: "Show the connection, and the files that the editor shares", RunsWhileBusy: true, Run: status},
			{Name: "enable", Summary: "Connect now, and in later sessions", RunsWhileBusy: true, Run: enable},
			{Name: "disable", Summary: "Disconnect, and stay so in later sessions", RunsWhileBusy: true, Run: disable},
			{Name: "install", Summary: "Install the companion extension in the editor", Run: install},
		},
	})
}

// status describes the connection.
func status(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	s := c.Live.Companion.Status()
	switch s.Phase {
	case companion.Connecting:
		return manage.Say("Connecting to %s...", s.Editor)
	case companion.Disconnected:
		return manage.Say("Disconnected: %s.", terminal.Line(s.Why.Error()))
	case companion.Off:
		return manage.Say("Disconnected: %s is off. To connect, use /ide enable.", config.IDEEnabled)
	}
	if len(s.Files) == 0 {
		return manage.Say("Connected to %s. No files are open.", s.Editor)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Connected to %s. Open files:", s.Editor)
	for _, f := range s.Files {
		b.WriteString("\n- " + terminal.Line(c.Live.Project.Paths.Display(c.Live.Workspace.Display(f.Path))))
		if f.Active {
			b.WriteString(" (active)")
		}
	}
	return manage.Say("%s", b.String())
}

// connectTime is how long /ide enable waits for the editor.
const connectTime = 5 * time.Second

// enable connects, and says whether that worked.
func enable(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	if err := c.Save(string(config.IDEEnabled), true); err != nil {
		return outcome.Outcome{}, err
	}
	c.Live.Companion.Connect()
	for deadline := time.Now().Add(connectTime); c.Live.Companion.Status().Phase == companion.Connecting && time.Now().Before(deadline); {
		select {
		case <-ctx.Done():
			return outcome.Outcome{}, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
	return status(ctx, c)
}

// disable disconnects.
func disable(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	if err := c.Save(string(config.IDEEnabled), false); err != nil {
		return outcome.Outcome{}, err
	}
	c.Live.Companion.Close()
	return manage.Say("Disconnected. To connect, use /ide enable.")
}

// extensionID is the companion extension in the catalogs of editors that VS Code extensions run in.
const extensionID = "google.gemini-cli-vscode-ide-companion"

// install installs the companion extension with the program of the editor.
func install(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	p := c.Live.Project
	env := p.Env().User()
	name, command := companion.Terminal(env)
	if command == "" {
		return manage.Say("Pollux can install the extension in VS Code and editors made from it, in their terminal. In others, install it with their own list of extensions: Gemini CLI Companion (%s).", extensionID)
	}
	path := p.FindProgram(c.Live.Workspace, command)
	if path == "" {
		return outcome.Outcome{}, exit.Errorf(exit.Input, "%s is not in the PATH, so the extension cannot be installed. In %s, install %s from the list of extensions.", command, name, extensionID)
	}
	_, err := p.Launcher.Ask(ctx, &process.Command{
		For:  process.Purpose{Kind: process.KindEditor, Origin: process.OriginUser},
		Name: command, Path: path, Args: []string{"--install-extension", extensionID, "--force"}, Env: p.Options.Env.List(), Dir: p.Paths.Home(),
	})
	if err != nil {
		return outcome.Outcome{}, fmt.Errorf("%s could not install %s: %v", name, extensionID, err)
	}
	return manage.Say("The extension is installed in %s. Open a new terminal there, start Pollux, and use /ide enable.", name)
}
