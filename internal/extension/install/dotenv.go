package install

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"strings"

	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/exit"
)

// setVariable sets a variable in the .env file at path, and leaves the other lines as they are. An
// empty value removes it.
func setVariable(path, name, value string) error {
	data, err := durable.ReadFile(path, maxText)
	switch {
	case errors.Is(err, durable.ErrDirectory):
		return fmt.Errorf("cannot write extension settings to %s because it is a directory", path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("cannot read %s: %w", path, err)
	}
	text, err := editDotEnv(string(data), name, value)
	if err != nil {
		return fmt.Errorf("cannot change %s: %w", path, err)
	}
	if text == string(data) {
		return nil
	}
	return durable.WriteFile(path, []byte(text), 0o600)
}

// editDotEnv returns the text of a .env file with a variable set to a value or, if that is "",
// without it.
func editDotEnv(text, name, value string) (string, error) {
	assignment, err := formatVariable(name, value)
	if err != nil {
		return "", err
	}
	if value == "" {
		assignment = ""
	}
	isOurs, err := regexp.Compile(`^\s*(export\s+)?` + regexp.QuoteMeta(name) + `\s*(=|:\s)`)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if at := isOurs.FindStringIndex(line); at != nil {
			if isOpen(line[at[1]:]) {
				return "", errOnlyEditor(name)
			}
			b.WriteString(assignment)
			assignment = "" // other lines of this variable are replaced by it
			continue
		}
		b.WriteString(line)
	}
	if assignment != "" && b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
		b.WriteString("\n")
	}
	b.WriteString(assignment)
	want := config.ParseDotEnv([]byte(text))
	delete(want, name)
	if value != "" {
		want[name] = value
	}
	if !maps.Equal(config.ParseDotEnv([]byte(b.String())), want) { // a value has text that looks like a line of its own
		return "", errOnlyEditor(name)
	}
	return b.String(), nil
}

func errOnlyEditor(name string) error {
	return fmt.Errorf("it sets %s in a way that only an editor can change", name)
}

// isOpen reports whether a value goes on in the next line.
func isOpen(value string) bool {
	value = strings.TrimSpace(value)
	return value != "" && strings.ContainsAny(value[:1], "\"'`") && strings.Count(value, value[:1]) == 1
}

// formatVariable returns the line of a .env file that sets a variable. Gemini CLI reads the same
// value from it.
func formatVariable(name, value string) (string, error) {
	if !regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`).MatchString(name) {
		return "", exit.Errorf(exit.General, "Invalid environment variable name: %q. Must contain only alphanumeric characters and underscores.", name)
	}
	if strings.ContainsAny(value, "\r\n\x00") {
		return "", exit.Errorf(exit.General, "Invalid environment variable value for %q. Values cannot contain newlines.", name)
	}
	quote := ""
	switch {
	case !strings.ContainsAny(value, " \t#'\"`\\"):
	case !strings.ContainsAny(value, "\"\\"):
		quote = `"`
	case !strings.Contains(value, `'`):
		quote = `'`
	case !strings.Contains(value, "`"):
		quote = "`"
	default:
		return "", fmt.Errorf("a value for %s with all kinds of quotes cannot be stored", name)
	}
	return name + "=" + quote + value + quote + "\n", nil
}
