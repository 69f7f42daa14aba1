package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/internal/records"
	"pollux/internal/secret"
	"pollux/llm"
	"pollux/llm/observe"
	"pollux/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// entry is an object of an outfile, as scripts read it.
type entry struct {
	Attributes  map[string]any
	Body        string `json:"_body"`
	HrTime      []int64
	Scope       struct{ Name string } `json:"instrumentationScope"`
	Name        string
	SpanContext struct{ TraceID, SpanID string } `json:"_spanContext"`
	Parent      struct{ SpanID string }          `json:"parentSpanContext"`
	Status      struct{ Message string }
	Resource    struct {
		Raw [][2]any `json:"_rawAttributes"`
	}
	ScopeMetrics []struct {
		Metrics []struct {
			Descriptor struct{ Name, Type, Unit string }
			DataPoints []struct {
				Attributes map[string]any
				Value      any
			}
		}
	}
}

func (e *entry) event() string { s, _ := e.Attributes["event.name"].(string); return s }

// split reads an outfile as the tests of Gemini CLI do: it splits at a brace that
// ends a line and one that begins the next, and gives each piece its braces back.
func split(t *testing.T, path string) []entry {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	pieces := regexp.MustCompile(`}\n{`).Split(string(data), -1)
	var all []entry
	for i, piece := range pieces {
		if i > 0 {
			piece = "{" + piece
		}
		if i < len(pieces)-1 {
			piece += "}"
		}
		if strings.TrimSpace(piece) == "" {
			continue
		}
		var e entry
		if err := json.Unmarshal([]byte(piece), &e); err != nil {
			t.Fatalf("piece %d is no JSON: %v\n%.300s", i, err, piece)
		}
		names := map[string]bool{}
		_, attributes, _ := strings.Cut(piece, "\n  \"attributes\": {\n")
		for _, line := range regexp.MustCompile(`(?m)^ {4}("[^"]+"): `).FindAllString(attributes, -1) {
			if names[line] {
				t.Errorf("%s is there twice in %s%s", line, e.Name, e.event())
			}
			names[line] = true
		}
		all = append(all, e)
	}
	return all
}

// find returns the entries of an event.
func find(all []entry, event string) []entry {
	return slices.DeleteFunc(slices.Clone(all), func(e entry) bool { return e.event() != event })
}

// metric returns the data points of a metric as it was last written.
func metric(all []entry, name string) (points []map[string]any, values []any) {
	for _, e := range all {
		for _, scope := range e.ScopeMetrics {
			for _, m := range scope.Metrics {
				if m.Descriptor.Name != name {
					continue
				}
				points, values = nil, nil
				for _, p := range m.DataPoints {
					points, values = append(points, p.Attributes), append(values, p.Value)
				}
			}
		}
	}
	return points, values
}

// warnings collects warnings.
type warnings struct {
	mu    sync.Mutex
	lines []string
}

func (s *warnings) warn(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, text)
}

// options are those of a session that writes to a file.
func options(path string, s *warnings) Options {
	return Options{
		Settings: Settings{Enabled: true, Outfile: path, LogPrompts: true},
		Warn:     s.warn, Session: func() string { return "session-1" }, Version: "9",
		Installation: func() string { return "here" },
	}
}

// model returns fixed responses.
type model struct {
	llm.Generator
	chunks []*llm.Response
	err    error
}

func (m *model) Stream(context.Context, *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		for _, c := range m.chunks {
			if !yield(c, nil) {
				return
			}
		}
		if m.err != nil {
			yield(nil, m.err)
		}
	}
}

func (m *model) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	if m.err != nil {
		return nil, m.err
	}
	return m.chunks[0], nil
}

func drain(g llm.Generator, req *llm.Request) {
	for range g.Stream(context.Background(), req) {
	}
}

func answerOf(text string) *llm.Response {
	return &llm.Response{
		Candidates:   []llm.Candidate{{Content: llm.Model(llm.Text(text)), FinishReason: llm.FinishStop}},
		Usage:        &llm.Usage{Prompt: 7, Candidates: 2, Thoughts: 1, CachedContent: 3, Total: 10},
		ModelVersion: "m-1",
	}
}

