package provider

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"iter"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// redactor removes secrets from texts. Vendors and proxies repeat credentials in error
// messages, which are printed, logged and stored.
type redactor struct {
	secrets []string // the longest first
	address string
}

func newRedactor(a *Access, n *Network) *redactor {
	texts := []string{a.APIKey, a.AuthToken}
	if a.AWS != nil {
		texts = append(texts, a.AWS.SecretAccessKey, a.AWS.SessionToken)
	}
	base := strings.ReplaceAll(a.BaseURL, "{model}", "m")
	if !strings.Contains(base, "://") {
		base = "http://" + base // as Ollama's may be
	}
	if u, err := url.Parse(base); err == nil {
		texts = append(texts, userSecrets(u.User)...)
		for name, values := range u.Query() {
			if name != "api-version" {
				texts = append(texts, values...)
			}
		}
	}
	if n.Proxy != nil {
		texts = append(texts, userSecrets(n.Proxy.User)...)
	}
	texts = append(texts, a.Profile.Secrets()...)
	for name, values := range n.Header {
		for _, value := range values {
			texts = append(texts, headerSecrets(name, value)...)
		}
	}
	texts = dropShort(texts)
	slices.SortFunc(texts, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return &redactor{slices.Compact(texts), a.BaseURL}
}

// Secrets returns the secret strings of an access and a network: keys, tokens,
// passwords and secret headers. None of them may be written to a log or a file.
func Secrets(a Access, n Network) []string {
	if a.Profile == nil {
		a.Profile = &Profile{}
	}
	return newRedactor(&a, &n).secrets
}

// Secrets returns the secret strings in a profile: its key and the values of its
// headers.
func (p *Profile) Secrets() []string {
	texts := []string{strings.TrimSpace(p.APIKey)}
	for name, value := range p.Headers {
		texts = append(texts, headerSecrets(name, value)...)
	}
	return dropShort(texts)
}

// dropShort removes strings too short to be secrets, such as the placeholder key of a
// server without keys. Redacting them would make messages unreadable.
func dropShort(texts []string) []string {
	return slices.DeleteFunc(texts, func(s string) bool { return len(s) < minSecret })
}

// minSecret is the length of the shortest secret in bytes.
const minSecret = 8

func userSecrets(user *url.Userinfo) []string {
	if user == nil {
		return nil
	}
	password, set := user.Password()
	if !set {
		return []string{user.Username()} // a token
	}
	basic := base64.StdEncoding.EncodeToString([]byte(user.Username() + ":" + password))
	return []string{password, user.String(), basic}
}

// headerSecrets returns the parts of a header that may be secret. Only a few headers
// are known to be public.
func headerSecrets(name, value string) []string {
	name = strings.ToLower(name)
	for _, open := range [...]string{"accept", "content-", "user-agent", "anthropic-", "http-referer", "x-title", "x-vertex-ai-"} {
		if strings.HasPrefix(name, open) {
			return nil
		}
	}
	_, bare, _ := strings.Cut(value, " ") // behind "Bearer"
	return []string{value, bare}
}

// redact returns a text without the secrets.
func (s *redactor) redact(text string) string {
	if s.address != "" { // one that cannot be read may be repeated as it is
		text = strings.ReplaceAll(text, s.address, RedactAddress(s.address))
	}
	for _, secret := range s.secrets {
		text = removeSecret(text, secret)
	}
	return text
}

// removeSecret returns a text without a secret, or without most of one, which remains
// where a message was cut.
func removeSecret(text, secret string) string {
	for from := 0; ; {
		at := strings.Index(text[from:], secret[:minSecret])
		if at < 0 {
			return text
		}
		at += from
		end := minSecret
		for end < len(secret) && at+end < len(text) && text[at+end] == secret[end] {
			end++
		}
		const tail = 4 // "...)"
		if from = at + 1; end > len(secret)/2 || len(text)-at-end <= tail {
			text = text[:at] + "***" + text[at+end:]
			from = at + 3
		}
	}
}

// redactError returns err without the secrets in its text.
func (s *redactor) redactError(err error) error {
	if err == nil {
		return nil
	}
	var e *llm.Error
	if errors.As(err, &e) {
		shown := *e
		shown.Message, shown.Body = s.redact(e.Message), s.redact(e.Body)
		shown.Code, shown.Link = s.redact(e.Code), s.redact(e.Link)
		shown.Err = s.redactError(e.Err)
		return &shown
	}
	text := err.Error()
	if clean := s.redact(text); clean != text {
		return &redactedError{clean, err}
	}
	return err
}

// redactedError is an error whose text has been redacted.
type redactedError struct {
	text string
	err  error
}

func (h *redactedError) Error() string { return h.text }
func (h *redactedError) Unwrap() error { return h.err }

// redactLog returns a logger that redacts messages and attributes.
func (s *redactor) redactLog(to *slog.Logger) *slog.Logger {
	if !to.Enabled(context.Background(), slog.LevelDebug) {
		return to
	}
	return slog.New(&redactingHandler{to.Handler(), s})
}

type redactingHandler struct {
	slog.Handler
	redactor *redactor
}

func (h *redactingHandler) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, h.redactor.redact(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(slog.String(a.Key, h.redactor.redact(a.Value.String())))
		return true
	})
	return h.Handler.Handle(ctx, clean)
}

// redactErrors returns g with secrets removed from its errors and from its reports of a silent
// server.
func redactErrors(g llm.Generator, s *redactor) llm.Generator { return &redactingGenerator{g, s} }

type redactingGenerator struct {
	llm.Generator
	redactor *redactor
}

var _ llm.Generator = (*redactingGenerator)(nil)

func (s *redactingGenerator) Unwrap() llm.Generator { return s.Generator }

func (s *redactingGenerator) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		for r, err := range s.Generator.Stream(s.watchSilence(ctx, req), req) {
			if !yield(r, s.redactor.redactError(err)) {
				return
			}
		}
	}
}

func (s *redactingGenerator) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	r, err := s.Generator.Generate(s.watchSilence(ctx, req), req)
	return r, s.redactor.redactError(err)
}

// watchSilence returns a context that makes the client of the protocol report the silence of
// the server to req.OnSilence.
func (s *redactingGenerator) watchSilence(ctx context.Context, req *llm.Request) context.Context {
	if req.OnSilence == nil {
		return ctx
	}
	return httpwire.WatchSilence(ctx, func(host string, elapsed time.Duration) {
		req.OnSilence(llm.Silence{Model: req.Model, Host: s.redactor.redact(host), Elapsed: elapsed})
	})
}

func (s *redactingGenerator) CountTokens(ctx context.Context, req *llm.Request) (int, error) {
	n, err := s.Generator.CountTokens(ctx, req)
	return n, s.redactor.redactError(err)
}

func (s *redactingGenerator) Embed(ctx context.Context, model string, texts []string) ([][]float32, error) {
	v, err := s.Generator.Embed(ctx, model, texts)
	return v, s.redactor.redactError(err)
}
