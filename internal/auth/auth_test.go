package auth

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/llm/httpwire"
)

// inputs returns settings read from a user's file, and an environment.
func inputs(t *testing.T, settings string, env ...string) Inputs {
	t.Helper()
	home := t.TempDir()
	if settings != "" {
		if err := os.Mkdir(filepath.Join(home, ".gemini"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, ".gemini", "settings.json"), []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e := config.NewEnv(append(env, "GEMINI_CLI_HOME="+home, "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+home+"/none/s.json")...)
	s, warnings, err := config.Load(config.Sources{Paths: config.NewPaths(e, home), Env: e})
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	return Inputs{Settings: s, Env: config.NewFolderEnv(e)}
}

func selected(name string) string { return `{"security": {"auth": {"selectedType": "` + name + `"}}}` }

// chosen has the compared fields of the default account.
type chosen struct {
	Type                                     Type
	APIKey, AuthToken, BaseURL, APIVersion   string
	Model, Project, Location, Proxy, NoProxy string
	Bearer, Gateway                          bool
	CAFiles                                  []string
}

// choose returns the default account.
func choose(in Inputs) (chosen, error) {
	accounts, err := Open(in)
	if err != nil {
		return chosen{}, err
	}
	a, err := accounts.Default()
	if err != nil {
		return chosen{}, err
	}
	c := chosen{
		Type: a.Type, APIKey: a.APIKey, AuthToken: a.AuthToken, BaseURL: a.BaseURL, APIVersion: a.APIVersion,
		Model: a.Model, Project: a.Project, Location: a.Location, NoProxy: accounts.Network.NoProxy,
		Bearer: a.Bearer, Gateway: a.Gateway, CAFiles: accounts.Network.RootCAs,
	}
	if accounts.Network.Proxy != nil {
		c.Proxy = accounts.Network.Proxy.String()
	}
	return c, nil
}

func TestChoose(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		settings string
		env      []string
		want     chosen
	}{
		"key":                 {"", []string{"GEMINI_API_KEY=k"}, chosen{Type: GeminiAPIKey, APIKey: "k"}},
		"key with a line end": {"", []string{"GEMINI_API_KEY= k \r\n"}, chosen{Type: GeminiAPIKey, APIKey: "k"}},
		"key and base URL": {
			"",
			[]string{"GEMINI_API_KEY=k", "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:8080/x"},
			chosen{Type: GeminiAPIKey, APIKey: "k", BaseURL: "http://127.0.0.1:8080/x"},
		},
		"selected key": {
			selected("gemini-api-key"),
			[]string{"GEMINI_API_KEY=k", "GOOGLE_GENAI_USE_VERTEXAI=true"},
			chosen{Type: GeminiAPIKey, APIKey: "k"},
		},
		"openai": {"", []string{"OPENAI_API_KEY=k"}, chosen{Type: OpenAI, APIKey: "k", BaseURL: "https://api.openai.com/v1", Model: "gpt-5.6-sol"}},
		"a local server": {
			"",
			[]string{"OPENAI_BASE_URL=http://127.0.0.1:11434/v1", "OPENAI_MODEL=qwen3"},
			chosen{Type: OpenAI, BaseURL: "http://127.0.0.1:11434/v1", Model: "qwen3"},
		},
		"anthropic":       {"", []string{"ANTHROPIC_API_KEY=k"}, chosen{Type: Anthropic, BaseURL: "https://api.anthropic.com", APIKey: "k", Model: "claude-sonnet-4-6"}},
		"anthropic token": {"", []string{"ANTHROPIC_AUTH_TOKEN=t", "ANTHROPIC_MODEL=m"}, chosen{Type: Anthropic, BaseURL: "https://api.anthropic.com", AuthToken: "t", Model: "m"}},
		"Google first":    {"", []string{"OPENAI_API_KEY=o", "GEMINI_API_KEY=k"}, chosen{Type: GeminiAPIKey, APIKey: "k"}},
		"but as selected": {selected("openai"), []string{"OPENAI_API_KEY=o", "GEMINI_API_KEY=k"}, chosen{Type: OpenAI, APIKey: "o", BaseURL: "https://api.openai.com/v1", Model: "gpt-5.6-sol"}},
		"bearer": {
			"",
			[]string{"GEMINI_API_KEY=k", "GEMINI_API_KEY_AUTH_MECHANISM=bearer"},
			chosen{Type: GeminiAPIKey, APIKey: "k", Bearer: true},
		},
		"version": {
			"",
			[]string{"GEMINI_API_KEY=k", "GOOGLE_GENAI_API_VERSION=v1"},
			chosen{Type: GeminiAPIKey, APIKey: "k", APIVersion: "v1"},
		},
		"gateway":            {"", []string{"GOOGLE_GEMINI_BASE_URL=https://g"}, chosen{Type: Gateway, Gateway: true, BaseURL: "https://g"}},
		"gateway, empty key": {"", []string{"GEMINI_API_KEY= ", "GOOGLE_GEMINI_BASE_URL=https://g"}, chosen{Type: Gateway, Gateway: true, BaseURL: "https://g"}},
		"selected gateway": {
			selected("gateway"),
			[]string{"GEMINI_API_KEY=k", "GOOGLE_GEMINI_BASE_URL=https://g"},
			chosen{Type: Gateway, Gateway: true, BaseURL: "https://g", APIKey: "k"},
		},
		"vertex": {
			"",
			[]string{"GOOGLE_GENAI_USE_VERTEXAI=true", "GOOGLE_CLOUD_PROJECT=p", "GOOGLE_CLOUD_LOCATION=l"},
			chosen{Type: VertexAI, Project: "p", Location: "l"},
		},
		"vertex, project id": {
			selected("vertex-ai"),
			[]string{"GOOGLE_CLOUD_PROJECT_ID=p", "GOOGLE_CLOUD_LOCATION=l"},
			chosen{Type: VertexAI, Project: "p", Location: "l"},
		},
		"vertex express": {
			"",
			[]string{
				"GOOGLE_GENAI_USE_VERTEXAI=true", "GOOGLE_API_KEY=k", "GOOGLE_CLOUD_PROJECT=p",
				"GOOGLE_CLOUD_LOCATION=l", "GOOGLE_VERTEX_BASE_URL=https://v", "GOOGLE_GEMINI_BASE_URL=https://g",
			},
			chosen{Type: VertexAI, APIKey: "k", BaseURL: "https://v"},
		},
		"vertex before key": {
			"",
			[]string{"GOOGLE_GENAI_USE_VERTEXAI=true", "GEMINI_API_KEY=g", "GOOGLE_API_KEY=k"},
			chosen{Type: VertexAI, APIKey: "k"},
		},
		"key before compute": {"", []string{"CLOUD_SHELL=true", "GEMINI_API_KEY=k"}, chosen{Type: GeminiAPIKey, APIKey: "k"}},
		"key before openai":  {"", []string{"OPENAI_API_KEY=o", "GEMINI_API_KEY=k"}, chosen{Type: GeminiAPIKey, APIKey: "k"}},
		"external":           {`{"security": {"auth": {"selectedType": "gemini-api-key", "useExternal": true}}}`, nil, chosen{Type: GeminiAPIKey, Gateway: true}},
		"enforced and met": {
			`{"security": {"auth": {"enforcedType": "gemini-api-key"}}}`,
			[]string{"GEMINI_API_KEY=k"},
			chosen{Type: GeminiAPIKey, APIKey: "k"},
		},
		"network": {
			"",
			[]string{
				"GEMINI_API_KEY=k", "https_proxy=http://p", "HTTP_PROXY=http://q", "NO_PROXY=x",
				"NODE_EXTRA_CA_CERTS=/a", "SSL_CERT_FILE=/b",
			},
			chosen{Type: GeminiAPIKey, APIKey: "k", Proxy: "http://p", NoProxy: "x", CAFiles: []string{"/a", "/b"}},
		},
	} {
		got, err := choose(inputs(t, tt.settings, tt.env...))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestChooseErrors(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		settings string
		env      []string
		want     string
	}{
		"nothing": {"", nil, "No model is set up. Set GEMINI_API_KEY, OPENAI_API_KEY, ANTHROPIC_API_KEY or OPENROUTER_API_KEY, run 'pollux auth set', " +
			"or start a model server on this machine. 'pollux doctor' checks everything."},
		"no key":               {selected("gemini-api-key"), nil, noGeminiKey},
		"vertex incomplete":    {selected("vertex-ai"), []string{"GOOGLE_CLOUD_PROJECT=p"}, noVertex},
		"unknown type":         {selected("magic"), []string{"GEMINI_API_KEY=k"}, `Unknown provider "magic". 'pollux doctor' lists the providers; security.auth.selectedType selects one.`},
		"gateway, no URL":      {selected("gateway"), nil, noGatewayURL},
		"enforced, other":      {`{"security": {"auth": {"enforcedType": "vertex-ai"}}}`, []string{"GEMINI_API_KEY=k"}, "The enforced authentication type is 'vertex-ai', but the current type is 'gemini-api-key'. Please re-authenticate with the correct type."},
		"enforced, none":       {`{"security": {"auth": {"enforcedType": "vertex-ai"}}}`, nil, "The auth type 'vertex-ai' is enforced, but no authentication is configured."},
		"bad base URL":         {"", []string{"GEMINI_API_KEY=k", "GOOGLE_GEMINI_BASE_URL=nonsense"}, "Invalid custom base URL: nonsense. Write it as https://host/path."},
		"base URL of a file":   {"", []string{"GEMINI_API_KEY=k", "GOOGLE_GEMINI_BASE_URL=file:///etc"}, "Invalid custom base URL: file:///etc. Write it as https://host/path."},
		"google login":         {"", []string{"GOOGLE_GENAI_USE_GCA=true", "GEMINI_API_KEY=k"}, fmt.Sprintf(noGoogleLogin, "oauth-personal")},
		"selected login":       {selected("oauth-personal"), []string{"GEMINI_API_KEY=k"}, fmt.Sprintf(noGoogleLogin, "oauth-personal")},
		"openai":               {selected("openai"), nil, "OpenAI needs an API key. Set OPENAI_API_KEY, or run 'pollux auth set openai'. For a server without keys, set OPENAI_BASE_URL."},
		"anthropic":            {selected("anthropic"), nil, "Anthropic needs an API key. Set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, or run 'pollux auth set anthropic'."},
		"anthropic, bad token": {"", []string{"ANTHROPIC_AUTH_TOKEN=a b"}, "The API key in ANTHROPIC_AUTH_TOKEN contains a space, a line break or a non-ASCII character. Remove it."},
	} {
		in := inputs(t, tt.settings, tt.env...)
		_, err := choose(in)
		if exit.CodeOf(err) != exit.Auth {
			t.Errorf("%s: %v has code %d", name, err, exit.CodeOf(err))
			continue
		}
		want := strings.ReplaceAll(tt.want, "<settings>", in.Settings.UserFile())
		if diff := cmp.Diff(want, err.Error()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	for settings, want := range map[string]httpwire.Timeouts{
		"": {Idle: 300 * time.Second},
		`{"pollux": {"response": {"startTimeout": 0.5, "idleTimeout": 7}}}`: {Start: 500 * time.Millisecond, Idle: 7 * time.Second},
		`{"pollux": {"response": {"startTimeout": -1, "idleTimeout": -1}}}`: {},
	} {
		a, err := Open(inputs(t, settings, "GEMINI_API_KEY=k"))
		if err != nil || a.Network.Timeouts != want {
			t.Errorf("%s: %+v, %v", settings, a.Network.Timeouts, err)
		}
	}
}

func TestProxy(t *testing.T) {
	t.Parallel()
	for env, want := range map[string]string{
		"HTTPS_PROXY=":                       "",
		"HTTPS_PROXY= \n":                    "",
		"HTTPS_PROXY=http://p:3128":          "http://p:3128",
		"http_proxy=p:3128":                  "http://p:3128",
		"HTTPS_PROXY=127.0.0.1:3128 ":        "http://127.0.0.1:3128",
		"HTTPS_PROXY=socks5://u:pass@p:1080": "socks5://u:pass@p:1080",
	} {
		if got, err := choose(inputs(t, "", "GEMINI_API_KEY=k", env)); got.Proxy != want || err != nil {
			t.Errorf("%s is %q, %v; want %q", env, got.Proxy, err, want)
		}
	}
	// The proxy of commands in the sandbox is none of Pollux: it runs only for them.
	for address, want := range map[string]string{"http://localhost:3128": "", "127.0.0.1:3128": "", "http://p:3128": "http://p:3128"} {
		if got, err := choose(inputs(t, "", "GEMINI_API_KEY=k", "GEMINI_SANDBOX_PROXY_COMMAND=x", "HTTPS_PROXY="+address)); got.Proxy != want || err != nil {
			t.Errorf("%s beside a proxy of commands is %q, %v; want %q", address, got.Proxy, err, want)
		}
	}
	for _, address := range []string{"http://u:hunter2@p:1:1", "http://hunter2@", "ftp://hunter2", "u:hunter2@p:x", "://hunter2", "http://:80?hunter2"} {
		_, err := choose(inputs(t, "", "GEMINI_API_KEY=k", "HTTP_PROXY="+address))
		if exit.CodeOf(err) != exit.Auth || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "HTTP_PROXY") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// A key that cannot be sent is refused without being shown.
func TestKeyIsNotShown(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"secret one", "secret\none", "secretß", "secret\x00"} {
		_, err := choose(inputs(t, "", "GEMINI_API_KEY="+key))
		if exit.CodeOf(err) != exit.Auth || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", key, err)
		}
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		"":                           "",
		"A: 1":                       "A=1",
		"A: 1, B: x,y":               "A=1|B=x,y",
		"A:1,B:2":                    "A=1|B=2",
		"A: a:b:c, B: 2":             "A=a:b:c|B=2",
		"A: http://x/, B: 2":         "A=http://x/|B=2",
		"nonsense":                   "",
		"nonsense, A: 1":             "A=1",
		": 1, A: 2":                  "A=2",
		"A: 1,,B: 2":                 "A=1,|B=2",
		"A: 1, , x":                  "A=1, , x",
		" A :  1 ":                   "A=1",
		"A:":                         "A=",
		"X-Date: Mon, 1 Jan, B: two": "X-Date=Mon, 1 Jan|B=two",
	} {
		var got []string
		for name, value := range splitHeaders(list) {
			got = append(got, name+"="+value)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q is %q, want %q", list, got, want)
		}
	}
}

func TestCustomHeaders(t *testing.T) {
	t.Parallel()
	in := inputs(t, `{"security": {"auth": {"selectedType": "vertex-ai"}}, "billing": {"vertexAi": {"requestType": "shared", "sharedRequestType": "flex"}}}`,
		"GOOGLE_API_KEY=k", "GEMINI_CLI_CUSTOM_HEADERS=user-agent: me, X-A: 1")
	accounts, err := Open(in)
	if err != nil {
		t.Fatal(err)
	}
	a, err := accounts.Default()
	if err != nil {
		t.Fatal(err)
	}
	h := accounts.Network.Header
	if h.Get("User-Agent") != "me" || h.Get("X-A") != "1" ||
		a.Headers["X-Vertex-AI-LLM-Request-Type"] != "shared" || a.Headers["X-Vertex-AI-LLM-Shared-Request-Type"] != "flex" {
		t.Errorf("headers are %v and %v", slices.Sorted(maps.Keys(h)), a.Headers)
	}
	for _, bad := range []string{"A B: 1", "A: x\r\nEvil: 1", "Ä: 1", "A: \x00"} {
		if _, err := choose(inputs(t, "", "GEMINI_API_KEY=k", "GEMINI_CLI_CUSTOM_HEADERS="+bad)); exit.CodeOf(err) != exit.Auth {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// FuzzHeaders holds that a header has a name without comma or colon, that no value is invented,
// and that parsed headers can be written and parsed again.
func FuzzHeaders(f *testing.F) {
	for _, seed := range []string{"A: 1, B: x,y", "a:b:c,d", ",:,", "A:,B:", " , x : y , z"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, list string) {
		var written []string
		for name, value := range splitHeaders(list) {
			if name == "" || strings.Contains(name, ":") || !strings.Contains(list, value) || strings.TrimSpace(value) != value {
				t.Fatalf("%q yields %q: %q", list, name, value)
			}
			written = append(written, name+": "+value)
		}
		if len(written) == 0 || strings.ContainsAny(written[0][:strings.Index(written[0], ":")], ",") {
			return // a name with a comma before it can only stand first
		}
		again := 0
		for name, value := range splitHeaders(strings.Join(written, ", ")) {
			if again >= len(written) || written[again] != name+": "+value {
				t.Fatalf("%q became %q, then %q: %q", list, written, name, value)
			}
			again++
		}
		if again != len(written) {
			t.Fatalf("%q: %d headers became %d", list, len(written), again)
		}
	})
}

// TestNetworkOfUser: a project decides neither which proxy nor which certificates are used.
func TestNetworkOfUser(t *testing.T) {
	t.Parallel()
	vars := []string{"HTTPS_PROXY=http://proxy", "NO_PROXY=host", "SSL_CERT_FILE=file", "GEMINI_CLI_CUSTOM_HEADERS=A: 1"}
	for _, env := range []*config.FolderEnv{config.NewFolderEnv(config.NewEnv(), vars...), config.NewFolderEnv(config.NewEnv(vars...))} {
		ofUser := !env.IsSetByProject("HTTPS_PROXY")
		n, err := Network(env)
		if err != nil || (n.Proxy != nil) != ofUser || (n.NoProxy != "") != ofUser || (n.RootCAs != nil) != ofUser || n.Header.Get("A") != "1" {
			t.Errorf("of the user %v: %+v, %v", ofUser, n, err)
		}
	}
}
