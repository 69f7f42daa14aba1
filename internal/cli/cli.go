// Package cli implements the command line: flags, subcommands, usage errors, signals and
// exit codes.
//
//   - flags.go declares the flags on the options of a session, and rejects those that contradict each other. dialect.go parses
//     them as yargs does, because existing scripts depend on that.
//   - later.go names the subcommands that are not available yet. editor.go serves editors, and agent.go other programs.
//   - installed.go answers how to upgrade and uninstall Pollux.
//   - noun.go makes subcommands of the table of internal/manage/nouns.
//   - [Main] converts the arguments to a request, and start.go runs it in a user interface.
//   - exit.go prints the error that ended a run, and chooses the exit code.
package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pollux/internal/config"
	"pollux/internal/crash"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/manage/logs"
	"pollux/internal/manage/nouns"
	"pollux/internal/session"
	"pollux/internal/terminal"
)

// runner runs one request. When ctx ends, a runner stops within 100 ms and returns an error
// that wraps ctx.Err(). After a signal, the exit code is that of the signal. Errors that
// wrap an [*exit.Shown] are not printed again.
type runner func(ctx context.Context, req request) error

// request is a parsed command line without a subcommand.
type request struct {
	// Session are the options of the session, but for those that depend on the user interface.
	Session session.Options
	// Raw keeps escape sequences in responses. RawAccepted says that the user knows the risk of that.
	Raw, RawAccepted bool
	// Args are the arguments of the program, as they were.
	Args []string
	// Query is the prompt: the value of --prompt, the words on the command line, or the value
	// of --prompt-interactive.
	Query string
	// PromptGiven reports whether --prompt was used, even with an empty text.
	PromptGiven bool
	// Headless reports whether to run without a person at the terminal.
	Headless bool
	Terminal *terminal.Terminal
	// Program gets the last events of the session, and the project once its settings are loaded.
	Program *logs.Program
	// CatchInterrupts sends each Ctrl+C to interrupts instead of ending the run, until release
	// is called.
	CatchInterrupts func() (interrupts <-chan struct{}, release func())
	// SetFormat sets the format of the error that ends the run, once the settings are loaded.
	// The initial format is the value of --output-format.
	SetFormat func(format string)
	// AwaitSignals waits until the signals that end the run, or ask for a report, are caught. That has begun with the start of the program, and
	// has ended long before the settings are loaded, unless the machine is busy.
	AwaitSignals func()
}

// subcommand returns a subcommand. The program calls it at every start, so it must only fill
// in the struct.
type subcommand func(t *terminal.Terminal, env *config.Env) *cobra.Command

// Main runs the program with these arguments, which do not include its name,
// and returns its exit code.
func Main(args []string, t *terminal.Terminal, env *config.Env) exit.Code {
	return programFor(args, t, env).start(args)
}

// Process is Main for the process that runs nothing else: it ends the process. It leaves the signals caught, because two
// threads have to take turns to give back each of them.
func Process(args []string, t *terminal.Terminal, env *config.Env) {
	p := programFor(args, t, env)
	p.endsProcess = true
	os.Exit(int(p.start(args)))
}

// programFor returns the program with the subcommands that these arguments may name.
func programFor(args []string, t *terminal.Terminal, env *config.Env) *program {
	log.SetOutput(io.Discard) // net/http logs the bytes that a server sends between two responses
	var subs []subcommand
	if mayNameCommand(args) {
		subs = slices.Concat(nounCommands(args), agentCommands(args), galleryCommands(args))
	}
	return newProgram(t, env, run, subs...)
}

// start runs the program, and ends the process with a report if a goroutine panics.
func (p *program) start(args []string) exit.Code {
	defer crash.Handle(p.crashed)()
	defer crash.Recover()
	return p.main(args)
}

// newProgram returns a program with the given runner and subcommands, which tests replace.
func newProgram(t *terminal.Terminal, env *config.Env, run runner, subs ...subcommand) *program {
	p := &program{env: env, run: run, record: &logs.Program{Env: env, Version: func() string { return version(env) }}}
	p.watch(t)
	p.root = p.rootCommand()
	for _, command := range subs {
		p.root.AddCommand(command(p.term, env))
	}
	p.root.AddCommand(p.completionCommand())
	for _, name := range laterCommands {
		p.root.AddCommand(laterCommand(name))
	}
	checkWords(p.root)
	return p
}

