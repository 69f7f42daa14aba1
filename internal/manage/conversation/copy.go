package conversation

import (
	"context"
	"runtime"
	"strconv"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/process"
	"pollux/internal/terminal"
	"pollux/llm"
)

// copyResponse copies a model response to the clipboard: the last one, or the one with a number that counts from
// the end.
func copyResponse(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	n := 1
	if c.Text != "" {
		var err error
		if n, err = strconv.Atoi(c.Text); err != nil || n < 1 {
			return manage.Misuse("Enter a number that counts from the last response, such as /copy 2")
		}
	}
	text := nthResponse(c.Live.History(), n)
	if text == "" {
		return manage.Say("No output in history")
	}
	return outcome.Textf("Last output copied to the clipboard"), copyToClipboard(ctx, c, text)
}

// nthResponse returns the text of the nth model response, counted from the end of history,
// without control characters. It skips responses without text. It returns "" if there are
// fewer than n.
func nthResponse(history []agent.Message, n int) string {
	for i := len(history) - 1; i >= 0; i-- {
		m := history[i].Content
		if text := terminal.Text(m.Text()); m.Role == llm.RoleModel && strings.TrimSpace(text) != "" {
			if n--; n == 0 {
				return text
			}
		}
	}
	return ""
}

// copyToClipboard runs the first clipboard program that it finds, with text as input. It
// does not run programs from the workspace, and discards the program's output.
func copyToClipboard(ctx context.Context, c *manage.Call, text string) error {
	finder := process.Finder{Path: c.Live.Project.Env.Get("PATH"), Outside: c.Live.Workspace.Dirs()}
	for _, words := range clipboardCommands(c.Live.Project.Env.Get) {
		path := finder.Find(words[0])
		if path == "" {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		status, err := c.Live.Project.Launcher.Run(ctx, &process.Command{
			For:  process.Purpose{Kind: process.KindClipboard, Origin: process.OriginPollux},
			Path: path, Args: words[1:], Env: c.Live.Project.Env.List(), Stdin: strings.NewReader(text),
			Detach: true, // on Linux a background process keeps serving the clipboard text
		})
		switch {
		case err != nil:
			return exit.Errorf(exit.General, "Cannot copy with %s: %w", words[0], err)
		case status != process.Status{}:
			return exit.Errorf(exit.General, "Cannot copy with %s: %s", words[0], status)
		}
		return nil
	}
	return exit.Errorf(exit.General, "No clipboard found. On Linux, install wl-copy, xclip or xsel, and use a graphical session.")
}

// clipboardCommands returns the commands that can set the clipboard on this system, in
// order of preference.
func clipboardCommands(env func(string) string) (commands [][]string) {
	if runtime.GOOS == "darwin" {
		commands = append(commands, []string{"pbcopy"})
	}
	if env("WAYLAND_DISPLAY") != "" {
		commands = append(commands, []string{"wl-copy"})
	}
	if env("DISPLAY") != "" {
		commands = append(commands, []string{"xclip", "-selection", "clipboard"}, []string{"xsel", "--clipboard", "--input"})
	}
	return commands
}
