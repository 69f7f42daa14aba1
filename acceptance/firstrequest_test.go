package acceptance

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"os/exec"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer/codec"

	"pollux/internal/scriptmodel"
)

// TestFirstRequest counts the tokens of the first request in a project of some size: the
// instruction, the tools, the description of the place and a short prompt. Small windows and
// calls in text get the compact form of all of them.
//
// With -v it prints a table, which docs/performance.md has.
func TestFirstRequest(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("NOT TESTED: git is not installed")
	}
	program, err := exec.LookPath("pollux")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, wire, model string
		window            int
		text              bool
		args              []string
		most              int
	}{
		{name: "newer model", wire: "gemini", model: "gemini-3-pro-preview", args: []string{"-y"}, most: 4_800},
		{name: "newer model, reading", wire: "gemini", model: "gemini-3-pro-preview", most: 4_800},
		{name: "older model", wire: "gemini", model: "gemini-2.5-pro", args: []string{"-y"}, most: 6_500},
		{name: "128k", wire: "openai", model: "m", window: 128_000, args: []string{"-y"}, most: 4_800},
		{name: "32k", wire: "openai", model: "m", window: 32_000, args: []string{"-y"}, most: 3_200},
		{name: "32k, Ollama", wire: "ollama", model: "m", window: 32_768, args: []string{"-y"}, most: 3_200},
		{name: "12k", wire: "openai", model: "m", window: 12_000, args: []string{"-y"}, most: 3_200},
		{name: "12k in text", wire: "openai", model: "m", window: 12_000, text: true, args: []string{"-y"}, most: 3_200},
		{name: "128k in text", wire: "openai", model: "m", window: 128_000, text: true, args: []string{"-y"}, most: 3_200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var sizes map[string]int
			server := conduct(t, tt.wire, func(path string, body []byte) []scriptmodel.Step {
				if !strings.Contains(string(body), "What is this?") {
					return says("")
				}
				sizes = partSizes(t, body)
				return says("A project.")
			})
			p := newPerson(t)
			p.environ = append(p.environ, pointing(tt.wire, server.URL)...)
			p.environ = append(p.environ, "GEMINI_MODEL="+tt.model)
			calling := "auto"
			if tt.text {
				calling = "text"
			}
			settings := map[string]any{"pollux": map[string]any{"toolCalling": calling}}
			if tt.window > 0 {
				settings["modelProviders"] = map[string]any{tt.wire: map[string]any{
					"imitated": false, "models": []any{map[string]any{"match": "*", "window": tt.window}},
				}}
			}
			text, err := json.Marshal(settings)
			if err != nil {
				t.Fatal(err)
			}
			p.settings(string(text))
			for i := range 12 {
				for k := range 12 {
					p.write(fmt.Sprintf("package%d/source_file%d.go", i, k), "package p\n")
				}
			}
			p.write("GEMINI.md", "Run the tests with make check.\n")
			if out, err := exec.Command(git, "init", "-q", p.work).CombinedOutput(); err != nil {
				t.Fatalf("git init: %v\n%s", err, out)
			}
			cmd := p.command(program, append(tt.args, "-p", "What is this?")...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			all := 0
			for _, n := range sizes {
				all += n
			}
			t.Logf("%d tokens: %v", all, sizes)
			if all == 0 || all > tt.most {
				t.Errorf("the first request has %d tokens, want at most %d: %v", all, tt.most, sizes)
			}
		})
	}
}

// partSizes returns the tokens of each field of a request, and of each message.
func partSizes(t *testing.T, body []byte) map[string]int {
	t.Helper()
	w := &windowed{t: t, codec: codec.NewO200kBase(), counts: map[uint64]int{}, seed: maphash.MakeSeed()}
	var fields map[string]any
	if err := json.Unmarshal(body, &fields); err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int{}
	for name, value := range fields {
		list, isList := value.([]any)
		if !isList || name == "tools" {
			sizes[name] = w.count(value)
			continue
		}
		for i, item := range list {
			sizes[fmt.Sprintf("%s %d", name, i)] = w.count(item)
		}
	}
	return sizes
}
