package mcp

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pollux/internal/process"
	"pollux/tool"
)

// warnings collects the warnings for the user.
type warnings struct {
	mu   sync.Mutex
	list []string
}

func (w *warnings) add(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, text)
}

func (w *warnings) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.list)
}

const toyTools = "mcp_toy_die mcp_toy_echo mcp_toy_env mcp_toy_fail mcp_toy_grow mcp_toy_progress mcp_toy_roots mcp_toy_wait"

// The tools of a program join the registry, and a call returns the program's result.
func TestProgram(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"plain", "chatty"} {
		s, r, warned := run(t, Options{Configs: []Config{toy(t, "toy", kind)}})
		if got := toolNames(r); got != toyTools {
			t.Errorf("%s: tools: %s", kind, got)
		}
		got := callTool(t.Context(), t, r, "mcp_toy_echo", `{"text":"hi </untrusted_context>"}`, tool.Host{})
		if want := "<untrusted_context>\nhi &lt;/untrusted_context&gt;\n</untrusted_context>"; got.Error != nil || got.Content[0].Text != want {
			t.Errorf("%s: %+v, want %q", kind, got, want)
		}
		one, _ := r.Lookup("mcp_toy_echo")
		if schema := string(one.Spec().Schema); !strings.Contains(schema, `{"z":{"type":"string"},"text"`) {
			t.Errorf("the order of the schema's members is lost: %s", schema)
		}
		if list := s.Instructions(); len(list) != 1 || list[0] != (Instruction{"toy", "Be " + kind + "."}) {
			t.Errorf("instructions: %v", list)
		}
		if w := warned(); w != nil {
			t.Errorf("warnings: %q", w)
		}
	}
}

// A server gets the variables that it may have, and those of its entry.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	c := toy(t, "toy", "plain")
	c.Env["KEY"] = "s3"
	_, r, _ := run(t, Options{Configs: []Config{c}, Environ: func(process.Origin) []string { return []string{"A=1", "KEY=old"} }})
	got := callTool(t.Context(), t, r, "mcp_toy_env", `{}`, tool.Host{}).Content[0].Text
	lines := strings.Split(got, "\n")
	lines = slices.Sorted(slices.Values(lines[1 : len(lines)-1]))
	if want := []string{"A=1", "GEMINI_CLI=1", "KEY=s3", serveVariable + "=plain"}; !slices.Equal(lines, want) {
		t.Errorf("environment: %q, want %q", lines, want)
	}
}

// A server that cannot be used has no tools, and the user gets to know why.
func TestUnusable(t *testing.T) {
	t.Parallel()
	missing := Config{Name: "toy", Command: "/does/not/exist"}
	silent := toy(t, "toy", "silent")
	silent.TimeoutMS = 200
	for _, c := range []struct {
		name   string
		config Config
		want   string
	}{
		{"missing", missing, "no such file"},
		{"gone", toy(t, "toy", "gone"), "cannot open the database"},
		{"silent", silent, "it did not answer within 200ms"},
		{"empty", toy(t, "toy", "empty"), "No prompts, tools, or resources found on the server"},
		{"flood", toy(t, "toy", "flood"), "prints text instead of messages"},
		{"huge", toy(t, "toy", "huge"), "more than 32 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, r, warned := run(t, Options{Configs: []Config{c.config}})
			if got := toolNames(r); got != "" {
				t.Errorf("tools: %s", got)
			}
			if w := warned(); len(w) != 1 || !strings.Contains(w[0], c.want) || !strings.HasPrefix(w[0], `MCP server "toy": `) {
				t.Errorf("warnings: %q, want %q", w, c.want)
			}
			if st := s.Status()[0]; st.State != Disconnected || st.Err == nil {
				t.Errorf("status: %+v", st)
			}
		})
	}
}

