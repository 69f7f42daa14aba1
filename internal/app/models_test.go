package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/llm"
	"pollux/llm/llmtest"
	"pollux/llm/provider"
)

// sources returns settings read from a user's file, and an environment.
func sources(t *testing.T, settings string, env ...string) auth.Inputs {
	t.Helper()
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".gemini"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".gemini", "settings.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	e := config.NewEnv(append(env, "GEMINI_CLI_HOME="+home, "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+home+"/none.json")...)
	s, warnings, err := config.Load(config.Sources{Paths: config.NewPaths(e, home), Env: e})
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	return auth.Inputs{Settings: s, Env: e, Warn: func(text string) { t.Error(text) }}
}

// reach returns the models of whom these settings and variables reach.
func reach(t *testing.T, settings string, env ...string) *models {
	t.Helper()
	accounts, err := auth.Open(sources(t, settings, env...))
	if err != nil {
		t.Fatal(err)
	}
	return newModels(t.Context(), accounts, accounts.Network)
}

// server answers over any protocol, in that one's words, with its name, the model's
// and the key that came with the question. It lists these models.
func server(t *testing.T, name string, list ...string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := r.Header
		key := h.Get("X-Goog-Api-Key") + h.Get("X-Api-Key") + h.Get("Authorization") + h.Get("X-Custom")
		model := "?"
		if at := strings.Index(r.URL.Path, "/models/"); at >= 0 {
			model = strings.TrimSuffix(r.URL.Path[at+8:], ":generateContent")
		}
		w.Header().Set("Content-Type", "application/json")
		text := name + " " + model + " " + key
		switch {
		case strings.HasSuffix(r.URL.Path, ":generateContent"):
			fmt.Fprintf(w, `{"candidates": [{"content": {"role": "model", "parts": [{"text": %q}]}, "finishReason": "STOP"}]}`, text)
		case strings.HasSuffix(r.URL.Path, "/chat/completions"):
			fmt.Fprintf(w, `{"choices": [{"message": {"role": "assistant", "content": %q}, "finish_reason": "stop"}]}`, text)
		case strings.HasSuffix(r.URL.Path, "/messages"):
			fmt.Fprintf(w, `{"type": "message", "role": "assistant", "content": [{"type": "text", "text": %q}], "stop_reason": "end_turn", "usage": {}}`, text)
		case strings.HasSuffix(r.URL.Path, "/models"):
			fmt.Fprintf(w, `{"data": [{"context_length": 4242, "id": "%s"}]}`, strings.Join(list, `"}, {"context_length": 4242, "id": "`))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func ask(t *testing.T, m llm.Generator, name string) string {
	t.Helper()
	req := llmtest.Prompt("hi")
	req.Model = name
	r, err := m.Generate(t.Context(), req)
	if err != nil {
		return "! " + err.Error()
	}
	if req.Model != name {
		t.Errorf("the request for %s was changed", name)
	}
	return r.Text()
}

// TestDispatch: in one session requests go to the provider that their model's name
// means, each with its own key, and with nothing that is another's.
func TestDispatch(t *testing.T) {
	t.Parallel()
	m := reach(t, `{"modelProviders": {"mine": {"baseUrl": "`+server(t, "mine")+`/v1", "keyVars": "MINE"}}}`,
		"GEMINI_API_KEY=key-g", "GOOGLE_GEMINI_BASE_URL="+server(t, "google"),
		"ANTHROPIC_API_KEY=key-a", "ANTHROPIC_BASE_URL="+server(t, "anthropic"),
		"MINE=key-m", "GEMINI_CLI_CUSTOM_HEADERS=X-Custom: +corp")
	for name, want := range map[string]string{
		"gemini-2.5-pro":    "google gemini-2.5-pro key-g+corp",
		"flash":             "google gemini-3.8-flash key-g+corp",
		"claude-x":          "google claude-x key-g+corp", // any model may be at an address of the user's
		"anthropic/y":       "anthropic ? key-a",
		"claude/y":          "anthropic ? key-a",
		"mine/org/z":        "mine ? Bearer key-m",
		"deepseek/d":        "! When using DeepSeek",
		"mine/claude-3/../": "mine ? Bearer key-m",
	} {
		if got := ask(t, m, name); got != want && !(strings.HasPrefix(want, "! ") && strings.HasPrefix(got, want)) {
			t.Errorf("%s is answered by %q, want %q", name, got, want)
		}
	}
	if len(m.clients) != 3 {
		t.Errorf("there are %d clients", len(m.clients))
	}
	var e *llm.Error
	if _, err := m.Generate(t.Context(), &llm.Request{Model: "deepseek/d"}); !errors.As(err, &e) || e.Kind != llm.KindModelNotFound {
		t.Errorf("a provider out of reach is %v", err)
	}
}

// TestMain: the name that the user has given becomes the one that requests carry.
func TestMainModel(t *testing.T) {
	t.Parallel()
	one, two := server(t, "one", "only"), server(t, "two", "a", "b")
	m := reach(t, `{"modelProviders": {
		"one": {"baseUrl": "`+one+`", "keyless": true}, "two": {"baseUrl": "`+two+`", "keyless": true},
		"gone": {"baseUrl": "http://u:hunter2@127.0.0.1:1", "keyless": true}}, "security": {"auth": {"selectedType": "one"}}}`)
	for name, want := range map[string]string{
		"auto":     "only",
		"any":      "any",
		"one/any":  "any",
		"two/any":  "two/any",
		"xai/grok": "! When using xAI",
	} {
		got, _, err := m.main(name)
		if want, wrong := strings.CutPrefix(want, "! "); wrong && (err == nil || !strings.Contains(err.Error(), want)) || !wrong && (got != want || err != nil) {
			t.Errorf("%s is %q, %v; want %s", name, got, err, want)
		}
	}
	if got := m.describe("only").Input; got != 4242 {
		t.Errorf("only takes %d tokens", got)
	}
	if got := ask(t, m, "two/any"); got != "two ? " {
		t.Errorf("two/any is answered by %q", got)
	}
	for selected, want := range map[string]string{
		"two":  "No model is named for two (" + two + "). Name one with --model: a, b.",
		"gone": "No model is named for gone (http://***@127.0.0.1:1), and it does not say which it has: fetch failed",
	} {
		m := reach(t, `{"modelProviders": {"two": {"baseUrl": "`+two+`", "keyless": true}, "gone": {"baseUrl": "http://u:hunter2@127.0.0.1:1", "keyless": true}},
			"security": {"auth": {"selectedType": "`+selected+`"}}}`)
		if _, _, err := m.main("auto"); err == nil || !strings.HasPrefix(err.Error(), want) || exit.CodeOf(err) != exit.Input {
			t.Errorf("with %s it is %v, want %s", selected, err, want)
		}
		// What was never settled is not asked for under no name.
		if got := ask(t, m, "auto"); !strings.HasPrefix(got, `! "auto" means the model that`) {
			t.Errorf("auto is answered by %q", got)
		}
	}
}

// TestCancelled: the end of the session ends what a server is asked on the side.
func TestCancelled(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	accounts, err := auth.Open(sources(t, "{}", "OPENAI_BASE_URL="+s.URL))
	if err != nil {
		t.Fatal(err)
	}
	why := errors.New("the user has had enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-asked
		cancel(why)
	}()
	if _, _, err := newModels(ctx, accounts, accounts.Network).main("auto"); !errors.Is(err, why) {
		t.Errorf("it ended with %v", err)
	}
}

// TestFallbackNames: a name in pollux.fallback that means nothing is left out, and
// said; the others become the names of requests.
func TestFallbackNames(t *testing.T) {
	t.Parallel()
	var left []string
	in := sources(t, `{"pollux": {"fallback": ["gemini-2.5-flash", "nobody/x", "anthropic/claude-x", "xai/grok", "claude-y"]}}`,
		"GEMINI_API_KEY=g", "ANTHROPIC_API_KEY=a")
	accounts, err := auth.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := Choose(t.Context(), accounts, Options{
		Settings: in.Settings, Env: in.Env, Model: "auto", Warn: func(text string) { left = append(left, text) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(chosen.Fallback, " "), "gemini-2.5-flash anthropic/claude-x anthropic/claude-y"; got != want {
		t.Errorf("the chain is %s, want %s", got, want)
	}
	all := strings.Join(left, "\n")
	if len(left) != 2 || !strings.Contains(all, "nobody/x is left out") || !strings.Contains(all, "xai/grok is left out: When using xAI") {
		t.Errorf("left out are %q", left)
	}
}

// TestShared asks for many models at once, as the main loop, subagents and the
// tools' own questions do.
func TestShared(t *testing.T) {
	t.Parallel()
	mine := server(t, "mine", "a", "b")
	m := reach(t, `{"modelProviders": {"mine": {"baseUrl": "`+mine+`", "keyless": true, "local": {"port": 1, "probe": "/", "says": "x"}}}}`,
		"GEMINI_API_KEY=g", "GOOGLE_GEMINI_BASE_URL="+server(t, "google"), "TOGETHER_API_KEY=t")
	if _, _, err := m.main("auto"); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 6 {
		for _, name := range []string{"mine/a", "mine/b", fmt.Sprint("mine/", i), "gemini-2.5-pro", "together/x/y", "nobody", "nobody/x"} {
			all.Go(func() {
				known := m.describe(name)
				if name == "mine/a" && known.Input != 4242 {
					t.Errorf("%s takes %d tokens", name, known.Input)
				}
				if strings.HasPrefix(name, "mine/") {
					if got := ask(t, m, name); got != "mine ? " {
						t.Errorf("%s is answered by %q", name, got)
					}
				}
			})
		}
	}
	all.Wait()
}

// TestRedaction: commands do not get the variables that hold keys, where they get
// no secrets.
func TestRedaction(t *testing.T) {
	t.Parallel()
	var vars []string
	for p := range provider.Builtin().All() {
		vars = append(vars, auth.Variables(p)...)
	}
	vars = append(vars, "MINE", "CORP_PASS", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
	environ := []string{"PATH=/bin", "TEAM=tools"}
	for _, name := range vars {
		environ = append(environ, name+"=a-secret-of-"+name)
	}
	in := sources(t, `{
		"modelProviders": {"a": {"baseUrl": "http://h", "keyVars": "MINE", "headers": {"X-Team": "$TEAM", "X-Pass": "$CORP_PASS"}}},
		"security": {"environmentVariableRedaction": {"enabled": true, "allowed": ["mine", "OPENAI_API_KEY", "LD_LIBRARY_PATH"]}}}`, environ...)
	r := redaction(Options{Settings: in.Settings, Env: in.Env})
	if got := strings.Join(r.Apply(environ), " "); got != "PATH=/bin TEAM=tools" {
		t.Errorf("a command gets %s", got)
	}
}

// TestNew puts an app together, and takes it apart.
func TestNew(t *testing.T) {
	t.Parallel()
	in := sources(t, `{}`, "OPENAI_API_KEY=o", "OPENAI_BASE_URL="+server(t, "one", "only"), "HOME="+t.TempDir())
	dir := t.TempDir()
	a, err := New(t.Context(), Options{
		Settings: in.Settings, Env: in.Env, Paths: config.NewPaths(in.Env, dir), Model: "auto", SessionID: "s", Trusted: true,
		Warn: in.Warn, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if a.Model() != "only" || a.Auth().As != "openai" || a.describe("only").Input != 4242 {
		t.Errorf("the model is %q of %q", a.Model(), a.Auth().As)
	}
}
