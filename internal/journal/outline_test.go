package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"pollux/agent"
	"pollux/llm"
)

const headerLine = `{"sessionId":"s1","projectHash":"h","startTime":"2026-11-21T12:00:00.000Z","lastUpdated":"2026-11-21T12:00:00.000Z","kind":"main"}` + "\n"

func user(id, content string) string {
	return fmt.Sprintf(`{"id":%q,"timestamp":"2026-11-21T12:00:01.000Z","type":"user","content":[{"text":%q}]}`+"\n", id, content)
}

// note returns a message that is no prompt.
func note(id, content string) string {
	return strings.TrimSuffix(user(id, content), "}\n") + `,"isPrompt":false}` + "\n"
}

// typed returns the message about a shell command of the person.
func typed(id, command string) string {
	return note(id, TypedCommand+"\n```sh\n"+command+"\n```\n\nThis is its output. It is not a request:\n```\na\n```\n\n")
}

func model(id, content string) string {
	return fmt.Sprintf(`{"id":%q,"timestamp":"2026-11-21T12:00:02.000Z","type":"gemini","content":%q,"thoughts":[]}`+"\n", id, content)
}

const results = `{"id":"r","timestamp":"2026-11-21T12:00:03.000Z","type":"user","content":[{"functionResponse":{"id":"c","name":"f","response":{"output":"x"}}}]}` + "\n"

func TestPeek(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 1<<20)
	tests := []struct {
		name, file      string
		prompt, command string
		prompts         int
		resumable       bool
		summary         string
	}{
		{"one prompt", headerLine + user("a", "hello") + model("b", "hi"), "hello", "", 1, true, ""},
		{"no prompt", headerLine + user("c", "<session_context>\nToday"), "", "", 0, false, ""},
		{"results are no prompts", headerLine + user("a", "hello") + model("b", "") + results, "hello", "", 1, true, ""},
		{"only a command", headerLine + user("a", "/about"), "", "/about", 1, false, ""},
		{"a command and its answer", headerLine + user("a", "/usr/bin is what?") + model("b", "a directory"), "", "/usr/bin is what?", 1, true, ""},
		{"a command first", headerLine + user("a", "/x") + user("b", "then this"), "then this", "/x", 2, true, ""},
		{"a command of the person", headerLine + typed("a", "ls"), "", "!ls", 0, true, ""},
		{"a command with backticks", headerLine + note("a", TypedCommand+"\n````sh\necho '```'\npwd\n````\n\nThis is"), "", "!echo '```'\npwd", 0, true, ""},
		{"a prompt behind a command of the person", headerLine + typed("a", "ls") + user("b", "hello") + model("c", "hi") + typed("d", "pwd") + user("e", "more"), "hello", "!ls", 2, true, ""},
		{"a long command of the person", headerLine + user("b", "hello") + model("c", "hi") + typed("d", long), "hello", "!" + long[:maxPrompt-1], 1, true, ""},
		{"a long one first", headerLine + typed("a", long) + user("b", "hello"), "hello", "!" + long[:maxPrompt-1], 1, true, ""},
		{"a prompt with the same text", headerLine + user("a", TypedCommand), TypedCommand, "", 1, true, ""},
		{"shown text", headerLine + `{"id":"a","timestamp":"2026-11-21T12:00:01.000Z","type":"user","content":[{"text":"whole file"}],"displayContent":[{"text":"@f"}]}` + "\n", "@f", "", 1, true, ""},
		{"hook context", headerLine + `{"id":"a","timestamp":"2026-11-21T12:00:01.000Z","type":"user","content":[{"text":"<hook_context>x</hook_context>\n\nfirst"}]}` + "\n", "first", "", 1, true, ""},
		{"image only", headerLine + `{"id":"a","type":"user","content":[{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]}` + "\n", "[image/png]", "", 1, true, ""},
		{"summary", headerLine + user("a", "hello") + `{"$set":{"summary":"Says héllo"}}` + "\n", "hello", "", 1, true, "Says héllo"},
		{"rewound", headerLine + user("c", "<session_context>") + user("a", "hello") + model("b", "hi") + `{"$rewindTo":"a"}` + "\n", "hello", "", 1, false, ""},
		{"rewound in part", headerLine + user("a", "hello") + user("b", "more") + `{"$rewindTo":"b"}` + "\n", "hello", "", 2, true, ""},
		{"replaced by nothing", headerLine + user("a", "hello") + `{"$set":{"messages":[],"lastUpdated":"2026-11-21T12:00:05.000Z"}}` + "\n", "hello", "", 1, false, ""},
		{"replaced", headerLine + `{"$set":{"messages":[` + strings.TrimSpace(user("a", "hello")) + `]}}` + "\n", "hello", "", 1, true, ""},
		{"torn last line", headerLine + user("a", "hello") + `{"id":"b","timestamp":"20`, "hello", "", 1, true, ""},
		{"bit flip", headerLine + strings.Replace(user("x", "bad"), `"type"`, "\"type\x00", 1) + user("a", "hello"), "hello", "", 1, true, ""},
		{"NULs", strings.Repeat("\x00", 1<<17) + headerLine + strings.Repeat("\x00", 5000) + user("a", "hello") + "\x00\x00", "hello", "", 1, true, ""},
		{"unknown records", headerLine + `{"$pollux":9}` + "\n" + `{"id":"q","type":"future","content":7}` + "\n[1]\n\"x\"\n" + user("a", "hello"), "hello", "", 1, true, ""},
		{"CRLF and spaces", strings.ReplaceAll(headerLine+"\n"+strings.ReplaceAll(user("a", "hello"), `":`, `": `), "\n", "\r\n"), "hello", "", 1, true, ""},
		{"header last", user("a", "hello") + headerLine, "hello", "", 1, true, ""},
		{"old object", `{"sessionId":"s1","projectHash":"h","startTime":"2026-11-21T12:00:00.000Z","messages":[` + user("a", "hello") + "]\n}", "hello", "", 1, true, ""},
		{"old object on one line", `{"sessionId":"s1","messages":[` + strings.TrimSpace(user("a", "hello")) + "]}", "hello", "", 1, true, ""},
		{"long prompt", headerLine + user("a", long), strings.TrimSpace(long)[:maxPrompt], "", 1, true, ""},
		{"long second prompt", headerLine + user("a", "hello") + user("b", long), "hello", "", 2, true, ""},
		{"long context", headerLine + user("a", "<session_context>"+long) + model("b", ""), "", "", 0, false, ""},
		{"long replacement", headerLine + `{"$set":{"messages":[` + strings.TrimSpace(user("a", "hello")) + "," + strings.TrimSpace(user("b", long)) + "]}}\n", "hello", "", 2, true, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "session-x.jsonl")
			must(t, os.WriteFile(path, []byte(tt.file), 0o600))
			o, err := Peek(path, nil)
			must(t, err)
			if o.SessionID != "s1" || o.Prompt != tt.prompt || o.Command != tt.command || o.Prompts != tt.prompts || o.IsResumable != tt.resumable || o.Summary != tt.summary {
				t.Errorf("%+.200v", o)
			}
		})
	}
}

