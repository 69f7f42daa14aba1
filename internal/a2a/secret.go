package a2a

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// commandTimeout limits a command that prints a secret.
const commandTimeout = 60 * time.Second

// secretText is a secret in a definition: $NAME is a variable, !command the output of a command, $$ and !! are
// a literal $ and !, everything else is literal.
type secretText string

func (s secretText) isCommand() bool {
	return strings.HasPrefix(string(s), "!") && !strings.HasPrefix(string(s), "!!")
}

// resolve returns the secret. Its errors do not contain it.
func (s secretText) resolve(ctx context.Context, o *Options) (string, error) {
	text := string(s)
	switch {
	case strings.HasPrefix(text, "$$"), strings.HasPrefix(text, "!!"):
		return text[1:], nil
	case strings.HasPrefix(text, "$"):
		return variable(text[1:], o)
	case s.isCommand():
		return output(ctx, strings.TrimSpace(text[1:]), o)
	}
	return text, nil
}

func variable(name string, o *Options) (string, error) {
	if o.Env == nil {
		return "", fmt.Errorf("environment variable '%s' is not available here", clean(name))
	}
	value, err := o.Env(name)
	switch {
	case err != nil:
		return "", err
	case value == "":
		return "", fmt.Errorf("environment variable '%s' is not set or is empty. Please set it before using this agent", clean(name))
	}
	return value, nil
}

func output(ctx context.Context, command string, o *Options) (string, error) {
	if command == "" {
		return "", errors.New("empty command in auth value. Expected format: !command")
	}
	if o.RunCommand == nil {
		return "", errors.New("the commands of auth values are not available here")
	}
	timeout := fmt.Errorf("it timed out after %v", commandTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, commandTimeout, timeout)
	defer cancel()
	text, err := o.RunCommand(ctx, command)
	if err == nil && strings.TrimSpace(text) == "" {
		err = errors.New("it returned empty output")
	}
	if err != nil {
		return "", fmt.Errorf("command '%s': %w", clean(command), err)
	}
	return strings.TrimSpace(text), nil
}