// play is a run with these events.
func play(events ...agent.Event) records.Runner {
	return func(context.Context, agent.Prompt) iter.Seq2[agent.Event, error] {
		return func(yield func(agent.Event, error) bool) {
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

func ask(text string) *llm.Request {
	return &llm.Request{Model: "m", Contents: []*llm.Content{llm.User(llm.Text(text))}, PromptID: "session-1########0"}
}

func TestOff(t *testing.T) {
	t.Parallel()
	var s warnings
	o := options(filepath.Join(t.TempDir(), "t.log"), &s)
	o.Enabled = false
	off := Start(o)
	if off != nil {
		t.Fatal("it began though it is off")
	}
	n := 0
	for range records.New(off).Run(t.Context(), agent.Prompt{}, play(agent.TurnStarted{}, agent.Finished{})) {
		n++
	}
	drain(records.New(off).Observe(&model{chunks: []*llm.Response{answerOf("x")}}), ask("x"))
	for _, r := range records.Kinds() {
		off.Record(r)
	}
	off.Close()
	if n != 2 {
		t.Errorf("%d events came through", n)
	}
	if _, err := os.Stat(o.Outfile); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a file: %v", err)
	}
}

func TestSession(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "dir", "t.log")
	var s warnings
	o := options(path, &s)
	o.Mode = func() string { return "yolo" }
	o.Provider = func(string) string { return "vendor" }
	tel := Start(o)
	g := observe.Wrap(&model{chunks: []*llm.Response{answerOf("hel"), answerOf("lo")}}, tel)
	bad := observe.Wrap(&model{err: &llm.Error{Kind: llm.KindServer, Status: 503, Message: "overloaded"}}, tel)
	call := &agent.ToolCall{ID: "edit__1", Name: "edit", Args: json.RawMessage(`{"file_path":"a.go"}`), PromptID: "session-1########0"}
	refused := &agent.ToolCall{ID: "rm__2", Name: "rm", Args: json.RawMessage(`{}`), PromptID: "session-1########0"}
	edit := &tool.Result{
		Content: []llm.Part{llm.Text("ok")}, Lines: tool.LineChange{Added: 2, Removed: 1},
		Display: &tool.DiffDisplay{FilePath: "/w/a.go", After: "a\nb\n", Stat: tool.DiffStat{ModelAddedLines: 2, ModelRemovedLines: 1}},
	}
	run := func(ctx context.Context, p agent.Prompt) iter.Seq2[agent.Event, error] {
		if p.ID != "session-1########0" {
			t.Errorf("the prompt is %s", p.ID)
		}
		drain(g, ask("hello"))
		drain(bad, ask("hello"))
		return play(
			agent.TurnStarted{Turn: 1}, agent.ModelInfo{Model: "m"},
			agent.Waiting{Retry: llm.Retry{Attempt: 1, MaxAttempts: 3, Delay: time.Second, Err: &llm.Error{Kind: llm.KindServer}, Model: "m"}},
			agent.Retried{Cause: agent.InvalidStream{Type: "NO_FINISH_REASON", Message: "broken"}},
			agent.ToolRequested{Call: call}, agent.ToolRequested{Call: refused}, agent.Finished{},
			withResponse(agenttest.FinishedAfter(5*time.Millisecond, call, agent.Success, edit), llm.Part{FunctionResponse: llm.Output("1", "edit", "ok")}),
			agent.ToolFinished{Call: refused, Status: agent.CallCancelled, Result: &tool.Result{}, Executions: []agent.Execution{agenttest.Refuse(refused, &tool.Result{}).Record}},
			agent.InvalidStream{Type: "NO_RESPONSE_TEXT", Message: "nothing"},
			agent.LoopDetected{Kind: "consecutive_identical_tool_calls"},
			agent.Switched{Switch: llm.Switch{From: "m", To: "n"}},
		)(ctx, p)
	}
	tel.Record(records.SessionConfigured{Model: "m", OutputFormat: "text"})
	for range records.New(tel).Run(t.Context(), agent.Prompt{ID: "session-1########0", Parts: []llm.Part{llm.Text("hello")}}, run) {
	}
	tel.Record(records.ModeSwitched{From: "default", To: "plan"})
	tel.Record(records.ModeSwitched{From: "plan", To: "plan"})
	tel.Record(records.PlanApproved{})
	tel.Record(records.RipgrepMissing{})
	tel.Record(records.ModelRouted{
		PromptID: "session-1########0", Model: "m", Source: "default", Took: time.Millisecond, Reasoning: "because", Err: errors.New("timeout"),
	})
	tel.Record(records.WebFetchFellBack{Reason: "primary_failed"})
	tel.Record(records.EditMade{Strategy: "flexible"})
	tel.Record(records.EditCorrected{})
	tel.Record(records.LoopChecked{PromptID: "session-1########0", First: 0.95, Second: -1})
	tel.Record(records.CommandRun{Name: "memory show", Failed: true})
	tel.Record(records.HistoryCompressed{Compression: agent.Compression{Status: agent.CompressedOK, Before: 90, After: 9}})
	tel.Record(records.ModelChosen{Model: "other"})
	tel.Record(records.Rewound{})
	tel.Record(records.SessionStarted{Phases: []records.Phase{
		{Name: "load_settings", Start: time.UnixMilli(1000), End: time.UnixMilli(1005)},
		{Name: "cli_startup", Start: time.UnixMilli(1000), End: time.UnixMilli(1009)},
	}})
	tel.Record(records.ExitForced{})
	tel.Close()
	tel.Close()
	if len(s.lines) > 0 {
		t.Errorf("warnings: %q", s.lines)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info, err)
	}

	all := split(t, path)
	for event, n := range map[string]int{
		"gemini_cli.config": 1, "gemini_cli.user_prompt": 1, "gemini_cli.api_request": 2, "gemini_cli.api_response": 1,
		"gemini_cli.api_error": 1, "gen_ai.client.inference.operation.details": 4, "gemini_cli.tool_call": 2,
		"gemini_cli.file_operation": 1, "gemini_cli.network_retry_attempt": 1, "gemini_cli.chat.content_retry": 1,
		"gemini_cli.chat.content_retry_failure": 1, "gemini_cli.chat_compression": 1, "gemini_cli.loop_detected": 1,
		"gemini_cli.conversation_finished": 1, "gemini_cli.plan.approval_mode_switch": 1, "gemini_cli.plan.approval_mode_duration": 2,
		"gemini_cli.plan.execution": 1, "gemini_cli.ripgrep_fallback": 1, "gemini_cli.model_routing": 1,
		"gemini_cli.web_fetch_fallback_attempt": 1, "gemini_cli.edit_strategy": 1, "gemini_cli.edit_correction": 1, "gemini_cli.llm_loop_check": 1,
		"gemini_cli.slash_command": 1, "gemini_cli.slash_command.model": 1,
		"gemini_cli.rewind": 1, "gemini_cli.startup_stats": 1, "gemini_cli.flash_fallback": 1,
	} {
		found := find(all, event)
		if len(found) != n {
			t.Errorf("%s is there %d times, want %d", event, len(found), n)
		}
		for _, e := range found {
			a := e.Attributes
			if e.Scope.Name != "gemini-cli" || e.Body == "" || len(e.HrTime) != 2 || a["session.id"] != "session-1" || a["installation.id"] != "here" ||
				a["interactive"] != false || a["event.timestamp"] == nil || !slices.Contains(e.Resource.Raw, [2]any{"service.name", "gemini-cli"}) {
				t.Errorf("%s is %+v", event, e)
			}
		}
	}

	check := func(what string, got map[string]any, want map[string]any) {
		t.Helper()
		for key, value := range want {
			if fmt.Sprint(got[key]) != fmt.Sprint(value) {
				t.Errorf("%s: %s is %v, want %v", what, key, got[key], value)
			}
		}
	}
	check("prompt", find(all, "gemini_cli.user_prompt")[0].Attributes, map[string]any{"prompt": "hello", "prompt_length": 5, "prompt_id": "session-1########0"})
	check("request", find(all, "gemini_cli.api_request")[0].Attributes, map[string]any{
		"model": "m", "role": "main", "request_text": `[{"role":"user","parts":[{"text":"hello"}]}]`,
	})
	check("response", find(all, "gemini_cli.api_response")[0].Attributes, map[string]any{
		"status_code": 200, "input_token_count": 7, "output_token_count": 2, "cached_content_token_count": 3, "thoughts_token_count": 1, "total_token_count": 10,
		"finish_reasons": "[stop]",
	})
	check("error", find(all, "gemini_cli.api_error")[0].Attributes, map[string]any{
		"error.message": "overloaded", "model_name": "m", "status_code": 503, "http.status_code": 503, "error.type": "SERVER_ERROR",
	})
	calls := find(all, "gemini_cli.tool_call")
	check("call", calls[0].Attributes, map[string]any{
		"function_name": "edit", "function_args": "{\n  \"file_path\": \"a.go\"\n}", "duration_ms": 5, "success": true, "decision": "accept",
		"tool_type": "native", "content_length": 2, "prompt_id": "session-1########0",
	})
	if m, _ := calls[0].Attributes["metadata"].(map[string]any); m["model_added_lines"] != 2.0 {
		t.Errorf("metadata is %v", calls[0].Attributes["metadata"])
	}
	check("refused", calls[1].Attributes, map[string]any{"function_name": "rm", "success": false, "decision": "reject", "error_type": "cancelled", "error.type": "cancelled"})
	check("command", find(all, "gemini_cli.slash_command")[0].Attributes, map[string]any{"command": "memory", "subcommand": "show", "status": "error"})
	check("rewind", find(all, "gemini_cli.rewind")[0].Attributes, map[string]any{"outcome": "rewind_only"})
	check("startup", find(all, "gemini_cli.startup_stats")[0].Attributes, map[string]any{
		"phases": `[{"name":"load_settings","duration_ms":5,"start_time_usec":1000000,"end_time_usec":1005000},` +
			`{"name":"cli_startup","duration_ms":9,"start_time_usec":1000000,"end_time_usec":1009000}]`,
	})
	check("model", find(all, "gemini_cli.slash_command.model")[0].Attributes, map[string]any{"model_name": "other"})
	check("fetch", find(all, "gemini_cli.web_fetch_fallback_attempt")[0].Attributes, map[string]any{"reason": "primary_failed"})
	check("strategy", find(all, "gemini_cli.edit_strategy")[0].Attributes, map[string]any{"strategy": "flexible"})
	check("correction", find(all, "gemini_cli.edit_correction")[0].Attributes, map[string]any{"correction": "failure"})
	check("judgement", find(all, "gemini_cli.llm_loop_check")[0].Attributes, map[string]any{
		"prompt_id": "session-1########0", "flash_confidence": 0.95, "main_model": nil, "main_model_confidence": -1,
	})
	check("file", find(all, "gemini_cli.file_operation")[0].Attributes, map[string]any{"tool_name": "edit", "operation": "create", "lines": 3, "extension": ".go", "programming_language": "Go"})

	for name, want := range map[string]string{
		"gemini_cli.session.count":       "[1]",
		"gemini_cli.tool.call.count":     "[1 1]",
		"gemini_cli.api.request.count":   "[1 1]",
		"gemini_cli.token.usage":         "[7 2 1 3 0]",
		"gemini_cli.lines.changed":       "[2 1]",
		"gemini_cli.chat_compression":    "[1]",
		"gemini_cli.network_retry.count": "[1]",
		"gemini_cli.exit.fail.count":     "[1]",

		"gemini_cli.slash_command.model.call_count": "[1]",
	} {
		if _, got := metric(all, name); fmt.Sprint(got) != want {
			t.Errorf("%s is %v, want %s", name, got, want)
		}
	}
	points, values := metric(all, "gemini_cli.tool.call.latency")
	if v, _ := values[0].(map[string]any); v["count"] != 1.0 || v["sum"] != 5.0 || v["min"] != 5.0 || v["max"] != 5.0 || points[0]["function_name"] != "edit" {
		t.Errorf("latency is %v of %v", v, points[0])
	}

	// Spans hang together.
	ids, parents, traces := map[string]string{}, map[string]string{}, map[string]bool{}
	for _, e := range all {
		if e.Name != "" {
			ids[e.Name], parents[e.Name] = e.SpanContext.SpanID, e.Parent.SpanID
			traces[e.SpanContext.TraceID] = true
		}
	}
	if len(traces) != 1 || parents["user_prompt"] != "" || parents["llm_call"] != ids["user_prompt"] ||
		parents["schedule_tool_calls"] != ids["user_prompt"] || parents["tool_call"] != ids["schedule_tool_calls"] {
		t.Errorf("spans %v have parents %v in traces %v", ids, parents, traces)
	}
}

