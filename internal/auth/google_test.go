package auth

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/exit"
	"pollux/llm/adc"
)

// The account of the machine is that of Vertex AI, with the environment's values before the
// machine's; keys do not count.
func TestMachine(t *testing.T) {
	t.Parallel()
	given := machine{adc.TokenFunc(func(context.Context) (string, error) { return "of-the-machine", nil }), "p-1"}
	for name, c := range map[string]struct{ settings, env, want string }{
		"a machine":         {"", "GEMINI_CLI_USE_COMPUTE_ADC=true", "p-1 global"},
		"a Cloud Shell":     {"", "CLOUD_SHELL=true", "p-1 global"},
		"selected":          {selected("compute-default-credentials"), "GEMINI_API_KEY=g GOOGLE_API_KEY=k", "p-1 global"},
		"by its older name": {selected("cloud-shell"), "", "p-1 global"},
		"before others":     {"", "GEMINI_CLI_USE_COMPUTE_ADC=true OPENAI_API_KEY=o", "p-1 global"},
		"named":             {"", "GEMINI_CLI_USE_COMPUTE_ADC=true GOOGLE_CLOUD_PROJECT=p GOOGLE_CLOUD_LOCATION=l", "p l"},
		"of a Cloud Shell":  {"", "CLOUD_SHELL=true DEVSHELL_PROJECT_ID=d", "d global"},
		"enforced":          {`{"security": {"auth": {"enforcedType": "cloud-shell"}}}`, "CLOUD_SHELL=true", "p-1 global"},
	} {
		accounts, err := Open(inputs(t, c.settings, strings.Fields(c.env)...))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		accounts.machine = func() (machine, error) { return given, nil }
		one, err := accounts.Default()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		token, _, err := one.ADC.Tokens(nil)(t.Context())
		if got := one.Project + " " + one.Location; got != c.want || token != "of-the-machine" || err != nil || one.APIKey != "" || one.Type != ComputeADC {
			t.Errorf("%s: %s, want %s (%q, %v)", name, got, c.want, token, err)
		}
	}

	accounts, err := Open(inputs(t, "", "CLOUD_SHELL=true"))
	if err != nil {
		t.Fatal(err)
	}
	accounts.machine = func() (machine, error) { return machine{tokens: given.tokens}, nil }
	if _, err := accounts.Default(); exit.CodeOf(err) != exit.Auth || !strings.Contains(err.Error(), "GOOGLE_CLOUD_PROJECT is not set") {
		t.Error(err)
	}

	// A run that has ended sends no request.
	in := inputs(t, "", "CLOUD_SHELL=true")
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	cancel(stopped)
	in.Context = ctx
	if accounts, err = Open(in); err != nil {
		t.Fatal(err)
	}
	if _, err := accounts.Default(); !errors.Is(err, stopped) {
		t.Error(err)
	}
}

// An error in a file of credentials is reported before any request.
func TestVertexFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, vertex := range []string{"GOOGLE_CLOUD_PROJECT=p", "GOOGLE_CLOUD_PROJECT_ID=p"} {
		in := inputs(t, selected("vertex-ai"), vertex, "GOOGLE_CLOUD_LOCATION=l", "GOOGLE_APPLICATION_CREDENTIALS="+dir)
		_, err := choose(in)
		want := "Cannot use your Google Cloud credentials: cannot use the credentials file " + dir + ": it is a directory. "
		if exit.CodeOf(err) != exit.Auth || !strings.HasPrefix(err.Error(), want) {
			t.Error(err)
		}
	}
	file := filepath.Join(dir, "login.json")
	if err := os.WriteFile(file, []byte(`{"type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, env := range []string{"GOOGLE_APPLICATION_CREDENTIALS=" + file, "GOOGLE_APPLICATION_CREDENTIALS=", "GOOGLE_API_KEY=k"} {
		in := inputs(t, selected("vertex-ai"), "GOOGLE_CLOUD_PROJECT=p", "GOOGLE_CLOUD_LOCATION=l", env)
		if _, err := choose(in); err != nil {
			t.Errorf("%s: %v", env, err)
		}
	}
}

// A location is a part of the address that tokens go to, and a .env file of a folder
// that is not trusted may set it.
func TestLocationIsNoAddress(t *testing.T) {
	t.Parallel()
	for _, env := range []string{"GOOGLE_GENAI_USE_VERTEXAI=true GOOGLE_CLOUD_PROJECT=p", "CLOUD_SHELL=true DEVSHELL_PROJECT_ID=d"} {
		accounts, err := Open(inputs(t, "", append(strings.Fields(env), "GOOGLE_CLOUD_LOCATION=elsewhere.example/x")...))
		if err != nil {
			t.Fatal(err)
		}
		accounts.machine = func() (machine, error) { return machine{}, nil }
		accounts.adcError = func() error { return nil }
		want := `GOOGLE_CLOUD_LOCATION is "elsewhere.example/x", which is not a Google Cloud location`
		if _, err := accounts.Default(); exit.CodeOf(err) != exit.Auth || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", env, err)
		}
	}
}
