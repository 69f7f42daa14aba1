package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/face/plain"
	"pollux/internal/manage"
	"pollux/internal/manage/nouns"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/terminal"
	"pollux/tool/spelling"
)

// nounCommands returns the subcommands of the table in [nouns.All]. Those that these arguments cannot mean have a name
// and a summary, but neither flags nor subcommands, whose declaration would delay every start.
func nounCommands(args []string) (list []subcommand) {
	for _, c := range nouns.All() {
		if c.IsSessionOnly {
			continue
		}
		list = append(list, func(t *terminal.Terminal, env *config.Env) *cobra.Command {
			if !canMean(args, c) {
				return &cobra.Command{Use: c.Name, Aliases: c.Aliases, Short: c.Summary, RunE: requireSubcommand}
			}
			cmd := nounCommand(t, env, c)
			if c.Name == "mcp" {
				cmd.AddCommand(serveCommand(args, t, env)) // a face
			}
			return cmd
		})
	}
	return list
}

// mayNameCommand reports whether an argument may be the name of a subcommand, even a mistyped one, or asks for the list of them.
// The table of subcommands would delay every start.
func mayNameCommand(args []string) bool {
	takesValue := false
	return slices.ContainsFunc(args, func(arg string) bool {
		isValue := takesValue
		takesValue = slices.Contains(withValue, arg)
		switch {
		case strings.HasPrefix(arg, "--"):
			return strings.HasPrefix(arg, "--h")
		case isFlag(arg):
			return strings.Contains(arg, "h")
		}
		return !isValue && !strings.ContainsAny(arg, " \n")
	})
}

// withValue are the flags that scripts give a value of one word.
var withValue = []string{"-p", "--prompt", "-o", "--output-format", "-m", "--model", "--approval-mode"}

// canMean reports whether an argument is a name of the command, or resembles one. A shell that completes a line needs all
// commands.
func canMean(args []string, c *manage.Command) bool {
	names := slices.Values(append([]string{c.Name}, c.Aliases...))
	return isCompletionRequest(args) || slices.ContainsFunc(args, func(arg string) bool { return spelling.Closest(arg, names) != "" })
}

// nounCommand returns the subcommand of a row.
func nounCommand(t *terminal.Terminal, env *config.Env, c *manage.Command) *cobra.Command {
	accept, most := arity(c.Args)
	cmd := &cobra.Command{
		Use: strings.TrimSpace(c.Name + " " + c.Args), Aliases: c.Aliases, Short: c.Summary, Long: c.Details, Example: c.Example,
		Args: accept, RunE: requireSubcommand,
	}
	values := declareFlags(cmd.Flags(), c.Flags)
	run := func(cmd *cobra.Command, words []string) error { return runNoun(cmd, t, env, c, words, values) }
	if c.Run != nil {
		cmd.RunE = run
	}
	if c.ReadsFlags || c.TakesNumbers {
		cmd.DisableFlagParsing, cmd.Args = true, nil
	}
	if c.TakesNumbers {
		cmd.Flags().BoolP("help", "h", false, "Show help")
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			words, err := parseWords(cmd.Flags(), args)
			if err != nil {
				return flagError(cmd, err)
			}
			if help, _ := cmd.Flags().GetBool("help"); help {
				return cmd.Help()
			}
			return run(cmd, words)
		}
	}
	if c.Values != nil {
		cmd.ValidArgsFunction = completeValues(c.Values)
	}
	if c.Names != nil {
		if most < math.MaxInt {
			most = 1 // the others are no names
		}
		cmd.ValidArgsFunction = completeNames(t, env, most, c.Names)
	}
	for _, sub := range c.Subs {
		if !sub.IsSessionOnly {
			cmd.AddCommand(nounCommand(t, env, sub))
		}
	}
	return cmd
}

// arity returns the check of the number of arguments with this syntax, and their largest number.
func arity(syntax string) (accept cobra.PositionalArgs, most int) {
	least, hasMore := 0, false
	for _, word := range strings.Fields(syntax) {
		if strings.HasPrefix(word, "<") {
			least++
		}
		if most++; strings.Contains(word, "...") || word == "--" {
			hasMore = true
		}
	}
	if hasMore {
		most = math.MaxInt
	}
	return cobra.RangeArgs(least, most), most
}

