package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pollux/internal/config"
	"pollux/internal/exit"
)

// laterCommands are the subcommands that are known but not there yet, with
// their other names.
var laterCommands = [...][]string{
	{"mcp"}, {"extensions", "extension"}, {"skills", "skill"}, {"hooks", "hook"}, {"gemma"},
}

// laterCommand returns the subcommand that says so.
func laterCommand(names []string) *cobra.Command {
	return &cobra.Command{
		Use: names[0], Aliases: names[1:], Short: "Not available yet", Hidden: true,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return exit.Errorf(exit.General, "pollux %s is not available yet in this version of Pollux.", cmd.CalledAs())
		},
	}
}

// refusal is the answer to a flag whose subsystem is not there yet.
type refusal struct {
	flag string
	code exit.Code
	what string
}

// refusals are the flags that a run without what they ask for would betray.
var refusals = [...]refusal{
	{"sandbox", exit.Sandbox, "The sandbox is"},
	{"worktree", exit.General, "Worktrees are"},
	{"acp", exit.General, "The Agent Client Protocol is"},
	{"experimental-acp", exit.General, "The Agent Client Protocol is"},
	{"list-extensions", exit.General, "Extensions are"},
	{"resume", exit.General, "Going on with a session is"},
	{"session-file", exit.General, "Importing a session is"},
	{"list-sessions", exit.General, "Listing sessions is"},
	{"delete-session", exit.General, "Deleting sessions is"},
}

// isLater reports whether a flag's subsystem is not there yet.
func isLater(flag string) bool {
	switch flag {
	case "allowed-mcp-server-names", "extensions":
		return true
	}
	return slices.ContainsFunc(refusals[:], func(r refusal) bool { return r.flag == flag })
}

// later answers for the flags whose subsystem is not there yet: an error where
// the user relies on it, a warning where the run is of use all the same.
func later(f *pflag.FlagSet, r *rawFlags, env *config.Env) (warnings []string, err error) {
	for _, refused := range refusals {
		flag := f.Lookup(refused.flag)
		if !flag.Changed || isBool(flag) && flag.Value.String() == "false" {
			continue
		}
		return nil, exit.Errorf(refused.code, "%s not available yet in this version of Pollux: run it without --%s.", refused.what, refused.flag)
	}
	if wantsSandbox(env.Get("GEMINI_SANDBOX")) && env.Get("SANDBOX") == "" {
		return nil, errSandbox()
	}
	if f.Changed("allowed-mcp-server-names") && !slices.Equal(r.mcpServers, list{""}) {
		warnings = append(warnings, fmt.Sprintf("Warning: MCP servers are not available yet in this version of Pollux: %s will not be used.",
			strings.Join(r.mcpServers, ", ")))
	}
	none := len(r.extensions) == 1 && (r.extensions[0] == "" || strings.EqualFold(r.extensions[0], "none"))
	if f.Changed("extensions") && !none {
		warnings = append(warnings, fmt.Sprintf("Warning: extensions are not available yet in this version of Pollux: %s will not be used.",
			strings.Join(r.extensions, ", ")))
	}
	return warnings, nil
}

// refuseSandbox refuses to run without the sandbox that settings ask for, or a .env
// file. What GEMINI_SANDBOX says about it wins; inside a sandbox all is well.
func refuseSandbox(s *config.Settings, env *config.Env) error {
	if env.Get("SANDBOX") != "" {
		return nil
	}
	if value := env.Get("GEMINI_SANDBOX"); value != "" {
		if wantsSandbox(value) {
			return errSandbox()
		}
		return nil
	}
	asked := false
	switch v := config.ToolSandbox.In(s).(type) {
	case bool:
		asked = v
	case string:
		asked = wantsSandbox(v)
	case map[string]any:
		asked, _ = v["enabled"].(bool)
	}
	if asked {
		return exit.Errorf(exit.Sandbox, "The sandbox that tools.sandbox asks for is not available yet in this version of Pollux: "+
			"use --no-sandbox to run without it.")
	}
	return nil
}

func errSandbox() error {
	return exit.Errorf(exit.Sandbox, "The sandbox is not available yet in this version of Pollux: unset GEMINI_SANDBOX to run without it.")
}

// wantsSandbox reports whether the value of GEMINI_SANDBOX, or of the setting,
// names a sandbox.
func wantsSandbox(value string) bool {
	value = strings.ToLower(strings.TrimSpace(value))
	return value != "" && value != "0" && value != "false"
}
