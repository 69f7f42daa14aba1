package acceptance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// protocols returns the protocols on which every task must work, and two of them with -short.
func protocols() []string {
	if testing.Short() {
		return []string{"gemini", "openai"}
	}
	return []string{"gemini", "vertex", "openai", "responses", "anthropic", "text", "ollama"}
}

// TestTasks runs the same tasks on each protocol.
func TestTasks(t *testing.T) { onEach(t, "tasks") }

// TestBadInput runs the same failures of servers on each protocol.
func TestBadInput(t *testing.T) { onEach(t, "badinput") }

func onEach(t *testing.T, dir string) {
	t.Parallel()
	for _, wire := range protocols() {
		t.Run(wire, func(t *testing.T) {
			t.Parallel()
			run(t, dir, wire, func(env *testscript.Env) error {
				if wire != "responses" {
					return nil
				}
				return settings(env, `{"modelProviders": {"openai": {"protocol": "responses"}}}`)
			})
		})
	}
}

// accounts are the accounts between which a session can change: one for each protocol, and models
// that require their thoughts back with every call.
var accounts = []struct{ name, wire, protocol, path, model string }{
	{"gemini", "gemini", "", "", "gemini-2.5-flash"},
	{"gemini-3", "gemini", "", "", "gemini-3-flash-preview"},
	{"openai", "openai", "openai", "/v1", "gpt-4.1"},
	{"responses", "responses", "responses", "/v1", "gpt-5.2"},
	{"anthropic", "anthropic", "anthropic", "", "claude-sonnet-4-6"},
	{"claude-haiku", "anthropic", "anthropic", "", "claude-haiku-4-5-20251001"},
	{"text", "text", "openai", "/v1", "gemma-3"},
	{"ollama", "ollama", "ollama", "", "qwen3"},
}

// TestChange changes from each provider to each other provider within a session.
func TestChange(t *testing.T) {
	t.Parallel()
	for _, from := range accounts {
		for _, to := range accounts {
			if from.wire == to.wire && to.wire == "gemini" { // there is only one Gemini account
				continue
			}
			t.Run(from.name+" "+to.name, func(t *testing.T) {
				t.Parallel()
				run(t, "change", "", func(env *testscript.Env) error {
					profile := func(protocol, path string) string {
						return fmt.Sprintf(`{"protocol": %q, "baseUrl": %q, "apiKey": "test-key"}`, protocol, path)
					}
					first, second, own := "gemini/"+from.model, "gemini/"+to.model, []string{}
					if from.protocol != "" {
						first = "one/" + from.model
						own = append(own, `"one": `+profile(from.protocol, "$ONE_URL"+from.path))
					}
					if to.protocol != "" {
						second = "two/" + to.model
						own = append(own, `"two": `+profile(to.protocol, "$TWO_URL"+to.path))
					}
					env.Setenv("FROM", from.wire)
					env.Setenv("TO", to.wire)
					env.Setenv("ONE_MODEL", first)
					return settings(env, fmt.Sprintf(`{"modelProviders": {%s}, "pollux": {"fallback": [%q]}}`, strings.Join(own, ", "), second))
				})
			})
		}
	}
}

// settings writes the user's settings file.
func settings(env *testscript.Env, text string) error {
	dir := filepath.Join(env.Getenv("HOME"), ".gemini")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "settings.json"), []byte(text), 0o600)
}
