package record_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/guard/trust"
	"pollux/internal/journal"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
	"pollux/internal/record"
	"pollux/internal/sessions"
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

// TestNotRecorded checks that the zero options record nothing, and that a user without a home directory has no record.
func TestNotRecorded(t *testing.T) {
	t.Parallel()
	none := t.TempDir() + "/none"
	for name, tt := range map[string]struct {
		env      []string
		recorded bool
	}{
		"not wanted": {},
		"no home":    {[]string{"GEMINI_CLI_HOME=", "HOME=" + none, "USERPROFILE=" + none}, true},
	} {
		p := projecttest.NewUser(t, tt.env...).Load(func(o *project.Options) { o.Folder, o.Interactive = trust.Trusted, true })
		r, err := record.Open(t.Context(), p, record.Options{Recorded: tt.recorded, SessionID: "mine"})
		if err != nil {
			t.Fatal(err)
		}
		if r.Journal() != nil || r.IsRecorded() || r.Transcript() != "" || r.Calls() != nil || r.Subagent("s", nil) != nil || r.NewPromptLog() != nil || r.Resumed() != nil || r.Recap() != nil || r.SessionID() != "mine" {
			t.Errorf("%s: there is a record", name)
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

// TestResume checks which session each identifier continues, and the errors of others.
func TestResume(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	p := openProject(u)
	recorded(t, p, "11111111-aaaa", "One")
	recorded(t, p, "22222222-bbbb", "Two")
	for _, tt := range []struct {
		resume string
		isID   bool
		want   string // the session, "" for none
		err    string
	}{
		{"latest", false, "22222222-bbbb", ""},
		{"1", false, "11111111-aaaa", ""},
		{"11111111-aaaa", false, "11111111-aaaa", ""},
		{"11111111-aaaa", true, "11111111-aaaa", ""},
		{"1", true, "", `Error resuming session: Invalid session identifier "1".`},
		{"latest", true, "", `Error resuming session: Invalid session identifier "latest".`},
		{"3", false, "", `Error resuming session: Invalid session identifier "3".`},
		{"33333333", false, "", `Error resuming session: Invalid session identifier "33333333".`},
	} {
		r, err := record.Open(t.Context(), p, record.Options{Recorded: true, Resume: tt.resume, IsResumeID: tt.isID})
		if tt.err != "" {
			if exit.CodeOf(err) != exit.Input || !strings.HasPrefix(err.Error(), tt.err) {
				t.Errorf("%s: %v", tt.resume, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		title := map[string]string{"11111111-aaaa": "One", "22222222-bbbb": "Two"}[tt.want]
		if r.SessionID() != tt.want || texts(r.Resumed().Entries) != title+" Done." || r.Recap().Title != title || r.Recap().Prompts != 1 {
			t.Errorf("%s: %s, %+v, %+v", tt.resume, r.SessionID(), r.Resumed(), r.Recap())
		}
		begin(t, r, r.SessionID())
		if r.Resumed() != nil {
			t.Error("the restored session is kept")
		}
		r.Close()
	}
	r := open(t, p, record.Options{Resume: "1"})
	path := r.Resumed().Path
	begin(t, r, r.SessionID())
	say(t, r, "Again", "Yes.")
	r.Close()
	if s, err := journal.Load(path); err != nil || texts(s.Entries) != "One Done. Again Yes." {
		t.Errorf("the file has %q, %v", texts(s.Entries), err)
	}
	none := projecttest.NewUser(t)
	r = open(t, openProject(none), record.Options{Resume: "latest"})
	if r.Resumed() != nil || none.TakeWarnings() != sessions.ErrNone.Error() {
		t.Error("a new session without a warning")
	}
	if _, err := record.Open(t.Context(), openProject(none), record.Options{Recorded: true, Resume: "1"}); exit.CodeOf(err) != exit.Input || !strings.Contains(err.Error(), sessions.ErrNone.Error()) {
		t.Errorf("%v", err)
	}
}

// TestIDs checks that an id which must be new is refused if a session has it.
func TestIDs(t *testing.T) {
	t.Parallel()
	p := openProject(projecttest.NewUser(t))
	recorded(t, p, "taken", "One")
	if _, err := record.Open(t.Context(), p, record.Options{Recorded: true, SessionID: "taken", IsNewID: true}); exit.CodeOf(err) != exit.Input || !strings.Contains(err.Error(), `Session ID "taken" already exists.`) {
		t.Errorf("%v", err)
	}
	for _, o := range []record.Options{{SessionID: "taken"}, {SessionID: "free", IsNewID: true}, {SessionID: "1", IsNewID: true}} {
		if r := open(t, p, o); r.SessionID() != o.SessionID || r.Resumed() != nil {
			t.Errorf("%+v: %s", o, r.SessionID())
		}
	}
}

// A session that another process has open, or that a newer version has written, is continued in a copy.
func TestCopies(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	p := openProject(u)
	running := open(t, p, record.Options{})
	begin(t, running, "running")
	say(t, running, "One", "Done.")
	call := agent.Message{ID: "c", Content: llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{ID: "1", Name: "glob", Args: []byte(`{}`)}})}
	if err := running.Journal().Append(t.Context(), agent.Entry{Message: call}); err != nil {
		t.Fatal(err)
	}
	r := open(t, p, record.Options{Resume: "running"})
	if len(r.Resumed().Interrupted) > 0 {
		t.Error("the call of another process, which may still run, counts as interrupted")
	}
	if text := u.TakeWarnings(); r.SessionID() == "running" || text != "Another process has session running open. This is a copy of it: "+r.SessionID() {
		t.Errorf("%s; warnings: %s", r.SessionID(), text)
	}
	begin(t, r, r.SessionID())
	say(t, r, "Two", "Yes.")
	if r.Transcript() == running.Transcript() {
		t.Error("two processes write the same file")
	}
	if s, err := journal.Load(r.Transcript()); err != nil || !strings.HasPrefix(texts(s.Entries), "One Done. ") || !strings.HasSuffix(texts(s.Entries), " Two Yes.") || s.ForkOf != "running" {
		t.Errorf("the copy has %q, %v", texts(s.Entries), err)
	}
	running.Close()
	r.Close()
	r = open(t, p, record.Options{Resume: "running"})
	if len(r.Resumed().Interrupted) != 1 || u.TakeWarnings() != "" {
		t.Errorf("after the end of the process: %+v", r.Resumed().Interrupted)
	}
	r.Close()

	path := recorded(t, p, "newer", "One")
	u.Write(path, strings.Replace(u.Read(path), `"pollux":1`, `"pollux":99`, 1))
	r = open(t, p, record.Options{Resume: "newer"})
	if text := u.TakeWarnings(); r.SessionID() == "newer" || !strings.HasPrefix(text, "Cannot go on in the file of session newer: a newer version of Pollux has written it. This is a copy of it: ") {
		t.Errorf("%s; warnings: %s", r.SessionID(), text)
	}
}

// Damaged records are left out, with a warning.
func TestDamaged(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	p := openProject(u)
	path := recorded(t, p, "damaged", "One")
	u.Write(path, strings.Replace(u.Read(path), "\n", "\n{broken\n", 1))
	r := open(t, p, record.Options{Resume: "damaged"})
	if text := u.TakeWarnings(); texts(r.Resumed().Entries) != "One Done." || text != "Warning: 1 records of this session are damaged and left out: "+path {
		t.Errorf("%q; warnings: %s", texts(r.Resumed().Entries), text)
	}
}

// A session of another project is continued there, or here if the directory of that project is gone.
func TestResumeElsewhere(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	other := filepath.Dir(u.Write("~/my other/x", ""))
	recorded(t, openProject(u, func(o *project.Options) { o.Dir = other }), "elsewhere", "One")
	p := openProject(u)
	recorded(t, p, "here", "Two")
	_, err := record.Open(t.Context(), p, record.Options{Recorded: true, Resume: "elsewhere"})
	if exit.CodeOf(err) != exit.Input || !strings.HasSuffix(err.Error(), "it belongs to "+other+". To resume it there, run: cd '"+other+"' && pollux --resume elsewhere") {
		t.Errorf("%v", err)
	}
	if err := os.RemoveAll(other); err != nil {
		t.Fatal(err)
	}
	r := open(t, p, record.Options{Resume: "elsewhere"})
	if text := u.TakeWarnings(); r.SessionID() == "elsewhere" || !strings.Contains(text, "its directory "+other+" does not exist any more. This is a copy of it: ") {
		t.Errorf("%s; warnings: %s", r.SessionID(), text)
	}
	if r.Recap().Title != "One" || texts(r.Resumed().Entries) != "One Done." {
		t.Errorf("%+v, %q", r.Recap(), texts(r.Resumed().Entries))
	}
}

// TestImport checks that a session file of any project is continued in a copy, without its directories.
func TestImport(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	p := openProject(u)
	first := open(t, p, record.Options{})
	begin(t, first, "first")
	first.AddSkillFolder(u.Path("~/skill"))
	say(t, first, "One", "Done.")
	first.NoteSkillFolders()
	first.Close()
	path := first.Transcript()
	if s, err := journal.Load(path); err != nil || len(s.SkillFolders) != 1 {
		t.Fatalf("%+v, %v", s, err)
	}
	u.Write("export.jsonl", u.Read(path))
	r := open(t, p, record.Options{SessionFile: "export.jsonl"})
	if r.SessionID() == "" || r.SessionID() == "first" || texts(r.Resumed().Entries) != "One Done." || len(r.Resumed().SkillFolders) > 0 || len(r.Resumed().Directories) > 0 {
		t.Errorf("%s, %+v", r.SessionID(), r.Resumed())
	}
	begin(t, r, r.SessionID())
	say(t, r, "Two", "Yes.")
	if text := u.Read(r.Transcript()); !strings.Contains(text, "Imported session from export.jsonl") || strings.Contains(text, u.Path("~/skill")) {
		t.Errorf("the copy has %s", text)
	}
	u.Write("broken.jsonl", "5\n")
	for _, name := range []string{"none.jsonl", "broken.jsonl", "."} {
		if _, err := record.Open(t.Context(), p, record.Options{Recorded: true, SessionFile: name}); exit.CodeOf(err) != exit.Input || err.Error() != "Error importing session from file: File not found or invalid format: "+name {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDirectories checks that a resumed session gets its directories back if the person agrees, and that a script leaves
// them out.
func TestDirectories(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer string // of a person, "" for a script
		gone   bool
		want   bool
	}{
		"a person agrees":   {answer: "Use them", want: true},
		"a person does not": {answer: "Leave them out"},
		"no answer":         {answer: "-"},
		"a script":          {},
		"it does not exist": {answer: "Use them", gone: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := projecttest.NewUser(t)
			more := filepath.Dir(u.Write("~/more dirs/x", ""))
			first := openProject(u)
			r := open(t, first, record.Options{SessionID: "first"})
			ws := project.NewWorkspace(first)
			r.AddResumedDirs(t.Context(), ws)
			begin(t, r, "first")
			say(t, r, "One", "Done.")
			if _, _, err := ws.Add(more); err != nil {
				t.Fatal(err)
			}
			r.NoteDirectories()
			r.Close()
			if tt.gone {
				if err := os.RemoveAll(more); err != nil {
					t.Fatal(err)
				}
			}
			u.Answer(tt.answer)
			p := openProject(u, func(o *project.Options) {
				if tt.answer != "" {
					u.AtTerminal(o)
				}
			})
			r = open(t, p, record.Options{Resume: "first"})
			ws = project.NewWorkspace(p)
			r.AddResumedDirs(t.Context(), ws)
			if got := slices.Contains(ws.Dirs(), more); got != tt.want {
				t.Errorf("the workspace has the directory: %v", got)
			}
			warnings := u.TakeWarnings()
			switch {
			case tt.answer == "":
				want := "Leaving out ~/more dirs, which this session had in its workspace. To use it again: --include-directories '" + more + "'"
				if warnings != "Warning: "+want || !slices.Equal(p.LeftOut, []string{want}) {
					t.Errorf("warnings: %s", warnings)
				}
			case tt.gone:
				if !strings.HasPrefix(warnings, "Warning: Cannot add ") {
					t.Errorf("warnings: %s", warnings)
				}
			case warnings != "":
				t.Errorf("warnings: %s", warnings)
			}
			if asked := u.TakeAsked(); len(asked) > 0 != (tt.answer != "") || tt.answer != "" && !strings.Contains(asked[0].Text, "\n- ~/more dirs\n") {
				t.Errorf("asked %+v", asked)
			}
		})
	}
	u := projecttest.NewUser(t)
	p := openProject(u)
	r := open(t, p, record.Options{SessionID: "first"})
	ws := project.NewWorkspace(p)
	r.AddResumedDirs(t.Context(), ws)
	begin(t, r, "first")
	say(t, r, "One", "Done.")
	r.Close()
	r = open(t, openProject(u, u.AtTerminal), record.Options{Resume: "first"})
	if r.AddResumedDirs(t.Context(), ws); len(u.TakeAsked()) > 0 {
		t.Error("asked about no directories")
	}
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

// TestReadLast checks the last prompt and its answer of a resumed conversation.
func TestReadLast(t *testing.T) {
	t.Parallel()
	entry := func(c *llm.Content, shown string) agent.Entry {
		return agent.Entry{Message: agent.Message{Content: c, Shown: shown}}
	}
	result := llm.User(llm.Part{FunctionResponse: llm.Output("1", "glob", "ok")})
	for name, tt := range map[string]struct {
		entries        []agent.Entry
		prompt, answer string
	}{
		"nothing":    {},
		"answered":   {[]agent.Entry{entry(llm.User(llm.Text("One")), ""), entry(llm.Model(llm.Text("First")), ""), entry(llm.User(llm.Text("Two and a file")), "Two"), entry(llm.Model(llm.Text("Second")), "")}, "Two", "Second"},
		"unanswered": {[]agent.Entry{entry(llm.User(llm.Text("One")), ""), entry(llm.Model(llm.Text("First")), ""), entry(llm.User(llm.Text("Two")), "")}, "Two", ""},
		"with calls": {[]agent.Entry{entry(llm.User(llm.Text("One")), ""), entry(llm.Model(llm.Text("Looking")), ""), entry(result, ""), entry(llm.Model(llm.Text("Found")), "")}, "One", "Found"},
	} {
		var r record.Recap
		if r.ReadLast(tt.entries); r.Prompt != tt.prompt || r.Answer != tt.answer {
			t.Errorf("%s: %+v", name, r)
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
