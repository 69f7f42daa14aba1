package auth

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/llm/catalog"
	"pollux/llm/provider"
)

// TestOwn checks that the user's entries take effect, for their own and for built-in providers.
func TestOwn(t *testing.T) {
	t.Parallel()
	const sel = `, "security": {"auth": {"selectedType": "`
	for name, c := range map[string]struct {
		settings, env, name, want string // want: id, address, key, token, model
	}{
		"a key for Google":      {`{"modelProviders": {"gemini": {"apiKey": "own"}}}`, "", "auto", "gemini  own  gemini-3.1-pro-preview"},
		"its variable":          {`{"modelProviders": {"gemini": {"keyVars": "MY"}}}`, "MY=k GEMINI_API_KEY=g", "auto", "gemini  k  gemini-3.1-pro-preview"},
		"none":                  {`{"modelProviders": {"gemini": {"keyVars": []}}}`, "GEMINI_API_KEY=g", "auto", "! No model is set up"},
		"its address":           {`{"modelProviders": {"gemini": {"baseUrl": "http://h"}}}`, "GEMINI_API_KEY=g", "auto", "gemini http://h g  gemini-3.1-pro-preview"},
		"a gateway":             {`{"modelProviders": {"google": {"baseUrl": "http://h", "keyless": true}}}`, "", "auto", "gemini http://h   gemini-2.5-pro"},
		"a key for Vertex":      {`{"modelProviders": {"vertex-ai": {"apiKey": "own"}}}`, "", "gemini-2.5-pro", "vertexai  own  gemini-2.5-pro"},
		"Vertex's variable":     {"", "GOOGLE_API_KEY=k", "auto", "! No model is set up"},
		"key emptied":           {`{"modelProviders": {"openai": {"keyVars": []}}}`, "OPENAI_API_KEY=o", "openai/m", "! OpenAI needs an API key. Set apiKey, keyVars or"},
		"keyless":               {`{"modelProviders": {"xai": {"keyless": true}}` + sel + `grok"}}}`, "", "auto", "xai https://api.x.ai/v1   grok-4.5"},
		"named, with a key":     {`{"modelProviders": {"hf": {"apiKey": "own"}}}`, "", "auto", "huggingface https://router.huggingface.co/v1 own  zai-org/GLM-5.2:fireworks-ai"},
		"named, set otherwise":  {`{"modelProviders": {"hf": {"onlyNamed": false}}}`, "HF_TOKEN=t", "x/y", "huggingface https://router.huggingface.co/v1 t  x/y"},
		"token":                 {`{"modelProviders": {"mine": {"baseUrl": "http://h", "tokenVars": "T", "modelVars": "M"}}}`, "T=t M=m", "auto", "mine http://h  t m"},
		"address of a variable": {`{"modelProviders": {"mine": {"baseUrl": "http://h", "baseUrlVars": ["U"], "keyless": true, "model": "m"}}}`, "U=http://u", "auto", "mine http://u   m"},
		"variables alone":       {`{"modelProviders": {"mine": {"baseUrlVars": ["U", "V"], "keyless": true}}` + sel + `mine"}}}`, "", "m", "! mine needs an address. Set U or V."},
		"an address emptied":    {`{"modelProviders": {"deepseek": {"baseUrl": ""}}}`, "DEEPSEEK_API_KEY=d", "auto", "deepseek https://api.deepseek.com/v1 d  deepseek-v4-pro"},
		"OpenAI moved":          {`{"modelProviders": {"openai": {"baseUrl": "http://h"}}}`, "OPENAI_API_KEY=o", "m", "openai http://h o  m"},
		"router":                {`{"modelProviders": {"mine": {"baseUrl": "http://h", "keyless": true, "router": true}}}`, "", "xai/m", "mine http://h   xai/m"},
		"Azure without address": {"", "AZURE_OPENAI_API_KEY=a", "azure/gpt-5", "! Azure OpenAI needs an address. Set AZURE_OPENAI_ENDPOINT or"},
		"not by itself":         {"", "AZURE_OPENAI_API_KEY=a DEEPSEEK_API_KEY=d", "auto", "deepseek https://api.deepseek.com/v1 d  deepseek-v4-pro"},
		"like Google's":         {`{"modelProviders": {"gateway": {"baseUrl": "http://h", "keyless": true}}` + sel + `gateway"}}}`, "", "auto", "! A gateway needs an address"},
		"another's address":     {"", "OPENAI_API_KEY=o OPENAI_BASE_URL=https://api.deepseek.com/v1", "auto", "deepseek https://api.deepseek.com/v1 o  deepseek-v4-pro"},
		"one address":           {`{"modelProviders": {"one": {"baseUrl": "http://h/1", "apiKey": "k1"}, "two": {"baseUrl": "http://h/2", "apiKey": "k2"}}}`, "", "two/m", "two http://h/2 k2  m"},
		"both keys":             {"", "OPENAI_API_KEY=o OPENAI_BASE_URL=https://api.deepseek.com/v1 DEEPSEEK_API_KEY=d", "deepseek/m", "deepseek https://api.deepseek.com/v1 d  m"},
		"a slash at the end":    {"", "OPENAI_API_KEY=o OPENAI_BASE_URL=https://API.openai.com:443/v1/ ANTHROPIC_API_KEY=a", "claude-x", "anthropic https://api.anthropic.com a  claude-x"},
		"Cloud Shell":           {"", "CLOUD_SHELL=true OPENAI_API_KEY=o", "m", "openai https://api.openai.com/v1 o  m"},
	} {
		accounts, err := Open(inputs(t, c.settings, strings.Fields(c.env)...))
		var one Account
		var model string
		if err == nil {
			one, model, err = accounts.Resolve(c.name)
		}
		if want, wrong := strings.CutPrefix(c.want, "! "); wrong {
			if err == nil || !strings.Contains(err.Error(), want) || exit.CodeOf(err) != exit.Auth {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := strings.Join([]string{one.ID, one.BaseURL, one.APIKey, one.AuthToken, model}, " "); got != c.want {
			t.Errorf("%s is %q, want %q", name, got, c.want)
		}
	}
}

// TestOwnAtKnownAddress checks that the user's entries for a provider apply when a variable
// leads to another one that is known: over that one's profile.
func TestOwnAtKnownAddress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ id, settings, env, model, small string }{
		{"openai", `{}`, "OPENAI_BASE_URL=https://api.deepseek.com/v1 OPENAI_API_KEY=k", "deepseek-v4-pro", "deepseek-v4-flash"},
		{"openai", `{"model": "mine"}`, "OPENAI_BASE_URL=https://api.deepseek.com/v1 OPENAI_API_KEY=k", "mine", "deepseek-v4-flash"},
		{"openai", `{"smallModel": "s"}`, "OPENAI_BASE_URL=https://api.deepseek.com/v1 OPENAI_API_KEY=k OPENAI_MODEL=v", "v", "s"},
		{"anthropic", `{}`, "ANTHROPIC_BASE_URL=https://api.minimax.io/anthropic ANTHROPIC_API_KEY=k", "MiniMax-M2.7", "MiniMax-M2.7"},
		{"anthropic", `{"smallModel": "s"}`, "ANTHROPIC_BASE_URL=https://api.minimax.io/anthropic ANTHROPIC_API_KEY=k ANTHROPIC_MODEL=v", "v", "s"},
	} {
		entry := strings.TrimSuffix(c.settings, "}")
		if c.settings != "{}" {
			entry += ", "
		}
		entry += `"headers": {"X-Own": "1"}, "models": [{"match": "*", "window": 9000}]}`
		accounts, err := Open(inputs(t, `{"modelProviders": {"`+c.id+`": `+entry+`}}`, strings.Fields(c.env)...))
		if err != nil {
			t.Fatal(err)
		}
		one, err := accounts.Default()
		if err != nil {
			t.Fatal(err)
		}
		if one.ConfiguredID != c.id || one.ID == c.id || one.Model != c.model || one.SmallModel != c.small ||
			one.Headers["X-Own"] != "1" || one.Describe("m", catalog.Model{}).Input != 9000 || one.APIKey != "k" {
			t.Errorf("%+v: %s, %s, %s, %v, %d", c, one.ID, one.Model, one.SmallModel, one.Headers, one.Describe("m", catalog.Model{}).Input)
		}
	}
}