// declareFlags declares the flags of a row. It returns a function for each flag that returns its value after parsing.
func declareFlags(f *pflag.FlagSet, flags []manage.Flag) map[string]func() any {
	values := map[string]func() any{}
	for _, flag := range flags {
		switch value := flag.Default.(type) {
		case bool:
			values[flag.Name] = valueOf(f.BoolP(flag.Name, flag.Short, value, flag.Usage))
		case int:
			values[flag.Name] = valueOf(f.IntP(flag.Name, flag.Short, value, flag.Usage))
		case uint:
			values[flag.Name] = valueOf(f.UintP(flag.Name, flag.Short, value, flag.Usage))
		case string:
			values[flag.Name] = valueOf(f.StringP(flag.Name, flag.Short, value, flag.Usage))
		case manage.List:
			items := new(list)
			f.Var(items, flag.Name, flag.Usage)
			values[flag.Name] = func() any { return manage.List(*items) }
		case []string:
			f.StringArrayP(flag.Name, flag.Short, value, flag.Usage) // for the help
		}
		declared := f.Lookup(flag.Name)
		declared.Hidden = flag.IsHidden
		if flag.Choices != nil {
			declared.Annotations = map[string][]string{choices: flag.Choices}
		}
	}
	return values
}

func valueOf[T any](p *T) func() any { return func() any { return *p } }

// runNoun runs the command of a row and prints its outcome.
func runNoun(cmd *cobra.Command, t *terminal.Terminal, env *config.Env, c *manage.Command, words []string, values map[string]func() any) error {
	isUnchecked := func(f manage.Flag) bool { return f.IsUnchecked }
	var wrong *usageError
	if errors.As(checkChoices(cmd.Flags()), &wrong) && !slices.ContainsFunc(c.Flags, isUnchecked) {
		wrong.cmd = cmd
		return wrong
	}
	user := &plain.User{Terminal: t}
	defer user.Close()
	call := &manage.Call{
		Words: words, Flags: map[string]any{},
		Options: options(t, env), Terminal: t,
		Note: warnTo(t), Whole: func(text string) { printWhole(t, text) },
		User:   user,
		Secret: user.Key,
		Ask: func(ctx context.Context, task manage.Task) (outcome.Outcome, error) {
			return outcome.Outcome{}, plain.RunTask(ctx, t, task)
		},
	}
	call.Line = func(line string) error {
		var out io.Writer = t.Out
		if call.Is("json") {
			out = t.Out.JSON()
		}
		_, err := fmt.Fprintln(out, line)
		return err
	}
	for name, value := range values {
		call.Flags[name] = value()
	}
	o, err := c.Run(cmd.Context(), call)
	var misuse *manage.UsageError
	switch {
	case errors.Is(err, manage.ErrHelp):
		return cmd.Help()
	case errors.As(err, &misuse):
		return &usageError{message: misuse.Message, cmd: cmd}
	}
	failed := printOutcome(t, o, call.Is("json") || call.Value("output-format") == "json")
	if o.After != nil {
		o.After(cmd.Context())
	}
	return cmp.Or(failed, err)
}

// printOutcome prints an outcome to standard output, as JSON or for people, and its notes to standard error.
func printOutcome(t *terminal.Terminal, o outcome.Outcome, asJSON bool) error {
	defer func() {
		for _, note := range o.Notes {
			printNote(t, note)
		}
	}()
	if asJSON && o.Value != nil {
		return printJSON(t, o.Value)
	}
	_, err := io.WriteString(t.Out, o.Plain(t.OutWidth()))
	return err
}

// parseWords parses flags and returns the other arguments. A negative number is not a flag,
// because it can be the value of a setting.
func parseWords(flags *pflag.FlagSet, args []string) ([]string, error) {
	const mark = "\x00"
	marked := make([]string, len(args))
	for i, arg := range args {
		marked[i] = arg
		if _, err := strconv.ParseFloat(arg, 64); err == nil {
			marked[i] = mark + arg
		}
	}
	if err := flags.Parse(marked); err != nil {
		return nil, err
	}
	words := flags.Args()
	for i := range words {
		words[i] = strings.TrimPrefix(words[i], mark)
	}
	return words, nil
}

// completeNames returns the completion of up to most arguments of a command, each with one of the names that
// exist in the working directory. Unlike other completions, it reads settings.
func completeNames(t *terminal.Terminal, env *config.Env, most int, names func(context.Context, *project.Project) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, words []string, typed string) (found []string, _ cobra.ShellCompDirective) {
		const none = cobra.ShellCompDirectiveNoFileComp
		if len(words) >= most {
			return nil, none
		}
		quiet := &terminal.Terminal{In: t.In, Out: t.Out, Err: terminal.NewWriter(io.Discard)}
		setup, err := (&manage.Call{Options: options(quiet, env)}).Open(cmd.Context())
		if err != nil {
			return nil, none
		}
		for _, name := range names(cmd.Context(), setup) {
			if strings.HasPrefix(name, typed) && !slices.Contains(words, name) && terminal.Line(name) == name {
				found = append(found, name)
			}
		}
		return found, none
	}
}

// requireSubcommand is the error of a command that does nothing by itself.
func requireSubcommand(cmd *cobra.Command, _ []string) error {
	cmd.SetOut(cmd.ErrOrStderr())
	_ = cmd.Help() // to standard error
	return exit.Errorf(exit.General, "You need at least one command before continuing.")
}
