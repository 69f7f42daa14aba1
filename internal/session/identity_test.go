package session_test

import (
	"context"
	"encoding/json"
	"testing"

	"pollux/agent"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/session"
	"pollux/tool"
)

func open(t *testing.T, h *home) *session.Session {
	t.Helper()
	s, err := session.Open(t.Context(), session.Options{
		Project: project.Options{
			Dir: h.dir, Env: h.env, Interactive: true, Folder: trust.Trusted,
		},
		Offline: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// A rule that allows a call as the model wrote it does not allow it as a hook has changed it, and a call
// that a person must confirm is not allowed by rules.
func TestAllowedIsAboutTheCallThatRuns(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.file(h.path+"/.gemini/policies/echo.toml", "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = [\"make\"]\ndecision = \"allow\"\npriority = 100\n")
	s := open(t, h)
	var shell tool.Tool
	for _, one := range s.Calls.ClientTools() {
		if one.Spec().Name == "run_shell_command" {
			shell = one
		}
	}
	call := &agent.ToolCall{ID: "1", Name: "run_shell_command", Args: json.RawMessage(`{"command":"make all"}`)}
	p, err := agent.Prepare(call, shell, call.Args)
	if err != nil {
		t.Fatal(err)
	}
	changed, err := p.Rewrite(json.RawMessage(`{"command":"touch x"}`), agent.AuthorHook)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Rulebook.Allows(p) || s.Rulebook.Allows(changed) {
		t.Errorf("allowed: as written %v, as changed %v", s.Rulebook.Allows(p), s.Rulebook.Allows(changed))
	}
	call.MustAsk = true
	if s.Rulebook.Allows(p) {
		t.Error("a call that a person must confirm is allowed")
	}
}

// Calls that no prompt has led to are counted as well, those that were refused included.
func TestClientCallsAreRecorded(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.file(h.dir+"/a.txt", "words")
	s := open(t, h)
	refuse := func(context.Context, *agent.Question) (tool.Answer, error) {
		return tool.Answer{Outcome: tool.Cancel}, nil
	}
	s.Calls.CallTool(t.Context(), "read_file", json.RawMessage(`{"file_path":"a.txt"}`), tool.Host{}, refuse)
	s.Calls.CallTool(t.Context(), "write_file", json.RawMessage(`{"file_path":"b.txt","content":"x"}`), tool.Host{}, refuse)
	got := s.Observers.Stats.Snapshot()
	if got.Tools.Calls != 2 || got.Tools.Success != 1 || got.Asked.Reject != 1 {
		t.Errorf("%+v", got)
	}
}