// Without logPrompts, no text of the conversation is written, and with traces all of it.
func TestLogPrompts(t *testing.T) {
	t.Parallel()
	const marker = "quetzalcoatlus"
	record := func(prompts, traces bool) string {
		path := filepath.Join(t.TempDir(), "t.log")
		var s warnings
		o := options(path, &s)
		o.LogPrompts, o.Traces = prompts, traces
		tel := Start(o)
		req := ask(marker)
		req.Config.SystemInstruction = llm.User(llm.Text(marker))
		req.Config.Tools = []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{{Name: "f", Description: marker}}}}
		drain(observe.Wrap(&model{chunks: []*llm.Response{answerOf(marker)}}, tel), req)
		call := &agent.ToolCall{ID: "f__1", Name: "f", Args: json.RawMessage(`{"x":"` + marker + `"}`)}
		for range records.New(tel).Run(t.Context(), agent.Prompt{ID: "session-1########0", Parts: []llm.Part{llm.Text(marker)}}, play(
			agent.ToolRequested{Call: call},
			withResponse(agenttest.Finished(call, agent.Failed, tool.Fail(tool.ErrUnknown, marker)), llm.Text(marker)),
		)) {
		}
		tel.Record(records.ModelRouted{Model: "m", Source: "s", Reasoning: marker})
		tel.Close()
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if got := record(false, true); strings.Contains(got, marker) {
		t.Errorf("without prompts: %s", got)
	}
	small, large := strings.Count(record(true, false), marker), strings.Count(record(true, true), marker)
	if small == 0 || large <= small {
		t.Errorf("it was said %d times, with traces %d times", small, large)
	}
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	const key, odd = "sk-very-secret-key", `pass"word\with`
	path := filepath.Join(t.TempDir(), "t.log")
	var s warnings
	o := options(path, &s)
	o.Traces = true
	o.Clean = secret.NewEraser([]string{key, odd, "hi"})
	tel := Start(o)
	var halves []*llm.Response
	quoted, _ := json.Marshal(map[string]string{"command": "curl -H " + key + " -u " + odd})
	call := &agent.ToolCall{ID: "sh__1", Name: "sh", Args: quoted}
	for _, half := range []string{key[:7], key[7:]} { // as it streams
		halves = append(halves, answerOf(half))
	}
	drain(observe.Wrap(&model{chunks: halves}, tel), ask("which key?"))
	m := &model{chunks: []*llm.Response{answerOf(key + odd)}, err: &llm.Error{Kind: llm.KindForbidden, Message: "key " + key + " is bad"}}
	drain(observe.Wrap(m, tel), ask(key+" and "+odd))
	for range records.New(tel).Run(t.Context(), agent.Prompt{ID: "session-1########0", Parts: []llm.Part{llm.Text(key + odd + " hi")}}, play(
		agent.ToolRequested{Call: call},
		withResponse(agenttest.Finished(call, agent.Failed, tool.Fail(tool.ErrShell, odd+key)), llm.Part{FunctionResponse: llm.Output("1", "sh", odd+key)}),
	)) {
	}
	tel.Close()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"very-secret", "sk-very", "-secret-key", `pass`, `word`} {
		if strings.Contains(string(data), bad) {
			t.Errorf("%q is in the file", bad)
		}
	}
	if !strings.Contains(string(data), secret.Redacted) || !strings.Contains(string(data), " hi") {
		t.Error("the removed secret left no mark, or a word was taken for a secret")
	}
	split(t, path)
}