// TestEnforced checks that an enforced account excludes models of others; the settings may name
// a type by any of the provider's names.
func TestEnforced(t *testing.T) {
	t.Parallel()
	settings := func(enforced, selected string) string {
		return `{"security": {"auth": {"enforcedType": "` + enforced + `", "selectedType": "` + selected + `"}}, "modelProviders": {"mine": {"baseUrl": "http://h", "keyless": true}}}`
	}
	const env = "GEMINI_API_KEY=g ANTHROPIC_API_KEY=a OPENAI_API_KEY=o"
	for _, c := range []struct{ enforced, selected, name, want string }{
		{"anthropic", "claude", "auto", "anthropic"},
		{"claude", "anthropic", "claude-x", "anthropic"},
		{"gemini", "", "auto", "gemini"},
		{"gemini-api-key", "google", "flash", "gemini"},
		{"mine", "mine", "m", "mine"},
		{"mine", "", "m", "!"},
		{"anthropic", "claude", "openai/gpt-5", "!"},
		{"anthropic", "claude", "gpt-5", "anthropic"}, // its maker is out of reach
		{"anthropic", "claude", "mine/m", "!"},
		{"gemini-api-key", "", "gemini/flash", "gemini"},
		{"gemini-api-key", "", "vertex/flash", "!"},
		{"gemini-api-key", "", "ollama/m", "!"},
	} {
		accounts, err := Open(inputs(t, settings(c.enforced, c.selected), strings.Fields(env)...))
		var one Account
		if err == nil {
			one, _, err = accounts.Resolve(c.name)
		}
		switch {
		case c.want == "!" && (err == nil || exit.CodeOf(err) != exit.Auth):
			t.Errorf("%+v: %+v, %v", c, one.ID, err)
		case c.want != "!" && (err != nil || one.ID != c.want):
			t.Errorf("%+v: %q, %v", c, one.ID, err)
		case err == nil && len(accounts.Reachable()) != 1:
			t.Errorf("%+v: %d accounts can be reached", c, len(accounts.Reachable()))
		}
	}
}

