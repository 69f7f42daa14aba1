package settings

import (
	"context"

	"pollux/internal/config"
	"pollux/internal/manage"
	"pollux/internal/outcome"
)

// VimCommand returns the command that turns the keys of vi on and off.
func VimCommand() *manage.Command {
	return manage.SessionOnly(&manage.Command{Name: "vim", Summary: "Turn the keys of vi on or off", Run: toggleVim, NeedsPerson: true, Instead: "Run pollux config set general.vimMode true."})
}

func toggleVim(_ context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	isOn := !config.VimMode.In(c.Live.Project.Settings())
	if err := c.Live.Project.Paths.Set(config.User, string(config.VimMode), isOn); err != nil {
		return o, err
	}
	if isOn {
		return changed(c, string(config.VimMode), "Entered Vim mode. Run /vim again to exit.")
	}
	return changed(c, string(config.VimMode), "Exited Vim mode.")
}
