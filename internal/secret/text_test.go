package secret

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestEraser(t *testing.T) {
	t.Parallel()
	erase := NewEraser([]string{`pass"word\1`, "pass", "longer than pass", "longer"})
	for text, want := range map[string]string{
		`a pass"word\1 b`:        "a [REDACTED] b",
		`{"a":"pass\"word\\1"}`:  `{"a":"[REDACTED]"}`,
		"pass is short":          "pass is short",
		"longer than pass, long": "[REDACTED], long",
	} {
		if got := erase(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestEraseForms(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"the key AIzaSy0123456789abcdefghijklmnopqrstuvw is bad":                "the key [REDACTED] is bad",
		`{"a":"sk-0123456789abcdef0123","b":1}`:                                 `{"a":"[REDACTED]","b":1}`,
		`{"url":"http://127.0.0.1:80","mail":"a@b"}`:                            `{"url":"http://127.0.0.1:80","mail":"a@b"}`,
		`{"url":"https://me:hunter2@host/x"}`:                                   `{"url":"https[REDACTED]host/x"}`,
		`{"a":"x -----BEGIN RSA PRIVATE KEY-----\nMII\"\nabc\n-----END","b":1}`: `{"a":"x [REDACTED]","b":1}`,
		"ghp_0123456789abcdefghijABCDEFGHIJ012345":                              "[REDACTED]",
		"risk-management-of-all-the-projects, task-0123456789012":               "risk-management-of-all-the-projects, task-0123456789012",
	} {
		if got := EraseForms(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	environ := []string{"API_KEY= hunter2222 ", "TOKEN=short", "KEY_FILE=/etc/a/long/path", "EDITOR=a-long-editor", "custom=own secret"}
	if got := Values(environ, "CUSTOM"); !slices.Equal(got, []string{"hunter2222", "own secret"}) {
		t.Errorf("the values are %q", got)
	}
}

// A record of a log stays JSON.
func FuzzEraseForms(f *testing.F) {
	f.Add(`-----BEGIN PRIVATE KEY-----" \`)
	f.Add(`https://me:pass@host", "sk-0123456789abcdef0123`)
	f.Fuzz(func(t *testing.T, text string) {
		line, err := json.Marshal(map[string]string{"a": text, "b": text})
		if err != nil {
			t.Skip()
		}
		if erased := EraseForms(string(line)); !json.Valid([]byte(erased)) {
			t.Fatalf("%s becomes %s", line, erased)
		}
	})
}
