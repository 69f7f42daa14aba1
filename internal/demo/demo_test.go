package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/llm"
	"pollux/tool"
)

// fakeAgent is a minimal agent for the demo: it sends requests to the model over HTTP, runs
// tool calls with trivial implementations, and yields events. acceptance/demo.txtar tests the
// demo with the real agent.
type fakeAgent struct {
	setup    Setup
	contents []*llm.Content
	yield    func(agent.Event, error) bool
	backup   string // a copy of the project before the last prompt
}

func start(_ context.Context, setup Setup) (Agent, error) { return &fakeAgent{setup: setup}, nil }

func (l *fakeAgent) Run(_ context.Context, prompt string) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		l.backup = filepath.Join(filepath.Dir(l.setup.Dir), fmt.Sprint("backup", len(l.contents)))
		if out, err := exec.Command("cp", "-Rp", l.setup.Dir, l.backup).CombinedOutput(); err != nil {
			yield(nil, fmt.Errorf("%w: %s", err, out))
			return
		}
		l.yield = yield
		l.contents = append(l.contents, llm.User(llm.Text(prompt)))
		for l.turn() {
		}
	}
}

func (l *fakeAgent) Undo(context.Context) (string, error) {
	return "Undone.", exec.Command("cp", "-Rp", l.backup+"/.", l.setup.Dir).Run()
}

func (l *fakeAgent) Close() {}

// scene is an agent with another run or undo.
type scene struct {
	Agent
	run  func(prompt string, yield func(agent.Event, error) bool)
	undo func() error
}

func (s *scene) Run(ctx context.Context, prompt string) iter.Seq2[agent.Event, error] {
	if s.run == nil {
		return s.Agent.Run(ctx, prompt)
	}
	return func(yield func(agent.Event, error) bool) { s.run(prompt, yield) }
}

func (s *scene) Undo(ctx context.Context) (string, error) {
	if s.undo == nil {
		return s.Agent.Undo(ctx)
	}
	return "", s.undo()
}

// turn sends one request, runs the tool calls of the response, and reports whether there were
// any.
func (l *fakeAgent) turn() bool {
	l.yield(agent.TurnStarted{}, nil)
	answer, err := l.request()
	if err != nil {
		l.yield(nil, err)
		return false
	}
	l.yield(agent.Text{Text: answer.Text()}, nil)
	var parts []llm.Part
	for _, p := range answer.Parts() {
		if !p.Thought {
			parts = append(parts, p)
		}
	}
	var results []llm.Part
	for _, c := range (&llm.Content{Parts: parts}).FunctionCalls() {
		out := l.runTool(c)
		call := &agent.ToolCall{ID: c.ID, Name: c.Name}
		l.yield(agent.ToolUpdated{Call: call, Summary: string(c.Args)}, nil)
		l.yield(agenttest.FinishedAfter(time.Millisecond, call, agent.Success, &tool.Result{Display: tool.TextDisplay(out)}), nil)
		results = append(results, llm.Part{FunctionResponse: llm.Output(c.ID, c.Name, out)})
	}
	l.contents = append(l.contents, llm.Model(parts...))
	if len(results) == 0 {
		return false
	}
	l.contents = append(l.contents, llm.User(results...))
	return true
}

func (l *fakeAgent) request() (*llm.Response, error) {
	var tools []map[string]string
	for _, name := range []string{"grep_search", "read_file", "replace", "run_shell_command"} {
		tools = append(tools, map[string]string{"name": name, "description": name})
	}
	body, _ := json.Marshal(map[string]any{"contents": l.contents, "tools": []any{map[string]any{"functionDeclarations": tools}}})
	req, _ := http.NewRequest("POST", l.setup.BaseURL+"/v1beta/models/"+l.setup.Model+":generateContent", bytes.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("x-goog-api-key", l.setup.APIKey)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		return nil, fmt.Errorf("%s: %s %w", resp.Status, text, err)
	}
	answer := new(llm.Response)
	return answer, json.Unmarshal(text, answer)
}

func (l *fakeAgent) runTool(c *llm.FunctionCall) string {
	var args map[string]string
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return err.Error()
	}
	path := filepath.Join(l.setup.Dir, args["file_path"])
	switch c.Name {
	case "run_shell_command":
		cmd := exec.Command("sh", "-c", args["command"])
		cmd.Dir = l.setup.Dir
		out, err := cmd.Output()
		if err != nil {
			return fmt.Sprintf("Output: %s\nExit Code: %d", out, cmd.ProcessState.ExitCode())
		}
		return "Output: " + string(out)
	case "grep_search":
		return "File: lib/prices.sh"
	case "replace":
		text, _ := os.ReadFile(path)
		_ = os.WriteFile(path, bytes.Replace(text, []byte(args["old_string"]), []byte(args["new_string"]), 1), 0o644)
		return "Successfully modified file"
	}
	text, _ := os.ReadFile(path)
	return string(text)
}

