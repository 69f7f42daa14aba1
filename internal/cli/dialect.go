package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// line is a parsed command line. Its syntax is that of yargs, because existing scripts depend
// on it.
type line struct {
	// flags lists the flags of the root command, each as --name=value.
	flags []string
	// words lists the other arguments. If command is true, the first of them is a subcommand,
	// which parses the rest.
	words   []string
	command bool
	// literal reports whether "--" stands on the line.
	literal bool

	help, version bool
	unknown       []string
	err           error
}

// canonical returns the command line as arguments that cobra can parse.
func (l *line) canonical() []string {
	if l.command {
		return append(l.flags, l.words...)
	}
	return append(append(l.flags, "--"), l.words...)
}

// format returns the output format that the flags ask for. It returns "" for an unknown one.
func (l *line) format() string {
	format := ""
	for _, flag := range l.flags {
		if value, ok := strings.CutPrefix(flag, "--output-format="); ok {
			format = value
		}
	}
	return format
}

// isTopic reports whether the words can be a topic of the help: no flag asks for a prompt.
func (l *line) isTopic() bool {
	return !l.command && !l.literal && !slices.ContainsFunc(l.flags, func(flag string) bool {
		return strings.HasPrefix(flag, "--prompt")
	})
}

// usageError is an error in the command line. The program prints its message, the hint and how
// to get help as one line to stderr, and the exit code is 1.
type usageError struct {
	message string
	cmd     *cobra.Command
	hint    string
}

// Error returns the message, the hint, and how to get the help of the command.
func (e *usageError) Error() string {
	path := "pollux"
	if e.cmd != nil {
		path = e.cmd.CommandPath()
	}
	text := e.message
	switch {
	case strings.Contains(text, "\n"):
		text += "\n"
	case strings.HasSuffix(text, "."):
		text += " "
	default:
		text += ". "
	}
	if e.hint != "" {
		text += e.hint + " "
	}
	return text + "Run '" + path + " --help'."
}

// read parses a command line. It stores usage errors in line.err; callers must check line.help
// and line.version first, which have priority.
func read(root *cobra.Command, args []string) *line {
	l := &line{}
	r := reader{line: l, flags: root.Flags(), args: args}
	r.flags.AddFlagSet(root.PersistentFlags())
	for r.more() {
		arg := r.next()
		switch {
		case arg == "--":
			l.literal = true
			l.words = append(l.words, r.args...)
			r.args = nil
		case !isFlag(arg):
			if len(l.words) == 0 && isCommand(root, arg) {
				l.command = true
				l.words = append([]string{arg}, r.args...)
				r.args = nil
				continue
			}
			l.words = append(l.words, arg)
		case strings.HasPrefix(arg, "--"):
			r.long(arg[2:])
		default:
			r.short(arg[1:])
		}
	}
	if i := slices.IndexFunc(args, isJoinedFormat); i >= 0 && len(l.unknown) > 0 {
		format := args[i][2:]
		l.flags = append(l.flags, "--output-format="+format)
		l.err = &usageError{unknownArguments(l.unknown), root, "Did you mean -o " + format + "?"}
		return l
	}
	switch {
	case len(l.unknown) > 0:
		l.err = &usageError{unknownArguments(l.unknown), root, hint(l.unknown, r.flags)}
	case l.err != nil:
		l.err = &usageError{message: l.err.Error(), cmd: root}
	}
	return l
}

// isJoinedFormat reports whether an argument is -o with a format joined to it, which the syntax
// reads as several flags.
func isJoinedFormat(arg string) bool {
	return arg == "-ojson" || arg == "-ostream-json" || arg == "-otext"
}

// isFlag reports whether an argument is a flag or "--". A single dash and negative numbers are
// not flags.
func isFlag(arg string) bool {
	return len(arg) > 1 && arg[0] == '-' && (arg[1] < '0' || arg[1] > '9')
}

// isCommand reports whether name is the name or an alias of a subcommand.
func isCommand(root *cobra.Command, name string) bool {
	return slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool {
		return c.Name() == name || c.HasAlias(name)
	})
}

// unknownArguments returns the message for unknown arguments.
func unknownArguments(names []string) string {
	if len(names) == 1 {
		return "Unknown argument: " + names[0]
	}
	return "Unknown arguments: " + strings.Join(names, ", ")
}

// reader parses arguments one by one into a line.
type reader struct {
	*line
	flags *pflag.FlagSet
	args  []string
}

func (r *reader) more() bool { return len(r.args) > 0 }

func (r *reader) next() string {
	arg := r.args[0]
	r.args = r.args[1:]
	return arg
}

// lookup returns the flag with a name, a name in camel case, or a letter; nil if there is none.
func (r *reader) lookup(name string) *pflag.Flag {
	if len(name) == 1 {
		return r.flags.ShorthandLookup(name)
	}
	if f := r.flags.Lookup(name); f != nil {
		return f
	}
	if !strings.Contains(name, "-") {
		return r.flags.Lookup(kebab(name))
	}
	return nil
}

