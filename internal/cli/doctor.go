package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"pollux/internal/config"
	"pollux/internal/doctor"
	"pollux/internal/exit"
	"pollux/internal/project"
	"pollux/internal/terminal"
)

// doctorCommand returns the subcommand doctor, which checks the user's setup and tests the model.
func doctorCommand(t *terminal.Terminal, env *config.Env) *cobra.Command {
	var asJSON, offline, all bool
	o := doctor.Options{
		Session:  project.Options{Env: env, Version: version(env), Warn: warnTo(t), DebugLog: t.Err},
		Terminal: t,
	}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check your setup and test the model",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if offline {
				o.Unasked = "because of --offline"
			}
			if t.ErrTTY && !asJSON {
				o.Asking = func(model string) {
					printNote(t, fmt.Sprintf("Testing %s with a few hundred tokens ...", model))
				}
			}
			report, err := doctor.Examine(cmd.Context(), o)
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(t, report)
			} else {
				err = report.Write(t.Out.Styled(), doctor.Layout{Width: t.OutWidth(), Color: t.OutColor(), All: all})
			}
			if failure := report.Failure(); err == nil && failure != nil {
				err = &exit.Shown{Err: failure}
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "Print JSON")
	cmd.Flags().BoolVar(&all, "all", false, "List all providers that are not set up")
	cmd.Flags().BoolVar(&offline, "offline", false, "Skip the test of the model")
	cmd.Flags().StringVarP(&o.Session.Model, "model", "m", "", "Model to test")
	return cmd
}
