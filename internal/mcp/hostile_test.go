package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pollux/internal/process/processtest"
	"pollux/tool"
)

// A server that offers very many tools has the first 10,000 of them.
func TestManyTools(t *testing.T) {
	t.Parallel()
	s, r, warned := run(t, Options{Configs: []Config{toy(t, "toy", "many")}})
	if n := len(r.Snapshot().Tools()); n != maxTools || len(s.Status()[0].Tools) != maxTools || warned() != nil {
		t.Errorf("%d tools, warnings %q", n, warned())
	}
	if got := callTool(t.Context(), t, r, "mcp_toy_tool9999", `{}`, tool.Host{}); got.Error != nil {
		t.Errorf("the last tool: %+v", got.Error)
	}
}

// All pages of a list are read, but a list without an end has one.
func TestPages(t *testing.T) {
	t.Parallel()
	_, r, _ := run(t, Options{Configs: []Config{toy(t, "toy", "pages")}})
	if got := names(r); got != "mcp_toy_tool0 mcp_toy_tool1 mcp_toy_tool2 mcp_toy_tool3 mcp_toy_tool4" {
		t.Errorf("tools: %s", got)
	}
	asked := 0
	endless, err := pages(10, func(cursor string) ([]int, string, error) { asked++; return []int{1, 2, 3}, cursor + "x", nil })
	if err != nil || len(endless) != 10 || asked != 4 {
		t.Errorf("endless: %d items, %d pages, %v", len(endless), asked, err)
	}
	empty, err := pages(10, func(cursor string) ([]int, string, error) { return nil, cursor + "x", nil })
	if err != nil || len(empty) != 0 {
		t.Errorf("pages without items: %v, %v", empty, err)
	}
	same, err := pages(10, func(string) ([]int, string, error) { return []int{1}, "x", nil })
	if err != nil || len(same) != 2 {
		t.Errorf("always the same page: %v, %v", same, err)
	}
	broken := errors.New("broken")
	if _, err := pages(10, func(string) ([]int, string, error) { return nil, "", broken }); !errors.Is(err, broken) {
		t.Errorf("error: %v", err)
	}
}

// Schemas with references, cycles and alternatives are passed on. Only an object is a schema.
func TestSchemas(t *testing.T) {
	t.Parallel()
	_, r, warned := run(t, Options{Configs: []Config{toy(t, "toy", "schemas")}})
	for name, want := range map[string]string{
		"cycle":  `"$defs":{"node":`,
		"self":   `{"$ref":"#"}`,
		"any":    `"anyOf":[{"type":"string"},{"type":"null"},{"$ref":"#/properties/x"}]`,
		"list":   `{"type":"object","properties":{}}`,
		"odd":    `"type":7`,
		"absent": `https://absent.example/s`,
	} {
		one, found := r.Lookup("mcp_toy_" + name)
		if !found || !strings.Contains(string(one.Spec().Schema), want) {
			t.Errorf("%s: found %v, warnings %q", name, found, warned())
			continue
		}
		if got := callTool(t.Context(), t, r, "mcp_toy_"+name, `{}`, tool.Host{}); got.Error != nil {
			t.Errorf("%s: %+v", name, got.Error)
		}
	}
	got := callTool(t.Context(), t, r, "mcp_toy_cycle", `{"root":{"next":{"next":{}}}}`, tool.Host{})
	if got.Error != nil {
		t.Errorf("nested: %+v", got.Error)
	}
}

// Whatever the names of tools are, the model gets names that providers accept, and no tool takes the place of
// another one's.
func TestNames(t *testing.T) {
	t.Parallel()
	s, r, _ := run(t, Options{Configs: []Config{toy(t, "my server", "names")}})
	accepted := regexp.MustCompile(`^mcp_my_server_[A-Za-z0-9_.:-]{1,49}$`)
	if list := r.Snapshot().Tools(); len(list) != 13 || len(s.Status()[0].Tools) != 13 {
		t.Errorf("tools: %s", names(r))
	}
	for _, one := range r.Snapshot().Tools() {
		name := one.Spec().Name
		if !accepted.MatchString(name) {
			t.Errorf("name %q", name)
		}
		remote, _ := tool.As[tool.Remote](one)
		got := callTool(t.Context(), t, r, name, `{}`, tool.Host{})
		if want := tool.Untrusted("called " + remote.RemoteName()); got.Error != nil || got.Content[0].Text != want {
			t.Errorf("%s: %+v, want %q", name, got, want)
		}
	}
}

// Text of a server cannot pretend to be another one's.
func TestEscapes(t *testing.T) {
	t.Parallel()
	_, r, _ := run(t, Options{Configs: []Config{toy(t, "toy", "escapes")}})
	got := callTool(t.Context(), t, r, "mcp_toy_paint", `{}`, tool.Host{})
	if text := got.Content[0].Text; strings.Count(text, "</untrusted_context>") != 1 || !strings.HasSuffix(text, "</untrusted_context>") {
		t.Errorf("result %q", text)
	}
}

