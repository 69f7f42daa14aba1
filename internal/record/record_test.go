package record_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
	"pollux/internal/record"
	"pollux/llm"
	"pollux/tool"
)

// openProject opens a trusted project of a user.
func openProject(u *projecttest.User, changes ...func(*project.Options)) *project.Project {
	return u.Open(append([]func(*project.Options){func(o *project.Options) { o.Folder = trust.Trusted }}, changes...)...)
}

// open opens a record that must open, until the end of the test.
func open(t *testing.T, p *project.Project, o record.Options) *record.Record {
	t.Helper()
	o.Recorded = true
	r, err := record.Open(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// begin begins the session with an id, whose history continues a resumed one.
func begin(t *testing.T, r *record.Record, id string) {
	t.Helper()
	var history []agent.Message
	if r.Resumed() != nil {
		for _, e := range r.Resumed().Entries {
			history = append(history, e.Message)
		}
		r.Restored()
	}
	if err := r.Journal().Begin(t.Context(), id, history); err != nil {
		t.Fatal(err)
	}
}

// say records a prompt and its answer.
func say(t *testing.T, r *record.Record, prompt, answer string) {
	t.Helper()
	sayWith(t, r, "gemini-2.5-flash", prompt, answer)
}

// sayWith records a prompt and the answer of a model.
func sayWith(t *testing.T, r *record.Record, model, prompt, answer string) {
	t.Helper()
	for _, m := range []agent.Message{
		{ID: "p-" + prompt, Content: llm.User(llm.Text(prompt)), IsPrompt: true}, {ID: "a-" + prompt, Content: llm.Model(llm.Text(answer)), Model: model},
	} {
		if err := r.Journal().Append(t.Context(), agent.Entry{Message: m}); err != nil {
			t.Fatal(err)
		}
	}
}

// recorded records a session with a prompt, and returns its file.
func recorded(t *testing.T, p *project.Project, id, prompt string) (path string) {
	t.Helper()
	r := open(t, p, record.Options{})
	begin(t, r, id)
	say(t, r, prompt, "Done.")
	r.Close()
	return r.Transcript()
}

// texts returns the texts of a recorded history.
func texts(entries []agent.Entry) string {
	var list []string
	for _, e := range entries {
		list = append(list, e.Content.Text())
	}
	return strings.Join(list, " ")
}

// TestNotRecorded checks that the zero options record nothing, that a run without a person makes no home directory for its record, and
// that a person learns once that there can be none.
func TestNotRecorded(t *testing.T) {
	t.Parallel()
	none := filepath.Join(t.TempDir(), "none")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	home := func(path string) []string { return []string{"GEMINI_CLI_HOME=", "HOME=" + path, "USERPROFILE=" + path} }
	for name, tt := range map[string]struct {
		env                   []string
		recorded, interactive bool
		warnings              int
	}{
		"not wanted":      {nil, false, true, 0},
		"no home":         {home(none), true, false, 0},
		"impossible home": {home(file), true, true, 1},
	} {
		var warnings []string
		p := projecttest.NewUser(t, tt.env...).Load(func(o *project.Options) {
			o.Folder, o.Interactive = trust.Trusted, tt.interactive
			o.Warn = func(text string) { warnings = append(warnings, text) }
		})
		r, err := record.Open(t.Context(), p, record.Options{Recorded: tt.recorded, SessionID: "mine"})
		if err != nil {
			t.Fatal(err)
		}
		if r.Journal() != nil || r.IsRecorded() || r.Transcript() != "" || r.Calls() != nil || r.Subagent("s", nil) != nil || r.NewPromptLog() != nil || r.Resumed() != nil || r.Recap() != nil || r.SessionID() != "mine" {
			t.Errorf("%s: there is a record", name)
		}
		if _, err := os.Stat(none); err == nil || len(warnings) != tt.warnings {
			t.Errorf("%s: a home directory was made: %v; warnings: %q", name, err == nil, warnings)
		}
		r.EndRun()
		r.Branch("other")
		r.NoteDirectories()
		r.NoteSkillFolders()
		r.End("mine")
		if list, err := r.List(t.Context()); len(list) > 0 || err != nil {
			t.Errorf("%s: %v, %v", name, list, err)
		}
		if _, err := record.Open(t.Context(), p, record.Options{Recorded: true, Resume: "latest", IsResumeID: true}); exit.CodeOf(err) != exit.Input {
			t.Errorf("%s: a session is resumed: %v", name, err)
		}
	}
}

// TestRecord checks the record of a new session: its file, its place in the list, its branch.
func TestRecord(t *testing.T) {
	t.Parallel()
	p := openProject(projecttest.NewUser(t))
	r := open(t, p, record.Options{SessionID: "first"})
	if r.SessionID() != "first" || r.IsRecorded() || r.Store().Dir != "" && len(must(r.List(t.Context()))) > 0 {
		t.Error("there is a file before the first prompt")
	}
	begin(t, r, "first")
	say(t, r, "Hello", "Hi.")
	r.EndRun()
	if !r.IsRecorded() || filepath.Dir(r.Transcript()) != r.Store().Dir {
		t.Errorf("the file is %s", r.Transcript())
	}
	if list := must(r.List(t.Context())); len(list) != 1 || list[0].ID != "first" || list[0].Title != "Hello" {
		t.Errorf("the list is %+v", list)
	}
	if sources := r.UsageSources(false); len(sources) != 1 || sources[0].Project != p.Options.Dir || sources[0].Store.Dir != r.Store().Dir {
		t.Errorf("%+v", sources)
	}
	if all := r.UsageSources(true); len(all) != 1 || all[0].Project != p.Options.Dir {
		t.Errorf("%+v", all)
	}
	before := r.Transcript()
	r.Branch("second")
	begin(t, r, "second")
	say(t, r, "More", "Yes.")
	if r.Transcript() == before || len(must(r.List(t.Context()))) != 2 {
		t.Errorf("the branch is in %s", r.Transcript())
	}
	sub := r.Subagent("first", func() []string { return []string{p.Options.Dir} })
	if err := sub.Begin(t.Context(), "sub", nil); err != nil {
		t.Fatal(err)
	}
	if err := sub.Append(t.Context(), agent.Entry{Message: agent.Message{ID: "m", Content: llm.User(llm.Text("Work")), IsPrompt: true}}); err != nil {
		t.Fatal(err)
	}
	if err := sub.Close(); err != nil || filepath.Dir(sub.Path()) != filepath.Join(r.Store().Dir, "first") {
		t.Errorf("the subagent is in %s, %v", sub.Path(), err)
	}
	if len(must(r.List(t.Context()))) != 2 {
		t.Error("the list has the subagent")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestEnd checks that an unwanted record is deleted with all its files at its end, and others are kept.
func TestEnd(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	p := openProject(u)
	kept := open(t, p, record.Options{})
	begin(t, kept, "kept")
	say(t, kept, "One", "Done.")
	kept.End("kept")
	r := open(t, p, record.Options{})
	begin(t, r, "unwanted")
	say(t, r, "Two", "Done.")
	out := record.Outputs{Project: p, ID: func() string { return "unwanted" }}
	output, err := out.Save("grep", "long")
	if err != nil {
		t.Fatal(err)
	}
	if r.IsUnwanted() {
		t.Error("it is unwanted before")
	}
	r.DeleteAtEnd()
	if !r.IsUnwanted() {
		t.Error("it is wanted")
	}
	path := r.Transcript()
	r.End("unwanted")
	for _, file := range []string{path, output} {
		if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is there: %v", file, err)
		}
	}
	if list := must(r.List(t.Context())); len(list) != 1 || list[0].ID != "kept" || r.IsUnwanted() {
		t.Errorf("the list is %+v", list)
	}
	if text := u.TakeWarnings(); text != "" {
		t.Errorf("warnings: %s", text)
	}
}

// TestOutputs checks the files of long outputs: each has its own, whatever the name of the tool.
func TestOutputs(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	p := openProject(u)
	id := "first"
	o := record.Outputs{Project: p, ID: func() string { return id }}
	dir := must(o.Dir())
	seen := map[string]bool{}
	for i, name := range []string{"grep", "grep", "../../evil", ""} {
		path, err := o.Save(name, fmt.Sprint("text ", i))
		if err != nil || filepath.Dir(path) != dir || seen[path] || u.Read(path) != fmt.Sprint("text ", i) {
			t.Errorf("%q: %s, %v", name, path, err)
		}
		seen[path] = true
	}
	if project.NewWorkspace(p).CheckRead(filepath.Join(dir, "x")) != nil {
		t.Error("the model cannot read the files")
	}
	id = "second"
	if other := must(o.Dir()); other == dir {
		t.Error("another conversation has the same directory")
	}
	u.Write(must(o.Dir()), "a file")
	if _, err := o.Save("grep", "x"); err == nil {
		t.Error("a file is a directory")
	}
}

// TestTags checks saved conversations: they come back without the opening message, and signatures of thoughts go only to
// the provider that they are from.
func TestTags(t *testing.T) {
	t.Parallel()
	r := open(t, openProject(projecttest.NewUser(t)), record.Options{})
	signed := llm.Part{Text: "Thinking", ThoughtSignature: "c2ln"}
	history := []agent.Message{
		{Content: llm.User(llm.Text("<session_context>\nThis is Pollux.\n</session_context>"))},
		{Content: llm.User(llm.Text("Hello")), IsPrompt: true},
		{Content: llm.Model(signed, llm.Part{ThoughtSignature: "b25seQ=="})},
	}
	if err := r.SaveTag("a b", "gemini-api-key", history); err != nil || !r.Tags().Has("a b") {
		t.Fatal(err)
	}
	for auth, want := range map[string]int{"gemini-api-key": 2, "openai": 0} {
		got, err := r.LoadTag("a b", auth)
		if err != nil || len(got) != 2 || !got[0].IsPrompt || got[1].IsPrompt || got[0].Content.Text() != "Hello" {
			t.Fatalf("%s: %+v, %v", auth, got, err)
		}
		signatures := 0
		for _, part := range got[1].Content.Parts {
			if part.ThoughtSignature != "" {
				signatures++
			}
		}
		if signatures != want || got[1].Content.Text() != "Thinking" {
			t.Errorf("%s: %d signatures in %+v", auth, signatures, got[1].Content.Parts)
		}
	}
	if _, err := r.LoadTag("none", ""); err == nil {
		t.Error("there is a conversation that no one saved")
	}
}

// TestPromptLog checks the log of a person's prompts, whose secrets are masked. A script has none.
func TestPromptLog(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t, "MY_TOKEN=token-of-mine-0123")
	if r := open(t, openProject(u), record.Options{}); r.NewPromptLog() != nil {
		t.Error("a script has a log of prompts")
	}
	p := openProject(u, u.AtTerminal)
	l := open(t, p, record.Options{}).NewPromptLog()
	path, err := l.Path()
	if err != nil || filepath.Base(path) != "logs.json" || l.Mask("token-of-mine-0123") == "token-of-mine-0123" {
		t.Errorf("%s, %v", path, err)
	}
}

// TestKeepsUnanswered checks which prompts stay in the conversation without an answer.
func TestKeepsUnanswered(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	script, person := open(t, openProject(u), record.Options{}), open(t, openProject(u, u.AtTerminal), record.Options{})
	for _, tt := range []struct {
		cause          error
		script, person bool
	}{
		{context.Canceled, true, false},
		{fmt.Errorf("wrapped: %w", &exit.Error{Code: exit.TurnLimit}), true, true},
		{&llm.Error{Kind: llm.KindQuota}, true, true},
		{&llm.Error{Kind: llm.KindBadRequest}, false, false},
		{errors.New("other"), true, false},
	} {
		if got := script.KeepsUnanswered(tt.cause); got != tt.script {
			t.Errorf("%v: a script keeps it: %v", tt.cause, got)
		}
		if got := person.KeepsUnanswered(tt.cause); got != tt.person {
			t.Errorf("%v: a person keeps it: %v", tt.cause, got)
		}
	}
}

// TestSyncStep checks that a call may run whatever its record.
func TestSyncStep(t *testing.T) {
	t.Parallel()
	r := open(t, openProject(projecttest.NewUser(t)), record.Options{})
	begin(t, r, "first")
	say(t, r, "One", "Done.")
	step := record.SyncStep(r.Journal())
	for _, kind := range []tool.Kind{tool.KindRead, tool.KindEdit} {
		one := &named{tool.Spec{Name: "x", Kind: kind, Schema: []byte(`{"type":"object"}`)}}
		call := &agent.ToolCall{ID: "1", Name: "x", Args: []byte(`{}`)}
		p, err := agent.Prepare(call, one, call.Args)
		if err != nil {
			t.Fatal(err)
		}
		if err := step.Before(t.Context(), p); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
