package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/keychain"
	"pollux/tool"
)

// withKeys returns inputs, with these keys stored in a file: "provider=key".
func withKeys(t *testing.T, settings string, keys []string, env ...string) Inputs {
	t.Helper()
	in := inputs(t, settings, append(env, "GEMINI_FORCE_FILE_STORAGE=true")...)
	in.Warn = func(text string) { t.Error(text) }
	storing := in // without gateways, for which no key is stored
	for _, pair := range env {
		if name, _, _ := strings.Cut(pair, "="); strings.HasSuffix(name, "_BASE_URL") {
			storing.Env = config.NewFolderEnv(storing.Env.User().With(name + "="))
		}
	}
	for _, pair := range keys {
		id, key, _ := strings.Cut(pair, "=")
		a, _ := Open(storing)
		p, err := a.StorableFor(id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.StoreKey(p, key); err != nil {
			t.Fatal(err)
		}
	}
	return in
}

func credentialsFile(in Inputs) string {
	return filepath.Join(filepath.Dir(in.Settings.UserFile()), "gemini-credentials.json")
}

// A key that is stored counts where the environment has none.
func TestStored(t *testing.T) {
	t.Parallel()
	const base = `{"modelProviders": {"mine": {"baseUrl": "http://h", "keyVars": "MINE"}}}`
	for name, c := range map[string]struct {
		settings, keys, env, model string
		want                       string // id, key, address
	}{
		"Gemini's":                    {"", "gemini=s", "", "auto", "gemini s "},
		"as selected":                 {selected("gemini-api-key"), "gemini=s openai=o", "", "auto", "gemini s "},
		"the environment first":       {"", "gemini=s", "GEMINI_API_KEY=e", "auto", "gemini e "},
		"at another address":          {"", "gemini=s", "GOOGLE_GEMINI_BASE_URL=http://h", "auto", "gemini  http://h"},
		"so selected":                 {selected("gemini-api-key"), "gemini=s", "GOOGLE_GEMINI_BASE_URL=http://h", "auto", "gemini s http://h"},
		"another's":                   {"", "openai=o", "", "auto", "openai o https://api.openai.com/v1"},
		"another's by its alias":      {"", "claude=a", "", "auto", "anthropic a https://api.anthropic.com"},
		"in the order of the table":   {"", "openai=o anthropic=a", "", "auto", "openai o https://api.openai.com/v1"},
		"named":                       {"", "openai=o anthropic=a", "", "anthropic/claude-x", "anthropic a https://api.anthropic.com"},
		"of its maker":                {"", "anthropic=a", "GEMINI_API_KEY=e", "claude-x", "anthropic a https://api.anthropic.com"},
		"not to an unknown address":   {"", "openai=o", "OPENAI_BASE_URL=http://h/v1", "auto", "openai  http://h/v1"},
		"but to one that is selected": {selected("openai"), "openai=o", "OPENAI_BASE_URL=http://h/v1", "auto", "openai o http://h/v1"},
		"of one's own":                {base, "mine=m", "", "mine/x", "mine m http://h"},
		"Azure's":                     {"", "azure=z", "AZURE_OPENAI_ENDPOINT=https://me.openai.azure.com", "azure/x", "azure z https://me.openai.azure.com/openai/v1"},
		"Vertex's":                    {selected("vertex-ai"), "vertexai=v", "", "auto", "vertexai v "},
		"Vertex's without need":       {selected("vertex-ai"), "vertexai=v", "GOOGLE_CLOUD_PROJECT=p GOOGLE_CLOUD_LOCATION=l", "auto", "vertexai  "},
		"enforced":                    {`{"security": {"auth": {"enforcedType": "anthropic"}}}`, "openai=o anthropic=a", "", "auto", "anthropic a https://api.anthropic.com"},
		"enforced, not there":         {`{"security": {"auth": {"enforcedType": "anthropic"}}}`, "openai=o", "", "auto", "! The auth type 'anthropic' is enforced"},
		"external":                    {`{"security": {"auth": {"selectedType": "gemini-api-key", "useExternal": true}}}`, "gemini=s", "", "auto", "gemini  "},
		"a gateway":                   {selected("gateway"), "gemini=s", "GOOGLE_GEMINI_BASE_URL=http://h", "auto", "gemini  http://h"},
		"none":                        {"", "", "", "auto", "! No model is set up"},
		"another's than is selected":  {selected("openai"), "gemini=s", "", "auto", "! OpenAI needs an API key"},
	} {
		in := withKeys(t, c.settings, strings.Fields(c.keys), strings.Fields(c.env)...)
		accounts, err := Open(in)
		var one Account
		if err == nil {
			one, _, err = accounts.Resolve(c.model)
		}
		if want, wrong := strings.CutPrefix(c.want, "! "); wrong {
			if exit.CodeOf(err) != exit.Auth || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := fmt.Sprintf("%s %s %s", one.ID, one.APIKey, one.BaseURL)
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if fromFile := one.From == credentialsFile(in); fromFile != (one.APIKey != "" && !strings.Contains(c.env, "="+one.APIKey)) {
			t.Errorf("%s: it is from %s", name, one.From)
		}
	}
}

// The files of a project cannot name both the provider and the address that its
// key goes to.
func TestStoredIsNotForProjects(t *testing.T) {
	t.Parallel()
	in := withKeys(t, "", []string{"openai=o"}, "OPENAI_BASE_URL=http://h/v1")
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".gemini"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".gemini", "settings.json"), []byte(selected("openai")), 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	if in.Settings, _, err = config.Load(config.Sources{Paths: config.NewPaths(in.Env.User(), dir), Env: in.Env.User()}); err != nil {
		t.Fatal(err)
	}
	if c, err := choose(in); err != nil || c.Type != OpenAI || c.APIKey != "" {
		t.Errorf("%+v, %v", c, err)
	}
}

// A project's .env file cannot set the address that gets a stored key, however the user has
// selected the provider; the user's own file can.
func TestStoredIsNotForProjectsAddresses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ settings, key, env, name string }{
		{selected("openai"), "openai", "OPENAI_BASE_URL=http://h/v1", "OPENAI_BASE_URL"},
		{selected("openai"), "openai", "OPENAI_API_ENDPOINT=http://h/v1", "OPENAI_API_ENDPOINT"},
		{selected("gemini-api-key"), "gemini", "GOOGLE_GEMINI_BASE_URL=http://h", "GOOGLE_GEMINI_BASE_URL"},
		{selected("azure"), "azure", "AZURE_OPENAI_ENDPOINT=http://h", "AZURE_OPENAI_ENDPOINT"},
	} {
		for _, place := range []string{"project", "home"} {
			in := withKeys(t, c.settings, []string{c.key + "=s"})
			home := filepath.Dir(filepath.Dir(in.Settings.UserFile()))
			dir := filepath.Join(home, "project")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			at := map[string]string{"project": dir, "home": home}[place]
			if err := os.WriteFile(filepath.Join(at, ".env"), []byte(c.env), 0o600); err != nil {
				t.Fatal(err)
			}
			var told []string
			in.Warn = func(text string) { told = append(told, text) }
			in.Env, _ = new(config.DotEnv).Extend(in.Env.User(), in.Settings, config.NewPaths(in.Env.User(), dir))
			accounts, err := Open(in)
			if err != nil {
				t.Fatal(err)
			}
			accounts.Reachable()
			one, _ := accounts.Find(c.key)
			sent := place == "home"
			if (one.APIKey == "s") != sent || (len(told) == 0) != sent || !sent && !strings.Contains(told[0], "the key stored for "+c.key+" is not used: "+c.name+" in") {
				t.Errorf("%s in %s: %q, %q", c.env, place, one.APIKey, told)
			}
		}
	}
}

