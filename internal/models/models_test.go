package models

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/modelconfig"
	"pollux/llm"
	"pollux/llm/llmtest"
)

// inputs returns the inputs with this settings file and environment.
func inputs(t *testing.T, settings string, env ...string) auth.Inputs {
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
	return auth.Inputs{Settings: s, Env: config.NewFolderEnv(e), Warn: func(text string) { t.Error(text) }}
}

// openAccounts returns the models of the accounts in these settings and variables.
func openAccounts(t *testing.T, settings string, env ...string) *accountModels {
	t.Helper()
	accounts, err := auth.Open(inputs(t, settings, env...))
	if err != nil {
		t.Fatal(err)
	}
	return newAccountModels(t.Context(), accounts, accounts.Network)
}

// server returns the URL of a server that speaks every protocol. It answers each request with
// its name, the model and the request's key, and lists these models.
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

func ask(t *testing.T, r *accountModels, name string) string {
	t.Helper()
	req := llmtest.Prompt("hi")
	req.Model = name
	answer, err := (&Directory{accountModels: r}).Generate(t.Context(), req)
	if err != nil {
		return "! " + err.Error()
	}
	if req.Model != name {
		t.Errorf("the request for %s was changed", name)
	}
	return answer.Text()
}

// TestDispatch checks that requests of one session go to the provider of their model, each with
// only that provider's key.
func TestDispatch(t *testing.T) {
	t.Parallel()
	m := openAccounts(t, `{"modelProviders": {"mine": {"baseUrl": "`+server(t, "mine")+`/v1", "keyVars": "MINE"}}}`,
		"GEMINI_API_KEY=key-g", "GOOGLE_GEMINI_BASE_URL="+server(t, "google"),
		"ANTHROPIC_API_KEY=key-a", "ANTHROPIC_BASE_URL="+server(t, "anthropic"),
		"MINE=key-m", "GEMINI_CLI_CUSTOM_HEADERS=X-Custom: +corp")
	for name, want := range map[string]string{
		"gemini-2.5-pro":    "google gemini-2.5-pro key-g+corp",
		"flash":             "google gemini-3.8-flash key-g+corp",
		"claude-x":          "google claude-x key-g+corp", // a server with the user's own address may have any model
		"anthropic/y":       "anthropic ? key-a",
		"claude/y":          "anthropic ? key-a",
		"mine/org/z":        "mine ? Bearer key-m",
		"deepseek/d":        "! DeepSeek needs an API key",
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
	if _, err := (&Directory{accountModels: m}).Generate(t.Context(), &llm.Request{Model: "deepseek/d"}); !errors.As(err, &e) || e.Kind != llm.KindModelNotFound {
		t.Errorf("a provider out of reach is %v", err)
	}
}

// TestMainModel checks which name in requests a model name of the user resolves to.
func TestMainModel(t *testing.T) {
	t.Parallel()
	one, two := server(t, "one", "only"), server(t, "two", "a", "b")
	m := openAccounts(t, `{"modelProviders": {
		"one": {"baseUrl": "`+one+`", "keyless": true}, "two": {"baseUrl": "`+two+`", "keyless": true},
		"gone": {"baseUrl": "http://u:hunter2@127.0.0.1:1", "keyless": true}}, "security": {"auth": {"selectedType": "one"}}}`)
	for name, want := range map[string]string{
		"auto":     "only",
		"any":      "any",
		"one/any":  "any",
		"two/any":  "two/any",
		"xai/grok": "! xAI needs an API key",
	} {
		got, _, err := m.resolve(name)
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
		"two":  "two (" + two + ") has several models. Choose one with --model: a, b.",
		"gone": "Cannot list the models of gone (http://***@127.0.0.1:1): ",
	} {
		m := openAccounts(t, `{"modelProviders": {"two": {"baseUrl": "`+two+`", "keyless": true}, "gone": {"baseUrl": "http://u:hunter2@127.0.0.1:1", "keyless": true}},
			"security": {"auth": {"selectedType": "`+selected+`"}}}`)
		if _, _, err := m.resolve("auto"); err == nil || !strings.HasPrefix(err.Error(), want) || exit.CodeOf(err) != exit.General {
			t.Errorf("with %s it is %v, want %s", selected, err, want)
		} else if unchosen, _ := errors.AsType[*UnchosenError](err); unchosen == nil || unchosen.CanName() != (selected == "two") {
			t.Errorf("with %s a name helps: %+v", selected, unchosen)
		}
		// A model that was never resolved gets no request with an empty name.
		if got := ask(t, m, "auto"); !strings.HasPrefix(got, "! "+selected+" has not reported yet which model") {
			t.Errorf("auto is answered by %q", got)
		}
	}
}

// TestUnasked checks that a server is not asked for its models if the user has chosen one, or is offline.
func TestUnasked(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the server is asked: %s", r.URL)
	}))
	t.Cleanup(s.Close)
	in := inputs(t, "{}", "OPENAI_BASE_URL="+s.URL, "OPENAI_API_KEY=k")
	accounts, err := auth.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Open(t.Context(), accounts, accounts.Network, Options{Settings: in.Settings, Requested: "mine", IsExplicit: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"web-search", "web-fetch", "summarizer-default", "classifier"} {
		if r, err := d.Resolver.Resolve(modelconfig.Key{Model: key}); err != nil || r.Model != "mine" {
			t.Errorf("%s: %+v, %v", key, r, err)
		}
	}
	_, err = Open(t.Context(), accounts, accounts.Network, Options{Settings: in.Settings, Requested: "auto", Offline: true})
	if unchosen, ok := errors.AsType[*UnchosenError](err); !ok || !errors.Is(err, ErrOffline) || unchosen.IsKeyRefused() {
		t.Errorf("offline: %v", err)
	}
}