// program holds the state of one start of the program.
type program struct {
	term *terminal.Terminal
	env  *config.Env
	run  runner
	root *cobra.Command
	args []string
	// flags are the flags of the root command.
	flags flags
	// id is the id of the session, "" until it is known.
	id string
	// format is the output format of errors. It is "" for an interactive session.
	format string
	// literal reports whether "--" stands before words, which are a prompt then.
	literal bool
	// endsProcess says that the process ends with the run.
	endsProcess bool
	// record is for the report of a crash.
	record     *logs.Program
	isAborting atomic.Bool
	// catching is done when the signals that end the run are caught, and writes to closed pipes return errors.
	catching sync.WaitGroup
	// catchesAborts is closed when the signals that ask for a report are caught.
	catchesAborts chan struct{}
	// closed is standard output. It records when the reader has closed it.
	closed *pipe
	// caught, if not nil, receives each SIGINT, which then does not end the run.
	caught atomic.Pointer[chan struct{}]
}

func (p *program) main(args []string) exit.Code {
	if isCompletionRequest(args) {
		addCompletions(p.root)
		p.root.SetArgs(args)
		return p.finish(context.Background(), p.root.Execute())
	}
	line := read(p.root, args)
	p.format, p.literal = line.format(), line.literal
	switch {
	case line.help:
		printHelp(p.term.Out, p.root, p.term.OutWidth())
		return p.finish(context.Background(), nil)
	case line.version:
		fmt.Fprintln(p.term.Out, version(p.env))
		return p.finish(context.Background(), nil)
	case line.err != nil:
		return p.finish(context.Background(), line.err)
	case line.isTopic() && p.printTopic(line.words):
		return p.finish(context.Background(), nil)
	case line.isTopic() && p.answerInstalled(line.words):
		return p.finish(context.Background(), nil)
	case line.isTopic() && len(line.words) == 2 && line.words[0] == "help":
		return p.finish(context.Background(), exit.Errorf(exit.General, "There is no help about %q. 'pollux help' lists the commands, 'pollux help flags' the flags. To send it to the model, run: pollux -i %s",
			terminal.Cut(line.words[1], 40), quoteWords(strings.Join(line.words, " "))))
	}
	ctx, stop := p.interruptible(context.Background())
	if mayNameCommand(args) { // which waits for others sooner than a session
		p.catching.Wait()
	}
	stopAborts := p.catchAborts()
	if !p.endsProcess {
		defer stop()
		defer stopAborts()
	}
	defer p.term.Restore()
	p.args = args
	p.root.SetArgs(line.canonical())
	return p.finish(ctx, p.root.ExecuteContext(ctx))
}

// rootCommand returns the root command, which runs a prompt.
func (p *program) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "pollux [options] [command]",
		Short: "An AI agent for the terminal. Starts a session, or runs one prompt with -p.",
		Args:  cobra.ArbitraryArgs,
		RunE:  p.prompt,
		// finish prints errors and help.
		SilenceErrors: true, SilenceUsage: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	// Replace cobra's help command: a prompt can begin with "help".
	root.SetHelpCommand(&cobra.Command{Use: "\x00", Hidden: true})
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { printHelp(p.term.Out, cmd, p.term.OutWidth()) })
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return flagError(cmd, err) })
	root.SetOut(p.term.Out)
	root.SetErr(p.term.Err)
	p.flags.declare(root)
	return root
}

