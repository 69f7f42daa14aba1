package session_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/host"
	"pollux/internal/project"
	"pollux/internal/records"
	"pollux/internal/scriptmodel/scripttest"
	"pollux/internal/secret"
	"pollux/internal/session"
	"pollux/internal/stats/recent"
	"pollux/tool"
)

// TestRecords checks the records of a session, and their order.
func TestRecords(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.file(h.dir+"/a.txt", "one\n")
	outfile := filepath.Join(t.TempDir(), "t.log")
	ring := new(recent.Ring)
	model := scripttest.Gemini(t, "turn\n  call read_file {\"file_path\": \"a.txt\"}\nturn\n  text Done.\nturn\n  text Again.\n")
	s, err := session.Open(t.Context(), session.Options{
		Project: project.Options{
			Dir: h.dir, Env: h.env.With("GEMINI_TELEMETRY_ENABLED=1", "GEMINI_TELEMETRY_OUTFILE="+outfile), Folder: trust.Trusted,
		},
		Generator: model, Recent: ring,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Read it", "Again"} {
		for _, err := range s.Run(t.Context(), agent.TextPrompt(text)) {
			if err != nil {
				t.Error(err)
			}
		}
	}
	calls := func() int { return s.Observers.Stats.Snapshot().Tools.Calls }
	counted := []int{calls()}
	s.Observers.Records.Emit(records.CommandRun{Name: "memory show"})
	_ = s.Rulebook.SetMode(policy.AutoEdit)
	_, _ = s.SetModel("gemini-2.5-flash")
	s.Calls.CallTool(t.Context(), "list_directory", json.RawMessage(`{"dir_path": "."}`), tool.Host{}, nil)
	counted = append(counted, calls())
	first, second := s.Prompts()[0].ID, s.Prompts()[1].ID
	_, branched := s.Branch(t.Context(), second)
	if !branched || !s.Rewind(t.Context(), first) {
		t.Error("the conversation cannot go back")
	}
	counted = append(counted, calls())
	s.Clear(t.Context())
	counted = append(counted, calls())
	s.Observers.Records.Emit(records.ExitForced{})
	s.Close()

	var got []string
	for _, e := range ring.Events() {
		got = append(got, strings.TrimSpace(fmt.Sprint(e.Kind, " ", e.Status)))
	}
	want := []string{
		"session", "prompt", "request main", "response STOP", "tool call", "tool result success", "request main", "response STOP", "prompt ends ok",
		"prompt", "request main", "response STOP", "prompt ends ok",
		"command", "mode", "model", "tool result success", "session", "rewind", "session",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("recent events (-want +got):\n%s", diff)
	}
	if want := []int{1, 2, 2, 0}; !slices.Equal(counted, want) {
		t.Errorf("counted %v calls, want %v", counted, want)
	}
	text := h.read(t, outfile)
	for _, name := range []string{
		"gemini_cli.startup_stats", "gemini_cli.config", "gemini_cli.user_prompt", "gemini_cli.api_request", "gemini_cli.api_response", "gemini_cli.tool_call",
		"gemini_cli.conversation_finished", "gemini_cli.slash_command", "gemini_cli.plan.approval_mode_switch", "gemini_cli.slash_command.model", "gemini_cli.rewind",
		"gemini_cli.exit.fail.count",
	} {
		if !regexp.MustCompile(`name": "` + regexp.QuoteMeta(name) + `"`).MatchString(text) {
			t.Errorf("telemetry has no %s", name)
		}
	}
}

// TestRecordsOnDisk checks the files of a session: the use of requests beside the conversation,
// and a log of each conversation. A run that restores a checkpoint is recorded as others are.
func TestRecordsOnDisk(t *testing.T) {
	t.Parallel()
	const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	h := newHome(t)
	ring := new(recent.Ring)
	model := scripttest.Gemini(t, `
turn
  text Hello.
turn
  call write_file {"file_path": "a.txt", "content": "one"}
turn
  text Done.
turn
  times 2
  text <state_snapshot>one</state_snapshot>
`)
	s, err := session.Open(t.Context(), session.Options{
		Project: project.Options{
			Dir: h.dir, Env: h.env, Folder: trust.Trusted, Debug: true, Interactive: true, ApprovalMode: "yolo",
		},
		Generator: model, Recent: ring, Recorded: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{strings.Repeat("Hello. ", 1000), "Write it with " + token} {
		for _, err := range s.Run(t.Context(), agent.TextPrompt(text)) {
			if err != nil {
				t.Error(err)
			}
		}
	}
	began := s.ID()
	s.PromptLog.Add(began, "Write it with token="+token+";") // a key that is a word would keep the prompt out
	for e, err := range s.Restore(t.Context(), s.Changes.Checkpoints()[0]) {
		if asked, ok := e.(agent.ToolAsked); ok {
			asked.Answer(tool.Answer{Outcome: tool.Cancel})
		}
		if err != nil {
			t.Error(err)
		}
	}
	ended := slices.IndexFunc(ring.Events(), func(e recent.Event) bool { return e.Kind == recent.End && e.Status == recent.Cancelled })
	if n := s.Observers.Stats.Snapshot().Tools; ended < 0 || n.Calls != 2 || n.Fail != 1 {
		t.Errorf("the restored call is not recorded: %+v", n)
	}
	if _, err := s.Compress(t.Context(), ""); err != nil {
		t.Error(err)
	}
	s.Clear(t.Context())
	_ = s.Rulebook.SetMode(policy.Default)
	second := s.ID()
	s.Close()

	files := func(pattern string) (text string) {
		names, _ := filepath.Glob(filepath.Join(h.path, ".gemini", "tmp", "*", pattern))
		for _, name := range names {
			text += h.read(t, name)
		}
		return text
	}
	if text := files("chats/*.jsonl"); !strings.Contains(text, `"use":"utility_compressor"`) || strings.Contains(text, `"use":"main"`) {
		t.Errorf("the session files have %s", text)
	}
	for _, pattern := range []string{"chats/*.jsonl", "logs.json"} {
		if text := files(pattern); !strings.Contains(text, "Write it with ") || strings.Contains(text, token) {
			t.Errorf("%s has %s", pattern, text)
		}
	}
	for id, want := range map[string]string{began: `"msg":"prompt ends","status":"ok"`, second: `"msg":"mode","name":"default"`} {
		if text := files("logs/session-" + id + ".jsonl"); !strings.Contains(text, want) {
			t.Errorf("the log of %s has no %s:\n%s", id, want, text)
		}
	}
}

// watcher is the smallest sink that sees everything which a program may want to know of a session.
type watcher struct {
	mu   sync.Mutex
	seen []string
}

// Record implements [records.Sink].
func (w *watcher) Record(r records.Record) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch r := r.(type) {
	case records.PromptBegan:
		w.seen = append(w.seen, "prompt "+r.Text())
	case *records.AgentEvent:
		switch e := r.Event.(type) {
		case agent.TurnStarted:
			w.seen = append(w.seen, "turn")
		case agent.ToolRequested:
			w.seen = append(w.seen, "call "+e.Call.Name)
		}
	case records.Warned:
		w.seen = append(w.seen, "warning "+r.Text)
	}
}

// TestObservers checks the records of a session that a program gets.
func TestObservers(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.file(h.dir+"/a.txt", "one\n")
	h.file(h.path+"/.gemini/settings.json", `{"modelProviders": {"mine": {"baseUrl": "https://mine.example/v1", "apiKey": "$MY_THING"}}}`)
	w := new(watcher)
	s, err := session.Open(t.Context(), session.Options{
		Project:   project.Options{Dir: h.dir, Env: h.env.With("MY_THING=key-of-mine"), Folder: trust.Trusted, Host: host.Host{Observers: []records.Sink{w}}},
		Generator: scripttest.Gemini(t, "turn\n  call read_file {\"file_path\": \"a.txt\"}\nturn\n  text Done.\n"),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range s.Run(t.Context(), agent.TextPrompt("Read it")) {
		if err != nil {
			t.Error(err)
		}
	}
	s.Project.Warn("careful")
	if text := s.Project.LogMasker().Text("key-of-mine"); text != secret.Redacted {
		t.Errorf("a log has %q", text)
	}
	s.Close()
	s.Project.Warn("too late")
	if diff := cmp.Diff([]string{"prompt Read it", "turn", "call read_file", "turn", "warning careful"}, w.seen); diff != "" {
		t.Errorf("the program sees (-want +got):\n%s", diff)
	}
}
