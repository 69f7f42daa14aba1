package manage

import (
	"context"
	"errors"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/extension/install"
	"pollux/internal/outcome"
	"pollux/internal/person"
	"pollux/internal/project"
	"pollux/internal/record"
	"pollux/internal/session"
	"pollux/internal/terminal"
	"pollux/tool"
)

// Call is a call of a command.
type Call struct {
	// Words are the arguments in a shell, and Text is the text after the name of a / command.
	Words []string
	Text  string
	// Typed is the line of a / command, and Path the full name of the command: "memory show".
	Typed, Path string
	// Flags has the values of the flags in a shell, by name.
	Flags map[string]any
	// Live is the session in which a / command runs, nil in a shell.
	Live *session.Session
	// Options open the project in a shell.
	Options project.Options
	// Next is for the face that shows the outcome of a / command.
	Next Next
	// Terminal is the terminal of the person. A session may have none.
	Terminal *terminal.Terminal
	// Note shows a line at once, and Whole a text of any length.
	Note, Whole func(text string)
	// Line prints a line of the result at once, in a shell.
	Line func(line string) error
	// User answers the questions of installations, in a shell.
	User install.User
	// Copy puts a text into the clipboard, and returns how, such as "copied to the clipboard". It is nil where only programs
	// of the system can do it.
	Copy func(ctx context.Context, text string) (how string, err error)
	// ReportsKeys reports whether the terminal reports keys such as Shift+Enter apart from Enter, as far as it has said so. It may be nil.
	ReportsKeys func() bool
	// Secret reads a provider's key from standard input. label is the provider for people, and name as they named it.
	Secret func(ctx context.Context, label, name string) (string, error)
	// Ask runs a task that can ask the person questions. Its outcome is empty if the task's text is printed already.
	Ask func(ctx context.Context, task Task) (outcome.Outcome, error)
}

// Next is the action of the face after a / command.
type Next struct {
	Prompt *agent.Prompt // prompt to send to the model, nil for none
	// IsPromptHidden means that the user need not see the prompt: it is Pollux's own text, or the line itself.
	IsPromptHidden bool
	// Run is a run of the model for the face to show like that of a prompt, nil for none.
	Run func(ctx context.Context) iter.Seq2[agent.Event, error]
	// Draft is a text for the user to change and send, "" for none.
	Draft string
	Clear bool // a new conversation has started
	// Recap is the state of the conversation that has replaced the current one, nil for none.
	Recap *record.Recap
	Quit  bool // end the session
}

// Task is a part of a command that asks questions. It returns the text of the result.
type Task func(ctx context.Context, ask tool.Ask, show func(text string)) (string, error)

// Is returns the value of a flag that is on or off.
func (c *Call) Is(flag string) bool {
	on, _ := c.Flags[flag].(bool)
	return on
}

// Value returns the value of a flag with a text.
func (c *Call) Value(flag string) string {
	text, _ := c.Flags[flag].(string)
	return text
}

// Number returns the value of a flag with a number.
func (c *Call) Number(flag string) int {
	n, _ := c.Flags[flag].(int)
	return n
}

// Values returns the values of a flag with a list, in the type that settings use. It is nil if the flag is not set.
func (c *Call) Values(flag string) (values []any) {
	list, _ := c.Flags[flag].(List)
	for _, value := range list {
		values = append(values, value)
	}
	return values
}

// ReadFlags reads the text of a / command into Words, and its --options into Flags: known ones, with the names of flags
// that are on or off, and of those with a value behind "=". In a shell, this is done.
func (c *Call) ReadFlags(switches, values []string) error {
	if c.Live == nil {
		return nil
	}
	if len(c.Text) > MaxPath {
		return exit.Errorf(exit.Input, "The arguments are too long.")
	}
	c.Words, c.Flags = nil, map[string]any{}
	for _, word := range strings.Fields(c.Text) {
		name, ok := strings.CutPrefix(word, "--")
		if !ok {
			c.Words = append(c.Words, word)
			continue
		}
		name, value, hasValue := strings.Cut(name, "=")
		switch {
		case slices.Contains(switches, name):
			c.Flags[name] = true
		case !slices.Contains(values, name):
			return exit.Errorf(exit.Input, "There is no option --%s.", terminal.Cut(terminal.Line(name), 40))
		case !hasValue:
			return exit.Errorf(exit.Input, "The option --%s needs a value: --%[1]s=<value>", name)
		default:
			c.Flags[name] = value
		}
	}
	return nil
}

// Name returns the only argument.
func (c *Call) Name() string {
	if c.Live != nil {
		return c.Text
	}
	return c.Words[0]
}

// Open returns the project of the session, or that of the working directory with its settings and its .env file.
// It neither asks about trust nor requires it.
func (c *Call) Open(ctx context.Context) (*project.Project, error) {
	p, err := c.Load(ctx)
	if err == nil && c.Live == nil {
		p.ReadEnv()
	}
	return p, err
}