// prompt implements the root command: it checks the flags, builds a request and runs it.
func (p *program) prompt(cmd *cobra.Command, words []string) error {
	if err := p.flags.resolve(cmd.Flags(), p.env); err != nil {
		return err
	}
	o := &p.flags.session
	p.format, _ = o.Project.Flags[string(config.OutputFormat)].(string)
	query := strings.Join(words, " ")
	if err := p.flags.conflicts(cmd.Flags(), query); err != nil {
		return err
	}
	if isForEditors(cmd.Flags()) {
		return p.serveEditor(cmd.Context(), query != "" || p.flags.prompt != "" || p.flags.promptInteractive != "")
	}
	o.SessionID = cmp.Or(o.SessionID, uuid.NewString())
	p.id = o.SessionID
	if run := p.inPlaceOfPrompt(cmd.Flags()); run != nil {
		call := &manage.Call{Words: []string{p.flags.deleteSession}, Options: options(p.term, p.env)}
		call.Options.Flags, call.Options.Extensions = o.Project.Flags, o.Project.Extensions
		out, err := run(cmd.Context(), call)
		if err != nil {
			return err
		}
		return printOutcome(p.term, out, false)
	}
	warnings := p.doubtful(cmd.Flags())
	prompted := cmd.Flags().Changed("prompt")
	first := p.flags.promptInteractive != ""
	if first && !p.term.InTTY {
		return exit.Errorf(exit.Input, "Error: The --prompt-interactive flag cannot be used when input is piped from stdin.")
	}
	headless := !first && (prompted || p.headless())
	if !headless {
		p.format = ""
	}
	if near := nearSubcommand(cmd, words); near != "" && !first && !prompted && !p.literal {
		if !headless {
			return exit.Errorf(exit.General, "Unknown command: %s. Did you mean %q? To send it to the model, run: pollux -i %s", query, near, quoteWords(query))
		}
		warnings = append(warnings, fmt.Sprintf("Warning: %q is sent to the model. Did you mean %q?", query, near))
	}
	if first {
		var warning string
		if query, warning = p.firstPrompt(query); warning != "" {
			warnings = append(warnings, warning)
		}
	}
	for _, warning := range warnings {
		printNote(p.term, warning)
	}
	if p.flags.prompt != "" {
		query = p.flags.prompt
	}
	var err error
	if o.Project.Dir, err = config.WorkingDir(); err != nil {
		return err
	}
	if o.Patch != nil {
		o.Patch.Path = config.NewPaths(o.Project.Env, o.Project.Dir).Absolute(o.Patch.Path)
	}
	return p.run(cmd.Context(), request{
		Session: *o, Raw: p.flags.rawOutput || p.flags.acceptRawOutputRisk, RawAccepted: p.flags.acceptRawOutputRisk,
		Query: query, PromptGiven: prompted, Headless: headless, Terminal: p.term, Program: p.record, Args: p.args,
		SetFormat: func(format string) {
			if headless {
				p.format = format
			}
		},
		CatchInterrupts: p.catchInterrupts, AwaitSignals: func() {
			p.catching.Wait()
			<-p.catchesAborts
		},
	})
}

// inPlaceOfPrompt returns the command that a flag runs in place of a prompt, nil for none.
func (p *program) inPlaceOfPrompt(flags *pflag.FlagSet) manage.Run {
	switch {
	case p.flags.listExtensions:
		return nouns.Flags()["list-extensions"]
	case p.flags.listSessions:
		return nouns.Flags()["list-sessions"]
	case flags.Changed("delete-session"):
		return nouns.Flags()["delete-session"]
	}
	return nil
}

// doubtful returns a warning for each flag that is set and probably does not have the effect that the user wants.
func (p *program) doubtful(flags *pflag.FlagSet) (warnings []string) {
	if flags.Changed("allowed-tools") && flags.Lookup("allowed-tools").Value.String() != "" {
		warnings = append(warnings, "Warning: --allowed-tools is deprecated. Write policy rules and use --policy instead.")
	}
	for _, name := range []string{"resume", "session-file"} {
		if f := flags.Lookup(name); f.Changed && f.Value.String() == "" { // a variable that is not set
			warnings = append(warnings, "Warning: --"+name+" has an empty value, so this is a new session.")
		}
	}
	return warnings
}

// firstPrompt returns the prompt of a session that begins with one, and a warning if there is another. Of two
// prompts, Gemini CLI takes the same one.
func (p *program) firstPrompt(positional string) (query, warning string) {
	switch {
	case positional == "":
		return p.flags.promptInteractive, ""
	case p.headless():
		return p.flags.promptInteractive, "Warning: The prompt of --prompt-interactive (-i) replaces the positional prompt."
	default:
		return positional, "Warning: The positional prompt replaces the prompt of --prompt-interactive (-i)."
	}
}

// quoteWords returns a prompt as one argument of a shell command.
func quoteWords(prompt string) string {
	if strings.Contains(prompt, " ") {
		return strconv.Quote(prompt)
	}
	return prompt
}

// headless reports whether no person is at the terminal: standard input or output is not a
// terminal, or the environment is that of a CI job and not of an integration test.
func (p *program) headless() bool {
	ci := p.env.True("CI") || p.env.True("GITHUB_ACTIONS")
	return ci && !p.env.True("GEMINI_CLI_INTEGRATION_TEST") || !p.term.InTTY || !p.term.OutTTY
}
