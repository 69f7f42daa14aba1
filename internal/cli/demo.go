package cli

import (
	"context"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/demo"
	"pollux/internal/guard/trust"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/session"
	"pollux/internal/terminal"
)

// demoCommand returns the subcommand demo, which fixes a bug in a sample project with a scripted
// model.
func demoCommand(t *terminal.Terminal, env *config.Env) *cobra.Command {
	var keep bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Watch Pollux fix a bug, without a key or network",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return demo.Run(cmd.Context(), demo.Options{
				Out: t.Out.Styled(), Keep: keep, Live: t.OutTTY, Colour: t.OutColor(), Launcher: process.NewLauncher(),
				Start: func(ctx context.Context, s demo.Setup) (iter.Seq2[agent.Event, error], error) {
					return startDemo(ctx, env, s)
				},
			})
		},
	}
	cmd.Flags().BoolVar(&keep, "keep", false, "Keep the demo project and print its path")
	return cmd
}

// startDemo opens a session for the demo and runs its prompt. The session uses the home, the
// address and the key of the demo instead of the user's settings and credentials.
func startDemo(ctx context.Context, env *config.Env, s demo.Setup) (iter.Seq2[agent.Event, error], error) {
	// The tests of the demo project are a shell script. Add the directories of the shell, in
	// case PATH does not contain them.
	path := strings.TrimPrefix(env.Get("PATH")+":/usr/bin:/bin", ":")
	own := config.NewEnv("PATH="+path, "HOME="+s.Home, "TMPDIR="+env.Get("TMPDIR"), "LANG="+env.Get("LANG"),
		"GEMINI_API_KEY="+s.APIKey, "GOOGLE_GEMINI_BASE_URL="+s.BaseURL)
	live, err := session.Open(ctx, session.Options{Project: project.Options{
		Dir: s.Dir, Env: own, Model: s.Model, ApprovalMode: "yolo", Folder: trust.Trusted, Version: version(env),
	}})
	if err != nil {
		return nil, err
	}
	events := live.Run(ctx, agent.TextPrompt(s.Prompt))
	return func(yield func(agent.Event, error) bool) {
		defer live.Close()
		events(yield)
	}, nil
}
