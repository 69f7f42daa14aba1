package cli

import (
	"context"

	"github.com/spf13/cobra"

	"pollux/internal/config"
	"pollux/internal/face/toolserver"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/session"
	"pollux/internal/terminal"
)

// serveCommand returns the subcommand that offers Pollux's tools to MCP clients.
func serveCommand(t *terminal.Terminal, env *config.Env) *cobra.Command {
	var raw rawFlags
	cmd := &cobra.Command{
		Use: "serve", Short: "Offer Pollux's tools to MCP clients, on standard input and output", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := conflicts(cmd.Flags(), &raw, ""); err != nil {
				return err
			}
			flags, err := raw.resolve(cmd.Flags())
			if err != nil {
				return err
			}
			return serve(cmd.Context(), t, env, flags)
		},
	}
	f := cmd.Flags()
	raw.declareSafety(f)
	f.Var(&raw.dirs, "include-directories", "`path,...` Additional workspace directories")
	f.BoolVar(&raw.ignoreEnv, "ignore-env", false, "Ignore .env files outside the home directory")
	return cmd
}

// serve serves the tools of the working directory until standard input ends.
func serve(ctx context.Context, t *terminal.Terminal, env *config.Env, flags Flags) error {
	process.Seal() // the environment may hold keys, and commands run as the same user
	if flags.SkipTrust {
		env = env.With("GEMINI_CLI_TRUST_WORKSPACE=true")
	}
	dir, err := config.WorkingDir()
	if err != nil {
		return err
	}
	flags.Settings[string(config.MCPAllowed)] = []any{} // servers of the settings are not for other clients
	s, err := session.Open(ctx, session.Options{
		Project: project.Options{
			Dir: dir, Env: env, Flags: flags.Settings, ApprovalMode: flags.ApprovalMode, Version: version(env), Interactive: true, Warn: warnTo(t), DebugLog: t.Err,
		},
		Offline: true,
	})
	if err != nil {
		return err
	}
	defer s.Close()
	return toolserver.Serve(ctx, s, toolserver.Options{In: t.In, Out: t.Out.JSON()})
}