// Several programs share a file, and every object stays whole.
func TestSharedFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "t.log")
	const sessions, prompts = 6, 40
	var wg sync.WaitGroup
	var s warnings
	for i := range sessions {
		wg.Go(func() {
			o := options(path, &s)
			o.Session = func() string { return fmt.Sprint("session-", i) }
			tel := Start(o)
			tel.timeout = time.Minute // a slow machine is no reason to lose records here
			g := observe.Wrap(&model{chunks: []*llm.Response{answerOf(strings.Repeat("x", 3000))}}, tel)
			for range prompts {
				drain(g, ask(strings.Repeat("y}\n{", 2000)))
			}
			tel.Close()
		})
	}
	wg.Wait()
	if got := len(find(split(t, path), "gemini_cli.api_request")); got != sessions*prompts || len(s.lines) > 0 {
		t.Errorf("%d requests, want %d; %q", got, sessions*prompts, s.lines)
	}
}

func TestNoPlace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		set  Settings
		want string
	}{
		{"a directory", Settings{Outfile: dir}, "Telemetry is off: cannot write the outfile: "},
		{"below a file", Settings{Outfile: plain + "/x"}, "Telemetry is off: cannot write the outfile: "},
		{"NUL", Settings{Outfile: "a\x00b"}, "Telemetry is off: cannot write the outfile: "},
		{"Google", Settings{Google: true, Endpoint: "http://127.0.0.1:1"}, "Telemetry is off: Pollux cannot send telemetry to Google Cloud directly."},
		{"both", Settings{Collector: true, CLIAuth: true, Outfile: plain}, "Telemetry is off: set either telemetry.useCollector or telemetry.useCliAuth, not both."},
		{"a login", Settings{CLIAuth: true, Outfile: plain}, "Telemetry is off: Pollux does not support telemetry.useCliAuth"},
		{"nowhere", Settings{}, "Telemetry is off: set telemetry.outfile or telemetry.otlpEndpoint."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var s warnings
			tt.set.Enabled = true
			if tel := Start(Options{Settings: tt.set, Warn: s.warn, Session: func() string { return "" }}); tel != nil {
				tel.Close()
				t.Error("it began")
			}
			if len(s.lines) != 1 || !strings.HasPrefix(s.lines[0], tt.want) {
				t.Errorf("warnings: %q", s.lines)
			}
		})
	}
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	var s warnings
	tel := Start(options("/dev/full", &s))
	for range 10 {
		drain(observe.Wrap(&model{chunks: []*llm.Response{answerOf("x")}}, tel), ask("y"))
	}
	tel.Close()
	if len(s.lines) != 1 || !strings.HasPrefix(s.lines[0], "Telemetry is incomplete: ") {
		t.Errorf("warnings: %q", s.lines)
	}
}

