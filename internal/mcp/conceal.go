package mcp

import (
	"slices"

	"pollux/internal/secret"
)

// conceal returns a text for people and the model without the secrets of the entry, which a server may
// repeat, and without those in URLs.
func (c *Config) conceal(text string) string {
	known := slices.Concat(secret.InEnv(c.Env), secret.InHeaders(c.Headers), secret.InArgs(c.Args), secret.InURL(c.Endpoint()), []string{c.OAuth.ClientSecret})
	return secret.MaskText(secret.NewEraser(known)(text))
}

// conceal returns an error whose text is without the secrets of the entry; nil if err is nil.
func (s *server) conceal(err error) error {
	if err == nil {
		return nil
	}
	return &concealed{err, s.config.conceal(err.Error())}
}

// concealed is an error with another text.
type concealed struct {
	error
	text string
}

func (e *concealed) Error() string { return e.text }

// Unwrap returns the error itself, so that it can be recognized. Its text is not for people.
func (e *concealed) Unwrap() error { return e.error }