// The outline of a conversation of Pollux agrees with the journal, also if it is read in pieces.
func TestPeekContinues(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j, _ := newJournal(t, dir)
	must(t, j.Begin(t.Context(), "id", []agent.Message{opening}))
	var known *Outline
	for i := range 5 {
		m := message(fmt.Sprint("u", i), llm.RoleUser, llm.Text(fmt.Sprint("prompt ", i)))
		m.Time = start.Add(time.Duration(i) * time.Minute)
		must(t, j.Append(t.Context(), agent.Entry{Message: m}))
		must(t, j.Append(t.Context(), agent.Entry{Message: message(fmt.Sprint("m", i), llm.RoleModel, llm.Text("answer"))}))
		whole, err := Peek(j.Path(), nil)
		must(t, err)
		if known != nil && known.Read == 0 {
			t.Fatal("nothing is known")
		}
		known, err = Peek(j.Path(), known)
		must(t, err)
		if fmt.Sprint(whole) != fmt.Sprint(known) || known.Prompts != i+1 || !known.Updated.Equal(m.Time) || known.Prompt != "prompt 0" {
			t.Fatalf("%+v\n%+v", whole, known)
		}
	}
}

// A last line without a line feed is read again when it has one.
func TestPeekContinuesTornLine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "session-x.jsonl")
	content := strings.Replace(headerLine, `"main"`, `"main","pollux":1`, 1) + user("a", "one") + strings.TrimSpace(user("b", "two"))
	must(t, os.WriteFile(path, []byte(content), 0o600))
	known, err := Peek(path, nil)
	must(t, err)
	must(t, os.WriteFile(path, []byte(content+"\n"+user("c", "three")), 0o600))
	o, err := Peek(path, known)
	must(t, err)
	if known.Prompts != 2 || o.Prompts != 3 {
		t.Errorf("%d, then %d prompts", known.Prompts, o.Prompts)
	}
}

// A line of 200 MB costs little memory.
func TestPeekHugeLine(t *testing.T) {
	// Not parallel: the memory of other tests would count.
	path := filepath.Join(t.TempDir(), "session-x.jsonl")
	f, err := os.Create(path)
	must(t, err)
	defer f.Close()
	_, err = f.WriteString(headerLine + user("a", "hello") + `{"id":"b","timestamp":"2026-11-21T12:00:01.000Z","type":"user","content":[{"text":"`)
	must(t, err)
	must(t, f.Truncate(200<<20)) // sparse
	_, err = f.WriteAt([]byte("\"}]}\n"+user("c", "more")), 200<<20)
	must(t, err)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	o, err := Peek(path, nil)
	must(t, err)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; o.Prompts != 3 || n > 4<<20 {
		t.Errorf("%d prompts, %d bytes", o.Prompts, n)
	}
}

func TestPeekRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{"empty": "", "text": "hello\n", "list": "[1,2]", "half": `{"sessionId":"s`, "no hash": `{"$set":{"summary":"x"}}` + "\n"} {
		path := filepath.Join(dir, "session-x.jsonl")
		must(t, os.WriteFile(path, []byte(content), 0o600))
		if o, err := Peek(path, nil); err == nil {
			t.Errorf("%s: %+v", name, o)
		}
	}
}