// TestCancelled checks that the end of the session cancels a query for models.
func TestCancelled(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	accounts, err := auth.Open(inputs(t, "{}", "OPENAI_BASE_URL="+s.URL))
	if err != nil {
		t.Fatal(err)
	}
	why := errors.New("the user has had enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-asked
		cancel(why)
	}()
	if _, _, err := newAccountModels(ctx, accounts, accounts.Network).resolve("auto"); !errors.Is(err, why) {
		t.Errorf("it ended with %v", err)
	}
}

// TestFallbackNames checks that an unknown name in pollux.fallback is left out with a warning,
// and that the others become names in requests.
func TestFallbackNames(t *testing.T) {
	t.Parallel()
	var left []string
	in := inputs(t, `{"pollux": {"fallback": ["gemini-2.5-flash", "missing/x", "anthropic/claude-x", "xai/grok", "claude-y"]}}`,
		"GEMINI_API_KEY=g", "ANTHROPIC_API_KEY=a")
	accounts, err := auth.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	warn := func(text string) { left = append(left, text) }
	d, err := Open(t.Context(), accounts, accounts.Network, Options{Settings: in.Settings, Requested: "auto", Warn: warn})
	if err != nil {
		t.Fatal(err)
	}
	chain := d.ResolveFallbacks(config.Fallback.In(in.Settings), warn)
	if got, want := strings.Join(chain, " "), "gemini-2.5-flash anthropic/claude-x anthropic/claude-y"; got != want {
		t.Errorf("the chain is %s, want %s", got, want)
	}
	all := strings.Join(left, "\n")
	if len(left) != 2 || !strings.Contains(all, "missing/x is ignored") || !strings.Contains(all, "xai/grok is ignored: xAI needs an API key") {
		t.Errorf("left out are %q", left)
	}
}

// TestShared uses many models concurrently, as the main loop, subagents and tools do.
func TestShared(t *testing.T) {
	t.Parallel()
	mine := server(t, "mine", "a", "b")
	m := openAccounts(t, `{"modelProviders": {"mine": {"baseUrl": "`+mine+`", "keyless": true, "local": {"port": 1, "probe": "/", "says": "x"}}}}`,
		"GEMINI_API_KEY=g", "GOOGLE_GEMINI_BASE_URL="+server(t, "google"), "TOGETHER_API_KEY=t")
	if _, _, err := m.resolve("auto"); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 6 {
		for _, name := range []string{"mine/a", "mine/b", fmt.Sprint("mine/", i), "gemini-2.5-pro", "together/x/y", "missing", "missing/x"} {
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

// TestChoose: choosing a model asks a server again which one it has, and the small model
// of the provider that answers takes the place of a quick one.
func TestChoose(t *testing.T) {
	t.Parallel()
	list := []string{"old"}
	var mu sync.Mutex
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(w, `{"data": [{"id": %q}]}`, list[0])
	}))
	t.Cleanup(s.Close)
	in := inputs(t, `{"modelProviders": {"mine": {"baseUrl": "`+s.URL+`", "keyless": true, "smallModel": "little"}}, "security": {"auth": {"selectedType": "mine"}}}`, "GEMINI_API_KEY=g")
	accounts, err := auth.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Open(t.Context(), accounts, accounts.Network, Options{Settings: in.Settings, Requested: "gemini/gemini-2.5-pro", Warn: in.Warn})
	if err != nil {
		t.Fatal(err)
	}
	if got := d.StandIn("gemini-2.5-flash"); got != "gemini-2.5-flash" {
		t.Errorf("beside Gemini a quick question goes to %s", got)
	}
	for _, want := range []string{"old", "new"} {
		mu.Lock()
		list[0] = want
		mu.Unlock()
		now, err := d.Choose("auto")
		if err != nil || now.Model != want {
			t.Errorf("%s answers, want %s; %v", now.Model, want, err)
		}
	}
	if got := d.StandIn("gemini-2.5-flash"); got != "mine/little" {
		t.Errorf("beside mine a quick question goes to %s", got)
	}
	if got := d.StandIn("gemini-2.5-pro"); got != "mine/new" {
		t.Errorf("beside mine a thorough question goes to %s", got)
	}
}