// The queue is bounded in bytes, too.
func TestBoundedMemory(t *testing.T) {
	t.Parallel()
	tel := &Telemetry{queue: make(chan any, maxQueue), o: Options{Session: func() string { return "" }}}
	text := strings.Repeat("x", 1<<20)
	for range 100 {
		tel.event("big", "", "", attrs{{"text", text}})
	}
	if held := tel.waiting.Load(); held > maxWaiting || tel.dropped.Load() == 0 {
		t.Errorf("%d bytes wait, %d were dropped", held, tel.dropped.Load())
	}
}

// A record holds the newest messages of a history that is larger than it may be.
func TestLargeRequest(t *testing.T) {
	t.Parallel()
	var contents []*llm.Content
	for i := range 40 {
		contents = append(contents, llm.User(llm.Text(fmt.Sprint(i, strings.Repeat("x", 100_000)))))
	}
	text := newest(contents, func(b []byte, c *llm.Content) []byte { return c.AppendJSON(b) })
	var got []*llm.Content
	if err := json.Unmarshal([]byte(text), &got); err != nil || len(text) > maxText {
		t.Fatalf("%d bytes: %v", len(text), err)
	}
	if last := got[len(got)-1].Text(); len(got) < 9 || !strings.HasPrefix(last, "39x") {
		t.Errorf("%d messages, the last is %.10s", len(got), last)
	}
}

