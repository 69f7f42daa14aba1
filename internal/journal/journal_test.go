package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var start = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// newJournal returns a journal of sessions in dir, and its warnings.
func newJournal(t testing.TB, dir string) (*Journal, *[]string) {
	warnings := new([]string)
	j := New(Options{
		Dir: func() (string, error) { return dir, nil }, ProjectHash: "hash", Now: func() time.Time { return start },
		Warn: func(text string) { *warnings = append(*warnings, text) },
	})
	t.Cleanup(func() { _ = j.Close() })
	return j, warnings
}

// reporter is a test, or a part of one.
type reporter interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func must(t reporter, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func message(id string, role llm.Role, parts ...llm.Part) agent.Message {
	return agent.Message{ID: id, Content: &llm.Content{Role: role, Parts: parts}, Time: start}
}

func call(id string) llm.Part {
	return llm.Part{FunctionCall: &llm.FunctionCall{ID: id, Name: "write_file", Args: json.RawMessage(`{"file_path":"a","content":"\u003c"}`)}, ThoughtSignature: "sig"}
}

func response(id string) llm.Part {
	return llm.Part{FunctionResponse: llm.Output(id, "write_file", "done")}
}

var opening = message("context", llm.RoleUser, llm.Text("<session_context>\nToday\n</session_context>"))

// sessionFile returns the path of the only session file in a directory.
func sessionFile(t reporter, dir string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "session-*.jsonl"))
	if err != nil || len(found) != 1 {
		t.Fatalf("session files: %q, %v", found, err)
	}
	return found[0]
}

// loadOnly loads the only session file in a directory.
func loadOnly(t reporter, dir string) *Session {
	t.Helper()
	s, err := Load(sessionFile(t, dir))
	must(t, err)
	return s
}

// difference compares histories by the sent and shown parts.
func difference(want, got []agent.Entry) string {
	return cmp.Diff(want, got, cmp.Comparer(func(x, y *llm.Content) bool {
		return string(x.AppendJSON(nil)) == string(y.AppendJSON(nil))
	}), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(agent.CallRecord{}, "Args"))
}

// A conversation is read back as it was.
func TestRecord(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	j, warnings := newJournal(t, dir)
	must(t, j.Begin(ctx, "0f8fad5b-d9cb-469f-a165-70867728950e", []agent.Message{opening}))
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Error("a session without a prompt leaves a file")
	}
	prompt := message("1", llm.RoleUser, llm.Text("Look at @a"), llm.Text("content of a"))
	prompt.Shown = "Look at @a"
	answer := message("2", llm.RoleModel, llm.Part{Text: "hm", Thought: true}, llm.Text("I write."), call("c1"), call("c2"))
	answer.Model, answer.Usage = "gemini-2.5-pro", &llm.Usage{Prompt: 10, Candidates: 5, CachedContent: 3, Thoughts: 2, ToolUsePrompt: 1, Total: 18, CacheWrite: 4}
	answer.Thoughts = []agent.Thought{{Subject: "Look", Description: "at <it>", Time: start}}
	results := message("3", llm.RoleUser, response("c1"), llm.Part{InlineData: &llm.Blob{MIMEType: "image/png", Data: []byte{1, 2}}}, response("c2"))
	records := []agent.CallRecord{
		{ID: "c1", Name: "write_file", Status: agent.Success, Description: "a", HasRun: true, Ended: start.Add(time.Second), Active: time.Second, Plain: true, Display: &tool.DiffDisplay{
			Diff: "+x", FileName: "a", FilePath: "/p/a", Stat: tool.DiffStat{ModelAddedLines: 1},
		}},
		{ID: "c2", Name: "write_file", Status: agent.Failed, HasRun: true, Ended: start, Display: tool.TextDisplay("failed"), AgentID: "agent"},
	}
	records[0].Executions = []agent.Execution{{
		Name: "write_file", Decision: agent.Decision{By: agent.DecidedByUser, Reason: "a rule", Outcome: tool.ProceedAlways},
		Summary: "a", Status: agent.Success, HasRun: true, Result: &tool.Result{Display: records[0].Display},
	}}
	records[1].Executions = []agent.Execution{
		{
			Name: "write_file", Args: json.RawMessage(`{"file_path":"c"}`), ChangedBy: []agent.Author{agent.AuthorHook, agent.AuthorUser},
			Status: agent.Success, HasRun: true, Result: &tool.Result{Display: &tool.DiffDisplay{Diff: "+c", FileName: "c", FilePath: "/p/c"}},
		},
		{
			Name: "run_shell_command", Args: json.RawMessage(`{"command":"rm c"}`), Requested: "write_file", Summary: "rm c",
			Changes:  &tool.Changes{Operation: 7, Deleted: 1, Removed: 4, Repository: tool.FileChanged, Files: []tool.FileChange{{Path: "c", Change: tool.FileDeleted, Removed: 4}}, Beside: []string{"x"}},
			Decision: agent.Decision{By: agent.DecidedByPolicy}, Status: agent.Failed, Result: &tool.Result{Display: records[1].Display},
		},
	}
	last := message("4", llm.RoleModel, llm.Text("Done \u2028 \x00 \xff <b>."))
	entries := []agent.Entry{{Message: prompt}, {Message: answer}, {Message: results, Calls: records}, {Message: last}}
	for _, e := range entries {
		must(t, j.Append(ctx, e))
	}
	must(t, j.SetSummary("Writes a"))
	must(t, j.Touch())
	must(t, j.Sync())
	if got := sessionFile(t, dir); got != j.Path() || filepath.Base(got) != "session-2026-11-21T12-00-7728950e.jsonl" {
		t.Errorf("the file is %s", got)
	}
	s := loadOnly(t, dir)
	entries[3].Content = llm.Model(llm.Text("Done \u2028 \x00 \ufffd <b>."))
	if diff := difference(entries, s.Entries); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	want := Header{
		SessionID: "0f8fad5b-d9cb-469f-a165-70867728950e", ProjectHash: "hash", Start: start, Updated: start, Kind: Main, Summary: "Writes a", Pollux: version,
	}
	if diff := cmp.Diff(want, s.Header); diff != "" || s.Lost != 0 || s.Interrupted != nil {
		t.Errorf("%d lost, %d interrupted (-want +got)\n%s", s.Lost, len(s.Interrupted), diff)
	}
	if len(*warnings) > 0 {
		t.Error(*warnings)
	}
}