// TestStandIn: a quick question beside a model of another provider never goes to Google, also if there is a key for it.
func TestStandIn(t *testing.T) {
	t.Parallel()
	for settings, want := range map[string]string{
		`{"modelProviders": {"mine": {"baseUrl": "http://127.0.0.1:1", "keyless": true, "model": "big"}}}`:                         "mine/big",
		`{"modelProviders": {"mine": {"baseUrl": "http://127.0.0.1:1", "keyless": true, "model": "big", "smallModel": "little"}}}`: "mine/little",
		`{"modelProviders": {"mine": {"baseUrl": "http://127.0.0.1:1", "keyless": true, "model": "google/gemini-2.5-pro"}}}`:       "mine/google/gemini-2.5-pro",
	} {
		in := inputs(t, strings.TrimSuffix(settings, "}")+`, "security": {"auth": {"selectedType": "mine"}}}`, "GEMINI_API_KEY=g")
		accounts, err := auth.Open(in)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Open(t.Context(), accounts, accounts.Network, Options{Settings: in.Settings, Requested: "auto", Warn: in.Warn})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"gemini-2.5-flash", "flash-lite"} {
			got := d.StandIn(name)
			if got != want {
				t.Errorf("%s: %s is %s, want %s", settings, name, got, want)
			}
			if model, err := d.Resolve(got); err != nil {
				t.Errorf("%s is no model: %v", got, err)
			} else if account, _, ok := d.Provider(model); !ok || account.ConfiguredID != "mine" {
				t.Errorf("%s goes to %s", got, account.ConfiguredID)
			}
		}
	}
}

// TestDefaults: a model of a server that is not Google's keeps the sampling that its
// server has for it.
func TestDefaults(t *testing.T) {
	t.Parallel()
	in := inputs(t, `{"modelProviders": {"mine": {"baseUrl": "http://127.0.0.1:1", "keyless": true}}}`, "GEMINI_API_KEY=g")
	accounts, err := auth.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Open(t.Context(), accounts, accounts.Network, Options{Settings: in.Settings, Requested: "gemini-2.5-pro", Warn: in.Warn})
	if err != nil {
		t.Fatal(err)
	}
	for name, sampled := range map[string]bool{"gemini-2.5-pro": true, "mine/unknown": false} {
		if c := d.ChatConfig(name, false); (c.Temperature != nil) != sampled || (c.TopP != nil) != sampled {
			t.Errorf("%s is asked with temperature %v, top p %v", name, c.Temperature, c.TopP)
		}
	}
}

// TestReplaceAccounts checks that a new key is sent from the next request on.
func TestReplaceAccounts(t *testing.T) {
	t.Parallel()
	in := inputs(t, "{}", "GEMINI_API_KEY=old", "GOOGLE_GEMINI_BASE_URL="+server(t, "google"))
	accounts, err := auth.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Open(t.Context(), accounts, accounts.Network, Options{Settings: in.Settings, Requested: "gemini-2.5-pro", Warn: in.Warn})
	if err != nil {
		t.Fatal(err)
	}
	if got := ask(t, d.accountModels, "gemini-2.5-pro"); got != "google gemini-2.5-pro old" {
		t.Error(got)
	}
	in.Typed = map[string]auth.Key{"gemini": {Value: "new", Where: "a file"}}
	if accounts, err = auth.Open(in); err != nil {
		t.Fatal(err)
	}
	d.ReplaceAccounts(accounts)
	if got := ask(t, d.accountModels, "gemini-2.5-pro"); got != "google gemini-2.5-pro new" || d.Current().Account.From != "a file" {
		t.Error(got, d.Current().Account.From)
	}
	in.Env, in.Typed = config.NewFolderEnv(in.Env.User().With("GEMINI_API_KEY=", "GOOGLE_GEMINI_BASE_URL=")), nil
	if accounts, err = auth.Open(in); err != nil {
		t.Fatal(err)
	}
	d.ReplaceAccounts(accounts)
	if got := ask(t, d.accountModels, "gemini-2.5-pro"); got != "! Google AI Studio needs an API key" || d.Current().Account.APIKey != "" {
		t.Error(got, d.Current().Account.APIKey)
	}
}

