package cli

import (
	"slices"
	"strings"

	"pollux/internal/exit"
)

// refuseSlash refuses a prompt that is one of the / commands of the interactive
// screen (spec/cli.md §6.8): the model could only guess what /clear should do.
// What begins with / and is no such command, a path for instance, is a prompt.
func refuseSlash(prompt string) error {
	if !strings.HasPrefix(prompt, "/") {
		return nil
	}
	name := prompt[1:]
	if end := strings.IndexAny(name, " \t\r\n"); end >= 0 {
		name = name[:end]
	}
	switch {
	case slices.Contains(screenCommands, name):
		return exit.Errorf(exit.Input, "Exiting due to command result that is not supported in non-interactive mode.")
	case slices.Contains(laterSlash, name):
		return exit.Errorf(exit.Input, "The command /%s is not available yet in this version of Pollux. "+
			"To ask the model about it, put a word before it.", name)
	}
	return nil
}

// screenCommands need someone at the screen.
var screenCommands = []string{
	"auth", "bug", "chat", "clear", "new", "copy", "docs", "editor", "footer", "statusline", "ide", "model", "permissions",
	"privacy", "quit", "exit", "rewind", "settings", "setup-github", "tasks", "bg", "background", "terminal-setup", "theme",
	"upgrade", "vim", "voice",
}

// laterSlash would answer without one, once they are there.
var laterSlash = []string{
	"about", "agents", "commands", "compress", "summarize", "compact", "directory", "dir", "export-session", "extensions",
	"gemma", "help", "hooks", "init", "mcp", "memory", "plan", "policies", "restore", "resume", "shortcuts", "skills",
	"stats", "usage", "tools",
}