// TestPlain keeps the changes of a command that ran as the model wrote it, and not those of an edit, whose diff has them.
func TestPlain(t *testing.T) {
	t.Parallel()
	decision := agent.Decision{By: agent.DecidedByPolicy, Outcome: tool.ProceedOnce}
	for _, tt := range []struct {
		name    string
		display tool.Display
		changes *tool.Changes
		want    bool
	}{
		{"nothing", tool.TextDisplay("x"), nil, true},
		{"a command", tool.TextDisplay("x"), &tool.Changes{Created: 1}, false},
		{"an edit", &tool.DiffDisplay{}, &tool.Changes{Created: 1}, true},
	} {
		x := agent.Execution{Name: "a", Decision: decision, Changes: tt.changes, Result: &tool.Result{Display: tt.display}}
		if got := isPlain(&agent.CallRecord{Name: "a", Display: tt.display}, &x); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// conversation changes a history at random, and computes the expected one.
type conversation struct {
	t       *rapid.T
	j       *Journal
	history []agent.Entry
	count   int
}

func (c *conversation) fresh() agent.Entry {
	c.count++
	id := fmt.Sprint("m", c.count)
	e := agent.Entry{Message: message(id, llm.RoleUser, llm.Text("prompt "+id))}
	if c.count%2 == 0 {
		e.Content = llm.Model(llm.Text("answer " + id))
	}
	return e
}

func (c *conversation) messages() []agent.Message {
	list := []agent.Message{opening}
	for _, e := range c.history {
		list = append(list, e.Message)
	}
	return list
}

func (c *conversation) append(*rapid.T) {
	e := c.fresh()
	must(c.t, c.j.Append(context.Background(), e))
	c.history = append(c.history, e)
}

func (c *conversation) rewind(t *rapid.T) {
	if len(c.history) == 0 {
		t.Skip()
	}
	at := rapid.IntRange(0, len(c.history)-1).Draw(t, "at")
	must(c.t, c.j.Rewind(context.Background(), c.history[at].ID))
	c.history = slices.Clone(c.history[:at])
}

// replace changes, removes and adds messages.
func (c *conversation) replace(t *rapid.T) {
	var history []agent.Entry
	for i, e := range c.history {
		switch rapid.SampledFrom([]string{"keep", "keep", "keep", "change", "drop", "insert"}).Draw(t, fmt.Sprint(i)) {
		case "change":
			e.Content = &llm.Content{Role: e.Content.Role, Parts: []llm.Part{llm.Text("changed " + e.ID)}}
		case "drop":
			continue
		case "insert":
			history = append(history, c.fresh())
		}
		history = append(history, e)
	}
	c.history = history
	must(c.t, c.j.Replace(context.Background(), c.messages()))
}

// After random changes, Load returns the current history. Lines are only appended.
func TestChanges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		must(rt, err)
		j, warnings := newJournal(t, dir)
		c := &conversation{t: rt, j: j}
		must(rt, j.Begin(context.Background(), "id", c.messages()))
		c.append(rt)
		before := ""
		rt.Repeat(map[string]func(*rapid.T){
			"append": c.append, "rewind": c.rewind, "replace": c.replace,
			"resume": func(*rapid.T) {
				must(rt, c.j.Close())
				r, err := Open(sessionFile(rt, dir))
				must(rt, err)
				messages := []agent.Message{opening}
				for i, e := range r.Entries { // the same messages with another pointer to their content
					messages = append(messages, e.Message)
					c.history[i].Content = e.Content
				}
				c.j, warnings = newJournal(t, dir)
				c.j.Resume(r)
				must(rt, c.j.Begin(context.Background(), "id", messages))
			},
			"": func(rt *rapid.T) {
				data, err := os.ReadFile(sessionFile(rt, dir))
				must(rt, err)
				if !strings.HasPrefix(string(data), before) {
					rt.Fatalf("written data has changed")
				}
				before = string(data)
				s := loadOnly(rt, dir)
				if diff := difference(c.history, s.Entries); diff != "" || s.Lost > 0 || len(*warnings) > 0 {
					rt.Fatalf("%d lost, %q (-want +got)\n%s\n%s", s.Lost, *warnings, diff, data)
				}
			},
		})
		must(rt, c.j.Close())
	})
}

