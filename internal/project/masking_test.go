package project_test

import (
	"os"
	"testing"

	"pollux/internal/auth"
	"pollux/internal/project/projecttest"
	"pollux/internal/secret"
)

const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"

// TestMasking checks which texts are secrets before and after a session has accounts.
func TestMasking(t *testing.T) {
	t.Parallel()
	p := projecttest.New(t, `{"modelProviders": {"mine": {"baseUrl": "https://mine.example/v1", "apiKey": "$MY_THING"}}}`,
		"MY_THING=key-of-mine", "GEMINI_API_KEY=key-of-gemini", "MY_SERVICE_TOKEN=token-of-mine", "NOTE="+token,
		"PLAIN=nothing-special", "SSH_AUTH_SOCK=/tmp/agent.sock", "API_KEY=short", "GITHUB_SHA=0123456789",
	)
	check := func(secrets, others []string) {
		t.Helper()
		for _, text := range secrets {
			for i, m := range []*secret.Masker{p.LogMasker(), p.Masker()} {
				if got := m.Text("is " + text); got != "is "+secret.Redacted {
					t.Errorf("masker %d returns %q", i, got)
				}
			}
		}
		for _, text := range others {
			if got := p.LogMasker().Text("is " + text); got != "is "+text {
				t.Errorf("%q is replaced: %q", text, got)
			}
		}
	}
	others := []string{"nothing-special", "/tmp/agent.sock", "short", "0123456789"}
	check([]string{"key-of-gemini", "token-of-mine", token}, append(others, "word-of-account", "typed-by-person"))

	account := "word-of-account"
	p.SetSecrets(func() []string { return []string{account, "/a/path", "be"} })
	check([]string{"key-of-gemini", "key-of-mine", "token-of-mine", token, "word-of-account"}, append(others, "/a/path", "be", "typed-by-person"))

	p.KeepKey(auth.SignIn{ID: "google", Key: auth.Key{Value: "typed-by-person"}})
	check([]string{"word-of-account", "typed-by-person"}, others)
}

// TestKeptSecrets checks that the user can keep secrets in records, but not in logs.
func TestKeptSecrets(t *testing.T) {
	t.Parallel()
	p := projecttest.New(t, `{"pollux": {"sessions": {"keepSecrets": true}}}`)
	if m := p.Masker(); m != nil {
		t.Error("the secrets are not kept")
	}
	if got := p.Masker().Text(token); got != token {
		t.Errorf("the record has %q", got)
	}
	if got := p.Masker().JSON([]byte(`{"password":"` + token + `"}`)); string(got) != `{"password":"`+token+`"}` {
		t.Errorf("the record has %s", got)
	}
	if got := p.LogMasker().Text(token); got != secret.Redacted {
		t.Errorf("the log has %q", got)
	}
}

func BenchmarkLogMasker(b *testing.B) {
	p := projecttest.New(b, `{}`, os.Environ()...)
	for b.Loop() {
		p.SetSecrets(func() []string { return nil })
		p.LogMasker()
	}
}
