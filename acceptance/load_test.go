package acceptance

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pollux/internal/process/processtest"
	"pollux/internal/scriptmodel"
)

// loadLimit is the time that a run may take that only reads a too large file. Each takes a second or two; before
// their causes were fixed, they took minutes.
const loadLimit = 2 * time.Minute

// runBounded runs the program, and returns its output.
func runBounded(t *testing.T, p *person, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), loadLimit)
	defer cancel()
	cmd := p.command("pollux", args...)
	defer context.AfterFunc(ctx, func() {
		if cmd.Process != nil {
			_ = cmd.Process.Kill()
		}
	})()
	out, _ := cmd.CombinedOutput() // the output describes a failure
	if ctx.Err() != nil {
		t.Fatalf("it does not end:\n%.2000s", out)
	}
	return string(out)
}

// A response that is nested deeper than decoders or records bear is refused once, and not requested again
// and again.
func TestNestedReplies(t *testing.T) {
	t.Parallel()
	nested := func(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }
	for _, wire := range protocols {
		answers := map[string][]scriptmodel.Step{
			"arguments":    calling(nil, "write_file", "file_path", `"a.txt"`, "content", `"x"`, "more", nested(1000)),
			"lists":        says(nested(1000)),
			"a call":       says(`{"tool_call": {"name": "write_file", "arguments": {"content": ` + nested(20_000) + `}}}`),
			"calls":        says(strings.Repeat(`{"tool_call": `, 20_000)),
			"fenced calls": says("```json\n" + strings.Repeat(`{"tool_call": `, 20_000) + "\n```"),
		}
		if wire == "gemini" {
			answers["a chunk"] = []scriptmodel.Step{scriptmodel.Frame{Data: `{"more": ` + nested(20_000) + `, "candidates": [{"content": {"role": "model", "parts": [{"text": "x"}]}, "finishReason": "STOP"}]}`}}
		}
		for kind, answer := range answers {
			t.Run(wire+"/"+kind, func(t *testing.T) {
				t.Parallel()
				var requests atomic.Int32
				server := conduct(t, wire, func(string, []byte) []scriptmodel.Step {
					if requests.Add(1) > 1 && kind != "a chunk" {
						return says("Done.")
					}
					return answer
				})
				p := newPerson(t)
				p.environ = append(p.environ, pointing(wire, server.URL)...)
				if wire == "responses" {
					p.settings(`{"modelProviders": {"openai": {"protocol": "responses"}}}`)
				}
				out := runBounded(t, p, "--yolo", "-p", "Go on")
				if n := requests.Load(); n > 3 {
					t.Errorf("%d requests:\n%s", n, out)
				}
				if (kind == "arguments" || kind == "a chunk") && wire != "text" && wire != "ollama" && !strings.Contains(out, "nested more than") {
					t.Errorf("the output does not name the cause:\n%s", out)
				}
				if _, err := os.Stat(filepath.Join(p.work, "a.txt")); err == nil {
					t.Error("the call has run")
				}
			})
		}
	}
}

// Pollux cuts a too large file or refuses it with a message, at no more cost than that of the used part.
func TestLoads(t *testing.T) {
	t.Parallel()
	many := func(dir string, n int, name string) func(p *person) {
		return func(p *person) {
			if err := os.MkdirAll(filepath.Join(p.work, dir), 0o700); err != nil {
				p.t.Fatal(err)
			}
			for i := range n {
				if err := os.WriteFile(filepath.Join(p.work, dir, fmt.Sprintf(name, i)), nil, 0o600); err != nil {
					p.t.Fatal(err)
				}
			}
		}
	}
	write := func(name, text string) func(p *person) { return func(p *person) { p.write(name, text) } }
	call := func(name string, args ...string) []scriptmodel.Step { return calling(nil, name, args...) }
	paths, large := strings.Repeat("$PATH", 250_000), 5_000_000
	if processtest.IsLong() {
		paths, large = strings.Repeat("$PATH", 500_000), 50_000_000
	}
	for name, tt := range map[string]struct {
		prepare func(p *person)
		prompt  string // "Go on" by default
		answer  []scriptmodel.Step
		output  string // is printed
		request string // is in the last request
	}{
		"settings of a user": {
			prepare: func(p *person) { p.settings(`{"telemetry": {"outfile": "` + paths + `"}}`) },
			output:  "expand to more than 1 MB",
		},
		"settings of a project":     {prepare: write(".gemini/settings.json", `{"telemetry": {"outfile": "`+paths+`"}}`), output: "expand to more than 1 MB"},
		"a server of a user":        {prepare: func(p *person) { p.settings(`{"mcpServers": {"a": {"command": "x", "args": ["` + paths + `"]}}}`) }, output: "it is longer than 1 MB"},
		"a server of a project":     {prepare: write(".gemini/settings.json", `{"mcpServers": {"a": {"command": "x", "args": ["`+paths+`"]}}}`), output: "it is longer than 1 MB"},
		"a call of many MB":         {answer: call("write_file", "file_path", `"a.txt"`, "content", `"`+strings.Repeat("a", large)+`"`), output: "larger than 4 MB", request: "larger than 4 MB"},
		"a command of many MB":      {answer: call("run_shell_command", "command", `"`+strings.Repeat("true;", large/5)+`"`), output: "larger than 4 MB", request: "larger than 4 MB"},
		"a directory of many files": {prepare: many("d", 12_000, "f%d"), answer: call("list_directory", "dir_path", `"d"`), request: "2000 more entries are not listed"},
		"an attached directory":     {prepare: many("d", 3000, "f%d.txt"), prompt: "See @d", output: "more than 2000 files in all"},
		"a directory in a command": {
			prepare: func(p *person) {
				many("d", 3000, "f%d.txt")(p)
				p.write(".gemini/commands/x.toml", `prompt = "See @{d}"`)
			},
			prompt: "/x", output: "the last 1000 of them are left out",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			var last atomic.Pointer[string]
			server := conduct(t, "gemini", func(_ string, body []byte) []scriptmodel.Step {
				text := string(body)
				last.Store(&text)
				if requests.Add(1) > 1 || tt.answer == nil {
					return says("Done.")
				}
				return tt.answer
			})
			p := newPerson(t)
			p.environ = append(p.environ, pointing("gemini", server.URL)...)
			if tt.prepare != nil {
				tt.prepare(p)
			}
			prompt := "Go on"
			if tt.prompt != "" {
				prompt = tt.prompt
			}
			out := runBounded(t, p, "--yolo", "-p", prompt)
			if !strings.Contains(out, "Done.") || !strings.Contains(out, tt.output) || len(out) > 20_000 {
				t.Errorf("it prints %.2000s", out)
			}
			request := last.Load()
			switch {
			case request == nil:
				t.Error("no request was sent")
			case !strings.Contains(*request, tt.request):
				t.Errorf("the last request does not contain %q", tt.request)
			case len(*request) > 2<<20:
				t.Errorf("the last request has %d bytes", len(*request))
			}
		})
	}
}
