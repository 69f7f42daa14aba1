package slash

import (
	"context"
	"runtime"
	"strconv"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/process"
	"pollux/internal/terminal"
	"pollux/llm"
)

// copyResponse copies a model response to the clipboard. args is empty for the last
// response, or a number that counts from the end.
func copyResponse(ctx context.Context, s *Runner, args string) (Result, error) {
	n := 1
	if args != "" {
		var err error
		if n, err = strconv.Atoi(args); err != nil || n < 1 {
			return usageError("Enter a number that counts from the last response, such as /copy 2")
		}
	}
	text := nthResponse(s.Session.History(), n)
	if text == "" {
		return textResult("No output in history")
	}
	return Result{Text: "Last output copied to the clipboard"}, s.copyToClipboard(ctx, text)
}

// nthResponse returns the text of the nth model response, counted from the end of history,
// without control characters. It skips responses without text. It returns "" if there are
// fewer than n.
func nthResponse(history []agent.Message, n int) string {
	for i := len(history) - 1; i >= 0; i-- {
		c := history[i].Content
		if text := terminal.Text(c.Text()); c.Role == llm.RoleModel && strings.TrimSpace(text) != "" {
			if n--; n == 0 {
				return text
			}
		}
	}
	return ""
}

// copyToClipboard runs the first clipboard program that it finds, with text as input. It
// does not run programs from the workspace, and discards the program's output.
func (s *Runner) copyToClipboard(ctx context.Context, text string) error {
	env := s.Session.Project.Env().User()
	finder := process.Finder{Path: env.Get("PATH"), Outside: s.Session.Workspace.Dirs()}
	for _, c := range clipboardCommands(env.Get) {
		path := finder.Find(c[0])
		if path == "" {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		status, err := s.Session.Project.Launcher.Run(ctx, &process.Command{
			For:  process.Purpose{Kind: process.KindClipboard, Origin: process.OriginPollux},
			Path: path, Args: c[1:], Env: env.List(), Stdin: strings.NewReader(text),
			Detach: true, // on Linux a background process keeps serving the clipboard text
		})
		switch {
		case err != nil:
			return exit.Errorf(exit.General, "Cannot copy with %s: %w", c[0], err)
		case status != process.Status{}:
			return exit.Errorf(exit.General, "Cannot copy with %s: %s", c[0], status)
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