// A tool that changes while it is called is declared as it is then, and its call has a result.
func TestChangesInCall(t *testing.T) {
	t.Parallel()
	_, r, _ := run(t, Options{Configs: []Config{toy(t, "toy", "changes")}})
	old, _ := r.Lookup("mcp_toy_turn")
	if got := callTool(t.Context(), t, r, "mcp_toy_turn", `{}`, tool.Host{}); got.Error != nil {
		t.Errorf("the call: %+v", got.Error)
	}
	wait(t, "the new description", func() bool {
		one, found := r.Lookup("mcp_toy_turn")
		return found && one.Spec().Description == "After"
	})
	inv, err := tool.Build(old, []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := inv.Run(t.Context(), tool.Host{}); got.Error == nil || !strings.HasPrefix(got.Error.Message, "Not run: ") {
		t.Errorf("a call that was made for the old tool: %+v", got)
	}
}

// An answer to another request is none to a call.
func TestAlienAnswers(t *testing.T) {
	t.Parallel()
	_, r, warned := run(t, Options{Configs: []Config{toy(t, "toy", "alien")}})
	for i := range 3 {
		got := callTool(t.Context(), t, r, "mcp_toy_ask", `{}`, tool.Host{})
		if got.Error != nil || got.Content[0].Text != tool.Untrusted("for this request") {
			t.Fatalf("call %d: %+v, warnings %q", i, got, warned())
		}
	}
}

// A call has an error as its result if the server ends or sends too much.
func TestDiesInCall(t *testing.T) {
	t.Parallel()
	for kind, call := range map[string]string{"dies": "die", "floods": "flood"} {
		_, r, warned := run(t, Options{Configs: []Config{toy(t, "toy", kind)}})
		got := callTool(t.Context(), t, r, "mcp_toy_"+call, `{}`, tool.Host{})
		if got.Error == nil || got.Error.Type != tool.ErrMCP {
			t.Errorf("%s: %+v", kind, got)
		}
		wait(t, "a warning", func() bool { return len(warned()) > 0 })
		want := map[string]string{"dies": "it ended with exit code 9", "floods": "a message of more than 32 MiB"}[kind]
		if w := warned(); !strings.Contains(w[0], want) {
			t.Errorf("%s: warnings %q, want %q", kind, w, want)
		}
	}
}

// A call has an error as its result if the server's response cannot be read.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	_, r, _ := run(t, Options{Configs: []Config{toy(t, "toy", "unreadable")}})
	for rest, want := range map[string]string{
		"deep":                      "exceeded maximum nesting depth",
		`"result":{"content":[NaN]`: "invalid character",
		`"result":NaN`:              "invalid character",
		`"error":"locked"`:          "has the wrong type",
	} {
		args, err := json.Marshal(map[string]string{"rest": rest})
		if err != nil {
			t.Fatal(err)
		}
		got := callTool(t.Context(), t, r, "mcp_toy_read", string(args), tool.Host{})
		if got.Error == nil || !strings.Contains(got.Error.Message, "the server's response cannot be read: ") || !strings.Contains(got.Error.Message, want) {
			t.Errorf("%s: %+v, want %q", rest, got.Error, want)
		}
	}
}

// A server whose connection Pollux gives up is reported with the reason, not with the end of its program after that.
func TestEndless(t *testing.T) {
	t.Parallel()
	s, _, warned := run(t, Options{Configs: []Config{toy(t, "toy", "endless")}})
	if w := fmt.Sprint(s.Status()[0].Err, warned()); !strings.Contains(w, "a message of more than 32 MiB") || strings.Contains(w, "it ended") {
		t.Errorf("reported: %s", w)
	}
}

// The processes that a server has started end with it.
func TestForks(t *testing.T) {
	t.Parallel()
	s, r, warned := run(t, Options{Configs: []Config{toy(t, "toy", "forks")}})
	text := callTool(t.Context(), t, r, "mcp_toy_pid", `{}`, tool.Host{}).Content[0].Text
	pid, err := strconv.Atoi(strings.Split(text, "\n")[1])
	if err != nil || !processtest.IsRunning(pid) {
		t.Fatalf("the server's child: %s, warnings %q", text, warned())
	}
	s.Close()
	wait(t, fmt.Sprintf("the end of process %d", pid), func() bool { return !processtest.IsRunning(pid) })
}

// Notifications without parameters do no harm.
func TestBareNotifications(t *testing.T) {
	t.Parallel()
	_, r, _ := run(t, Options{Configs: []Config{toy(t, "toy", "bare")}, Log: slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	for range 2 {
		if got := callTool(t.Context(), t, r, "mcp_toy_bare", `{}`, tool.Host{}); got.Error != nil || unfence(got) != "bare" {
			t.Errorf("result: %+v", got)
		}
	}
}
