package manage

import (
	"errors"
	"path/filepath"
	"strings"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/outcome"
)

// ErrHelp is the error of a command that prints its help instead.
var ErrHelp = errors.New("help")

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
