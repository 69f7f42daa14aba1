package slash

import (
	"context"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/program"
	"pollux/internal/terminal"
	"pollux/llm"
)

// copyAnswer puts an answer of the model's into the clipboard: the last, or the nth
// from the end.
func copyAnswer(ctx context.Context, s *Session, args string) (Result, error) {
	n := 1
	if args != "" {
		var err error
		if n, err = strconv.Atoi(args); err != nil || n < 1 {
			return fail("Name an answer by its number from the end, as in: /copy 2")
		}
	}
	text := answer(s.App.Agent.History(), n)
	if text == "" {
		return say("No output in history")
	}
	return Result{Text: "Last output copied to the clipboard"}, s.toClipboard(ctx, text)
}

// answer returns the nth text of the model's from the end, without what no text has;
// "" if there is none.
func answer(history []agent.Message, n int) string {
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

// toClipboard hands a text to a program that sets the clipboard. What the program is
// and does with a screen is its own affair, so nothing of it is shown.
func (s *Session) toClipboard(ctx context.Context, text string) error {
	find := program.Finder{Path: s.Env.Get("PATH"), Outside: s.App.Workspace.Dirs()}
	for _, c := range clipboards(s.Env.Get) {
		path := find.Find(c[0])
		if path == "" {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, path, c[1:]...)
		cmd.Env, cmd.Stdin = s.Env.List(), strings.NewReader(text)
		program.OwnGroup(cmd)
		if err := cmd.Run(); err != nil {
			return exit.Errorf(exit.General, "%s did not take the text for the clipboard: %w", c[0], err)
		}
		return nil
	}
	return exit.Errorf(exit.General, "No clipboard can be reached here. On Linux it needs a screen, and wl-copy, xclip or xsel.")
}

// clipboards are the commands that may set the clipboard, the best first.
func clipboards(env func(string) string) (commands [][]string) {
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
