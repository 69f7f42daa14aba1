// Package cli is the command line: flags and subcommands, what is printed when
// they are wrong, signals, and the one place where errors become exit codes
// (spec/cli.md §1, §6.5, §6.7).
//
//   - flags.go declares the flags; dialect.go reads them the way scripts written
//     for yargs expect; conflicts.go and later.go refuse what cannot be.
//   - [Main] turns arguments into one [Request] and hands it to a [Runner],
//     which is the composition root. It knows nothing of agents or models.
//   - exit.go prints the error a run ended with, and chooses the exit code.
package cli

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/terminal"
)

// Runner runs one prompt. When ctx ends it stops within 100 ms and returns an
// error that wraps ctx.Err(); the exit code is then the signal's. An error that
// has a method Reported() bool which returns true is not printed again.
type Runner func(ctx context.Context, req Request) error

// Request is what the user asked for on the command line.
type Request struct {
	Flags Flags
	// Query is the prompt: that of --prompt, or the words on the command line.
	Query string
	// PromptGiven says that --prompt was used, be it with an empty text.
	PromptGiven bool
	// Headless says that there is no one at the terminal to answer.
	Headless bool
	// SessionID is --session-id, or a new one.
	SessionID string
	Terminal  *terminal.Terminal
	// Env is the environment, with what flags set in it.
	Env *config.Env
	// Version returns the version of the program.
	Version func() string
	// CatchInterrupts makes Ctrl+C something to read instead of the end, until
	// release is called.
	CatchInterrupts func() (interrupts <-chan struct{}, release func())
	// SetFormat tells in which format errors that end the run are printed, as
	// soon as settings have decided; until then it is that of --output-format.
	SetFormat func(format string)
}

// Command makes a subcommand of another package. It is called for each start
// of the program, so it does nothing but fill in the struct.
type Command func(t *terminal.Terminal, env *config.Env) *cobra.Command

// Main runs the program with these arguments, which do not include its name,
// and returns its exit code.
func Main(args []string, t *terminal.Terminal, env *config.Env, run Runner, commands ...Command) exit.Code {
	p := &program{env: env, run: run}
	p.term, p.closed = watchOut(t)
	p.root = p.rootCommand()
	for _, command := range commands {
		p.root.AddCommand(command(p.term, env))
	}
	p.root.AddCommand(p.completionCommand())
	for _, name := range laterCommands {
		p.root.AddCommand(laterCommand(name))
	}
	checkWords(p.root)
	return p.main(args)
}

// program is one start of Pollux.
type program struct {
	term *terminal.Terminal
	env  *config.Env
	run  Runner
	root *cobra.Command
	// raw is where the flags are parsed into.
	raw    rawFlags
	format string
	id     string
	// closed reports that whoever read standard output has gone.
	closed *pipe
	// caught, where set, takes what SIGINT would end.
	caught atomic.Pointer[chan struct{}]
}

func (p *program) main(args []string) exit.Code {
	if completes(args) {
		completable(p.root)
		p.root.SetArgs(args)
		return p.finish(context.Background(), p.root.Execute())
	}
	line := read(p.root, args)
	switch {
	case line.help:
		printHelp(p.term.Out, p.root, p.term.Width)
		return p.finish(context.Background(), nil)
	case line.version:
		fmt.Fprintln(p.term.Out, version(p.env))
		return p.finish(context.Background(), nil)
	case line.err != nil:
		return p.finish(context.Background(), line.err)
	}
	ctx, stop := p.interruptible(context.Background())
	defer stop()
	defer p.term.Restore()
	p.root.SetArgs(line.canonical())
	return p.finish(ctx, p.root.ExecuteContext(ctx))
}

// rootCommand returns the command that runs without a subcommand's name.
func (p *program) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "pollux [options] [command]",
		Short: "Pollux CLI - Defaults to interactive mode. Use -p/--prompt for non-interactive (headless) mode.",
		Args:  cobra.ArbitraryArgs,
		RunE:  p.prompt,
		// Errors and help are printed by finish.
		SilenceErrors: true, SilenceUsage: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	// No word may be taken for a command that is none: "help me with this".
	root.SetHelpCommand(&cobra.Command{Use: "\x00", Hidden: true})
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { printHelp(p.term.Out, cmd, p.term.Width) })
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return flagError(cmd, err) })
	root.SetOut(p.term.Out)
	root.SetErr(p.term.Err)
	p.raw.declare(root)
	return root
}

// prompt is the root command: it makes the request and runs it.
func (p *program) prompt(cmd *cobra.Command, words []string) error {
	flags, err := p.raw.resolve(cmd.Flags())
	if err != nil {
		return err
	}
	p.format = flags.OutputFormat
	query := strings.Join(words, " ")
	if err := conflicts(cmd.Flags(), &p.raw, query); err != nil {
		return err
	}
	if p.id = flags.SessionID; p.id == "" {
		p.id = uuid.NewString()
	}
	warnings, err := later(cmd.Flags(), &p.raw, p.env)
	if err != nil {
		return err
	}
	prompted := cmd.Flags().Changed("prompt")
	first := cmd.Flags().Changed("prompt-interactive")
	if first && !p.term.InTTY {
		return exit.Errorf(exit.Input, "Error: The --prompt-interactive flag cannot be used when input is piped from stdin.")
	}
	if first {
		query = p.raw.promptInteractive
	}
	nobody := prompted || !first && p.headless()
	if !nobody && !first && query != "" {
		warnings = append(warnings, "Positional arguments now default to interactive mode. To run in non-interactive mode, use the --prompt (-p) flag.")
	}
	for _, warning := range warnings {
		fmt.Fprintln(p.term.Err, warning)
	}
	env := p.env
	if flags.SkipTrust {
		env = env.With("GEMINI_CLI_TRUST_WORKSPACE=true")
	}
	if prompted {
		query = flags.Prompt
	}
	return p.run(cmd.Context(), Request{
		Flags: flags, Query: query, PromptGiven: prompted, Headless: nobody, SessionID: p.id,
		Terminal: p.term, Env: env,
		Version:   func() string { return version(env) },
		SetFormat: func(format string) { p.format = format },

		CatchInterrupts: p.catchInterrupts,
	})
}

// Run is the program's [Runner]: it talks with the person at the terminal, or runs a
// prompt for a script.
func Run(ctx context.Context, req Request) error {
	if req.Headless {
		return Headless(ctx, req)
	}
	return Interactive(ctx, req)
}

// headless reports whether no one is at the terminal (spec/cli.md §1.2).
func (p *program) headless() bool {
	ci := p.env.True("CI") || p.env.True("GITHUB_ACTIONS")
	return ci && !p.env.True("GEMINI_CLI_INTEGRATION_TEST") || !p.term.InTTY || !p.term.OutTTY
}