// If the environment is enough, the store is not read, however broken.
func TestStoreIsLeftAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ settings, env string }{
		"a key":          {"", "GEMINI_API_KEY=k"},
		"another's":      {"", "OPENAI_API_KEY=k"},
		"a token":        {selected("anthropic"), "ANTHROPIC_AUTH_TOKEN=t"},
		"a gateway":      {"", "GOOGLE_GEMINI_BASE_URL=http://h"},
		"an address":     {"", "OPENAI_BASE_URL=http://h"},
		"Vertex":         {"", "GOOGLE_GENAI_USE_VERTEXAI=true GOOGLE_CLOUD_PROJECT=p GOOGLE_CLOUD_LOCATION=l"},
		"login":          {"", "GOOGLE_GENAI_USE_GCA=true"},
		"login, changed": {`{"security": {"auth": {"selectedType": "oauth-personal"}}, "pollux": {"auth": {"selectedType": "ollama"}}}`, ""},
		"keyless":        {selected("ollama"), ""},
		"external":       {`{"security": {"auth": {"selectedType": "openai", "useExternal": true}}}`, ""},
	} {
		for _, model := range []string{"auto", "gemini-2.5-pro", "some-model"} {
			in := inputs(t, c.settings, append(strings.Fields(c.env), "GEMINI_FORCE_FILE_STORAGE=true")...)
			in.Warn = func(text string) { t.Errorf("%s: %s", name, text) }
			if err := os.MkdirAll(credentialsFile(in), 0o700); err != nil { // which is not to be read
				t.Fatal(err)
			}
			accounts, err := Open(in)
			if err == nil {
				_, _, _ = accounts.Resolve(model)
			}
		}
	}
}