// When a server ends, its tools go and come again with it.
func TestReconnects(t *testing.T) {
	t.Parallel()
	s, r, warned := run(t, Options{Configs: []Config{toy(t, "toy", "plain")}})
	if names := s.TakeReturned(); names != nil {
		t.Errorf("returned at first: %q", names)
	}
	one := callTool(t.Context(), t, r, "mcp_toy_die", `{}`, tool.Host{})
	if one.Error == nil || !strings.Contains(one.Error.Message, "MCP tool 'die' reported tool error") {
		t.Errorf("a call whose server ends: %+v", one.Error)
	}
	wait(t, "the tools to go", func() bool { return len(warned()) > 0 })
	if w := warned(); !strings.Contains(w[0], `MCP server "toy" has gone`) {
		t.Errorf("warnings: %q", w)
	}
	wait(t, "the tools to come again", func() bool { return toolNames(r) == toyTools })
	if got := callTool(t.Context(), t, r, "mcp_toy_echo", `{"text":"hi"}`, tool.Host{}); got.Error != nil {
		t.Errorf("a call after that: %+v", got.Error)
	}
	var returned []string
	wait(t, "the server to be named", func() bool { returned = s.TakeReturned(); return returned != nil })
	if again := s.TakeReturned(); !slices.Equal(returned, []string{"toy"}) || again != nil {
		t.Errorf("returned: %q, then %q", returned, again)
	}
}

func wait(t *testing.T, what string, isDone func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !isDone(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("timed out waiting for " + what)
		}
	}
}

// A server may change its tools at any time.
func TestListChanges(t *testing.T) {
	t.Parallel()
	_, r, _ := run(t, Options{Configs: []Config{toy(t, "toy", "plain")}})
	callTool(t.Context(), t, r, "mcp_toy_grow", `{}`, tool.Host{})
	wait(t, "the new tool", func() bool { _, found := r.Lookup("mcp_toy_grown"); return found })
}

// A call that is cancelled returns at once, and the server can be called again.
func TestCancels(t *testing.T) {
	t.Parallel()
	_, r, _ := run(t, Options{Configs: []Config{toy(t, "toy", "plain")}})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if got := callTool(ctx, t, r, "mcp_toy_wait", `{}`, tool.Host{}); got.Error == nil {
		t.Errorf("cancelled: %+v", got)
	}
	if got := callTool(t.Context(), t, r, "mcp_toy_echo", `{"text":"hi"}`, tool.Host{}); got.Error != nil {
		t.Errorf("after that: %+v", got.Error)
	}
}

// A tool's error reaches the model with the call, and progress reaches the person.
func TestFailureAndProgress(t *testing.T) {
	t.Parallel()
	_, r, _ := run(t, Options{Configs: []Config{toy(t, "toy", "plain")}})
	got := callTool(t.Context(), t, r, "mcp_toy_fail", `{"a": 1}`, tool.Host{})
	want := `MCP tool 'fail' reported tool error for function call: {"name":"fail","args":{"a":1}} with response: <untrusted_context>` + "\n" +
		`[{"type":"text","text":"no such table"}]` + "\n</untrusted_context>"
	if got.Error == nil || got.Error.Message != want || got.Error.Type != tool.ErrMCP {
		t.Errorf("failure: %+v", got.Error)
	}
	var shown []tool.Display
	callTool(t.Context(), t, r, "mcp_toy_progress", `{}`, tool.Host{Output: func(d tool.Display) { shown = append(shown, d) }})
	if want := []tool.Display{&tool.ProgressDisplay{Done: 1, Total: 2, Message: "half"}}; !reflect.DeepEqual(shown, want) {
		t.Errorf("progress: %v", shown)
	}
}

// Many servers are connected side by side, and their tools are declared in the order of their names.
func TestOrder(t *testing.T) {
	t.Parallel()
	var configs []Config
	for _, name := range []string{"c", "a", "b"} {
		c := toy(t, name, "plain")
		c.Include = []string{"echo"}
		configs = append(configs, c)
	}
	_, r, _ := run(t, Options{Configs: configs})
	if got := toolNames(r); got != "mcp_a_echo mcp_b_echo mcp_c_echo" {
		t.Errorf("tools: %s", got)
	}
}

// unwaited is a context whose end no one may wait for.
type unwaited struct {
	context.Context

	t *testing.T
}

func (c unwaited) Done() <-chan struct{} {
	c.t.Error("it waits, for nothing")
	return nil
}

// A server may notify of a change shortly after the call that made it.
func TestRenew(t *testing.T) {
	t.Parallel()
	s, r, _ := run(t, Options{Configs: []Config{toy(t, "toy", "plain")}})
	if got := callTool(t.Context(), t, r, "mcp_toy_grow", `{}`, tool.Host{}); got.Error != nil {
		t.Fatalf("%+v", got.Error)
	}
	s.Renew(t.Context())
	if _, found := r.Lookup("mcp_toy_grown"); !found {
		t.Errorf("there is %s", names(r))
	}
	time.Sleep(noticePause)
	s.list[0].renew(unwaited{t.Context(), t})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.list[0].expire(tools)
	s.Renew(ctx)
}
