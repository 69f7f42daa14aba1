package cli

import (
	"cmp"
	"slices"

	"github.com/spf13/cobra"

	"pollux/internal/cli/serving"
	"pollux/internal/config"
	"pollux/internal/manage/nouns"
	"pollux/internal/project"
	"pollux/internal/session"
	"pollux/internal/terminal"
)

// agentName is the name of the command that serves other programs.
const agentName = "a2a-server"

// agentCommands returns the command that serves other programs. Without arguments that may mean it, it has no flags, whose declaration would
// delay every start.
func agentCommands(args []string) []subcommand {
	const summary = "Serve other programs as an agent, by the A2A protocol"
	return []subcommand{func(t *terminal.Terminal, env *config.Env) *cobra.Command {
		cmd := &cobra.Command{Use: agentName, Short: summary, Args: cobra.NoArgs, RunE: requireSubcommand}
		if isCompletionRequest(args) || slices.Contains(args, agentName) {
			completeAgentCommand(cmd, t, env)
		}
		return cmd
	}}
}

// completeAgentCommand adds flags and texts.
func completeAgentCommand(cmd *cobra.Command, t *terminal.Terminal, env *config.Env) {
	var o flags
	var at serving.Address
	cmd.Long = "Other programs give the agent tasks, and answer its questions. It prints its address, and works until Ctrl+C.\n" +
		"Only this machine reaches it, unless --host names another address. That needs a secret in " + serving.TokenVariable + "."
	cmd.Example = "pollux a2a-server --port 41242"
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := cmp.Or(o.conflicts(cmd.Flags(), ""), o.resolve(cmd.Flags(), env)); err != nil {
			return err
		}
		at.HasPort = cmd.Flags().Changed("port")
		ctx := cmd.Context()
		return serving.Agent(ctx, t, o.session, at, func(p *project.Project, s *session.Options) {
			nouns.Tend(ctx, p, s.SessionID, s.Resume != "", warnTo(t))
		})
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&at.Host, "host", "", "`address` Address to listen on, localhost by default")
	f.IntVar(&at.Port, "port", 0, "`number` Port to listen on, a free one by default")
	f.StringVarP(&o.session.Project.Model, "model", "m", "", "`name` Model to use, as name or provider/name")
	o.declareSafety(f)
	declareFiles(f)
}
