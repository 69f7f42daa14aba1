package provider

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/llm/llmtest"
)

func TestSecretsOfAccess(t *testing.T) {
	t.Parallel()
	got := Secrets(
		Access{APIKey: "the-key-of-mine", BaseURL: "https://me:password@h/v1?sig=signature-1&api-version=2026-01-01"},
		Network{Header: http.Header{"X-Mine": {"header-of-mine"}, "User-Agent": {"Pollux/1.2.3"}}},
	)
	for _, want := range []string{"the-key-of-mine", "password", "signature-1", "header-of-mine"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not among the secrets %q", want, got)
		}
	}
	for _, word := range []string{"2026-01-01", "Pollux/1.2.3"} {
		if slices.Contains(got, word) {
			t.Errorf("%s is called secret", word)
		}
	}
}

func TestShown(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"":                                      "",
		"https://h/v1":                          "https://h/v1",
		"https://u:pw@h:1/v1":                   "https://***@h:1/v1",
		"https://token@h/v1":                    "https://***@h/v1",
		"https://u:p/w@h/v1":                    "https://***@h/v1",
		"u:pw@h":                                "***@h",
		"https://h/a@b":                         "https://h/a@b",
		"https://h/{model}?api-version=2&key=s": "https://h/{model}?api-version=2&key=***",
		"https://h?a&b=":                        "https://h?a&b=***",
		"https://u:p\x00w@h":                    "https://***@h",
		strings.Repeat("x", 200):                strings.Repeat("x", 80) + "...",
	} {
		if got := RedactAddress(address); got != want {
			t.Errorf("%q is shown as %q, want %q", address, got, want)
		}
	}
}

// FuzzShown checks that the text before the last @ of a host is not shown.
func FuzzShown(f *testing.F) {
	f.Add("https", "user", "pass/word", "host/v1?x=y")
	f.Fuzz(func(t *testing.T, scheme, user, password, rest string) {
		address := scheme + "://" + user + ":SECRET" + password + "@" + rest
		u, err := url.Parse(address)
		if err != nil || u.User == nil {
			return
		}
		if pw, _ := u.User.Password(); strings.Contains(pw, "SECRET") && strings.Contains(RedactAddress(address), "SECRET") {
			t.Errorf("%q is shown as %q", address, RedactAddress(address))
		}
	})
}

// parrot answers each request with an error that repeats the request.
func parrot(t *testing.T) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		said := r.URL.String()
		for name, values := range r.Header {
			said += " " + name + ": " + strings.Join(values, ",")
		}
		user, password, _ := r.BasicAuth()
		said += " unsupported parameter: temperature " + user + " " + password
		said = strings.ReplaceAll(said, `"`, "'")
		_, _ = w.Write([]byte(`{"error": {"message": "` + said + `", "code": "` + strings.ReplaceAll(r.Header.Get("Authorization"), `"`, "") + `"}}`))
	}))
	t.Cleanup(s.Close)
	return s
}

// TestSecrets checks that no secret of a request that a server repeats is in the errors or in the
// log, over any protocol.
func TestSecrets(t *testing.T) {
	t.Parallel()
	at := strings.TrimPrefix(parrot(t).URL, "http://")
	for _, protocol := range protocols {
		for _, how := range []string{
			`"apiKey": "SECRET-key-1", "keyHeader": "X-Own-Key"`, `"apiKey": " SECRET-key-2\n"`,
			`"keyless": true, "headers": {"X-Corp": "SECRET-of-corp", "Authorization": "Bearer SECRET-bearer"}`,
		} {
			table, errs := add(t, `{"mine": {"protocol": "`+string(protocol)+`", "baseUrl": "http://user:SECRETpassword@`+at+`/v1?sig=SECRET-in-query", `+how+`}}`)
			if errs != "" {
				t.Fatal(errs)
			}
			a, _ := table.Find("mine").Access(func(name string) string {
				return map[string]string{
					"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "SECRET-of-aws", "AWS_SESSION_TOKEN": "SECRET-session",
				}[name]
			})
			var log bytes.Buffer
			c, err := Open(a, Network{
				Header: http.Header{"X-Custom": {"SECRET-custom"}},
				Log:    slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
			})
			if err != nil {
				if strings.Contains(err.Error(), "SECRET") {
					t.Errorf("%s: %v", protocol, err)
				}
				continue // Vertex AI, without a token
			}
			g, err := c.For("m")
			if err != nil {
				t.Fatal(err)
			}
			req := llmtest.Prompt("hi")
			req.Model, req.Config.Temperature = "m", new(0.5)
			_, err = g.Generate(t.Context(), req)
			var e *llm.Error
			if !errors.As(err, &e) {
				t.Errorf("%s: %v", protocol, err)
				continue
			}
			_, err2 := c.Models(t.Context())
			for _, text := range []string{err.Error(), e.Body, e.Code, log.String(), errText(err2)} {
				if strings.Contains(text, "SECRET") {
					t.Errorf("%s with %s: %s", protocol, how, text)
				}
			}
		}
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestDummyKeys: a word in place of a key stays in messages.
func TestDummyKeys(t *testing.T) {
	t.Parallel()
	s := newRedactor(&Access{Profile: &Profile{}, APIKey: "ollama"}, &Network{})
	if got := s.redactError(errors.New("the model ollama-x is unknown")).Error(); got != "the model ollama-x is unknown" {
		t.Error(got)
	}
}

// TestCut checks that the beginning of a secret at the cut of a message is removed as well, and
// that a text that only begins like a secret is not.
func TestCut(t *testing.T) {
	t.Parallel()
	s := &redactor{secrets: []string{"sk-ant-api03-0123456789abcdef"}}
	for text, want := range map[string]string{
		"the key sk-ant-api03-0123456789abcdef is wrong": "the key *** is wrong",
		"sk-ant-api03-0123456789abcdef":                  "***",
		"the key sk-ant-api03-012345678... is wrong":     "the key ***... is wrong",
		"(the key sk-ant-api0...)":                       "(the key ***...)",
		"the key sk-ant-a":                               "the key ***",
		"a key begins with sk-ant-api":                   "a key begins with ***",
		"keys begin with sk-ant-api03, as sk-ant-x":      "keys begin with sk-ant-api03, as sk-ant-x",
		"": "",
	} {
		if got := s.redact(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}