// A message of an unknown time gets the time at which it is recorded.
func TestUnknownTime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j, _ := newJournal(t, dir)
	first, old := opening, message("old", llm.RoleUser, llm.Text("old"))
	first.Time, old.Time = time.Time{}, time.Time{}
	must(t, j.Begin(t.Context(), "id", []agent.Message{first, old}))
	must(t, j.Append(t.Context(), agent.Entry{Message: message("new", llm.RoleModel, llm.Text("new"))}))
	data, err := os.ReadFile(sessionFile(t, dir))
	must(t, err)
	if strings.Contains(string(data), "0001-01-01") {
		t.Errorf("%s", data)
	}
}

// Messages that a new history drops are not read again.
func TestReplaceAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := New(Options{Dir: func() (string, error) { return dir, nil }})
	ctx := context.Background()
	must(t, j.Begin(ctx, "id", nil))
	must(t, j.Append(ctx, agent.Entry{Message: message("1", llm.RoleUser, llm.Text("old"))}))
	must(t, j.Append(ctx, agent.Entry{Message: message("2", llm.RoleModel, llm.Text("old"))}))
	must(t, j.Replace(ctx, []agent.Message{message("3", llm.RoleUser, llm.Text("summary")), message("4", llm.RoleModel, llm.Text("new"))}))
	must(t, j.Sync())
	path := j.Path()
	j.Close()
	data, err := os.ReadFile(path)
	must(t, err)
	if strings.Contains(string(data), "$rewindTo") || strings.Count(string(data), `{"$set":{"messages":[`) != 1 {
		t.Errorf("records: %s", data)
	}
	s, err := Load(path)
	must(t, err)
	if len(s.Entries) != 2 || s.Entries[0].ID != "3" {
		t.Errorf("history: %+v", s.Entries)
	}
}

// A message is one line, however its calls and results were written.
func TestIndentedArguments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j, _ := newJournal(t, dir)
	must(t, j.Begin(t.Context(), "id", nil))
	call := llm.Part{FunctionCall: &llm.FunctionCall{ID: "c", Name: "f", Args: json.RawMessage("{\r\n  \"a\": \"one\\ntwo\",\n  \"b\": [\n    1\r]\n}")}}
	result := llm.Part{FunctionResponse: &llm.FunctionResponse{ID: "c", Name: "f", Response: json.RawMessage("{\n  \"output\": \"x\"\n}")}}
	must(t, j.Append(t.Context(), agent.Entry{Message: message("p", llm.RoleUser, llm.Text("go"))}))
	must(t, j.Append(t.Context(), agent.Entry{Message: message("a", llm.RoleModel, call)}))
	must(t, j.Append(t.Context(), agent.Entry{Message: message("r", llm.RoleUser, result), Calls: []agent.CallRecord{{ID: "c", Name: "f", Status: agent.Success}}}))
	path := j.Path()
	must(t, j.Close())
	s, err := Load(path)
	must(t, err)
	var args struct {
		A string
		B []int
	}
	if s.Lost > 0 || len(s.Entries) != 3 || json.Unmarshal(s.Entries[1].Content.FunctionCalls()[0].Args, &args) != nil || args.A != "one\ntwo" || len(args.B) != 1 {
		t.Errorf("%d lost, %d messages, %+v", s.Lost, len(s.Entries), args)
	}
}

// TestCallsAgain checks calls whose ids a provider uses again in each response: each keeps its own result.
func TestCallsAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j, _ := newJournal(t, dir)
	want := []agent.Entry{
		{Message: message("a", llm.RoleUser, llm.Text("go"))},
		{Message: message("b", llm.RoleModel, call("call_0"))},
		{Message: message("c", llm.RoleUser, response("call_0"))},
		{Message: message("d", llm.RoleModel, call("call_0"))},
		{Message: message("e", llm.RoleUser, response("call_0"))},
		{Message: message("f", llm.RoleModel, llm.Text("Done."))},
	}
	for _, e := range want {
		must(t, j.Append(t.Context(), e))
	}
	must(t, j.Close())
	if d := difference(want, loadOnly(t, dir).Entries); d != "" {
		t.Error(d)
	}
}
