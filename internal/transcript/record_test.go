package transcript_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/internal/secret"
	"pollux/internal/transcript"
	"pollux/llm"
	"pollux/tool"
)

var (
	start = time.Date(2026, 3, 4, 5, 6, 7, 8e6, time.UTC)
	info  = transcript.Info{ID: "s-1", Dir: "/project", Start: start}
)

// talk returns a conversation with one successful and one failed call.
func talk() []agent.Message {
	return []agent.Message{
		{ID: "c", Content: llm.User(llm.Text("<session_context>\nToday\n</session_context>"))},
		{ID: "u", Time: start.Add(time.Second), Content: llm.User(llm.Text("Look at @a"), llm.Text("the whole of a")), Shown: "Look at @a"},
		{
			ID: "m", Time: start.Add(2 * time.Second), Model: "big", Usage: &llm.Usage{Prompt: 9, Candidates: 2, Thoughts: 1, CachedContent: 3, Total: 12},
			Thoughts: []agent.Thought{{Subject: "Plan", Description: "look"}},
			Content: llm.Model(
				llm.Part{Text: "secret", Thought: true}, llm.Text("I look."),
				llm.Part{FunctionCall: &llm.FunctionCall{ID: "1", Name: "read_file", Args: json.RawMessage(`{"file_path":"a"}`)}},
				llm.Part{FunctionCall: &llm.FunctionCall{ID: "2", Name: "fail", Args: json.RawMessage(`{broken`)}},
			),
		},
		{ID: "r", Content: llm.User(
			llm.Part{FunctionResponse: llm.Output("1", "read_file", "````\nx")},
			llm.Part{FunctionResponse: &llm.FunctionResponse{ID: "2", Name: "fail", Response: json.RawMessage(`{"error":"no luck"}`)}},
		)},
		{ID: "e", Time: start.Add(3 * time.Second), Content: llm.Model(llm.Text("Done."))},
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	data, err := transcript.JSON(info, talk())
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	messages := got["messages"].([]any)
	delete(got, "messages")
	want := map[string]any{
		"sessionId": "s-1", "kind": "main", "startTime": "2026-03-04T05:06:07.008Z", "lastUpdated": "2026-03-04T05:06:10.008Z",
	}
	want["projectHash"] = got["projectHash"]
	if diff := cmp.Diff(want, got); diff != "" || len(got["projectHash"].(string)) != 64 {
		t.Errorf("the head (-want +got):\n%s", diff)
	}
	wantAll := `[
		{"id": "c", "type": "user", "timestamp": "2026-03-04T05:06:07.008Z", "content": [{"text": "<session_context>\nToday\n</session_context>"}]},
		{"id": "u", "type": "user", "timestamp": "2026-03-04T05:06:08.008Z", "content": [{"text": "Look at @a"}, {"text": "the whole of a"}],
			"displayContent": [{"text": "Look at @a"}]},
		{"id": "m", "type": "gemini", "timestamp": "2026-03-04T05:06:09.008Z", "content": "I look.", "model": "big",
			"thoughts": [{"subject": "Plan", "description": "look", "timestamp": "2026-03-04T05:06:09.008Z"}],
			"tokens": {"input": 9, "output": 2, "cached": 3, "thoughts": 1, "tool": 0, "total": 12},
			"toolCalls": [
				{"id": "1", "name": "read_file", "args": {"file_path": "a"}, "status": "success", "timestamp": "2026-03-04T05:06:09.008Z",
					"result": [{"functionResponse": {"id": "1", "name": "read_file", "response": {"output": "` + "````" + `\nx"}}}]},
				{"id": "2", "name": "fail", "args": {}, "status": "error", "timestamp": "2026-03-04T05:06:09.008Z",
					"result": [{"functionResponse": {"id": "2", "name": "fail", "response": {"error": "no luck"}}}]}]},
		{"id": "e", "type": "gemini", "timestamp": "2026-03-04T05:06:10.008Z", "content": "Done."}]`
	var wanted []any
	if err := json.Unmarshal([]byte(wantAll), &wanted); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted, messages); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	const want = "# Conversation\n\n- Session: s-1\n- Directory: /project\n- Began: 2026-03-04 05:06\n" +
		"\n## User\n\nLook at @a\n" +
		"\n## Model (big)\n\nI look.\n" +
		"\n### Tool: read_file\n\n```json\n{\n  \"file_path\": \"a\"\n}\n```\n\n`````\n````\nx\n`````\n\n" +
		"\n### Tool: fail\n\n```json\n{}\n```\n\n```\nno luck\n```\n\n" +
		"\n## Model\n\nDone.\n"
	if diff := cmp.Diff(want, transcript.Markdown(info, talk())); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestHTML(t *testing.T) {
	t.Parallel()
	page := transcript.HTML(info, talk())
	for _, want := range []string{"<pre>Look at @a</pre>", "<h2>Model (big)</h2>", "<h2>Tool: read_file</h2>", "&#34;file_path&#34;: &#34;a&#34;", "no luck", "Done."} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing in\n%s", want, page)
		}
	}
	if strings.Contains(page, "secret") || strings.Contains(page, "session_context") {
		t.Error("it contains thoughts or the session context")
	}
	const evil = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>\x1b[2J\u202e"
	page = transcript.HTML(transcript.Info{ID: evil, Dir: evil, Start: start}, []agent.Message{
		{Content: llm.User(llm.Text(evil))},
		{Model: evil, Content: llm.Model(llm.Text(evil), llm.Part{FunctionCall: &llm.FunctionCall{ID: "1", Name: evil, Args: json.RawMessage(`{"a":"</pre><script>"}`)}})},
		{Content: llm.User(llm.Part{FunctionResponse: llm.Output("1", "f", evil)}, llm.Part{InlineData: &llm.Blob{MIMEType: evil}})},
	})
	if strings.Contains(page, "<script") || strings.Contains(page, "<img") || strings.ContainsAny(page, "\x1b\u202e") || strings.Count(page, "&lt;script&gt;") != 10 {
		t.Errorf("%d:\n%s", strings.Count(page, "&lt;script&gt;"), page)
	}
}

