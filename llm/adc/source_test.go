package adc_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"pollux/llm/adc"
)

func TestFrom(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("gcloud's login is elsewhere on Windows")
	}
	env := map[string]string{"HOME": "/home/me", "GOOGLE_APPLICATION_CREDENTIALS": " /key.json\n"}
	s := adc.FromEnv(func(name string) string { return env[name] })
	if s.File != "/key.json" || s.Login != "/home/me/.config/gcloud/application_default_credentials.json" {
		t.Errorf("%+v", s)
	}
	if s := adc.FromEnv(func(string) string { return "" }); s.File != "" || s.Login != "" {
		t.Errorf("%+v", s)
	}
}

// account returns the file of a service account whose tokens come from this URL.
func account(t *testing.T, tokens string) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(map[string]string{
		"type": "service_account", "client_email": "robot@example.com", "private_key_id": "k", "token_uri": tokens,
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ content, want string }{
		"account":          {account(t, "http://127.0.0.1:1"), ""},
		"login":            {`{"type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r"}`, ""},
		"empty":            {"", "it is not a JSON credentials file"},
		"malformed":        {`{"type": "service_account", "private_key": hunter2`, "it is not a JSON credentials file"},
		"a list":           {`[]`, "it is not a JSON credentials file"},
		"no type":          {`{"client_email": "x"}`, `it has no "type"`},
		"an OAuth client":  {`{"installed": {"client_id": "x"}}`, "it describes an OAuth client, which has no credentials"},
		"another type":     {`{"type": "carrier_pigeon"}`, `unknown credentials type "carrier_pigeon"`},
		"a number":         {`{"type": 7}`, "it is not a JSON credentials file"},
		"no address":       {`{"type": "service_account", "private_key": "x"}`, `the service account has no "client_email"`},
		"no key":           {`{"type": "service_account", "client_email": "x", "private_key": "hunter2"}`, `the service account has no "private_key" in PEM form`},
		"huge":             {strings.Repeat(" ", 2<<20), "it is larger than 1 MB"},
		"byte order mark?": {"\uFEFF{}", "it is not a JSON credentials file"},
	} {
		file := filepath.Join(t.TempDir(), "key.json")
		if err := os.WriteFile(file, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		want := ""
		if c.want != "" {
			want = "cannot use the credentials file " + file + ": " + c.want
		}
		for _, s := range []adc.Source{{File: file}, {Login: file}} {
			got := ""
			if err := s.Check(); err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
	}
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	for path, want := range map[string]string{dir: "it is a directory", pipe: "it is not a regular file", filepath.Join(dir, "none"): "no such file"} {
		if err := (adc.Source{File: path}).Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := (adc.Source{Login: filepath.Join(dir, "none")}).Check(); err != nil {
		t.Errorf("without a login: %v", err)
	}
}

// TestCheckSparse checks that a huge file is not read to its end.
func TestCheckSparse(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "key.json")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, 1<<30); err != nil {
		t.Skip("no sparse files here: ", err)
	}
	if err := (adc.Source{File: file}).Check(); err == nil || !strings.Contains(err.Error(), "larger") {
		t.Error(err)
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	var claims struct{ Scope string }
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		parts := strings.Split(r.FormValue("assertion"), ".")
		if text, err := base64.RawURLEncoding.DecodeString(parts[min(1, len(parts)-1)]); err != nil || json.Unmarshal(text, &claims) != nil {
			t.Errorf("asked with %v", r.Form)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"access_token": "of the account", "token_type": "Bearer", "expires_in": 3600}`)
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "key.json")
	if err := os.WriteFile(file, []byte(account(t, server.URL)), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, source := range map[string]adc.Source{
		"https://www.googleapis.com/auth/cloud-platform": {File: file},
		"a b": {File: file, Scopes: []string{"a", "b"}},
	} {
		header := http.Header{}
		tokens := source.Tokens(func() (*http.Client, error) { return server.Client(), nil })
		if err := tokens.Authorize(t.Context(), header); err != nil || header.Get("Authorization") != "Bearer of the account" || claims.Scope != want {
			t.Errorf("%v, %v, scope %q, want %q", header, err, claims.Scope, want)
		}
	}
	given := adc.Source{Custom: adc.TokenFunc(func(context.Context) (string, error) { return "mine", nil })}
	if token, _, err := given.Tokens(nil)(t.Context()); token != "mine" || err != nil || given.Check() != nil {
		t.Error(token, err)
	}
}

// Not parallel: the library reads the environment of the process.
func TestMachine(t *testing.T) {
	answer, asked := "", 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Metadata-Flavor") != "Google":
			w.WriteHeader(http.StatusForbidden)
		case r.URL.Path == "/computeMetadata/v1/project/project-id":
			_, _ = io.WriteString(w, "p-1\n")
		case r.URL.Path == "/computeMetadata/v1/instance/service-accounts/default/token" && answer != "":
			asked++
			_, _ = io.WriteString(w, answer)
		case answer == "":
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer server.Close()
	t.Setenv("GCE_METADATA_HOST", strings.TrimPrefix(server.URL, "http://"))
	for _, bad := range []string{"", "{}", "hello", `{"access_token": "a b", "expires_in": 9}`, `{"access_token": "a\nb"}`} {
		answer = bad
		if _, _, err := adc.MachineTokens(t.Context()); err == nil {
			t.Errorf("%q is a token", bad)
		}
	}
	answer, asked = `{"access_token": "of-the-machine", "expires_in": 3600, "token_type": "Bearer"}`, 0
	tokens, project, err := adc.MachineTokens(t.Context())
	if err != nil || project != "p-1" {
		t.Fatal(project, err)
	}
	if token, _, err := tokens(t.Context()); token != "of-the-machine" || err != nil || asked != 1 {
		t.Error(token, err, asked)
	}
	ctx, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	if _, _, err := adc.MachineTokens(ctx); err == nil {
		t.Error("it waits")
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte(`{"type": "service_account", "client_email": "x", "private_key": "-----BEGIN"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(t.TempDir(), "key.json")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		_ = adc.Source{File: file}.Check()
	})
}

// TestQuotaProject checks who pays, and that the error of a request that is cancelled comes at once.
func TestQuotaProject(t *testing.T) {
	t.Parallel()
	isSlow := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("refresh_token") == "slow" {
			<-isSlow
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"access_token": "mine", "expires_in": 3600}`)
	}))
	defer server.Close()
	defer close(isSlow)
	address, _ := url.Parse(server.URL)
	client := func() (*http.Client, error) { return &http.Client{Transport: toServer{address}}, nil }
	login := func(token string) string {
		file := filepath.Join(t.TempDir(), "login.json")
		text := `{"type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "` + token + `", "quota_project_id": "of-file"}`
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for want, source := range map[string]adc.Source{
		"of-file": {Login: login("r")},
		"of-env":  {Login: login("r"), QuotaProject: "of-env"},
	} {
		tokens := source.Tokens(client)
		for range 2 {
			if token, project, err := tokens(t.Context()); token != "mine" || project != want || err != nil {
				t.Error(token, project, err)
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := (adc.Source{Login: login("slow")}).Tokens(client).Authorize(ctx, http.Header{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
