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

	"pollux/llm"
)

// secret takes out of texts what belongs into requests and nowhere else: vendors
// and proxies repeat it in errors, and those are printed, logged and kept.
type secret struct {
	texts   []string // the longest first
	address string
}

// secretsOf returns what is secret of an access.
func secretsOf(a *Access, n *Network) *secret {
	texts := []string{a.APIKey, a.AuthToken}
	if a.AWS != nil {
		texts = append(texts, a.AWS.SecretAccessKey, a.AWS.SessionToken)
	}
	base := strings.ReplaceAll(a.BaseURL, "{model}", "m")
	if !strings.Contains(base, "://") {
		base = "http://" + base // as Ollama's may be
	}
	if u, err := url.Parse(base); err == nil {
		texts = append(texts, inUser(u.User)...)
		for name, values := range u.Query() {
			if name != "api-version" {
				texts = append(texts, values...)
			}
		}
	}
	if n.Proxy != nil {
		texts = append(texts, inUser(n.Proxy.User)...)
	}
	texts = append(texts, a.Profile.Secrets()...)
	for name, values := range n.Header {
		for _, value := range values {
			texts = append(texts, inHeader(name, value)...)
		}
	}
	texts = long(texts)
	slices.SortFunc(texts, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return &secret{slices.Compact(texts), a.BaseURL}
}

// Secrets returns what is secret of how a provider is reached: what nothing that is
// written down may hold.
func Secrets(a Access, n Network) []string {
	if a.Profile == nil {
		a.Profile = &Profile{}
	}
	return secretsOf(&a, &n).texts
}

// Secrets returns what is secret in a profile: its key, and what its headers hold.
func (p *Profile) Secrets() []string {
	texts := []string{strings.TrimSpace(p.APIKey)}
	for name, value := range p.Headers {
		texts = append(texts, inHeader(name, value)...)
	}
	return long(texts)
}

// long leaves out what is too short to be a secret: it is a word that a server
// without keys is given in place of one, and would leave a riddle where it is taken
// out of a message.
func long(texts []string) []string {
	return slices.DeleteFunc(texts, func(s string) bool { return len(s) < shortest })
}

// shortest is how long a secret is at least, in bytes.
const shortest = 8

func inUser(user *url.Userinfo) []string {
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

// inHeader returns what may be secret in a header. Of few it is known that it is
// not.
func inHeader(name, value string) []string {
	name = strings.ToLower(name)
	for _, open := range [...]string{"accept", "content-", "user-agent", "anthropic-", "http-referer", "x-title", "x-vertex-ai-"} {
		if strings.HasPrefix(name, open) {
			return nil
		}
	}
	_, bare, _ := strings.Cut(value, " ") // behind "Bearer"
	return []string{value, bare}
}

// clean returns a text without the secrets.
func (s *secret) clean(text string) string {
	if s.address != "" { // one that cannot be read may be repeated as it is
		text = strings.ReplaceAll(text, s.address, Shown(s.address))
	}
	for _, secret := range s.texts {
		text = without(text, secret)
	}
	return text
}

// without returns a text without a secret, and without the most of one, as is left
// where a message was cut.
func without(text, secret string) string {
	for from := 0; ; {
		at := strings.Index(text[from:], secret[:shortest])
		if at < 0 {
			return text
		}
		at += from
		end := shortest
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

// hide returns err without the secrets.
func (s *secret) hide(err error) error {
	if err == nil {
		return nil
	}
	var e *llm.Error
	if errors.As(err, &e) {
		shown := *e
		shown.Message, shown.Body = s.clean(e.Message), s.clean(e.Body)
		shown.Code, shown.Link = s.clean(e.Code), s.clean(e.Link)
		shown.Err = s.hide(e.Err)
		return &shown
	}
	text := err.Error()
	if clean := s.clean(text); clean != text {
		return &hidden{clean, err}
	}
	return err
}

// hidden is an error whose text is another.
type hidden struct {
	text string
	err  error
}

func (h *hidden) Error() string { return h.text }
func (h *hidden) Unwrap() error { return h.err }

// log returns a log that gets no secrets.
func (s *secret) log(to *slog.Logger) *slog.Logger {
	if !to.Enabled(context.Background(), slog.LevelDebug) {
		return to
	}
	return slog.New(&discreetHandler{to.Handler(), s})
}

type discreetHandler struct {
	slog.Handler
	secret *secret
}

// Handle implements [slog.Handler].
func (h *discreetHandler) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, h.secret.clean(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(slog.String(a.Key, h.secret.clean(a.Value.String())))
		return true
	})
	return h.Handler.Handle(ctx, clean)
}

// discreet returns g with the secrets taken out of its errors.
func discreet(g llm.Generator, s *secret) llm.Generator { return &secretive{g, s} }

type secretive struct {
	llm.Generator
	secret *secret
}

var _ llm.Generator = (*secretive)(nil)

// Unwrap returns the generator below.
func (s *secretive) Unwrap() llm.Generator { return s.Generator }

func (s *secretive) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		for r, err := range s.Generator.Stream(ctx, req) {
			if !yield(r, s.secret.hide(err)) {
				return
			}
		}
	}
}

func (s *secretive) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	r, err := s.Generator.Generate(ctx, req)
	return r, s.secret.hide(err)
}

func (s *secretive) CountTokens(ctx context.Context, req *llm.Request) (int, error) {
	n, err := s.Generator.CountTokens(ctx, req)
	return n, s.secret.hide(err)
}

func (s *secretive) Embed(ctx context.Context, model string, texts []string) ([][]float32, error) {
	v, err := s.Generator.Embed(ctx, model, texts)
	return v, s.secret.hide(err)
}