// long parses --name, --name=value and --no-name, without the leading dashes.
func (r *reader) long(arg string) {
	name, value, hasValue := strings.Cut(arg, "=")
	if f := r.lookup(name); f != nil {
		r.flag(f, name, value, hasValue)
		return
	}
	if name, ok := strings.CutPrefix(name, "no-"); ok && !hasValue {
		if f := r.lookup(name); f != nil && isBool(f) {
			r.set(f, "false")
			return
		}
		r.addUnknown(name)
		return
	}
	r.addUnknown(name)
}

// short parses -x, -x=value, -x5 and clusters such as -yd, without the leading dash. In a
// cluster, only the last letter can take its value from the next argument.
func (r *reader) short(arg string) {
	for i := range len(arg) {
		name, rest := arg[i:i+1], arg[i+1:]
		f := r.lookup(name)
		value, hasValue := strings.CutPrefix(rest, "=")
		switch {
		case f == nil:
			r.addUnknown(name)
			if hasValue {
				return
			}
		case hasValue:
			r.flag(f, name, value, true)
			return
		case rest == "":
			r.flag(f, name, "", false)
		case !isBool(f) && isAttachedValue(rest):
			r.set(f, rest)
			return
		case isBool(f):
			r.set(f, "true")
		default:
			r.set(f, f.NoOptDefVal)
		}
	}
}

// isAttachedValue reports whether rest, the text after the letter of a flag, is the value of that
// flag. If rest starts with an ASCII letter, it consists of more flags instead.
func isAttachedValue(rest string) bool {
	c := rest[0]
	letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	return !letter
}

// flag sets a flag to its value. Without hasValue, the value is the next argument if the flag can
// use it, else the default for a flag without a value.
func (r *reader) flag(f *pflag.Flag, name, value string, hasValue bool) {
	next := ""
	if r.more() {
		next = r.args[0]
	}
	switch {
	case isBool(f) && hasValue:
		if value != "true" && value != "false" {
			r.fail(invalidValue(f.Name, value, "true", "false"))
		}
		r.set(f, value)
	case isBool(f) && (next == "true" || next == "false"):
		r.set(f, r.next())
	case isBool(f):
		r.set(f, "true")
	case hasValue:
		r.set(f, value)
	case r.more() && !isFlag(next):
		r.set(f, r.next())
	case f.NoOptDefVal != "":
		r.set(f, f.NoOptDefVal)
	default:
		r.fail("Not enough arguments following: " + name)
	}
}

// set appends a flag with its value to the line, and records --help and --version.
func (r *reader) set(f *pflag.Flag, value string) {
	switch {
	case f.Name == "help" && value == "true":
		r.help = true
	case f.Name == "version" && value == "true":
		r.version = true
	}
	r.line.flags = append(r.line.flags, "--"+f.Name+"="+value)
}

// addUnknown records an unknown flag by the name that the user typed.
func (r *reader) addUnknown(name string) {
	if !slices.Contains(r.unknown, name) {
		r.unknown = append(r.unknown, name)
	}
}

// fail records a usage error. It keeps only the first one.
func (r *reader) fail(message string) {
	if r.err == nil {
		r.err = errors.New(message)
	}
}

func isBool(f *pflag.Flag) bool { return f.Value.Type() == "bool" }

// kebab converts someName to some-name.
func kebab(name string) string {
	var b strings.Builder
	for _, c := range name {
		if unicode.IsUpper(c) {
			b.WriteByte('-')
			c = unicode.ToLower(c)
		}
		b.WriteRune(c)
	}
	return b.String()
}

// checkChoices returns a usage error if the value of a flag is not one of its choices.
func checkChoices(f *pflag.FlagSet) error {
	var wrong []string
	f.Visit(func(flag *pflag.Flag) {
		if allowed := flag.Annotations[choices]; allowed != nil && !slices.Contains(allowed, flag.Value.String()) {
			wrong = append(wrong, invalidChoice(flag.Name, flag.Value.String(), allowed...))
		}
	})
	if len(wrong) == 0 {
		return nil
	}
	return &usageError{message: "Invalid values:\n" + strings.Join(wrong, "\n")}
}

// invalidValue returns the message for one flag whose value is not allowed.
func invalidValue(name, given string, allowed ...string) string {
	return "Invalid values:\n" + invalidChoice(name, given, allowed...)
}

// invalidChoice returns the line of a message that describes a value that is not allowed.
func invalidChoice(name, given string, allowed ...string) string {
	return fmt.Sprintf(`  Argument: %s, Given: "%s", Choices: "%s"`, name, given, strings.Join(allowed, `", "`))
}

// flagError converts an error of pflag to a usage error, with a hint for an unknown flag.
func flagError(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if errors.As(err, &missing) {
		unknown := []string{missing.GetSpecifiedName()}
		return &usageError{unknownArguments(unknown), cmd, hint(unknown, cmd.Flags(), cmd.InheritedFlags())}
	}
	message := err.Error()
	var invalid *pflag.InvalidValueError
	var cause *strconv.NumError
	if errors.As(err, &invalid) && errors.As(err, &cause) {
		message = fmt.Sprintf("Invalid value for --%s: %q.", invalid.GetFlag().Name, invalid.GetValue())
	}
	return &usageError{message: message, cmd: cmd}
}
