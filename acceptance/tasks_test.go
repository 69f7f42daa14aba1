package acceptance

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"pollux/internal/process/processtest"
)

// protocols are the protocols on which every task must work.
var protocols = []string{"gemini", "vertex", "openai", "responses", "anthropic", "text", "ollama"}

// onWire returns the scripts of a directory that this run plays on a protocol: all if POLLUX_LONG is 1. A plain run
// plays each script on one protocol at least, and on those that the script names, and a part of a long run also its part of
// the others.
func onWire(t *testing.T, dir, wire string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no scripts: %v", dir, err)
	}
	plain := diagonal(t, files, slices.Index(protocols, wire))
	return slices.DeleteFunc(files, func(file string) bool {
		return !slices.Contains(plain, file) && !processtest.InLong(wire+" "+file)
	})
}

// diagonal returns the scripts of a plain run on the nth protocol.
func diagonal(t *testing.T, files []string, n int) []string {
	t.Helper()
	var list []string
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if i%len(protocols) == n || n%len(files) == i || bytes.Contains(text, []byte("wire:"+protocols[n]+"]")) || bytes.Contains(text, []byte("case $WIRE")) {
			list = append(list, file)
		}
	}
	return list
}

// TestDiagonal checks that a plain run plays each script that is for all protocols, something on each protocol, and
// each script on the protocols that it names.
func TestDiagonal(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"tasks", "badinput", "context/wires"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
		if err != nil {
			t.Fatal(err)
		}
		isPlayed, runs := map[string]bool{}, 0
		for n, wire := range protocols {
			list := diagonal(t, files, n)
			if len(list) == 0 {
				t.Errorf("%s: a plain run plays nothing on %s", dir, wire)
			}
			for _, file := range list {
				isPlayed[file], isPlayed[wire+" "+file] = true, true
			}
			runs += len(list)
		}
		for _, file := range files {
			if !isPlayed[file] {
				t.Errorf("a plain run does not play %s", file)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`\[!?wire:([a-z]+)\]`).FindAllSubmatch(text, -1) {
				if !isPlayed[string(m[1])+" "+file] {
					t.Errorf("a plain run does not play %s on %s", file, m[1])
				}
			}
		}
		if runs > len(files)*len(protocols)*2/3 {
			t.Errorf("%s: a plain run plays %d of %d combinations", dir, runs, len(files)*len(protocols))
		}
	}
}

// TestTasks runs the same tasks on each protocol.
func TestTasks(t *testing.T) { onEach(t, "tasks") }

// TestBadInput runs the same failures of servers on each protocol.
func TestBadInput(t *testing.T) { onEach(t, "badinput") }

func onEach(t *testing.T, dir string) {
	t.Parallel()
	for _, wire := range protocols {
		t.Run(wire, func(t *testing.T) {
			t.Parallel()
			runFiles(t, onWire(t, dir, wire), wire, func(env *testscript.Env) error {
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
	for i, from := range accounts {
		for j, to := range accounts {
			if from.wire == to.wire && to.wire == "gemini" { // there is only one Gemini account
				continue
			}
			if j != (i+3)%len(accounts) && !processtest.InLong(from.name+" "+to.name) {
				continue // a plain run leaves each account once, and enters it once
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
