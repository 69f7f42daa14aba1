package modelconfig

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pollux/internal/config"
	"pollux/llm"
	"pollux/llm/catalog"
)

var sameConfig = cmp.Options{cmpopts.IgnoreUnexported(llm.ToolSet{})}

// settings reads settings from a user's file that has this as modelConfigs.
func settings(t testing.TB, modelConfigs string) *config.Settings {
	t.Helper()
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".gemini"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(home, ".gemini", "settings.json")
	if err := os.WriteFile(file, []byte(`{"modelConfigs": `+modelConfigs+`}`), 0o600); err != nil {
		t.Fatal(err)
	}
	env := config.NewEnv("GEMINI_CLI_HOME="+home, "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+home+"/none/s.json", "HEAT=0.25")
	s, warnings, err := config.Load(config.Sources{Paths: config.NewPaths(env, home), Env: env})
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	return s
}

// unchecked returns settings without the checks that apply to files.
func unchecked(t testing.TB, modelConfigs string) *config.Settings {
	t.Helper()
	var values map[string]any
	if err := json.Unmarshal([]byte(modelConfigs), &values); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	env := config.NewEnv("GEMINI_CLI_HOME="+home, "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+home+"/none/s.json")
	s, _, err := config.Load(config.Sources{Paths: config.NewPaths(env, home), Env: env, Flags: map[string]any{"modelConfigs": values}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sound returns a resolver for settings with which nothing is wrong.
func sound(t testing.TB, modelConfigs string, o Options) *Resolver {
	t.Helper()
	o.Warn = func(w string) { t.Error(w) }
	return New(settings(t, modelConfigs), o)
}

// google resolves names as a session with a Gemini key does.
func google(name string) (string, error) { return catalog.Resolve(name, catalog.KeyAccess()), nil }

func always(string) bool { return true }

// instead resolves names as a session does with another vendor, which offers model instead of
// Gemini's.
func instead(model string) func(string) (string, error) {
	return func(name string) (string, error) {
		if name, _ = google(name); catalog.IsGemini(name) {
			return model, nil
		}
		return name, nil
	}
}

func TestBuiltins(t *testing.T) {
	t.Parallel()
	for alias, want := range map[string]Resolved{
		"gemini-2.5-flash-base": {"gemini-2.5-flash", based(llm.Config{})},
		"gemini-3-flash-base":   {"gemini-3-flash-preview", based(llm.Config{})},
		"gemini-3.5-flash-base": {"gemini-3.8-flash", based(llm.Config{})},
		// The alias flash-lite becomes a model, and the settings stay.
		"classifier":          {"gemini-3.5-flash-lite", based(llm.Config{MaxOutputTokens: 1024, Thinking: &llm.Thinking{Budget: new(512)}})},
		"prompt-completion":   {"gemini-3.5-flash-lite", llm.Config{Temperature: new(0.3), TopP: new(1.0), MaxOutputTokens: 16000, Thinking: &llm.Thinking{Budget: new(0)}}},
		"fast-ack-helper":     {"gemini-3.5-flash-lite", llm.Config{Temperature: new(0.2), TopP: new(1.0), MaxOutputTokens: 120, Thinking: &llm.Thinking{Budget: new(0)}}},
		"edit-corrector":      {"gemini-3.5-flash-lite", based(llm.Config{Thinking: &llm.Thinking{Budget: new(0)}})},
		"summarizer-default":  {"gemini-3.5-flash-lite", based(llm.Config{MaxOutputTokens: 2000})},
		"summarizer-shell":    {"gemini-3.5-flash-lite", based(llm.Config{MaxOutputTokens: 2000})},
		"web-search":          {"gemini-3-flash-preview", based(llm.Config{Tools: []*llm.ToolSet{{GoogleSearch: true}}})},
		"web-fetch":           {"gemini-3-flash-preview", based(llm.Config{Tools: []*llm.ToolSet{{URLContext: true}}})},
		"web-fetch-fallback":  {"gemini-3-flash-preview", based(llm.Config{})},
		"loop-detection":      {"gemini-3-flash-preview", based(llm.Config{})},
		"context-snapshotter": {"gemini-3-flash-preview", llm.Config{Temperature: new(1.0), TopP: new(1.0), Thinking: &llm.Thinking{Level: "HIGH"}}},

		"loop-detection-double-check": {"gemini-3.1-pro-preview", based(llm.Config{})},
		"next-speaker-checker":        {"gemini-3-flash-preview", based(llm.Config{})},
		"llm-edit-fixer":              {"gemini-3-flash-preview", based(llm.Config{})},

		"chat-compression-3-pro":            {"gemini-3.1-pro-preview", llm.Config{}},
		"chat-compression-3-flash":          {"gemini-3-flash-preview", llm.Config{}},
		"chat-compression-3.1-flash-lite":   {"gemini-3.5-flash-lite", llm.Config{}},
		"chat-compression-2.5-pro":          {"gemini-2.5-pro", llm.Config{}},
		"chat-compression-2.5-flash":        {"gemini-2.5-flash", llm.Config{}},
		"chat-compression-2.5-flash-lite":   {"gemini-2.5-flash-lite", llm.Config{}},
		"chat-compression-default":          {"gemini-3.1-pro-preview", llm.Config{}},
		"agent-history-provider-summarizer": {"gemini-3-flash-preview", llm.Config{}},
	} {
		model, cfg, err := New(nil, Options{Resolve: google}).UtilityConfig(alias)
		if diff := cmp.Diff(want, Resolved{model, cfg}, sameConfig); diff != "" || err != nil {
			t.Errorf("%s (-want +got):\n%s%v", alias, diff, err)
		}
	}
	if _, _, err := New(nil, Options{}).UtilityConfig("no-such"); err == nil || err.Error() != `Alias "no-such" not found.` {
		t.Errorf("no-such: %v", err)
	}
}

func based(c llm.Config) llm.Config {
	c.Temperature, c.TopP = new(0.0), new(1.0)
	return c
}

// The aliases for a chat agree with the catalog, so that nothing needs to be built without
// settings.
func TestChatWithoutSettings(t *testing.T) {
	t.Parallel()
	models := []string{"gemini-2.0-flash", "gemini-9-pro", "google/gemini-2.5-pro", "gemma-4-31b-it", "gpt-5.6", "claude-opus-4-6", "qwen3-coder-plus", "kimi-k2-thinking", "my-model", ""}
	for name, a := range builtins() {
		if a.model == name {
			models = append(models, name)
		}
	}
	for _, model := range models {
		idle, busy := New(nil, Options{}), sound(t, `{"customAliases": {"x": {}}}`, Options{})
		for _, retry := range []bool{false, true} {
			want := catalog.ChatConfig(model)
			if got := idle.ChatConfig(model, retry); !cmp.Equal(got, want, sameConfig) {
				t.Errorf("%s: %+v", model, got)
			}
			if model == "" {
				continue
			}
			if diff := cmp.Diff(want, busy.ChatConfig(model, retry), sameConfig); diff != "" {
				t.Errorf("%s, with settings (-want +got):\n%s", model, diff)
			}
		}
		if got := decode(encode(catalog.ChatConfig(model))); !cmp.Equal(got, catalog.ChatConfig(model)) {
			t.Errorf("%s: values of the catalog are lost: %+v", model, got)
		}
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, settings string
		key            Key
		model          string
		want           string // of the configuration, in the settings' words
	}{
		{
			"root to leaf", `{"customAliases": {
			"root": {"modelConfig": {"model": "m1", "generateContentConfig": {"temperature": 0.1, "topP": 0.2, "stopSequences": ["a", "b"], "thinkingConfig": {"includeThoughts": true, "thinkingBudget": 5}}}},
			"mid": {"extends": "root", "modelConfig": {"generateContentConfig": {"topP": 0.3, "thinkingConfig": {"thinkingBudget": 6}}}},
			"leaf": {"extends": "mid", "modelConfig": {"model": "m2", "generateContentConfig": {"stopSequences": ["c"]}}}}}`,
			Key{Model: "leaf"},
			"m2", `{"temperature": 0.1, "topP": 0.3, "stopSequences": ["c"], "thinkingConfig": {"includeThoughts": true, "thinkingBudget": 6}}`,
		},
		{
			"a name without an alias", `{"customOverrides": [{"match": {"model": "raw"}, "modelConfig": {"generateContentConfig": {"seed": 7}}}]}`,
			Key{Model: "raw"},
			"raw", `{"seed": 7}`,
		},
		{
			"a chat without an alias", `{"customAliases": {"chat-base": {"modelConfig": {"generateContentConfig": {"topK": 3}}}}}`,
			Key{Model: "gemini-2.0-flash", Chat: true},
			"gemini-2.0-flash", `{"topK": 3}`,
		},
		{
			"a chat by an alias of Gemini CLI", `{"customAliases": {"x": {}}}`,
			Key{Model: "flash", Chat: true},
			"gemini-3.8-flash", `{"temperature": 1, "topP": 0.95, "topK": 64, "thinkingConfig": {"includeThoughts": true, "thinkingLevel": "HIGH"}}`,
		},
		{
			"a chat whose family has no alias", `{"aliases": {"chat-base": {"modelConfig": {"generateContentConfig": {"topK": 4}}}}}`,
			Key{Model: "gemini-3-pro-preview", Chat: true},
			"gemini-3.1-pro-preview", `{"topK": 4}`,
		},
		{"a chat without chat aliases", `{"aliases": {}}`, Key{Model: "gemini-3-pro-preview", Chat: true}, "gemini-3.1-pro-preview", `{}`},
		{
			"custom wins", `{"aliases": {"a": {"modelConfig": {"model": "m1"}}, "b": {"extends": "a"}}, "customAliases": {"a": {"modelConfig": {"model": "m2"}}}}`,
			Key{Model: "b"},
			"m2", `{}`,
		},
		{
			"a custom alias replaces the built-in one whole", `{"customAliases": {"classifier": {"modelConfig": {"model": "mine"}}}}`,
			Key{Model: "classifier"},
			"mine", `{}`,
		},
		{
			"what builds on it follows", `{"customAliases": {"gemini-3-flash-base": {"extends": "base", "modelConfig": {"model": "mine"}}}}`,
			Key{Model: "loop-detection"},
			"mine", `{"temperature": 0, "topP": 1}`,
		},
		{
			"null takes back", `{"customAliases": {"calm": {"extends": "gemini-2.5-pro", "modelConfig": {"generateContentConfig": {"topK": null, "thinkingConfig": null}}}}}`,
			Key{Model: "calm"},
			"gemini-2.5-pro", `{"temperature": 1, "topP": 0.95}`,
		},
		{
			"a budget in place of a level", `{"customAliases": {"quick": {"extends": "gemini-3-pro-preview", "modelConfig": {"generateContentConfig": {"thinkingConfig": {"thinkingBudget": 0}}}}}}`,
			Key{Model: "quick"},
			"gemini-3.1-pro-preview", `{"temperature": 1, "topP": 0.95, "topK": 64, "thinkingConfig": {"includeThoughts": true, "thinkingBudget": 0}}`,
		},
		{
			"a level in place of a budget", `{"customAliases": {"quick": {"extends": "gemini-2.5-pro", "modelConfig": {"generateContentConfig": {"thinkingConfig": {"thinkingLevel": "LOW"}}}}}}`,
			Key{Model: "quick"},
			"gemini-2.5-pro", `{"temperature": 1, "topP": 0.95, "topK": 64, "thinkingConfig": {"includeThoughts": true, "thinkingLevel": "LOW"}}`,
		},
		{
			"an override names the model", `{"customAliases": {"none": {}}, "customOverrides": [{"match": {"model": "none"}, "modelConfig": {"model": "there"}}]}`,
			Key{Model: "none"},
			"there", `{}`,
		},
		{
			"an override names an alias of Gemini CLI", `{"customOverrides": [{"match": {"model": "classifier"}, "modelConfig": {"model": "flash"}}]}`,
			Key{Model: "classifier"},
			"gemini-3.8-flash", `{"temperature": 0, "topP": 1, "maxOutputTokens": 1024, "thinkingConfig": {"thinkingBudget": 512}}`,
		},
		{
			"an override for the model that an alias becomes", `{"customOverrides": [{"match": {"model": "gemini-3.5-flash-lite"}, "modelConfig": {"generateContentConfig": {"seed": 1}}}]}`,
			Key{Model: "summarizer-default"},
			"gemini-3.5-flash-lite", `{"temperature": 0, "topP": 1, "maxOutputTokens": 2000, "seed": 1}`,
		},
		{
			"all that can be said", `{"customAliases": {"a": {"modelConfig": {"model": "m", "generateContentConfig": {
			"temperature": "$HEAT", "topP": "0.5", "topK": 3, "maxOutputTokens": 4, "stopSequences": ["s"], "seed": -5, "presencePenalty": 0.1, "frequencyPenalty": -0.2,
			"responseMimeType": "application/json", "responseJsonSchema": {"type": "object"}, "thinkingConfig": {"includeThoughts": "TRUE", "thinkingBudget": -1}, "candidateCount": 2,
			"tools": [{"googleSearch": {}}, {"urlContext": {}}], "safetySettings": [{"category": "C"}], "labels": {"k": "v"}, "cachedContent": "c"}}}}}`,
			Key{Model: "a"},
			"m", `{
			"temperature": 0.25, "topP": 0.5, "topK": 3, "maxOutputTokens": 4, "stopSequences": ["s"], "seed": -5, "presencePenalty": 0.1, "frequencyPenalty": -0.2,
			"responseMimeType": "application/json", "responseJsonSchema": {"type": "object"}, "thinkingConfig": {"includeThoughts": true, "thinkingBudget": -1}, "candidateCount": 2,
			"tools": [{"googleSearch": {}}, {"urlContext": {}}], "safetySettings": [{"category": "C"}], "labels": {"k": "v"}, "cachedContent": "c"}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := sound(t, tt.settings, Options{Resolve: google, RunsHostedTools: always}).Resolve(tt.key)
			if err != nil {
				t.Fatal(err)
			}
			var want tree
			if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(Resolved{tt.model, decode(want)}, got, sameConfig); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestResolveErrors(t *testing.T) {
	t.Parallel()
	long := ""
	for i := range 101 {
		long += fmt.Sprintf(`"a%d": {"extends": "a%d"}, `, i, i+1)
	}
	r := sound(t, `{"customAliases": {
		"lost": {"extends": "nowhere"},
		"self": {"extends": "self"},
		"a": {"extends": "b"}, "b": {"extends": "a"}, "c": {"extends": "a"},
		"nameless": {"extends": "base"},
		"loud": {"extends": "\u001b[31mred"},
		"endless": {"extends": "`+strings.Repeat("é", 500)+`"},
		`+long+`"a101": {"modelConfig": {"model": "m"}}}}`, Options{})
	for name, want := range map[string]string{
		"lost":     `Alias "nowhere" not found.`,
		"self":     `Circular alias dependency: self -> self`,
		"a":        `Circular alias dependency: a -> b -> a`,
		"c":        `Circular alias dependency: c -> a -> b -> a`,
		"nameless": `Could not resolve a model name for alias "nameless". Please ensure the alias chain or a matching override specifies a model.`,
		"loud":     `Alias "?[31mred" not found.`,
		"endless":  `Alias "` + strings.Repeat("é", 100) + `..." not found.`,
		"a1":       `Alias inheritance chain exceeded maximum depth of 100.`,
		"a2":       ``, // 100 of them
	} {
		_, err := r.Resolve(Key{Model: name})
		if got := fmt.Sprint(err); got != want && (want != "" || err != nil) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

// The overrides all set the same; the one that should win is marked.
func TestOverrideOrder(t *testing.T) {
	t.Parallel()
	const aliases = `"customAliases": {"root": {"modelConfig": {"model": "m"}}, "leaf": {"extends": "root"}}`
	for _, tt := range []struct {
		name, overrides string // match -> seed, in order
		key             Key
		want            int // seed, 0 for none
	}{
		{"index", `{"model": "leaf"} {"model": "leaf"}`, Key{Model: "leaf"}, 2},
		{"number of fields before index", `{"model": "leaf", "overrideScope": "s"} {"model": "leaf"}`, Key{Model: "leaf", Scope: "s"}, 1},
		{"all fields", `{"model": "leaf", "overrideScope": "s", "isRetry": true} {"model": "leaf", "overrideScope": "s"}`, Key{Model: "leaf", Scope: "s", Retry: true}, 1},
		{"level before number of fields", `{"model": "leaf"} {"model": "root", "overrideScope": "s", "isRetry": true}`, Key{Model: "leaf", Scope: "s", Retry: true}, 1},
		{"an alias before its model", `{"model": "root"} {"model": "m"}`, Key{Model: "leaf"}, 1},
		{"a model like a global one", `{"model": "m"} {"overrideScope": "s"}`, Key{Model: "leaf", Scope: "s"}, 2},
		{"not of this name", `{"model": "other"}`, Key{Model: "leaf"}, 0},
		{"not the alias above", `{"model": "leaf"}`, Key{Model: "root"}, 0},
		{"not of this scope", `{"overrideScope": "s"}`, Key{Model: "leaf", Scope: "other"}, 0},
		{"a scope, but none asks", `{"overrideScope": "s"}`, Key{Model: "leaf"}, 0},
		{"core by name", `{"overrideScope": "core"}`, Key{Model: "leaf", Scope: "core"}, 1},
		{"core by default", `{"overrideScope": "core"}`, Key{Model: "leaf"}, 1},
		{"not core", `{"overrideScope": "core"}`, Key{Model: "leaf", Scope: "agent"}, 0},
		{"not a retry", `{"isRetry": true}`, Key{Model: "leaf"}, 0},
		{"no retry", `{"isRetry": false}`, Key{Model: "leaf"}, 1},
		{"not without retry", `{"isRetry": false}`, Key{Model: "leaf", Retry: true}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var list []string
			for i, match := range strings.SplitAfter(tt.overrides, "}") {
				if match = strings.TrimSpace(match); match != "" {
					list = append(list, fmt.Sprintf(`{"match": %s, "modelConfig": {"generateContentConfig": {"seed": %d}}}`, match, i+1))
				}
			}
			// Whichever list they are in.
			for split := range len(list) + 1 {
				r := sound(t, fmt.Sprintf(`{%s, "overrides": [%s], "customOverrides": [%s]}`, aliases,
					strings.Join(list[:split], ", "), strings.Join(list[split:], ", ")), Options{})
				res, err := r.Resolve(tt.key)
				if err != nil {
					t.Fatal(err)
				}
				if got := res.Config.Seed; got == nil && tt.want != 0 || got != nil && *got != tt.want {
					t.Errorf("seed %v, want %d", got, tt.want)
				}
			}
		})
	}
}

func TestRetry(t *testing.T) {
	t.Parallel()
	const cold = `"customAliases": {"chat-base": {"extends": "base", "modelConfig": {"generateContentConfig": {"temperature": 0.2}}}}`
	for _, tt := range []struct {
		settings      string
		model         string
		first, second float64
	}{
		{`{` + cold + `}`, "gemini-2.5-pro", 0.2, 1},
		{`{` + cold + `, "overrides": []}`, "gemini-2.5-pro", 0.2, 0.2},
		{`{` + cold + `}`, "my-model", 0.2, 0.2},
		{`{"customOverrides": [{"match": {"model": "chat-base"}, "modelConfig": {"generateContentConfig": {"temperature": 0.3}}}]}`, "gemini-3-flash-preview", 0.3, 1},
		{`{"customOverrides": [{"match": {"model": "chat-base-3"}, "modelConfig": {"generateContentConfig": {"temperature": 0.3}}}]}`, "gemini-3-flash-preview", 0.3, 0.3},
	} {
		r := sound(t, tt.settings, Options{})
		first, second := r.ChatConfig(tt.model, false).Temperature, r.ChatConfig(tt.model, true).Temperature
		if first == nil || second == nil || *first != tt.first || *second != tt.second {
			t.Errorf("%s: %s is asked at %v, then %v", tt.settings, tt.model, first, second)
		}
	}
}

// With another vendor an alias keeps its settings, except those for Gemini, and another model
// answers.
func TestOtherVendors(t *testing.T) {
	t.Parallel()
	const mine = `{"customAliases": {"loop-detection": {"extends": "base", "modelConfig": {"model": "gemini-3-flash-preview", "generateContentConfig": {"temperature": 0.4}}},
			"chat-base-3": {"extends": "chat-base", "modelConfig": {"generateContentConfig": {"seed": 3}}},
			"mine": {"extends": "chat-base-3", "modelConfig": {"model": "gemini-3-pro-preview", "generateContentConfig": {"topK": 5}}}},
		"customOverrides": [{"match": {"model": "chat-base"}, "modelConfig": {"generateContentConfig": {"maxOutputTokens": 900}}}]}`
	for _, tt := range []struct {
		model string // of the vendor
		key   Key
		want  llm.Config
	}{
		{"claude-opus-4-6", Key{Model: "classifier"}, llm.Config{MaxOutputTokens: 1024, Thinking: &llm.Thinking{Budget: new(512)}}},
		{"qwen3-coder-plus", Key{Model: "classifier"}, based(llm.Config{MaxOutputTokens: 1024, Thinking: &llm.Thinking{Budget: new(512)}})},
		{"qwen3-coder-plus", Key{Model: "web-search"}, based(llm.Config{})},
		{"claude-opus-4-6", Key{Model: "loop-detection"}, llm.Config{Temperature: new(0.4)}},
		{"claude-opus-4-6", Key{Model: "chat-compression-default"}, llm.Config{}},
		// A conversation: the catalog's word, and on top the user's.
		{"claude-opus-4-6", Key{Model: "auto", Chat: true}, llm.Config{MaxOutputTokens: 900, Thinking: &llm.Thinking{IncludeThoughts: true}}},
		{"claude-opus-4-6", Key{Model: "gemini-3-pro-preview", Chat: true}, llm.Config{MaxOutputTokens: 900, Seed: new(3), Thinking: &llm.Thinking{IncludeThoughts: true}}},
		{"claude-opus-4-6", Key{Model: "mine", Chat: true}, llm.Config{MaxOutputTokens: 900, Seed: new(3), TopK: new(5.0), Thinking: &llm.Thinking{IncludeThoughts: true}}},
		{"my-model", Key{Model: "my-model", Chat: true}, llm.Config{MaxOutputTokens: 900, Temperature: new(1.0), TopP: new(0.95), TopK: new(64.0)}},
	} {
		r := sound(t, mine, Options{Resolve: instead(tt.model)})
		got, err := r.Resolve(tt.key)
		if diff := cmp.Diff(Resolved{tt.model, tt.want}, got, sameConfig); diff != "" || err != nil {
			t.Errorf("%s for %s (-want +got):\n%s%v", tt.model, tt.key.Model, diff, err)
		}
	}
	// One that has such tools, as Anthropic does, gets them.
	claude := Options{Resolve: instead("claude-opus-4-6"), RunsHostedTools: func(model string) bool { return model == "claude-opus-4-6" }}
	_, cfg, err := New(nil, claude).UtilityConfig("web-search")
	if err != nil || len(cfg.Tools) != 1 || !cfg.Tools[0].GoogleSearch {
		t.Errorf("no search: %+v, %v", cfg, err)
	}
}

// Tools that the provider does not run are warned about once.
func TestToolsWithoutRunner(t *testing.T) {
	t.Parallel()
	var warnings []string
	r := New(settings(t, `{"customAliases": {"search": {"extends": "web-search", "modelConfig": {"generateContentConfig": {"tools": [{"googleSearch": {}}]}}}}}`),
		Options{Resolve: instead("claude-opus-4-6"), Warn: func(w string) { warnings = append(warnings, w) }})
	for range 2 {
		for _, name := range []string{"web-search", "search"} {
			if res, err := r.Resolve(Key{Model: name}); err != nil || res.Config.Tools != nil {
				t.Errorf("%s: %+v, %v", name, res, err)
			}
		}
	}
	want := []string{"Warning: modelConfigs sets googleSearch or urlContext for claude-opus-4-6, which does not support them. Ignoring them."}
	if diff := cmp.Diff(want, warnings); diff != "" {
		t.Error(diff)
	}
}

// TestReplaced checks that a warning names the model that replaces one of the user's, once,
// and that the built-in configuration, which names old models too, causes none.
func TestReplaced(t *testing.T) {
	t.Parallel()
	const warning = "Warning: Using gemini-3.1-pro-preview instead of gemini-3-pro-preview."
	for _, c := range []struct{ name, settings, model string }{
		{"chosen", `{}`, "gemini-3-pro-preview"},
		{"chosen beside settings", `{"customAliases": {"other": {"extends": "base"}}}`, "gemini-3-pro-preview"},
		{"an alias", `{"customAliases": {"mine": {"modelConfig": {"model": "gemini-3-pro-preview"}}}}`, "mine"},
		{"an override", `{"customOverrides": [{"match": {"model": "gemini-2.5-pro"}, "modelConfig": {"model": "gemini-3-pro-preview"}}]}`, "gemini-2.5-pro"},
	} {
		var warnings []string
		r := New(settings(t, c.settings), Options{Resolve: google, Warn: func(w string) { warnings = append(warnings, w) }})
		for range 2 {
			if model, err := r.SelectModel(c.model); err != nil || model != "gemini-3.1-pro-preview" {
				t.Errorf("%s: %s, %v", c.name, model, err)
			}
			r.ChatConfig("gemini-3.1-pro-preview", false)
			for _, alias := range []string{"chat-compression-default", "loop-detection-double-check"} {
				if model, _, err := r.UtilityConfig(alias); err != nil || model != "gemini-3.1-pro-preview" {
					t.Errorf("%s: %s is %s, %v", c.name, alias, model, err)
				}
			}
		}
		if diff := cmp.Diff([]string{warning}, warnings); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestModel(t *testing.T) {
	t.Parallel()
	r := sound(t, `{"customAliases": {
			"fast": {"extends": "gemini-2.5-flash", "modelConfig": {"generateContentConfig": {"seed": 1}}},
			"flash": {"extends": "gemini-2.5-flash", "modelConfig": {"generateContentConfig": {"seed": 2}}},
			"pro": {"extends": "gemini-3.1-pro-preview", "modelConfig": {"generateContentConfig": {"seed": 4}}},
			"bad": {"extends": "worse"}},
		"customOverrides": [{"match": {"model": "gemini-2.5-pro"}, "modelConfig": {"model": "gemini-3-flash-preview", "generateContentConfig": {"seed": 3}}}]}`,
		Options{Resolve: google})
	for _, tt := range []struct {
		name, model string
		seed        int // 0 for none
	}{
		{"fast", "gemini-2.5-flash", 1},
		{"flash", "gemini-2.5-flash", 2}, // before Gemini CLI's
		{"gemini-2.5-flash", "gemini-2.5-flash", 0},
		{"gemini-2.5-pro", "gemini-3-flash-preview", 3},
		{"gemini-3-flash-preview", "gemini-3-flash-preview", 0},
		{"pro", "gemini-3.1-pro-preview", 4}, // the model is the one that Gemini CLI's stands for
		{"auto", "gemini-3.1-pro-preview", 0},
		{"my-model", "my-model", 0},
	} {
		model, err := r.SelectModel(tt.name)
		if err != nil || model != tt.model {
			t.Errorf("%s is %s, %v", tt.name, model, err)
			continue
		}
		if seed := r.ChatConfig(model, false).Seed; (seed != nil) != (tt.seed != 0) || seed != nil && *seed != tt.seed {
			t.Errorf("%s: seed %v, want %d", tt.name, seed, tt.seed)
		}
	}
	if _, err := r.SelectModel("bad"); err == nil || err.Error() != `Alias "worse" not found.` {
		t.Errorf("bad: %v", err)
	}

	none := errors.New("there is none")
	plain := New(nil, Options{Resolve: func(name string) (string, error) {
		if name == "my-model" {
			return name, nil
		}
		return "", none
	}})
	if model, err := plain.SelectModel("my-model"); model != "my-model" || err != nil {
		t.Errorf("%q, %v", model, err)
	}
	if model, err := plain.SelectModel("auto"); model != "" || !errors.Is(err, none) {
		t.Errorf("there is no model, but: %q, %v", model, err)
	}
	if _, _, err := plain.UtilityConfig("classifier"); !errors.Is(err, none) {
		t.Errorf("a question is asked of no model: %v", err)
	}
	if model, err := New(nil, Options{Resolve: instead("")}).SelectModel("auto"); model != "" || err == nil || !strings.HasPrefix(err.Error(), `Could not resolve a model name for alias "auto".`) {
		t.Errorf("an alias without a model resolves: %q, %v", model, err)
	}
}

// A name that the user has chosen stays, any other is replaced by the stand-in.
func TestStandIn(t *testing.T) {
	t.Parallel()
	small := func(name string) string { return strings.Replace(name, "flash", "small", 1) }
	for _, settings := range []string{`{}`, `{"customAliases": {"quick": {"modelConfig": {"model": "gemini-2.5-flash"}}}}`} {
		r := sound(t, settings, Options{StandIn: small})
		if got, err := r.SelectModel("gemini-2.5-flash"); got != "gemini-2.5-flash" || err != nil {
			t.Errorf("%s: the chosen model is %q, %v", settings, got, err)
		}
		if got, _, err := r.UtilityConfig("edit-corrector"); !strings.Contains(got, "small") || err != nil {
			t.Errorf("%s: a question of our own goes to %q, %v", settings, got, err)
		}
	}
}

// Whose model a name means may cost a question to a server: it is asked once.
func TestNamesAreAskedOnce(t *testing.T) {
	t.Parallel()
	asked := map[string]int{}
	r := sound(t, `{"customAliases": {"fast": {"extends": "gemini-2.5-flash"}}}`, Options{Resolve: func(name string) (string, error) {
		asked[name]++
		return google(name)
	}})
	for range 3 {
		_, _ = r.SelectModel("fast")
		_, _ = r.SelectModel("auto")
		r.ChatConfig("gemini-2.5-flash", false)
		_, _, _ = r.UtilityConfig("classifier")
	}
	for name, n := range asked {
		if n != 1 {
			t.Errorf("%s was asked for %d times", name, n)
		}
	}
}

func TestChatSurvivesBrokenAliases(t *testing.T) {
	t.Parallel()
	var warnings []string
	r := New(settings(t, `{"customAliases": {"chat-base": {"extends": "chat-base"}}}`),
		Options{Warn: func(w string) { warnings = append(warnings, w) }})
	for range 3 {
		if got := r.ChatConfig("gemini-2.5-pro", false); !cmp.Equal(got, catalog.ChatConfig("gemini-2.5-pro")) {
			t.Errorf("%+v", got)
		}
	}
	want := []string{`Warning: Ignoring modelConfigs for gemini-2.5-pro: Circular alias dependency: gemini-2.5-pro -> chat-base-2.5 -> chat-base -> chat-base`}
	if diff := cmp.Diff(want, warnings); diff != "" {
		t.Error(diff)
	}
}

// Pollux's own questions can be asked whatever the user has put in place of the
// built-in aliases.
func TestUtilityWithoutBuiltins(t *testing.T) {
	t.Parallel()
	r := sound(t, `{"aliases": {"base": {"modelConfig": {"generateContentConfig": {"topP": 0.5}}}}}`, Options{Resolve: google})
	model, cfg, err := r.UtilityConfig("summarizer-default")
	if err != nil || model != "gemini-3.5-flash-lite" || cfg.MaxOutputTokens != 2000 || cfg.TopP == nil || *cfg.TopP != 0.5 {
		t.Errorf("%s %+v %v", model, cfg, err)
	}
	if res, err := r.Resolve(Key{Model: "summarizer-default"}); res.Model != "summarizer-default" || err != nil {
		t.Errorf("the built-in aliases are not replaced: %+v, %v", res, err)
	}
}

func TestConcurrency(t *testing.T) {
	t.Parallel()
	r := sound(t, `{"customAliases": {"fast": {"extends": "gemini-2.5-flash"}}}`, Options{Resolve: google})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			_, _ = r.SelectModel("fast")
			r.ChatConfig("gemini-2.5-flash", true)
			_, _, _ = r.UtilityConfig("classifier")
		})
	}
	group.Wait()
}

// The caller may change the result.
func TestResultsShareNothing(t *testing.T) {
	t.Parallel()
	r := sound(t, `{"customAliases": {"a": {"modelConfig": {"model": "m", "generateContentConfig": {"stopSequences": ["x"], "temperature": 1, "labels": {"k": "v"}}}}}}`, Options{})
	for range 2 {
		res, err := r.Resolve(Key{Model: "a"})
		if err != nil || *res.Config.Temperature != 1 || !slices.Equal(res.Config.StopSequences, []string{"x"}) || len(res.Config.Labels) != 1 {
			t.Fatalf("%+v, %v", res, err)
		}
		*res.Config.Temperature = 2
		res.Config.StopSequences[0] = "y"
		res.Config.Labels["l"] = "w"
	}
}

func BenchmarkNewAndChatWithoutSettings(b *testing.B) {
	s := settings(b, `{}`)
	b.ReportAllocs()
	for b.Loop() {
		New(s, Options{}).ChatConfig("gemini-2.5-pro", false)
	}
}

func BenchmarkChat(b *testing.B) {
	r := sound(b, `{"customOverrides": [{"match": {"model": "chat-base"}, "modelConfig": {"generateContentConfig": {"temperature": 0.3}}}]}`, Options{Resolve: google})
	b.ReportAllocs()
	for b.Loop() {
		r.ChatConfig("gemini-2.5-pro", false)
	}
}

func BenchmarkUtility(b *testing.B) {
	r := New(nil, Options{Resolve: google})
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := r.UtilityConfig("classifier"); err != nil {
			b.Fatal(err)
		}
	}
}
