package record_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/journal"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
	"pollux/internal/record"
	"pollux/internal/sessions"
	"pollux/llm"
)

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
	if calls := r.Resumed().Entries[3].Calls; len(r.Resumed().Interrupted) > 0 || !calls[0].HasRun {
		t.Error("the call of another process, which may still run, counts as interrupted, or as not begun")
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
	if calls := r.Resumed().Interrupted; len(calls) != 1 || calls[0].HasRun || u.TakeWarnings() != "" {
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
				if warnings != "Warning: "+want || !slices.Equal(p.LeftOut(), []string{want}) {
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
		"a command": {[]agent.Entry{
			entry(llm.User(llm.Text("One")), ""), entry(llm.Model(llm.Text("First")), ""), entry(llm.User(llm.Text(journal.TypedCommand+"\n```sh\nls\n```\n")), ""),
		}, "One", "First"},
		"with calls": {[]agent.Entry{entry(llm.User(llm.Text("One")), ""), entry(llm.Model(llm.Text("Looking")), ""), entry(result, ""), entry(llm.Model(llm.Text("Found")), "")}, "One", "Found"},
	} {
		var r record.Recap
		if r.ReadLast(tt.entries); r.Prompt != tt.prompt || r.Answer != tt.answer {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