// Messages are recorded as the conventions for generative AI require.
func TestMessages(t *testing.T) {
	t.Parallel()
	c := llm.Model(
		llm.Part{Text: "hm", Thought: true}, llm.Text("hi"),
		llm.Part{FunctionCall: &llm.FunctionCall{ID: "1", Name: "f", Args: json.RawMessage(`{"a":1}`)}},
		llm.Part{FunctionCall: &llm.FunctionCall{ID: "2", Name: "g", Args: json.RawMessage(`{"a":`)}},
		llm.Part{FunctionCall: &llm.FunctionCall{Name: "h"}},
		llm.Part{FunctionResponse: llm.Output("1", "f", "ok")},
	)
	want := `{"role":"assistant","parts":[{"type":"reasoning","content":"hm"},{"type":"text","content":"hi"},` +
		`{"type":"tool_call","id":"1","name":"f","arguments":{"a":1}},{"type":"tool_call","id":"2","name":"g","arguments":"{\"a\":"},` +
		`{"type":"tool_call","id":"","name":"h","arguments":null},{"type":"tool_call_response","id":"1","response":{"output":"ok"}}]}`
	if got := string(appendMessage(nil, c)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	call := llm.Part{FunctionCall: &llm.FunctionCall{ID: "1", Name: "f", Args: json.RawMessage(`{}`)}}
	signed := llm.Part{Text: "so", Thought: true, ThoughtSignature: "s"}
	for want, chunks := range map[string][][]llm.Part{
		`[{"role":"assistant","parts":[],"finish_reason":"stop"}]`: nil,
		`[{"role":"assistant","parts":[{"type":"reasoning","content":"hm, so"},{"type":"text","content":"hel"},` +
			`{"type":"tool_call","id":"1","name":"f","arguments":{}},{"type":"text","content":"lo"}],"finish_reason":"stop"}]`: {
			{{Text: "hm, ", Thought: true}}, {{Text: "so", Thought: true}, llm.Text("h")}, {llm.Text("el"), call, llm.Text("l")}, {llm.Text("o")},
		},
		`[{"role":"assistant","parts":[{"type":"reasoning","content":"hm, "},{"type":"reasoning","content":"so"},{"type":"text","content":"x"}],"finish_reason":"stop"}]`: {
			{{Text: "hm, ", Thought: true}}, {signed}, {llm.Text("x")},
		},
		`[{"role":"assistant","parts":[{"type":"tool_call","id":"1","name":"f","arguments":{}},{"type":"tool_call","id":"1","name":"f","arguments":{}}],"finish_reason":"stop"}]`: {{call}, {call}},
	} {
		var a whole
		for _, parts := range chunks {
			a.add(&llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(parts...)}}})
		}
		if got := a.message([]string{"stop"}); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}

	// As JSON it is one answer, with the details of the last chunks, however long it is.
	var a whole
	for range 3 {
		a.add(&llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(llm.Text(strings.Repeat("x", maxText/2)))}}})
	}
	a.add(&llm.Response{Candidates: []llm.Candidate{{FinishReason: llm.FinishStop}}})
	a.add(&llm.Response{Usage: &llm.Usage{Total: 7}, ModelVersion: "m-1"})
	var got []llm.Response
	if err := json.Unmarshal([]byte(a.text()), &got); err != nil || len(got) != 1 || got[0].Usage.Total != 7 || got[0].ModelVersion != "m-1" ||
		got[0].Candidates[0].FinishReason != llm.FinishStop || len(got[0].Text()) < maxText || len(got[0].Text()) > 2*maxText {
		t.Errorf("%v: %.200s", err, a.text())
	}
	if got := (&whole{}).text(); got != "[{}]" {
		t.Errorf("no answer at all is %s", got)
	}
}

// Names that a model makes up fill no memory.
func TestManyPoints(t *testing.T) {
	t.Parallel()
	var m meters
	what := counter("c", "A test.")
	for i := range 5 * maxPoints {
		m.add(what, 1, attrs{{"name", fmt.Sprint(i)}})
	}
	r := m.read()
	last := r[0].points[len(r[0].points)-1]
	if len(r[0].points) != maxPoints+1 || last.sum != 4*maxPoints || last.attrs[0].key != "otel.metric.overflow" {
		t.Errorf("%d points, the last is %+v", len(r[0].points), last)
	}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "t.log")
	var s warnings
	o := options(path, &s)
	o.Memory = 20 * time.Millisecond
	Start(o).Close()
	points, values := metric(split(t, path), "gemini_cli.memory.usage")
	kinds := map[any]bool{}
	for i, p := range points {
		kinds[p["memory_type"]] = values[i].(map[string]any)["sum"].(float64) > 0
	}
	if !kinds["heap_used"] || !kinds["heap_total"] || !kinds["rss"] {
		t.Errorf("measured are %v", kinds)
	}
}