func TestRun(t *testing.T) {
	needSh(t)
	t.Setenv("TMPDIR", t.TempDir())
	var out strings.Builder
	if err := Run(t.Context(), Options{Out: &out, Keep: true, Start: start}); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{
		"> " + Prompt, "+ replace", "-\tif [ \"$1\" -gt 10 ]", "+\tif [ \"$1\" -ge 10 ]", "5 passed, 0 failed", "> " + Tidy, "the project is gone", "> /undo\n\n      Undone.\n", "as it was before", "7 requests, 6 tool calls",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Error("colors without a request")
	}
	for l := range strings.Lines(out.String()) {
		if len([]rune(l)) > 120 || !strings.HasPrefix(l, "      ") && strings.HasSuffix(l, " \n") {
			t.Errorf("a line that is too long or ends in a space: %q", l)
		}
	}
	kept := regexp.MustCompile(`project is in (.*)`).FindStringSubmatch(out.String())
	if kept == nil {
		t.Fatalf("it does not say where the project is:\n%s", out.String())
	}
	if _, err := os.Stat(filepath.Join(kept[1], "till.sh")); err != nil {
		t.Error(err)
	}
}

func TestRunFails(t *testing.T) {
	needSh(t)
	broken := errors.New("broken")
	playing := func(run func(string, func(agent.Event, error) bool)) func(context.Context, Setup) (Agent, error) {
		return func(_ context.Context, setup Setup) (Agent, error) {
			return &scene{&fakeAgent{setup: setup}, run, nil}, nil
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	for _, c := range []struct {
		name  string
		ctx   context.Context
		start func(context.Context, Setup) (Agent, error)
		want  string
	}{
		{"no start", t.Context(), func(context.Context, Setup) (Agent, error) { return nil, broken }, "broken"},
		{"an error", t.Context(), playing(func(_ string, yield func(agent.Event, error) bool) { yield(nil, broken) }), "broken"},
		{"nothing done", t.Context(), playing(func(string, func(agent.Event, error) bool) {}), "tests still fail"},
		{"cancelled", ctx, playing(func(_ string, yield func(agent.Event, error) bool) { cancel(); yield(agent.Cancelled{}, nil) }), "canceled"},
		{"damage", t.Context(), func(_ context.Context, setup Setup) (Agent, error) {
			a := &fakeAgent{setup: setup}
			return &scene{a, func(prompt string, yield func(agent.Event, error) bool) {
				a.Run(ctx, prompt)(yield)
				_ = os.WriteFile(filepath.Join(setup.Dir, "lib", "prices.sh"), []byte("line_total() { total=0; }\n"), 0o644)
			}, nil}, nil
		}, "tests still fail"},
		{"nothing deleted", t.Context(), func(_ context.Context, setup Setup) (Agent, error) {
			a := &fakeAgent{setup: setup}
			return &scene{a, func(prompt string, yield func(agent.Event, error) bool) {
				if prompt == Prompt {
					a.Run(ctx, prompt)(yield)
				}
			}, nil}, nil
		}, "the project was not deleted"},
		{"no undo", t.Context(), func(_ context.Context, setup Setup) (Agent, error) {
			return &scene{&fakeAgent{setup: setup}, nil, func() error { return broken }}, nil
		}, "undo: broken"},
		{"another time", t.Context(), func(_ context.Context, setup Setup) (Agent, error) {
			a := &fakeAgent{setup: setup}
			return &scene{a, nil, func() error {
				_, err := a.Undo(ctx)
				return errors.Join(err, os.Chtimes(filepath.Join(setup.Dir, "till.sh"), time.Time{}, time.Now()))
			}}, nil
		}, "not as it was before"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("TMPDIR", dir)
			err := Run(c.ctx, Options{Out: io.Discard, Start: c.start})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestScreen checks that show accepts every kind of event and returns write errors.
func TestScreen(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	s := &screen{out: &out, colour: true, dir: "/project", summaries: map[string]string{}}
	for _, e := range agent.Events() {
		switch f := e.(type) {
		case agent.ToolFinished:
			f.Call = &agent.ToolCall{Name: "f"}
			e = f
		case agent.ToolAsked:
			f.Answer = func(a tool.Answer) {
				if a.Outcome != tool.Cancel {
					t.Errorf("answered %v", a)
				}
			}
			e = f
		}
		if err := s.show(e); err != nil {
			t.Error(err)
		}
	}
	s.text(strings.Repeat("word ", 40) + "\n\n new")
	s.end()
	s.quote(strings.Repeat("line\n", 20))
	if strings.Contains(out.String(), "word \n") || !strings.Contains(out.String(), "word\n\nnew\n") {
		t.Errorf("%q", out.String())
	}
	if !strings.Contains(out.String(), "... 12 more lines") || !strings.Contains(out.String(), "\x1b[") {
		t.Error(out.String())
	}
	r, w := io.Pipe()
	_ = r.Close()
	if err := (&screen{out: w, dir: "/project"}).show(agent.Text{Text: "x"}); err == nil {
		t.Error("a closed pipe went unnoticed")
	}
}

func needSh(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("NOT TESTED: sh is not installed")
	}
}