func TestContents(t *testing.T) {
	t.Parallel()
	data, err := transcript.Contents(talk()[:2])
	if err != nil || !strings.Contains(string(data), `"role": "user"`) {
		t.Errorf("%s, %v", data, err)
	}
	if data, err = transcript.Contents(nil); err != nil || strings.TrimSpace(string(data)) != "[]" {
		t.Errorf("%s, %v", data, err)
	}
}

// TestHostile checks repeated call ids and terminal escapes.
func TestHostile(t *testing.T) {
	t.Parallel()
	var history []agent.Message
	for _, said := range []string{"first", "second\x1b[2J\u202e"} {
		history = append(
			history,
			agent.Message{Content: llm.Model(llm.Text("\x1b]0;evil\a"), llm.Part{FunctionCall: &llm.FunctionCall{ID: "1", Name: "f\x1b[2J"}})},
			agent.Message{Content: llm.User(llm.Part{FunctionResponse: llm.Output("1", "f", said)})},
		)
	}
	text := transcript.Markdown(transcript.Info{ID: "\x1b[2J", Start: start}, history)
	if strings.ContainsAny(text, "\x1b\a\u202e") || strings.Count(text, "first") != 1 || strings.Count(text, "second") != 1 {
		t.Errorf("%q", text)
	}
	data, err := transcript.JSON(info, history)
	if err != nil || strings.Count(string(data), "first") != 1 || strings.ContainsAny(string(data), "\x1b\a") {
		t.Errorf("%s, %v", data, err)
	}
}

// TestExecutions checks that every format has the executions that differ from the model's call.
func TestExecutions(t *testing.T) {
	t.Parallel()
	with := info
	with.Calls = map[string][]agent.CallRecord{"r": {
		{ID: "1", Executions: []agent.Execution{
			{Name: "read_file", Args: json.RawMessage(`{"file_path":"by-the-hook"}`), ChangedBy: []agent.Author{agent.AuthorHook, agent.AuthorUser, agent.AuthorHook}, HasRun: true},
			{Name: "run_shell_command", Args: json.RawMessage(`{"command":"rm victim"}`), Requested: "read_file", ChangedBy: []agent.Author{agent.AuthorUser}, Changes: &tool.Changes{
				Deleted: 2, Files: []tool.FileChange{{Path: "victim/a"}}, Beside: []string{"make victim/b"},
			}},
		}},
		{ID: "2", Executions: []agent.Execution{{Name: "fail", Args: json.RawMessage(`{"as":"written"}`), Changes: &tool.Changes{Changed: 1, Added: 4}}}},
	}}
	data, err := transcript.JSON(with, talk())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"deleted": 2`, "victim/a", `"linesAdded": 4`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("json lacks %s:\n%s", want, data)
		}
	}
	texts := map[string]string{"json": string(data), "markdown": transcript.Markdown(with, talk()), "html": transcript.HTML(with, talk())}
	for format, text := range texts {
		for _, want := range []string{"by-the-hook", "rm victim"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q:\n%s", format, want, text)
			}
		}
		if strings.Contains(text, "written") {
			t.Errorf("%s repeats a call that ran as it was written:\n%s", format, text)
		}
	}
	with.Calls = transcript.MaskedCalls(with.Calls, secret.NewMasker([]string{"by-the-hook", "rm victim", "victim/a", "victim/b"}))
	if data, err := transcript.JSON(with, talk()); err != nil || strings.Contains(string(data), "by-the-hook") || strings.Contains(string(data), "rm victim") ||
		strings.Contains(string(data), "victim/") {
		t.Errorf("a secret is exported: %v\n%s", err, data)
	}
	for _, want := range []string{"Changed by a hook and the user:", "Continued by a hook with run_shell_command, changed by the user, not run:", "Changes: 2 files deleted", "Changes: 1 file changed (+4, -0)"} {
		if !strings.Contains(texts["markdown"], want) || !strings.Contains(texts["html"], want) {
			t.Errorf("lacks %q:\n%s", want, texts["markdown"])
		}
	}
}