func TestMalformedJSON(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "t.log")
	var s warnings
	o := options(path, &s)
	o.LogPrompts = false
	tel := Start(o)
	req := ask("x")
	req.Config.ResponseMIMEType = "application/json"
	_, _ = observe.Wrap(&model{chunks: []*llm.Response{answerOf(`{"a":`)}}, tel).Generate(t.Context(), req)
	_, _ = observe.Wrap(&model{chunks: []*llm.Response{answerOf(`{"a":1}`)}}, tel).Generate(t.Context(), req)
	tel.Close()
	if n := len(find(split(t, path), "gemini_cli.malformed_json_response")); n != 1 {
		t.Errorf("%d answers are called malformed", n)
	}
}

func TestSteps(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "t.log")
	var s warnings
	tel := Start(options(path, &s))
	history := []agent.Message{{Content: llm.User(llm.Text(strings.Repeat("word ", 400)))}, {Content: llm.Model(llm.Text("x"))}}
	after := slices.Clone(history)
	after[0].Content = llm.User(llm.Text("gone"))
	tel.Record(records.HistoryMasked{Before: history, After: after, Saved: 100})
	tel.Record(records.NextSpeakerChecked{Role: llm.RoleModel})
	tel.Close()
	all := split(t, path)
	put := find(all, "gemini_cli.tool_output_masking")
	if len(put) != 1 || put[0].Attributes["masked_count"] != 1.0 ||
		put[0].Attributes["tokens_before"].(float64)-put[0].Attributes["tokens_after"].(float64) != 100 {
		t.Errorf("the event of masking is %+v", put)
	}
	if spoke := find(all, "gemini_cli.next_speaker_check"); len(spoke) != 1 || spoke[0].Attributes["result"] != "model" {
		t.Errorf("the event of the next speaker is %+v", spoke)
	}
}

// TestPrompts checks how prompts end, and that nothing of them stays in memory. A prompt of another session
// carries its id.
func TestPrompts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "t.log")
	var s warnings
	o := options(path, &s)
	session := "session-1"
	o.Session = func() string { return session }
	tel := Start(o)
	stream := records.New(tel)
	for id, events := range []records.Runner{
		play(agent.TurnStarted{}, agent.Finished{}),
		play(agent.TurnStarted{}, agent.Cancelled{}),
		func(context.Context, agent.Prompt) iter.Seq2[agent.Event, error] {
			return func(yield func(agent.Event, error) bool) { yield(nil, errors.New("boom")) }
		},
	} {
		session = fmt.Sprint("session-", id)
		for range stream.Run(t.Context(), agent.Prompt{ID: fmt.Sprint(id)}, events) {
		}
	}
	if len(tel.prompts) > 0 {
		t.Errorf("%d prompts are in memory", len(tel.prompts))
	}
	tel.Record(&records.AgentEvent{PromptID: "gone", Event: agent.LoopDetected{}})
	tel.Record(records.PromptEnded{PromptID: "gone"})
	tel.Close()
	all := split(t, path)
	var got []string
	for _, e := range all {
		if e.Name == "user_prompt" {
			got = append(got, fmt.Sprint(e.Attributes["gen_ai.prompt.name"], " ", e.Status.Message))
		}
	}
	if want := []string{"0 ", "1 cancelled", "2 boom"}; !slices.Equal(got, want) {
		t.Errorf("the prompts are %q, want %q", got, want)
	}
	for id, e := range find(all, "gemini_cli.user_prompt") {
		if want := fmt.Sprint("session-", id); e.Attributes["session.id"] != want {
			t.Errorf("the session is %v, want %s", e.Attributes["session.id"], want)
		}
	}
	if found := find(all, "gemini_cli.loop_detected"); len(found) > 0 {
		t.Errorf("an event of an unknown prompt is recorded: %+v", found)
	}
}

// Off costs nothing: no goroutine, no allocation.
func BenchmarkOff(b *testing.B) {
	var tel *Telemetry
	before := runtime.NumGoroutine()
	b.ReportAllocs()
	for b.Loop() {
		if Start(Options{}) != nil {
			b.Fatal("it began")
		}
		tel.Record(records.Rewound{})
		tel.Close()
	}
	if n := runtime.NumGoroutine(); n > before {
		b.Errorf("%d goroutines more", n-before)
	}
}

// BenchmarkRequest measures the cost of a request for the run, without the writer's work: only
// the list of messages is copied from the history.
func BenchmarkRequest(b *testing.B) {
	for _, n := range []int{10, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			tel := &Telemetry{o: options(os.DevNull, &warnings{}), queue: make(chan any, 1)} // that is never emptied
			req := ask("x")
			req.Contents = slices.Repeat(req.Contents, n)
			b.ReportAllocs()
			for b.Loop() {
				tel.Begin(req)
			}
		})
	}
}

