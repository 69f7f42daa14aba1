package telemetry

import (
	"pollux/internal/secret"
)

// cleaner returns a function that removes secrets from texts, also inside JSON strings.
func cleaner(secrets func() []string) func(string) string {
	if secrets == nil {
		return asIs
	}
	return secret.NewEraser(secrets())
}
