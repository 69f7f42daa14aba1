package cli

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"pollux/internal/cli/serving"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/face/container"
	"pollux/internal/face/headless"
	"pollux/internal/manage/nouns"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/session"
	"pollux/internal/terminal"
)

// run starts an interactive session at the terminal, or runs one prompt if the request is
// headless.
func run(ctx context.Context, req request) error {
	process.Seal() // the environment may hold keys, and commands run as the same user
	err := container.Follow(ctx, runFace(ctx, req), container.Options{Project: req.Program.Project.Load(), Args: req.Args, Terminal: req.Terminal, Headless: req.Headless})
	if errors.Is(err, project.ErrWorktreesOff) {
		return exit.Errorf(exit.General, "%w Run 'pollux config set experimental.worktrees true'.", err)
	}
	if failed := req.Session.Patch.Err(); failed != nil {
		if failed = exit.Errorf(exit.General, "Cannot write the patch to %s: %w.", req.Session.Patch.Path, failed); err == nil {
			return failed
		}
		printNote(req.Terminal, failed.Error())
	}
	return err
}

func runFace(ctx context.Context, req request) error {
	if req.Headless {
		return runHeadless(ctx, req)
	}
	return runTalk(ctx, req)
}

// session returns the options of the session of the request.
func (req *request) session(ctx context.Context) session.Options {
	o := req.Session
	o.Recorded, o.Recent = true, &req.Program.Recent
	o.Project.Loaded = func(p *project.Project) {
		req.Program.Project.Store(p)
		req.SetFormat(config.OutputFormat.In(p.Settings()))
		req.AwaitSignals()
		wrapsFor(req.Terminal)(p)
		if !p.Options.InWorktree { // the worktree is a project of its own
			nouns.Tend(ctx, p, o.SessionID, o.Resume != "", warnTo(req.Terminal))
		}
	}
	return o
}

// options returns the options of the project for a command that does not run a prompt.
func options(t *terminal.Terminal, env *config.Env) project.Options {
	return project.Options{Env: env, Version: version(env), Warn: warnTo(t), DebugLog: t.Err, Loaded: wrapsFor(t)}
}

// warnTo returns a function that prints each warning to standard error, on lines of its own.
func warnTo(t *terminal.Terminal) func(string) {
	return func(text string) { printNote(t, text) }
}

// wrapsFor returns a function that turns line breaks at the width of the terminal off if the
// settings are those for a screen reader.
func wrapsFor(t *terminal.Terminal) func(*project.Project) {
	return func(p *project.Project) { t.SetWrapping(!config.ScreenReader.In(p.Settings())) }
}

// runHeadless runs one prompt without user interaction.
func runHeadless(ctx context.Context, req request) error {
	t, o := req.Terminal, req.session(ctx)
	o.Project.Warn, o.Project.DebugLog = warnTo(t), t.Err
	return headless.RunJob(ctx, headless.Job{
		Session: o,
		Input:   headless.Input{Stdin: piped(t), Argument: req.Query, IsPromptFlag: req.PromptGiven, Err: t.Err},
		Options: headless.Options{
			Out: t.Out, Err: t.Err, OutWidth: t.OutWidth, ErrWidth: t.ErrWidth, Raw: req.Raw, RawAccepted: req.RawAccepted, IsWatched: t.ErrTTY, Color: t.ErrColor(),
			SessionID: o.SessionID, Prompt: req.Query,
		},
		Terminal: t,
	})
}

// piped returns standard input, or nil if it is a terminal.
func piped(t *terminal.Terminal) io.Reader {
	if t.InTTY {
		return nil
	}
	return t.In
}

// built is the version of the program. Release builds set it with
// go build -ldflags "-X pollux/internal/cli.built=1.2.3".
var built = "0.1.0"

// version returns CLI_VERSION from env, or [built] if it is not set.
func version(env *config.Env) string {
	if v := env.Get("CLI_VERSION"); v != "" {
		return v
	}
	return built
}

// serveCommand returns the subcommand that offers Pollux's tools to MCP clients. args are the arguments of the program.
func serveCommand(args []string, t *terminal.Terminal, env *config.Env) *cobra.Command {
	var o flags
	cmd := &cobra.Command{
		Use: "serve", Short: "Offer Pollux's tools to MCP clients, on standard input and output", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmp.Or(o.conflicts(cmd.Flags(), ""), o.resolve(cmd.Flags(), env)); err != nil {
				return err
			}
			o := o.session
			where := container.Options{Args: args, Terminal: t, Headless: true}
			o.Project.Loaded = func(p *project.Project) { where.Project = p }
			o.Project.Warn = warnTo(t)
			err := serving.Tools(cmd.Context(), t, o)
			return container.Follow(cmd.Context(), err, where)
		},
	}
	o.declareSafety(cmd.Flags())
	declareFiles(cmd.Flags())
	return cmd
}