// Load is [Call.Open] without the .env file.
func (c *Call) Load(ctx context.Context) (*project.Project, error) {
	if c.Live != nil {
		return c.Live.Project, nil
	}
	paths, err := c.Paths()
	if err != nil {
		return nil, err
	}
	o := c.Options
	o.Dir = paths.Dir()
	p := project.New(o)
	return p, p.Load(ctx)
}

// Paths returns the paths of the project in the directory of the options, by default the working directory.
func (c *Call) Paths() (*config.Paths, error) {
	dir := c.Options.Dir
	if dir == "" {
		var err error
		if dir, err = config.WorkingDir(); err != nil {
			return nil, err
		}
	}
	return config.NewPaths(c.Options.Env, dir), nil
}

// HasPerson reports whether there is a person in the session who answers questions.
func (c *Call) HasPerson() bool { return c.Live.Project.Options.Asker != nil }

// Choose asks the person in the session to pick one of the options, and returns its label; see [person.Choose].
func (c *Call) Choose(ctx context.Context, o person.Choice) (string, error) {
	return person.Choose(ctx, c.Live.Project.Options.Asker, o)
}

// Confirm asks the person in the session a yes-or-no question, and reports whether the answer is yes.
func (c *Call) Confirm(ctx context.Context, header, question string) (bool, error) {
	return person.Confirm(ctx, c.Live.Project.Options.Asker, header, question)
}

// Consent is Confirm with the answer no selected first; see [person.Consent].
func (c *Call) Consent(ctx context.Context, header, question string) (bool, error) {
	return person.Consent(ctx, c.Live.Project.Options.Asker, header, question)
}

// Resolve returns the absolute path of a path that the person has typed in the session; see [Path].
func (c *Call) Resolve(typed string) string { return Path(c.Live.Project.Paths, typed) }

// Width returns the width of the terminal, 0 if there is no limit.
func (c *Call) Width() int {
	if c.Terminal == nil {
		return 0
	}
	return c.Terminal.OutWidth()
}

// IsUTF8 reports whether the output is a terminal that shows all characters.
func (c *Call) IsUTF8() bool {
	return c.Terminal != nil && c.Terminal.Color && c.Terminal.Abilities(c.Options.Env.Get).UTF8
}

// Save sets a key of the person's settings, and makes the session use it.
func (c *Call) Save(key string, value any) error {
	if err := c.Live.Project.Paths.Set(config.User, key, value); err != nil {
		return err
	}
	return c.Live.Project.Reload()
}

// ErrHelp is the error of a command that prints its help instead.
var ErrHelp = errors.New("help")

// Help is the command of a group that prints its help.
func Help(context.Context, *Call) (outcome.Outcome, error) { return outcome.Outcome{}, ErrHelp }

// UsageError is an error about the arguments of a subcommand, which the command line shows with a hint.
type UsageError struct{ Message string }

func (e *UsageError) Error() string { return e.Message }

// MaxPath is the maximum length of a path that a person types in a session, in bytes. It is longer than operating
// systems allow.
const MaxPath = 8 << 10

// Path returns the absolute path for a path typed in a session. It removes quotes and, except on Windows,
// backslashes before spaces. It expands ~ to the home directory.
func Path(paths *config.Paths, typed string) string {
	typed = strings.TrimSpace(typed)
	if n := len(typed); n >= 2 && (typed[0] == '"' || typed[0] == '\'') && typed[n-1] == typed[0] {
		typed = typed[1 : n-1]
	} else if filepath.Separator != '\\' {
		typed = strings.ReplaceAll(typed, `\ `, " ")
	}
	return filepath.Clean(paths.Absolute(typed))
}

// CutWord splits text after the first word, and trims the rest.
func CutWord(text string) (word, rest string) {
	end := strings.IndexAny(text, " \t\r\n")
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.TrimSpace(text[end:])
}

// Usage returns the error of a / command without its arguments.
func Usage(syntax string) error { return exit.Errorf(exit.Input, "Usage: %s", syntax) }

// Misuse returns the error of a person who has called a / command in a wrong way, with an empty outcome.
func Misuse(format string, args ...any) (outcome.Outcome, error) {
	return outcome.Outcome{}, exit.Errorf(exit.Input, format, args...)
}

// Say returns a text as the outcome of a command, without an error.
func Say(format string, args ...any) (outcome.Outcome, error) {
	return outcome.Textf(format, args...), nil
}

// ErrNeedsPerson is matched by the error of a / command that needs a person in a session that is not interactive.
var ErrNeedsPerson = errors.New("a command needs a user")

// NeedsPerson returns the error of a / command that needs a person. instead is another way, or "". Scripts match
// the first sentence, which is that of Gemini CLI.
func NeedsPerson(path, instead string) error {
	text := "Exiting due to command result that is not supported in non-interactive mode. /" + path + " needs an interactive session. " + instead
	return &exit.Error{Code: exit.Input, Message: strings.TrimSpace(text), Err: ErrNeedsPerson}
}
