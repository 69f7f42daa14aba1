package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-faster/jx"
	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// answered is a response with 100 tokens for the prompt and 10 for the answer, at a second of a minute.
func answered(id string, second int, more string) string {
	return fmt.Sprintf(`{"id":%q,"timestamp":"2026-11-21T12:00:%02d.000Z","type":"gemini","content":"hi","thoughts":[],`+
		`"tokens":{"input":100,"output":10,"cached":40,"thoughts":5,"tool":2,"total":117},"model":"m1"%s}`+"\n", id, second, more)
}

const twoCalls = `,"toolCalls":[{"id":"c1","name":"write_file","args":{},"status":"success","resultDisplay":{"fileDiff":"x","diffStat":{"model_added_lines":3,"model_removed_lines":1}}},` +
	`{"id":"c2","name":"write_file","status":"error","durationMs":7,"resultDisplay":{"diffStat":{"model_added_lines":9}}}]`

// total adds up all rows of a file that was written last in December 2026.
func total(t *testing.T, file string) (*Usage, Counts) {
	t.Helper()
	u, err := readUsage(strings.NewReader(file), int64(len(file)), time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	var all Counts
	for i := range u.Rows {
		all.Add(&u.Rows[i].Counts)
	}
	return u, all
}

func TestUsage(t *testing.T) {
	t.Parallel()
	once := llm.Usage{Prompt: 100, Candidates: 10, CachedContent: 40, Thoughts: 5, ToolUsePrompt: 2, Total: 117}
	twice := llm.Usage{Prompt: 200, Candidates: 20, CachedContent: 80, Thoughts: 10, ToolUsePrompt: 4, Total: 234}
	one := Counts{Prompts: 1, Requests: 1, Tokens: once, ModelTime: 4000}
	withCalls := one
	withCalls.Calls, withCalls.Failed, withCalls.ToolTime, withCalls.Added, withCalls.Removed = 2, 1, 7, 3, 1
	again := withCalls
	again.Calls, again.Failed = 3, 2
	start := headerLine + user("a", "hello")
	long := strings.Repeat("long ", 1<<20)
	tests := []struct {
		name, file string
		want       Counts
	}{
		{"a prompt and its response", start + answered("b", 5, ""), one},
		{"a prompt that was sent again", start + `{"$rewindTo":"a"}` + "\n" + user("a", "hello") + answered("b", 5, ""), one},
		{"calls", start + answered("b", 5, twoCalls), withCalls},
		{"Gemini CLI writes a response twice", start + answered("b", 5, "") + answered("b", 5, twoCalls), withCalls},
		{"calls in a record of their own", start + answered("b", 5, "") + results + `{"id":"r_calls","timestamp":"2026-11-21T12:00:06.000Z","type":"info","content":""` + twoCalls + "}\n", withCalls},
		{"a response recorded again without the calls that were removed from it", start + answered("b", 5, "") + results + `{"id":"r_calls","timestamp":"2026-11-21T12:00:06.000Z","type":"info","content":""` + twoCalls + "}\n" +
			`{"id":"s_calls","timestamp":"2026-11-21T12:00:09.000Z","type":"info","content":"","toolCalls":[{"id":"c1","name":"write_file","status":"success","timestamp":"2026-11-21T12:00:06.000Z"}]}` + "\n", withCalls},
		{"ids of calls that occur again", start + answered("b", 5, "") + `{"id":"r_calls","type":"info"` + twoCalls + "}\n" + `{"id":"s_calls","type":"info","toolCalls":[{"id":"c1","name":"x","status":"error"}]}` + "\n", again},
		{"a rewind", start + answered("b", 5, twoCalls) + `{"$rewindTo":"a"}` + "\n", withCalls},
		{"a compression", start + answered("b", 5, "") + `{"$set":{"messages":[` + strings.TrimSpace(user("z", "summary")) + "," + strings.TrimSpace(answered("b", 5, "")) + `]}}` + "\n", one},
		{"a patch in an unusual form", start + answered("b", 5, "") + `{ "$set": {"messages":[` + strings.TrimSpace(answered("q", 5, "")) + `]}}` + "\n", one},
		{"two responses", start + answered("b", 5, "") + results + answered("d", 6, ""), Counts{Prompts: 1, Requests: 2, Tokens: twice, ModelTime: 7000}},
		{"no tokens reported", start + `{"id":"b","timestamp":"2026-11-21T12:00:05.000Z","type":"gemini","content":"hi","tokens":null,"model":"m1"}` + "\n", Counts{Prompts: 1, Requests: 1, Uncounted: 1, ModelTime: 4000}},
		{"a message that no model wrote", start + `{"id":"b","type":"gemini","content":"hi","tokens":null}` + "\n" + `{"id":"c","type":"gemini","content":"","model":"m1"}` + "\n", Counts{Prompts: 1}},
		{"no prompts", headerLine + user("c", "<session_context>\nToday") + results + `{"id":"e","type":"user","content":[{"text":"Please continue."}],"isPrompt":false}` + "\n", Counts{}},
		{"a subagent", strings.Replace(start, `"main"`, `"subagent"`, 1) + answered("b", 5, ""), Counts{Requests: 1, Tokens: once, ModelTime: 4000}},
		{"copies", strings.Replace(headerLine, `"kind"`, `"copied":2,"kind"`, 1) + user("c", "<session_context>\nToday") + user("x", "old") + answered("y", 1, twoCalls) + `{"id":"y_calls","type":"info"` + twoCalls + "}\n" + user("a", "hello") + answered("b", 5, ""), one},
		{"an import of Gemini CLI", headerLine + `{"id":"import-17","type":"info","content":"Imported","timestamp":"2026-11-21T12:00:00.000Z"}` + "\n" + strings.ReplaceAll(user("x", "old")+answered("y", 5, twoCalls), "T12", "T11") + user("a", "hello") + answered("b", 5, ""), one},
		{"a file of an old version", `{"sessionId":"s","projectHash":"h","startTime":"2026-11-21T12:00:00.000Z",` + "\n" + `"messages":[` + strings.TrimSpace(user("a", "hello")) + ",\n" + answered("b", 5, twoCalls) + "]}", withCalls},
		{"a damaged header", strings.Replace(headerLine, "{", "\x00[", 1) + user("a", "hello") + answered("b", 5, ""), one},
		{"one on one line", `{"sessionId":"s","messages":[` + strings.TrimSpace(user("a", "hello")) + "," + strings.TrimSpace(answered("b", 5, twoCalls)) + "]}", withCalls},
		{"torn last line", start + answered("b", 5, "") + strings.TrimSuffix(answered("d", 6, ""), "}\n"), one},
		{"damaged lines", start + "\x00\x00{\n[1]\n\"x\"\n7\n" + strings.Replace(answered("d", 6, ""), `"type"`, "\"type\x00", 1) + `{"id":"e","type":"future","tokens":{"input":9}}` + "\n" + answered("b", 5, ""), one},
		{"NULs", strings.Repeat("\x00", 1<<17) + start + strings.Repeat("\x00", 5000) + answered("b", 5, ""), one},
		{"CRLF and spaces", strings.ReplaceAll(strings.ReplaceAll(start+answered("b", 5, twoCalls), `":`, `": `), "\n", "\r\n"), withCalls},
		{"numbers that are none", start + strings.ReplaceAll(answered("b", 5, ""), "100", `"many"`), Counts{Prompts: 1, Requests: 1, Tokens: llm.Usage{Candidates: 10, CachedContent: 40, Thoughts: 5, ToolUsePrompt: 2, Total: 117}, ModelTime: 4000}},
		{"negative numbers", start + strings.ReplaceAll(answered("b", 5, ""), "100", `-3`), Counts{Prompts: 1, Requests: 1, Tokens: llm.Usage{Candidates: 10, CachedContent: 40, Thoughts: 5, ToolUsePrompt: 2, Total: 117}, ModelTime: 4000}},
		{"a long prompt", headerLine + user("a", long) + answered("b", 5, ""), one},
		{"a long response", start + strings.Replace(answered("b", 5, twoCalls), `"hi"`, `"`+long+`"`, 1), withCalls},
		{"a response on another day", start + strings.Replace(answered("b", 5, ""), "11-21", "11-22", 1), Counts{Prompts: 1, Requests: 1, Tokens: once}},
		{"a clock that went back", start + strings.Replace(answered("b", 5, ""), "T12", "T11", 1), Counts{Prompts: 1, Requests: 1, Tokens: once}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, got := total(t, tt.file); got != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

// A record counts at its own time, for its model and tool; one without a valid time at that of the one
// before.
func TestUsageRows(t *testing.T) {
	t.Parallel()
	at := func(clock string) int64 {
		when, _ := time.Parse(time.RFC3339, clock)
		return when.Unix()
	}
	file := headerLine + `{"id":"a","type":"user","content":[{"text":"no time"}]}` + "\n" +
		strings.ReplaceAll(answered("b", 5, twoCalls), "T12:00", "T13:29") +
		strings.ReplaceAll(answered("c", 5, ""), "2026", "2126") + strings.ReplaceAll(answered("d", 5, ""), "2026", "1970") +
		strings.ReplaceAll(answered("e", 5, ""), `"m1"`, `"m2"`)
	u, _ := total(t, file)
	if u.SessionID != "s1" || u.Kind != Main {
		t.Errorf("session %q, kind %q", u.SessionID, u.Kind)
	}
	want := []struct {
		at          string
		model, tool string
		requests    int
	}{
		{"2026-11-21T12:00:00Z", "", "", 0},
		{"2026-11-21T13:15:00Z", "m1", "", 3},
		{"2026-11-21T13:15:00Z", "m1", "write_file", 0},
		{"2026-11-21T12:00:00Z", "m2", "", 1},
	}
	if len(u.Rows) != len(want) {
		t.Fatalf("rows %+v", u.Rows)
	}
	for i, w := range want {
		if r := u.Rows[i]; r.At != at(w.at) || r.Model != w.model || r.Tool != w.tool || r.Requests != w.requests {
			t.Errorf("row %d is %+v, want %+v", i, r, w)
		}
	}
}

func TestUsageOfNothing(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"", "\n\n", "x", `{"messages":[]}`, results, "[" + headerLine + "]"} {
		if u, err := readUsage(strings.NewReader(file), int64(len(file)), time.Now()); err == nil {
			t.Errorf("%q is the usage %+v", file, u)
		}
	}
	path := filepath.Join(t.TempDir(), "session-x.jsonl")
	must(t, os.Symlink("/dev/zero", path))
	if _, err := ReadUsage(path); err == nil {
		t.Error("a link was read")
	}
}

// The reader counts the records of the journal: a session with a call, its copy, and the branch that
// begins when another program writes to the file.
func TestUsageOfJournal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j, _ := newJournal(t, dir)
	must(t, j.Begin(t.Context(), "id", []agent.Message{opening}))
	question := message("1", llm.RoleUser, llm.Text("Write."))
	question.IsPrompt = true
	answer := message("2", llm.RoleModel, llm.Part{FunctionCall: &llm.FunctionCall{ID: "c", Name: "write_file", Args: json.RawMessage(`{}`)}})
	answer.Usage, answer.Model = &llm.Usage{Prompt: 10, Candidates: 2, Total: 12}, "m1"
	done := agent.Entry{Message: message("3", llm.RoleUser, llm.Part{FunctionResponse: llm.Output("c", "write_file", "ok")})}
	done.Calls = []agent.CallRecord{{
		ID: "c", Name: "write_file", Status: agent.Success, Active: 20 * time.Millisecond,
		Display: &tool.DiffDisplay{Diff: "x", Stat: tool.DiffStat{ModelAddedLines: 4, ModelRemovedLines: 2}},
	}}
	for _, e := range []agent.Entry{{Message: question}, {Message: answer}, done} {
		must(t, j.Append(t.Context(), e))
	}
	want := Counts{Prompts: 1, Requests: 1, Tokens: *answer.Usage, Calls: 1, ToolTime: 20, Added: 4, Removed: 2}
	check := func(path string, want Counts) {
		t.Helper()
		u, err := ReadUsage(path)
		must(t, err)
		var got Counts
		for i := range u.Rows {
			got.Add(&u.Rows[i].Counts)
		}
		got.ModelTime = 0
		if got != want {
			t.Errorf("%s: got  %+v\nwant %+v", filepath.Base(path), got, want)
		}
	}
	path := j.Path()
	check(path, want)

	loaded, err := Load(path)
	must(t, err)
	copied, err := Create(dir, Header{SessionID: "copy", Start: time.Now(), Kind: Main, ForkOf: "id"}, "a copy", loaded.Entries, nil)
	must(t, err)
	check(copied, Counts{})
	fork, _ := newJournal(t, dir)
	fork.Fork(loaded, "fork", "")
	must(t, fork.Begin(t.Context(), "fork", Valid(messagesOf(loaded))))
	next := message("4", llm.RoleModel, llm.Text("Done."))
	next.Usage, next.Model = &llm.Usage{Prompt: 20, Candidates: 1, Total: 21}, "m1"
	must(t, fork.Append(t.Context(), agent.Entry{Message: next}))
	check(fork.Path(), Counts{Requests: 1, Tokens: *next.Usage})

	must(t, j.Spend(Request{Use: llm.UseCompressor, Model: "m2", Usage: &llm.Usage{Prompt: 1000, Candidates: 10, Total: 1010}, Took: time.Second}))
	want.Requests, want.Tokens = 2, llm.Usage{Prompt: 1010, Candidates: 12, Total: 1022}
	check(path, want)
	again, err := Load(path)
	must(t, err)
	if len(again.Entries) != 3 || again.Lost > 0 {
		t.Errorf("%d messages, %d lost", len(again.Entries), again.Lost)
	}

	interfere(t, path)
	must(t, j.Spend(Request{Use: llm.UseRouter, Model: "m2", Usage: &llm.Usage{Prompt: 5, Total: 5}}))
	if j.Path() == path {
		t.Fatal("the journal writes to a file of another program")
	}
	second := j.Path()
	interfere(t, second)
	must(t, j.Append(t.Context(), agent.Entry{Message: next}))
	check(path, want)
	check(second, Counts{Requests: 1, Tokens: llm.Usage{Prompt: 5, Total: 5}})
	check(j.Path(), Counts{Requests: 1, Tokens: *next.Usage})
}

// A call with which a hook continued another one is a call of its own, with its own lines and time.
func TestUsageOfExecutions(t *testing.T) {
	t.Parallel()
	j, _ := newJournal(t, t.TempDir())
	must(t, j.Begin(t.Context(), "id", []agent.Message{opening}))
	diff := func(added int) *tool.Result {
		return &tool.Result{Display: &tool.DiffDisplay{Diff: "x", Stat: tool.DiffStat{ModelAddedLines: added}}}
	}
	ran := func(name string, status agent.Status, r *tool.Result, active time.Duration) agent.Execution {
		return agent.Execution{Name: name, Requested: "read_file", Status: status, HasRun: true, Result: r, Active: active}
	}
	done := agent.Entry{Message: message("3", llm.RoleUser, llm.Part{FunctionResponse: llm.Output("c", "read_file", "ok")}, llm.Part{FunctionResponse: llm.Output("d", "mcp", "ok")})}
	done.Calls = []agent.CallRecord{{
		ID: "c", Name: "read_file", Status: agent.Success, Active: time.Second, Display: diff(4).Display,
		Executions: []agent.Execution{
			ran("read_file", agent.Failed, &tool.Result{}, 5*time.Millisecond), ran("replace", agent.Success, diff(3), 7*time.Millisecond),
			ran("run_shell_command", agent.Failed, &tool.Result{}, 3*time.Millisecond), ran("write_file", agent.Success, diff(4), 9*time.Millisecond),
		},
	}, {
		ID: "d", Name: "mcp", Status: agent.Success, Active: 8 * time.Millisecond, HasRun: true,
		Executions: []agent.Execution{{Name: "mcp", Status: agent.Success, HasRun: true, Result: &tool.Result{}, Changes: &tool.Changes{Changed: 1, Added: 1, Removed: 2}}},
	}}
	done.Calls[0].Executions[2].Changes = &tool.Changes{Changed: 1, Added: 10, Removed: 20} // although it has failed
	for _, e := range []agent.Entry{
		{Message: message("1", llm.RoleUser, llm.Text("Go."))},
		{Message: message("2", llm.RoleModel, llm.Part{FunctionCall: &llm.FunctionCall{ID: "c", Name: "read_file", Args: json.RawMessage(`{}`)}}, llm.Part{FunctionCall: &llm.FunctionCall{ID: "d", Name: "mcp", Args: json.RawMessage(`{}`)}})},
		done,
	} {
		must(t, j.Append(t.Context(), e))
	}
	u, err := ReadUsage(j.Path())
	must(t, err)
	got := map[string]Counts{}
	for _, r := range u.Rows {
		if r.Tool != "" {
			got[r.Tool] = r.Counts
		}
	}
	want := map[string]Counts{
		"read_file": {Calls: 1, Failed: 1, ToolTime: 5}, "replace": {Calls: 1, ToolTime: 7, Added: 3}, "write_file": {Calls: 1, ToolTime: 9, Added: 4},
		"run_shell_command": {Calls: 1, Failed: 1, ToolTime: 3, Added: 10, Removed: 20}, "mcp": {Calls: 1, ToolTime: 8, Added: 1, Removed: 2},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// interfere writes to a file as another program does.
func interfere(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString("{}\n")
	must(t, errors.Join(err, f.Close()))
}

func messagesOf(s *Session) []agent.Message {
	var list []agent.Message
	for _, e := range s.Entries {
		list = append(list, e.Message)
	}
	return list
}

// A request before the first prompt is recorded with it; a session without a prompt has no file.
func TestSpendFirst(t *testing.T) {
	t.Parallel()
	j, _ := newJournal(t, t.TempDir())
	must(t, j.Begin(t.Context(), "id", []agent.Message{opening}))
	must(t, j.Spend(Request{Use: llm.UseRouter, Model: "m2"}))
	if j.IsRecorded() {
		t.Fatal("there is a file")
	}
	must(t, j.Append(t.Context(), agent.Entry{Message: message("1", llm.RoleUser, llm.Text("hello"))}))
	u, err := ReadUsage(j.Path())
	must(t, err)
	if got := sum(u); got != (Counts{Requests: 1, Uncounted: 1}) {
		t.Errorf("%+v", got)
	}
}

// An index returns the stored usage.
func TestUsageIndex(t *testing.T) {
	t.Parallel()
	u, _ := total(t, headerLine+user("a", "hello")+answered("b", 5, twoCalls))
	data, err := json.Marshal(u)
	must(t, err)
	var back Usage
	must(t, back.Decode(jx.DecodeBytes(data)))
	again, err := json.Marshal(&back)
	must(t, err)
	if !bytes.Equal(data, again) || len(back.Rows) != 3 {
		t.Errorf("%s became %s", data, again)
	}
	if err := back.Decode(jx.DecodeStr(`{"v":99,"id":"s1","rows":[]}`)); err == nil {
		t.Error("another version was read")
	}
}

// A file with many different names and times is read in bounded memory.
func TestUsageBounds(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(headerLine)
	const n = maxRows + 1000
	for i := range n {
		b.WriteString(strings.ReplaceAll(answered(fmt.Sprint(i), i%60, ""), "m1", fmt.Sprintf("m%d%s", i, strings.Repeat("x", 300))))
	}
	u, all := total(t, b.String())
	if all.Requests != n || len(u.Rows) > maxRows || len(u.Rows[1].Model) > maxName {
		t.Errorf("%d requests in %d rows, a name of %d bytes", all.Requests, len(u.Rows), len(u.Rows[1].Model))
	}
}

// FuzzUsage checks that no file, however damaged, has negative counts, and that no record counts twice.
func FuzzUsage(f *testing.F) {
	f.Add([]byte(headerLine + user("a", "hello") + answered("b", 5, twoCalls)))
	f.Add([]byte(headerLine + `{"$set":{"messages":[` + strings.TrimSpace(user("a", "x")) + `]}}` + "\n" + results))
	f.Add([]byte(`{"sessionId":"s","messages":[` + strings.TrimSpace(answered("b", 5, twoCalls)) + "]}"))
	f.Add([]byte(strings.Replace(headerLine, `"kind"`, `"copied":1,"kind"`, 1) + answered("y", 1, twoCalls) + answered("b", 5, "")))
	written := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, data []byte) {
		u, err := readUsage(bytes.NewReader(data), int64(len(data)), written)
		if err != nil {
			return
		}
		for i := range u.Rows {
			for _, n := range u.Rows[i].numbers() {
				if *n < 0 {
					t.Fatalf("a negative count: %+v", u.Rows[i])
				}
			}
		}
		stored, err := u.MarshalJSON()
		if err != nil || !json.Valid(stored) {
			t.Fatalf("%v: %s", err, stored)
		}
		double := append(append(bytes.Clone(data), '\n'), data...)
		again, err := readUsage(bytes.NewReader(double), int64(len(double)), written)
		if err != nil || sum(again) != sum(u) {
			t.Fatalf("%v: got %+v for the file and %+v for it twice", err, sum(u), sum(again))
		}
	})
}

func sum(u *Usage) Counts {
	var all Counts
	for i := range u.Rows {
		all.Add(&u.Rows[i].Counts)
	}
	return all
}

// BenchmarkUsage reads a session of 100 MB.
func BenchmarkUsage(b *testing.B) {
	path := filepath.Join(b.TempDir(), "session-x.jsonl")
	must(b, writeSession(path, 100<<20))
	info, err := os.Stat(path)
	must(b, err)
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		_, err := ReadUsage(path)
		must(b, err)
	}
	runtime.GC()
}