// TestCheckName checks names against the list of a provider.
func TestCheckName(t *testing.T) {
	t.Parallel()
	mine := server(t, "mine", "qwen3:4b", "qwen3:8b", "llama3.2:latest")
	in := inputs(t, `{"modelProviders": {"mine": {"baseUrl": "`+mine+`", "keyless": true}, "gone": {"baseUrl": "http://127.0.0.1:1", "keyless": true}}}`, "GEMINI_API_KEY=g")
	accounts, err := auth.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Open(t.Context(), accounts, accounts.Network, Options{Settings: in.Settings, Requested: "gemini-2.5-pro", Warn: in.Warn})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"mine/qwen3:4b": "true []", "mine/llama3.2": "true []", "gemini-2.5-flash": "true []", "auto": "true []",
		"mine/qwen3:4bb": "false [mine/qwen3:4b mine/qwen3:8b]", "mine//quit": "false []",
	} {
		l, err := d.CheckName(t.Context(), name)
		if got := fmt.Sprint(l.IsListed, " ", l.Close); got != want || err != nil {
			t.Errorf("%s: %s, %v, want %s", name, got, err, want)
		}
	}
	if _, err := d.CheckName(t.Context(), "gone/x"); err == nil {
		t.Error("a provider that does not answer confirms a name")
	}
}

// TestReturnsCalls checks whose text is never read as calls: models at the vendor's own address.
func TestReturnsCalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		settings, model string
		env             []string
		want            bool
	}{
		{`{}`, "gemini-2.5-pro", []string{"GEMINI_API_KEY=k"}, true},
		{`{}`, "gemini-2.5-pro", []string{"GEMINI_API_KEY=k", "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:1"}, false},
		{`{}`, "openai/gpt-5", []string{"OPENAI_API_KEY=k"}, true},
		{`{}`, "openai/x", []string{"OPENAI_API_KEY=k", "OPENAI_BASE_URL=http://127.0.0.1:1/v1"}, false},
		{`{}`, "anthropic/claude-x", []string{"ANTHROPIC_API_KEY=k"}, true},
		{`{"modelProviders": {"anthropic": {"baseUrl": "http://127.0.0.1:1"}}}`, "anthropic/claude-x", []string{"ANTHROPIC_API_KEY=k"}, false},
		{`{}`, "ollama/qwen", []string{"OLLAMA_HOST=127.0.0.1:1"}, false},
		{`{}`, "openrouter/a/b", []string{"OPENROUTER_API_KEY=k"}, false},
	} {
		d := &Directory{accountModels: openAccounts(t, c.settings, c.env...)}
		if got := d.ReturnsCalls(c.model); got != c.want {
			t.Errorf("%s with %q: %v", c.model, c.env, got)
		}
	}
	if (&Directory{}).ReturnsCalls("gemini-2.5-pro") {
		t.Error("a generator of the caller is not known")
	}
}

// TestEffort checks that a level of thinking that the user has chosen counts for its model, and that it takes the place of a budget.
func TestEffort(t *testing.T) {
	t.Parallel()
	d := Unavailable(errors.New("none"), Options{})
	for model, want := range map[string]llm.Thinking{
		"gemini-2.5-pro": {IncludeThoughts: true, Level: "LOW"}, "gpt-5.6": {IncludeThoughts: true, Level: "LOW"}, "llama3.1": {IncludeThoughts: true, Level: "LOW"},
	} {
		before := d.ChatConfig(model, false)
		d.UseEffort(model, "low")
		if got := d.ChatConfig(model, false); got.Thinking == nil || *got.Thinking != want || d.Effort(model) != "low" {
			t.Errorf("%s thinks %+v, want %+v", model, got.Thinking, want)
		}
		if d.Effort("other") != "" {
			t.Error("another model has the level, too")
		}
		d.UseEffort(model, "")
		if got := d.ChatConfig(model, false); !reflect.DeepEqual(got, before) {
			t.Errorf("%s thinks %+v, and thought %+v", model, got.Thinking, before.Thinking)
		}
	}
}