// withResponse returns the end of a call with its response for the model.
func withResponse(f agent.ToolFinished, parts ...llm.Part) agent.ToolFinished {
	f.Response = parts
	return f
}

// TestExecutions checks that each call that ran is a record of its own: those with which hooks continued a call,
// those of agents inside a call, and those that no prompt has led to.
func TestExecutions(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "telemetry.json")
	var w warnings
	tel := Start(options(path, &w))
	ran := func(name string) agent.Execution {
		return agent.Execution{Name: name, Args: json.RawMessage(`{"ran":"` + name + `"}`), Status: agent.Success, HasRun: true, Result: tool.Text(name)}
	}
	call := &agent.ToolCall{ID: "a__1", Name: "a", Args: json.RawMessage(`{"written":true}`), PromptID: "session-1########0"}
	outer := agent.ToolFinished{Call: call, Status: agent.Success, Result: tool.Text("b"), Executions: []agent.Execution{ran("a"), ran("b")}}
	inner := agent.ToolFinished{Call: call, Status: agent.Success, Result: tool.Text("c"), Executions: []agent.Execution{ran("c")}}
	for range records.New(tel).Run(t.Context(), agent.Prompt{ID: "session-1########0", Parts: []llm.Part{llm.Text("go")}}, play(
		agent.ToolRequested{Call: call}, agent.Nested{Call: call, Event: agent.Nested{Call: call, Event: inner}}, outer,
	)) {
	}
	d := ran("d")
	d.Changes = &tool.Changes{Created: 1, Changed: 2, Deleted: 3, Added: 4, Removed: 5, Files: []tool.FileChange{{Path: "private"}}}
	served := agent.ToolFinished{Call: call, Status: agent.Success, Result: tool.Text("d"), Executions: []agent.Execution{d}}
	tel.Record(records.ClientCall{Finished: served})
	tel.Close()
	calls := find(split(t, path), "gemini_cli.tool_call")
	want := map[string]any{"files_created": 1.0, "files_changed": 2.0, "files_deleted": 3.0, "lines_added": 4.0, "lines_removed": 5.0}
	if diff := cmp.Diff(want, calls[len(calls)-1].Attributes["metadata"]); diff != "" {
		t.Errorf("the changes of files (-want +got):\n%s", diff)
	}
	if data, err := os.ReadFile(path); err != nil || bytes.Contains(data, []byte("private")) || !bytes.Contains(data, []byte("gemini_cli.lines.changed")) {
		t.Errorf("%v\n%s", err, data)
	}
	var got []string
	for _, e := range calls {
		name, args := fmt.Sprint(e.Attributes["function_name"]), fmt.Sprint(e.Attributes["function_args"])
		got = append(got, fmt.Sprint(name, " ", strings.Contains(args, `"ran": "`+name+`"`)))
	}
	if want := "c true, a true, b true, d true"; strings.Join(got, ", ") != want {
		t.Errorf("recorded %s, want %s", strings.Join(got, ", "), want)
	}
}

// TestPlaceIn reads the traceparents of clients. One that W3C does not allow begins a trace of its own.
func TestPlaceIn(t *testing.T) {
	t.Parallel()
	const trace, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	for header, isGood := range map[string]bool{
		"00-" + trace + "-" + span + "-01":                    true,
		"00-" + trace + "-" + span + "-00":                    true,
		"cc-" + trace + "-" + span + "-01-what":               true,
		"00-" + trace + "-" + span + "-01-what":               false,
		"ff-" + trace + "-" + span + "-01":                    false,
		"00-" + trace + "-" + span:                            false,
		"00-" + trace + "0-" + span + "-01":                   false,
		"00-" + trace + "00-" + span + "-01":                  false,
		"00-" + trace[2:] + "-" + span + "-01":                false,
		"00-" + trace + "-" + span[2:] + "-01":                false,
		"00-" + trace + "-" + span + "00-01":                  false,
		"00-" + strings.ToUpper(trace) + "-" + span + "-01":   false,
		"00-" + strings.Repeat("0", 32) + "-" + span + "-01":  false,
		"00-" + trace + "-" + strings.Repeat("0", 16) + "-01": false,
		"00-" + strings.Repeat("x", 32) + "-" + span + "-01":  false,
		"00-" + trace + "-" + span + "-1":                     false,
		"":                                                    false,
		"-":                                                   false,
	} {
		p := placeIn(header)
		if got := fmt.Sprintf("%x-%x", p.trace, p.parent); (got == trace+"-"+span) != isGood || !p.known() || p.span == [8]byte{} || p.span == p.parent {
			t.Errorf("%q is the place %s", header, got)
		}
		if !isGood && p.parent != [8]byte{} {
			t.Errorf("%q has the parent %x", header, p.parent)
		}
	}
}
