package telemetry

import (
	"strings"

	"pollux/internal/secret"
)

// cleaner returns a function that removes secrets from texts, also inside JSON strings.
func cleaner(secrets func() []string) func(string) string {
	if secrets == nil {
		return asIs
	}
	return secret.NewEraser(secrets())
}

// cut returns at most n bytes of a text, without splitting a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "..."
}
