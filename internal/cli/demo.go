package cli

import (
	"github.com/spf13/cobra"

	"pollux/internal/config"
	"pollux/internal/demo"
	"pollux/internal/process"
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
				Env: env, Version: version(env),
			})
		},
	}
	cmd.Flags().BoolVar(&keep, "keep", false, "Keep the demo project and print its path")
	return cmd
}