// TestExternal checks the note about external credentials of the chosen account.
func TestExternal(t *testing.T) {
	t.Parallel()
	accounts, err := Open(inputs(t, `{"security": {"auth": {"selectedType": "openai", "useExternal": true}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if one, err := accounts.Default(); err != nil || one.APIKey != "" || one.ID != "openai" {
		t.Errorf("the default is %+v, %v", one, err)
	}
	if n := len(accounts.Reachable()); n != 1 {
		t.Errorf("%d accounts can be reached", n)
	}
	if _, err := accounts.Find("xai"); err == nil {
		t.Error("another needs no key")
	}
	for _, chosen := range []string{"gemini-api-key", "anthropic", "mistral"} {
		accounts, err := Open(inputs(t, `{"security": {"auth": {"selectedType": "`+chosen+`", "useExternal": true}}}`))
		if err != nil {
			t.Fatal(err)
		}
		one, err := accounts.Default()
		if err == nil {
			_, err = provider.Open(one.Access, accounts.Network)
		}
		if err != nil {
			t.Errorf("%s: %v", chosen, err)
		}
	}
}

// TestLayers: files of several layers add up, the higher ones last.
func TestLayers(t *testing.T) {
	t.Parallel()
	in := inputs(t, `{"modelProviders": {"corp": {"baseUrl": "http://user", "keyVars": "K", "model": "u", "smallModel": "s", "headers": {"A": "1"}}, "bad": {"baseUrl": 1}}}`)
	env := in.Env.User().With("K=key")
	s, wrong, err := config.Load(config.Sources{Paths: config.NewPaths(env, t.TempDir()), Env: env, Flags: map[string]any{
		"modelProviders": map[string]any{
			"corp":  map[string]any{"baseUrl": "http://above", "model": "a", "headers": map[string]any{"B": "2"}},
			"worse": map[string]any{"quirks": []any{}},
		},
	}})
	if err != nil || len(wrong) > 0 {
		t.Fatal(err, wrong)
	}
	var warnings []string
	accounts, err := Open(Inputs{Settings: s, Env: config.NewFolderEnv(env), Warn: func(text string) { warnings = append(warnings, text) }})
	if err != nil {
		t.Fatal(err)
	}
	one, err := accounts.Default()
	if err != nil || one.BaseURL != "http://above" || one.Model != "a" || one.SmallModel != "s" || len(one.Headers) != 2 || one.APIKey != "key" {
		t.Errorf("the account is %+v of %+v, %v", one, one.Profile, err)
	}
	if len(warnings) != 2 || !strings.Contains(warnings[0], "modelProviders.bad is ignored: baseUrl may not be a JSON number") || !strings.Contains(warnings[1], "modelProviders.worse") {
		t.Errorf("warnings are %q", warnings)
	}
}

// TestSecrets finds the variables that hold keys.
func TestSecrets(t *testing.T) {
	t.Parallel()
	in := inputs(t, `{"modelProviders": {
		"a": {"baseUrl": "http://h", "keyVars": ["MINE", "THINE"], "tokenVars": "PAPERS"},
		"b": {"baseUrl": "http://h", "headers": {"Authorization": "Bearer $CORP_PASS", "X-Team": "$TEAM"}},
		"c": {"baseUrl": "http://h", "apiKey": "$DOOR"}}}`,
		"CORP_PASS=pass-of-corp", "DOOR=opens-the-door", "TEAM=tools", "OTHER=nothing-secret")
	got := SecretVariables(in.Settings, in.Env)
	for _, name := range []string{"MINE", "THINE", "PAPERS", "CORP_PASS", "DOOR", "OPENAI_API_KEY"} {
		if !slices.Contains(got, name) {
			t.Errorf("%s is not among them", name)
		}
	}
	for _, name := range []string{"TEAM", "OTHER", "GEMINI_CLI_HOME"} {
		if slices.Contains(got, name) {
			t.Errorf("%s is among them", name)
		}
	}
}

// TestNetworkOf: custom headers go to one provider alone.
func TestNetworkOf(t *testing.T) {
	t.Parallel()
	accounts, err := Open(inputs(t, "", "GEMINI_API_KEY=g", "OPENAI_API_KEY=o", "GEMINI_CLI_CUSTOM_HEADERS=Authorization: Bearer secret"))
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"gemini": "Bearer secret", "openai": ""} {
		one, err := accounts.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		if got := accounts.NetworkOf(one, accounts.Network).Header.Get("Authorization"); got != want {
			t.Errorf("%s gets %q, want %q", id, got, want)
		}
	}
}

// TestShared resolves names from several goroutines, as requests do.
func TestShared(t *testing.T) {
	t.Parallel()
	accounts, err := Open(inputs(t, `{"modelProviders": {"mine": {"baseUrl": "http://h", "keyless": true}}}`, "GEMINI_API_KEY=g", "TOGETHER_API_KEY=t"))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for _, name := range []string{"gemini-2.5-pro", "together/a/b", "mine/m", "missing/m", "claude-x", "jan/m"} {
		for range 3 {
			all.Go(func() {
				_, _, _ = accounts.Resolve(name)
				accounts.Reachable()
			})
		}
	}
	all.Wait()
}
