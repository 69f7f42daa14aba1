package guard

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/guard/policy"
	"pollux/llm"
	"pollux/tool"
)

// Rules and hooks see an argument under the name and in the type of the schema, whatever name,
// spelling, order or type it was given in, and so does the tool.
func TestNamesReachPolicy(t *testing.T) {
	t.Parallel()
	deny := func(pattern string) policy.Rule {
		rule := policy.Rule{Tools: []string{"write_file"}, Decision: policy.Deny, Priority: 4}
		var err error
		if rule.Args, err = policy.NewPattern(pattern); err != nil {
			t.Fatal(err)
		}
		return rule
	}
	g := gate(policy.Yolo, Options{}, deny(`\x00"file_path":"secret"\x00`), deny(`\x00"file_path":"5"\x00`))
	for _, args := range []string{
		`{"file_path":"secret"}`,
		`{"path":"secret"}`, `{"filePath":"secret"}`, `{"FILE_PATH":"secret"}`, `{"file-path":"secret"}`, `{"absolutePath":"secret"}`,
		`{"filename":"secret","path":"open"}`, `{"file_path":"secret","path":"open"}`, `{"path":"open","file_path":"secret"}`,
		`{"file_path":"secret","FILE_PATH":"open"}`, `{"\u0046ile_path":"secret"}`, `{"file_path":"open","file_path":"secret"}`,
		`{"file_path":5}`, `{"path":5}`,
	} {
		a := g.Admit(t.Context(), &agent.ToolCall{Name: "write_file", Args: json.RawMessage(args)}, writer(t.TempDir()), unasked(t))
		wantRefusal(t, a, tool.ErrPolicyViolation, "Tool execution denied by policy.")
		if v := g.opts.Policy.Check(PolicyCall(writer(""), json.RawMessage(args))); v.Decision != policy.Deny {
			t.Errorf("%s: %v", args, v)
		}
	}
	for _, args := range []string{`{"file_path":"open","path":"secret"}`, `{"file_path":"open","FILE_PATH":"secret"}`, `{"path":"open","file":"secret"}`} {
		got := ""
		w := writer(t.TempDir())
		w.run = func(_ context.Context, args map[string]any, _ tool.Host) *tool.Result {
			b, _ := json.Marshal(args)
			got = string(b)
			return tool.Text("written")
		}
		a := g.Admit(t.Context(), &agent.ToolCall{Name: "write_file", Args: json.RawMessage(args)}, w, unasked(t))
		r := run(t, a)
		if got != `{"file_path":"open"}` || string(a.Call.Args()) != got || !strings.Contains(llm.PartsText(r.Content), `"secret" was ignored]`) {
			t.Errorf("%s: the tool gets %s, the result is %q", args, got, llm.PartsText(r.Content))
		}
	}
	// A hook sees the final names, and its output is read like a call.
	hooked := gate(policy.Yolo, Options{Hooks: script{`grep -q '"file_path":"mine"' && echo '{"Args":{"path":"secret"}}'`, ""}}, deny(`\x00"file_path":"secret"\x00`))
	a := hooked.Admit(t.Context(), &agent.ToolCall{Name: "write_file", Args: json.RawMessage(`{"path":"mine"}`)}, writer(t.TempDir()), unasked(t))
	wantRefusal(t, a, tool.ErrPolicyViolation, "Tool execution denied by policy.")
}

// A result names the arguments that were ignored, once in a session.
func TestIgnored(t *testing.T) {
	t.Parallel()
	g := gate(policy.Yolo, Options{})
	text := func(args string) string {
		t.Helper()
		a := g.Admit(t.Context(), &agent.ToolCall{Name: "write_file", Args: json.RawMessage(args)}, writer(t.TempDir()), unasked(t))
		return llm.PartsText(run(t, a).Content)
	}
	for _, c := range [][2]string{
		{`{"file_path":"a","foo":1,"description":"x","wait_for_previous":true}`, "written\n\n[Arguments: ignored: foo]"},
		{`{"file_path":"a","foo":1}`, "written"},
		{`{"file_path":"a","bar":1,"path":"b","baz":2}`, "written\n\n[Arguments: file_path \"a\" was used, path \"b\" was ignored; ignored: bar, baz]"},
		{`{"file_path":"a","path":"a"}`, "written"},
		{`{"file_path":"a","` + strings.Repeat("x", 99) + `":1}`, "written\n\n[Arguments: ignored: " + strings.Repeat("x", 40) + "...]"},
	} {
		if got := text(c[0]); got != c[1] {
			t.Errorf("%s: %q, want %q", c[0], got, c[1])
		}
	}
	// A program of the user's gets all arguments.
	a := g.Admit(t.Context(), &agent.ToolCall{Name: "own", Args: json.RawMessage(`{"file_path":"a","content":"b","foo":1}`)}, printer("own", tool.KindOther), unasked(t))
	if got := llm.PartsText(run(t, a).Content); got != "b" || string(a.Call.Args()) != `{"file_path":"a","content":"b","foo":1}` {
		t.Errorf("%q %s", got, a.Call.Args())
	}
}

// The news stand in the result of the next call that the model makes, at its end, once. Other calls leave them.
func TestNews(t *testing.T) {
	t.Parallel()
	news := ""
	g := gate(policy.Yolo, Options{News: func() string {
		defer func() { news = "" }()
		return news
	}})
	text := func(call agent.ToolCall) string {
		t.Helper()
		call.Name, call.Args = "write_file", json.RawMessage(`{"file_path":"a","foo":1}`)
		return llm.PartsText(run(t, g.Admit(t.Context(), &call, writer(t.TempDir()), unasked(t))).Content)
	}
	for _, c := range []struct {
		call agent.ToolCall
		news string
		want string
	}{
		{agent.ToolCall{PromptID: "p"}, "", "written\n\n[Arguments: ignored: foo]"},
		{agent.ToolCall{PromptID: "p", Typed: true}, "[x has ended]", "written"},
		{agent.ToolCall{PromptID: "p", FromClient: true}, "[x has ended]", "written"},
		{agent.ToolCall{}, "[x has ended]", "written"},
		{agent.ToolCall{PromptID: "p"}, "[x has ended]", "written\n\n[This was the result. News beside it:]\n[x has ended]"},
		{agent.ToolCall{PromptID: "p"}, "", "written"},
	} {
		news = c.news
		if got := text(c.call); got != c.want {
			t.Errorf("%+v: %q, want %q", c.call, got, c.want)
		}
	}
}

// FuzzNames checks that admitted arguments have no name that a decoder that ignores case reads
// as another parameter than a rule does.
func FuzzNames(f *testing.F) {
	for _, s := range []string{`{"file_path":"a","FILE_PATH":"b"}`, `{"File_Path":"a","content":{"CONTENT":"x"}}`, "{\"\u017file_path\":1,\"file_path\":\"\xff\"}", `{"filePath":"a","content":"c","Content":"C"}`} {
		f.Add([]byte(s))
	}
	w := writer(f.TempDir())
	g := gate(policy.Yolo, Options{})
	f.Fuzz(func(t *testing.T, args []byte) {
		a := g.Admit(t.Context(), &agent.ToolCall{Name: "write_file", Args: args}, w, unasked(t))
		var admitted map[string]json.RawMessage
		if a.Run == nil {
			return
		}
		if err := json.Unmarshal(a.Call.Args(), &admitted); err != nil {
			t.Fatal(err)
		}
		for name := range admitted {
			for _, p := range []string{"file_path", "content"} {
				if name != p && strings.EqualFold(name, p) {
					t.Errorf("%q: %s", args, a.Call.Args())
				}
			}
		}
	})
}
