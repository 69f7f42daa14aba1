package record

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pollux/agent"
	"pollux/internal/journal"
	"pollux/llm"
)

// The name of a checkpoint is a plain file name, whatever the call names, and as Gemini CLI makes them.
func TestCheckpointName(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 21, 12, 30, 1, 234_900_000, time.UTC)
	const begin = "2026-11-21T12-30-02_234Z-"
	for _, tt := range []struct{ tool, args, name, text string }{
		{"write_file", `{"file_path":"/p/src/main.go","content":"x"}`, begin + "main.go-write_file", "/p/src/main.go"},
		{"replace", `{"file_path":"C:\\p\\a b.txt"}`, begin + "a_b.txt-replace", `C:\p\a b.txt`},
		{"write_file", `{"path":"a"}`, begin + "a-write_file", "a"},
		{"run_shell_command", `{"command":" /usr/bin/make -j8 all\nrm x"}`, begin + "make-run_shell_command", "/usr/bin/make -j8 all rm x"},
		{"mcp_x_do it", `{}`, begin + "mcp_x_do_it", ""},
		{"write_file", `not json`, begin + "write_file", ""},
		{"write_file", `{"file_path":"../.."}`, begin + "write_file", "../.."},
		{"write_file", `{"file_path":"\u001b[31m\u202e"}`, begin + "__31m_-write_file", ""},
	} {
		c := agent.CallRecord{Name: tt.tool, Ended: began.Add(time.Second), Status: agent.Success}
		p := newCheckpoint("r", c, agent.Execution{Name: tt.tool, Args: json.RawMessage(tt.args)})
		if p.Name != tt.name || !strings.Contains(p.Describe(), tt.text) || strings.ContainsAny(p.Describe(), "\x1b\u202e\n") {
			t.Errorf("%s: %s, %q", tt.args, p.Name, p.Describe())
		}
	}
	long := newCheckpoint("r", agent.CallRecord{}, agent.Execution{Name: "t", Args: json.RawMessage(`{"file_path":"` + strings.Repeat("x", 1000) + `"}`)})
	if len(long.Name) > 100 {
		t.Errorf("%d bytes", len(long.Name))
	}
}

// A checkpoint keeps its name when the session is read from its file.
func TestCheckpointNameIsStable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := journal.New(journal.Options{Dir: func() (string, error) { return dir, nil }})
	if err := j.Begin(t.Context(), "id", nil); err != nil {
		t.Fatal(err)
	}
	began := time.Date(2026, 11, 21, 12, 30, 1, 0, time.UTC)
	messages := manyCalls()
	var live []string
	for i := range messages[1].Calls {
		c := &messages[1].Calls[i]
		c.Ended = began.Add(time.Duration(i) * 2332 * time.Microsecond)
		live = append(live, newCheckpoint("r", *c, c.Ran()[0]).Name)
	}
	for _, e := range messages {
		if err := j.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	path := j.Path()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := journal.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range s.Entries[1].Calls {
		if got := newCheckpoint("r", c, c.Ran()[0]).Name; got != live[i] {
			t.Errorf("%s is %s after a resume", live[i], got)
		}
	}
}

// manyCalls returns a response with calls, and their results.
func manyCalls() []agent.Entry {
	call, result := llm.Model(), llm.User()
	var records []agent.CallRecord
	for i := range 20 {
		id := fmt.Sprintf("write_file__%d", i)
		call.Parts = append(call.Parts, llm.Part{FunctionCall: &llm.FunctionCall{ID: id, Name: "write_file"}})
		result.Parts = append(result.Parts, llm.Part{FunctionResponse: llm.Output(id, "write_file", "ok")})
		records = append(records, agent.CallRecord{ID: id, Name: "write_file", Status: agent.Success, HasRun: true})
	}
	return []agent.Entry{
		{Message: agent.Message{ID: "m", Content: call}},
		{Message: agent.Message{ID: "r", Content: result}, Calls: records},
	}
}