// A store that cannot be read is a warning, once, and stays as it is.
func TestStoreIsBroken(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"hello": "the file is damaged or from another machine or user; move it away and store your keys again.",
		"":      "the file is damaged",
	} {
		in := inputs(t, "", "GEMINI_FORCE_FILE_STORAGE=true")
		var warnings []string
		in.Warn = func(text string) { warnings = append(warnings, text) }
		file := credentialsFile(in)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		accounts, err := Open(in)
		if err != nil {
			t.Fatal(err)
		}
		accounts.Reachable()
		_, err = accounts.Default()
		if exit.CodeOf(err) != exit.Auth || len(warnings) != 1 || !strings.Contains(warnings[0], want) {
			t.Errorf("%v, %q", err, warnings)
		}
		if _, err := accounts.StoreKey(accounts.FindProfile("gemini"), "k"); exit.CodeOf(err) != exit.General || !strings.Contains(err.Error(), "move it away") {
			t.Error(err)
		}
		if data, err := os.ReadFile(file); err != nil || string(data) != content {
			t.Errorf("%q, %v", data, err)
		}
	}
}

// A stored value with the right name that is no key causes a warning.
func TestStoredIsNoKey(t *testing.T) {
	t.Parallel()
	for value, warned := range map[string]bool{"hello": true, `{"token": 7}`: true, `{}`: false, `{"token": {"accessToken": "  "}}`: false} {
		in := inputs(t, "", "GEMINI_FORCE_FILE_STORAGE=true")
		var warnings []string
		in.Warn = func(text string) { warnings = append(warnings, text) }
		if _, err := openKeys(in).store.Set(t.Context(), geminiService, geminiAccount, value); err != nil {
			t.Fatal(err)
		}
		accounts, err := Open(in)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := accounts.Default(); exit.CodeOf(err) != exit.Auth || (len(warnings) == 1) != warned || strings.Contains(strings.Join(warnings, ""), "hello") {
			t.Errorf("%s: %v, %q", value, err, warnings)
		}
	}
}

// Of two keys, one in a keychain that could not be used when the other was stored, the
// last counts.
func TestNewest(t *testing.T) {
	t.Parallel()
	const old, late, none = `{"token": {"accessToken": "old"}, "updatedAt": 1}`, `{"token": {"accessToken": " new "}, "updatedAt": 2}`, `{"token": 7}`
	for _, c := range []struct{ system, file, want string }{
		{old, late, "new of the file"},
		{late, old, "new of the system"},
		{old, none, "old of the system"},
		{none, old, "old of the file"},
		{old, old, "old of the system"},
		{none, none, "!"},
	} {
		got, err := newest([]keychain.Secret{{Value: c.system, Where: "of the system"}, {Value: c.file, Where: "of the file"}})
		if (err != nil) != (c.want == "!") || err == nil && got.Value+" "+got.Where != c.want {
			t.Errorf("%+v: %v, %v", c, got, err)
		}
	}
}

