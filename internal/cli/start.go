package cli

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/face/headless"
	"pollux/internal/face/plain"
	"pollux/internal/face/toolserver"
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
	err := runFace(ctx, req)
	if errors.Is(err, project.ErrWorktreesOff) {
		return exit.Errorf(exit.General, "%w Run 'pollux config set experimental.worktrees true'.", err)
	}
	return err
}

func runFace(ctx context.Context, req request) error {
	if req.Headless {
		return runHeadless(ctx, req)
	}
	interrupts, release := req.CatchInterrupts()
	defer release()
	resumes, stop := terminal.CatchResumes()
	defer stop()
	return plain.New(plain.Options{
		Terminal: req.Terminal, Interrupts: interrupts, Resumes: resumes, Session: req.session(ctx), First: req.Query,
	}).Run(ctx)
}

// session returns the session options for the request.
func (req *request) session(ctx context.Context) session.Options {
	f := req.Flags
	return session.Options{
		Project: project.Options{
			Dir: req.Dir, Env: req.Env, Flags: f.Settings, Model: f.Model, ApprovalMode: f.ApprovalMode, Version: req.Version(), Extensions: f.Extensions, InWorktree: f.InWorktree, WorktreeName: f.Worktree, Debug: f.Debug, Loaded: func(p *project.Project) {
				req.Program.Project.Store(p)
				req.SetFormat(config.OutputFormat.In(p.Settings()))
				wrapsFor(req.Terminal)(p)
				if !p.Options.InWorktree { // the worktree is a project of its own
					nouns.Tend(ctx, p, req.SessionID, req.Flags.Resume != "", warnTo(req.Terminal))
				}
			},
		},
		SessionID: req.SessionID, IsNewID: f.SessionID != "", Recorded: true, Resume: f.Resume, SessionFile: f.SessionFile, Replay: f.FakeResponses, ReplayAnyOrder: !f.FakeStrict, Record: f.RecordResponses, Recent: &req.Program.Recent,
	}
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
	f, t := req.Flags, req.Terminal
	o := req.session(ctx)
	o.Project.Warn, o.Project.DebugLog = warnTo(t), t.Err
	return headless.RunJob(ctx, headless.Job{
		Session: o,
		Input:   headless.Input{Stdin: piped(t), Argument: req.Query, IsPromptFlag: req.PromptGiven, Err: t.Err},
		Options: headless.Options{
			Out: t.Out, Err: t.Err, OutWidth: t.OutWidth, ErrWidth: t.ErrWidth, Raw: f.RawOutput, RawAccepted: !f.RawOutputWarning, Color: t.ErrColor(),
			SessionID: req.SessionID, Prompt: req.Query,
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