func TestKeep(t *testing.T) {
	t.Parallel()
	in := withKeys(t, "", nil, "OPENAI_API_KEY=e", "GEMINI_DEFAULT_AUTH_TYPE=vertex-ai")
	accounts, err := Open(in)
	if err != nil {
		t.Fatal(err)
	}
	file := credentialsFile(in)
	for name, want := range map[string]string{
		"openai": "Stored the key for OpenAI in " + file + ".\nOther programs that you run can read this file.\n" +
			"OPENAI_API_KEY is set and takes precedence. To use the stored key, unset it.",
		"claude": "Stored the key for Anthropic in " + file + ".\nOther programs that you run can read this file.\n" +
			"To use it: pollux --model anthropic/claude-sonnet-4-6\n" +
			"To make it the default: pollux config set security.auth.selectedType anthropic",
	} {
		p, err := accounts.StorableFor(name)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := accounts.StoreKey(p, "secret-key"); err != nil || text != want {
			t.Errorf("%s, %v", text, err)
		}
	}
	for _, bad := range []string{"secret one", "secret\none", "secret\x00", "secret\u00e9", "\uFEFFsecret", `"secret"`, "'secret'", strings.Repeat("secret", 1000)} {
		if _, err := accounts.StoreKey(accounts.FindProfile("gemini"), bad); exit.CodeOf(err) != exit.General || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if p, err := accounts.StorableFor(""); err != nil || p.ID != "vertexai" {
		t.Error(p, err)
	}
	for name, want := range map[string]string{
		"missing": `No provider is named "missing". Pollux stores keys for: gemini, vertexai, openai, `,
		"ollama":  `Ollama needs no key`,
	} {
		if _, err := accounts.StorableFor(name); exit.CodeOf(err) != exit.General || !strings.Contains(err.Error(), want) {
			t.Error(err)
		}
	}
	if there, err := accounts.StoredKeys(); err != nil || FormatStored(there) != "anthropic in "+file+"\nopenai in "+file {
		t.Errorf("%v, %v", there, err)
	}
	if text, err := accounts.RemoveKey("claude"); err != nil || text != "Removed the key for Anthropic." {
		t.Error(text, err)
	}
	for _, name := range []string{"claude", "missing"} {
		if _, err := accounts.RemoveKey(name); exit.CodeOf(err) != exit.General {
			t.Error(err)
		}
	}
}

func TestPreselected(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{"": "", "vertex-ai": "vertex-ai", "oauth-personal": "oauth-personal"} {
		if got, err := Preselected(config.NewFolderEnv(config.NewEnv("GEMINI_DEFAULT_AUTH_TYPE=" + value))); string(got) != want || err != nil {
			t.Error(got, err)
		}
	}
	_, err := Preselected(config.NewFolderEnv(config.NewEnv("GEMINI_DEFAULT_AUTH_TYPE=pigeon")))
	if want := `Invalid value for GEMINI_DEFAULT_AUTH_TYPE: "pigeon". Valid values are: oauth-personal, gemini-api-key, vertex-ai, cloud-shell, compute-default-credentials, gateway.`; err == nil || err.Error() != want {
		t.Error(err)
	}
}

// answers returns an Ask that gives the answers in turn; "" means no.
func answers(t *testing.T, said ...string) tool.Ask {
	return func(_ context.Context, details tool.Confirmation) (tool.Answer, error) {
		if len(said) == 0 {
			t.Error("asked once more")
			return tool.Answer{}, errors.New("no answer")
		}
		word := said[0]
		said = said[1:]
		q := details.(*tool.QuestionConfirmation).Questions[0]
		if secret := strings.HasPrefix(word, "secret"); word == "" || secret != (q.Kind == tool.SecretQuestion) {
			return tool.Answer{Outcome: tool.Cancel}, nil
		}
		return tool.Answer{Outcome: tool.ProceedOnce, Reply: &tool.Reply{Answers: map[string]string{"0": word}}}, nil
	}
}

// keyServer returns the address of a provider of every protocol that accepts one key. An empty
// key accepts none and fails each request with this status.
func keyServer(t *testing.T, key string, status int) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := r.Header
		if sent := h.Get("X-Goog-Api-Key") + h.Get("X-Api-Key") + strings.TrimPrefix(h.Get("Authorization"), "Bearer "); key == "" || sent != key {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"error": {"message": "This key is not valid"}}`)
			return
		}
		_, _ = io.WriteString(w, `{"data": [{"id": "m"}], "models": [{"name": "models/m"}]}`)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	good, bad, busy := keyServer(t, "secret-ok", 401), keyServer(t, "", 401), keyServer(t, "", 503)
	in := withKeys(t, fmt.Sprintf(`{"modelProviders": {"gemini": {"baseUrl": %[1]q}, "openai": {"baseUrl": %[1]q}, "openrouter": {"baseUrl": %q},
		"deepseek": {"baseUrl": %q}, "mistral": {"baseUrl": "http://127.0.0.1:1"}}}`, good, bad, busy), nil)
	c := Command{Inputs: in, Paths: config.NewPaths(in.Env.User(), t.TempDir())}
	run := func(name, want string, said ...string) {
		t.Helper()
		done, err := c.SignIn(t.Context(), answers(t, said...), name)
		text := done.Text
		if err != nil {
			text = "! " + err.Error()
		}
		if text = strings.ReplaceAll(text, filepath.Dir(in.Settings.UserFile()), "~"); text != want {
			t.Errorf("sign in %s, %q: %s, want %s", name, said, text, want)
		}
		if done.Type != "" && (done.Key.Value != "secret-ok" && done.Key.Value != "secret-x" || done.ID == "") {
			t.Errorf("%+v", done)
		}
	}
	stored := func(name string) string {
		return "Stored the key for " + name + " in ~/gemini-credentials.json.\nOther programs that you run can read this file."
	}
	run("", "Nothing was changed.", "")
	run("openai", "Nothing was changed.", "")
	run("", stored("Google AI Studio")+"\n"+`Set security.auth.selectedType to "gemini-api-key" in ~/settings.json.`, "Gemini", "secret-ok")
	run("", stored("OpenAI"), "OpenAI", "secret one", "secret-wrong", "secret-ok") // asked until it is right
	run("", "Nothing was changed.", "OpenRouter", "secret-x", "", "")              // refused
	run("", stored("OpenAI"), "More providers", "", "OpenAI", "", "OpenAI", "secret-ok")
	run("", stored("DeepSeek"), "More providers", "DeepSeek", "secret-x", "Store the key")
	run("mistral", stored("Mistral"), "secret-x", "Store the key") // not reachable
	run("mistral", "Not stored: this session uses the key. To sign in for future sessions, type /auth.", "secret-x", "Use it for this session only")
	run("mistral", "Nothing was changed.", "secret-x", "")
	c.StoresOnly = true
	run("mistral", "Nothing was changed.", "secret-x", "Do not store it")
	c.StoresOnly = false
	run("missing", "! "+func() string { a, _ := Open(in); _, err := a.StorableFor("missing"); return err.Error() }())
	if text, err := c.List(t.Context()); err != nil || strings.Count(text, "\n") != 3 || strings.Contains(text, "secret") {
		t.Error(text, err)
	}
	if id, text, err := c.SignOut(t.Context(), answers(t, "gemini"), ""); id != "gemini" || text != "Removed the key for Google AI Studio." || err != nil {
		t.Error(text, err)
	}
	if _, err := c.SignIn(t.Context(), nil, ""); exit.CodeOf(err) != exit.Input {
		t.Error(err)
	}
	c.Env = config.NewFolderEnv(c.Env.User(), "GEMINI_DEFAULT_AUTH_TYPE=pigeon")
	if _, err := c.SignIn(t.Context(), nil, ""); err == nil || !strings.HasPrefix(err.Error(), "Invalid value for GEMINI_DEFAULT_AUTH_TYPE") {
		t.Error(err)
	}
}

// TestSignInAtGateway checks that a key for an address of a variable is tested there, is used in
// this session, and is never stored as that of the variable's provider.
func TestSignInAtGateway(t *testing.T) {
	t.Parallel()
	good := keyServer(t, "secret-ok", 401)
	for _, c := range []struct{ provider, variable, keyVar string }{
		{"openai", "OPENAI_BASE_URL", "OPENAI_API_KEY"},
		{"anthropic", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"},
		{"gemini", "GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY"},
		{"vertexai", "GOOGLE_VERTEX_BASE_URL", "GOOGLE_API_KEY"},
		{"openrouter", "OPENROUTER_BASE_URL", "OPENROUTER_API_KEY"},
	} {
		in := withKeys(t, selected("oauth-personal"), nil, c.variable+"="+good)
		command := Command{Inputs: in, Paths: config.NewPaths(in.Env.User(), t.TempDir())}
		var shown []string
		asked := answers(t, "secret-wrong", "secret-ok", "Keep it")
		if c.provider == "vertexai" { // the service has no request to test a key
			asked = answers(t, "secret-ok", "Keep it")
		}
		done, err := command.SignIn(t.Context(), func(ctx context.Context, details tool.Confirmation) (tool.Answer, error) {
			shown = append(shown, details.(*tool.QuestionConfirmation).Questions[0].Text)
			return asked(ctx, details)
		}, c.provider)
		if want := "Not stored: the key is for " + good + ". For future sessions, set " + c.keyVar + ".\nFuture sessions ask again: security.auth.selectedType in " +
			in.Settings.UserFile() + ` still selects "oauth-personal".`; err != nil || done.Text != want || done.IsStored || done.ID != c.provider {
			t.Errorf("%s: %+v, %v", c.provider, done, err)
		}
		if shown[0] != "Paste your API key for "+good+"." {
			t.Errorf("%s: %q", c.provider, shown)
		}
		if list, err := command.List(t.Context()); list != "No key is stored." || err != nil {
			t.Errorf("%s: %s, %v", c.provider, list, err)
		}
		if config.AuthSelectedType.In(in.Settings) != "oauth-personal" {
			t.Errorf("%s: the setting has changed", c.provider)
		}
		in.Typed = map[string]Key{c.provider: done.Key}
		if accounts, err := Open(in); err != nil {
			t.Error(err)
		} else if one, err := accounts.Find(c.provider); err != nil || one.APIKey != "secret-ok" || one.BaseURL != good {
			t.Errorf("%s: %+v, %v", c.provider, one, err)
		}

		command.StoresOnly = true
		want := "Cannot store a key for "
		if _, err := command.SignIn(t.Context(), answers(t), c.provider); err == nil || !strings.HasPrefix(err.Error(), want) ||
			!strings.HasSuffix(err.Error(), ": "+c.variable+" sends requests to "+good+". Set "+c.keyVar+" to the key for that address, or unset "+c.variable+".") {
			t.Errorf("%s: %v", c.provider, err)
		}
		accounts, _ := Open(in)
		if _, err := accounts.StoreKey(accounts.FindProfile(c.provider), "secret-ok"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", c.provider, err)
		}
	}
	// The variable may name the provider itself, and the settings may name another address. A
	// project's .env file cannot ask for a key.
	own := withKeys(t, "", nil, "OPENAI_BASE_URL=https://API.openai.com:443/v1", "AZURE_OPENAI_ENDPOINT="+good,
		"GOOGLE_GEMINI_BASE_URL=https://generativelanguage.googleapis.com/", "GOOGLE_VERTEX_BASE_URL=https://us-central1-aiplatform.googleapis.com")
	accounts, _ := Open(own)
	for _, id := range []string{"openai", "azure", "gemini", "vertexai", "anthropic"} {
		if err := accounts.CheckStorable(accounts.FindProfile(id)); err != nil {
			t.Error(err)
		}
	}
	home := filepath.Dir(filepath.Dir(own.Settings.UserFile()))
	project := filepath.Join(home, "project")
	if err := os.Mkdir(project, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(project, ".env"), []byte("ANTHROPIC_BASE_URL="+good), 0o600); err != nil {
		t.Fatal(err)
	}
	paths := config.NewPaths(own.Env.User(), project)
	own.Env, _ = new(config.DotEnv).Extend(own.Env.User(), own.Settings, paths)
	command := Command{Inputs: own, Paths: paths}
	const refused = "Cannot store a key for Anthropic: ANTHROPIC_BASE_URL in this project's .env file sends requests to "
	if _, err := command.SignIn(t.Context(), answers(t), "anthropic"); err == nil || !strings.HasPrefix(err.Error(), refused) {
		t.Error(err)
	}
	var shown string
	if done, err := command.SignIn(t.Context(), func(ctx context.Context, details tool.Confirmation) (tool.Answer, error) {
		q := details.(*tool.QuestionConfirmation).Questions[0]
		if shown += q.Text; strings.HasPrefix(q.Text, refused) {
			return tool.Answer{Outcome: tool.Cancel}, nil
		}
		return answers(t, "Anthropic")(ctx, details)
	}, ""); err != nil || done.Text != "Nothing was changed." || !strings.Contains(shown, refused) {
		t.Errorf("%+v, %v, %s", done, err, shown)
	}
}

// TestOfferDefault checks when a sign-in offers to select the provider, and the result.
func TestOfferDefault(t *testing.T) {
	t.Parallel()
	good := keyServer(t, "secret-ok", 401)
	moved := fmt.Sprintf(`"modelProviders": {"openai": {"baseUrl": %[1]q}, "gemini": {"baseUrl": %[1]q}}`, good)
	for name, c := range map[string]struct {
		provider, auth, broken string
		said                   []string
		want                   string // in the text
		selected               string // in the file
	}{
		"nothing selected":       {"openai", `{}`, "", nil, "", ""},
		"the provider selected":  {"openai", `{"selectedType": "openai"}`, "", nil, "", "openai"},
		"another that works":     {"openai", `{"selectedType": "gateway"}`, "", nil, "", "gateway"},
		"another without a key":  {"openai", `{"selectedType": "anthropic"}`, "", []string{"Change it"}, `Set security.auth.selectedType to "openai" in`, "openai"},
		"kept":                   {"openai", `{"selectedType": "anthropic"}`, "", []string{"Keep it"}, `Future sessions ask again: security.auth.selectedType in`, "anthropic"},
		"cancelled":              {"openai", `{"selectedType": "anthropic"}`, "", []string{""}, `Future sessions ask again`, "anthropic"},
		"another is enforced":    {"openai", `{"selectedType": "anthropic", "enforcedType": "anthropic"}`, "", nil, "", "anthropic"},
		"Gemini needs no answer": {"gemini", `{"selectedType": "anthropic"}`, "", nil, `Set security.auth.selectedType to "gemini-api-key" in`, "gemini-api-key"},
		"a file that is broken":  {"openai", `{"selectedType": "anthropic"}`, "{", []string{"Change it"}, `Cannot set security.auth.selectedType to "openai" in`, ""},
	} {
		in := withKeys(t, `{`+moved+`, "security": {"auth": `+c.auth+`}}`, nil)
		command := Command{Inputs: in, Paths: config.NewPaths(in.Env.User(), t.TempDir())}
		if c.broken != "" {
			if err := os.WriteFile(in.Settings.UserFile(), []byte(c.broken), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		done, err := command.SignIn(t.Context(), answers(t, append([]string{"secret-ok"}, c.said...)...), c.provider)
		_, rest, _ := strings.Cut(done.Text, "this file.")
		if err != nil || done.Type == "" || (c.want == "") != (rest == "") || !strings.Contains(rest, c.want) || done.IsDefault != strings.HasPrefix(c.want, "Set") {
			t.Errorf("%s: %+v, %v", name, done, err)
		}
		again, _, err := config.Load(config.Sources{Paths: command.Paths, Env: in.Env.User()})
		if c.broken == "" && (err != nil || config.AuthSelectedType.In(again) != c.selected) {
			t.Errorf("%s: the setting is %q, %v", name, config.AuthSelectedType.In(again), err)
		}
	}
}

// TestOfferDefaultAtGateway checks that the setting is left alone if it selects the provider of a
// gateway, whose key is not stored.
func TestOfferDefaultAtGateway(t *testing.T) {
	t.Parallel()
	in := withKeys(t, selected("gemini-api-key"), nil, "GOOGLE_GEMINI_BASE_URL="+keyServer(t, "secret-ok", 401))
	command := Command{Inputs: in, Paths: config.NewPaths(in.Env.User(), t.TempDir())}
	if done, err := command.SignIn(t.Context(), answers(t, "secret-ok"), "gemini"); err != nil || done.Type != GeminiAPIKey {
		t.Errorf("%+v, %v", done, err)
	}
}

// A key that was typed in this session goes before all others, but not to an address of the
// project.
func TestTypedKey(t *testing.T) {
	t.Parallel()
	in := inputs(t, "", "GEMINI_API_KEY=old", "OPENAI_API_KEY=old")
	in.Typed = map[string]Key{"gemini": {"new", "the keychain"}, "anthropic": {"new", "the keychain"}}
	a, err := Open(in)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"gemini": "new", "anthropic": "new", "openai": "old"} {
		if one, err := a.Find(id); err != nil || one.APIKey != want {
			t.Errorf("%s: %q, %v", id, one.APIKey, err)
		}
	}
}

// A stored key is used although the settings select Gemini CLI's login, and Pollux's own setting precedes that.
func TestStoredKeyForLogin(t *testing.T) {
	t.Parallel()
	const both = `{"security": {"auth": {"selectedType": "oauth-personal"%s}}, "pollux": {"auth": {"selectedType": %q}}}`
	for name, tt := range map[string]struct {
		settings string
		keys     []string
		env      []string
		want     Type
		fails    bool
	}{
		"a key":                        {settings: selected("oauth-personal"), keys: []string{"openai"}, want: OpenAI},
		"two keys":                     {settings: selected("oauth-personal"), keys: []string{"openai", "gemini"}, want: GeminiAPIKey},
		"no key":                       {settings: selected("oauth-personal"), want: GoogleLogin, fails: true},
		"a variable, not a key":        {settings: selected("oauth-personal"), env: []string{"OPENAI_API_KEY=k"}, want: GoogleLogin, fails: true},
		"the own setting":              {settings: fmt.Sprintf(both, "", "openai"), keys: []string{"openai", "gemini"}, want: OpenAI},
		"the own setting, a variable":  {settings: fmt.Sprintf(both, "", "openai"), env: []string{"OPENAI_API_KEY=k"}, want: OpenAI},
		"the own setting without keys": {settings: fmt.Sprintf(both, "", "openai"), keys: []string{"gemini"}, want: OpenAI, fails: true},
		"the own setting is the login": {settings: fmt.Sprintf(both, "", "oauth-personal"), keys: []string{"openai"}, want: OpenAI},
		"the login is enforced":        {settings: fmt.Sprintf(both, `, "enforcedType": "oauth-personal"`, ""), keys: []string{"openai"}, want: GoogleLogin, fails: true},
		"another type is enforced":     {settings: fmt.Sprintf(both, `, "enforcedType": "gemini-api-key"`, ""), keys: []string{"openai", "gemini"}, want: GeminiAPIKey},
		"an address is no gateway":     {settings: `{"modelProviders": {"gemini": {"baseUrl": "http://h"}}, ` + selected("oauth-personal")[1:], keys: []string{"gemini"}, want: GeminiAPIKey},
	} {
		var stored []string
		for _, id := range tt.keys {
			stored = append(stored, id+"=s")
		}
		accounts, err := Open(withKeys(t, tt.settings, stored, tt.env...))
		if err == nil {
			_, err = accounts.Default()
		}
		if accounts.Chosen != tt.want || (err != nil) != tt.fails {
			t.Errorf("%s: %s, %v", name, accounts.Chosen, err)
		}
	}
}
