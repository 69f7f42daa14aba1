package hook

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/guard"
	"pollux/llm"
	"pollux/tool"
)

// qwen opens a stage with hooks of Qwen Code, copied to settings.
func qwen(t *testing.T, event, matcher string, hook map[string]any) *stage {
	t.Helper()
	m := FromQwen(claudeSettings(t, event, matcher, hook))
	if lost := linesAbout(m, true); len(lost) > 0 || m.Count() != 1 {
		t.Fatalf("not copied: %q", lost)
	}
	hooks, problems, _ := Read(User, rawOf(m.Definitions()))
	if len(problems) > 0 || len(hooks) != 1 || hooks[0].Dialect != Qwen {
		t.Fatalf("%+v, %q", hooks, problems)
	}
	return open(t, Options{Hooks: hooks, Mode: func() string { return "autoEdit" }})
}

// TestQwenGuards runs guards of Qwen Code, unchanged: a denial there is one here.
func TestQwenGuards(t *testing.T) {
	t.Parallel()
	shell := hooked("run_shell_command", `{"command":"make","description":"x","dir_path":"sub"}`)
	edit := hooked("replace", `{"file_path":"a.txt","old_string":"x","new_string":"y","allow_multiple":true}`)
	for name, tt := range map[string]struct {
		matcher, command string
		call             guard.HookedCall
		want             string // begins the outcome; "" for none
	}{
		"exit code 2":      {"", `echo '{}'; echo Not here. >&2; exit 2`, shell, "block: Not here."},
		"exit code 1":      {"", `echo broken >&2; exit 1`, shell, ""},
		"deny":             {"", `echo '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"No."}}'`, shell, "block: No."},
		"block":            {"", `echo '{"decision":"block","reason":"No."}'`, shell, "block: No."},
		"ask":              {"", `echo '{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"Sure?"}}'`, shell, "ask: Sure?"},
		"text":             {"", `echo fine`, shell, ""},
		"its name":         {"^run_shell_command$", `exit 2`, shell, "block: "},
		"a part of it":     {"shell", `exit 2`, shell, "block: "},
		"its label":        {"^(Bash|WriteFile)$", `exit 2`, shell, "block: "},
		"another tool":     {"^edit$", `exit 2`, shell, ""},
		"edit":             {"^edit$", `grep -q '"tool_name":"edit"' && exit 2`, edit, "block: "},
		"Pollux's name":    {"^replace$", `grep -q '"tool_name":"edit"' && exit 2`, edit, "block: "},
		"arguments":        {"edit", `grep -q '"replace_all":true' && exit 2`, edit, "block: "},
		"an absolute path": {"edit", `grep -q "\"file_path\":\"$QWEN_PROJECT_DIR/a.txt\"" && exit 2`, edit, "block: "},
		"directory":        {"", `grep -q '"directory":"/' && exit 2`, shell, "block: "},
		"its mode":         {"", `tee seen | grep -q '"permission_mode":"auto-edit"' && grep -q '"hook_event_name":"PreToolUse"' seen && exit 2`, shell, "block: "},
		"a server":         {"mcp__db__.*", `grep -q mcp__db__select && exit 2`, remote("db", "select", `{}`), "block: "},
		"updatedInput":     {"", `echo '{"hookSpecificOutput":{"updatedInput":{"command":"true","directory":"d"}}}'`, shell, `args: {"command":"true","dir_path":"d"}`},
		"two addresses":    {"web_fetch", `grep -q '"url":"https://b.example/"' && exit 2`, hooked("web_fetch", `{"prompt":"read https://a.example/ and https://b.example/"}`), "block: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := qwen(t, "PreToolUse", tt.matcher, map[string]any{"type": "command", "command": tt.command})
			got := outcomeOf(st.Before(t.Context(), tt.call))
			if !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
				t.Errorf("the outcome is %q, want %q", got, tt.want)
			}
		})
	}
}

// TestQwenInput checks the input of hooks of Qwen Code, and that its time limits are in milliseconds.
func TestQwenInput(t *testing.T) {
	t.Parallel()
	st := qwen(t, "PostToolUse", "", map[string]any{"type": "command", "command": "cat > seen", "timeout": 1500.0})
	if h := st.Hooks()[0]; h.Timeout.Milliseconds() != 1500 {
		t.Errorf("the time limit is %v", h.Timeout)
	}
	call := hooked("read_file", `{"file_path":"a.go","start_line":3,"end_line":9}`)
	st.After(t.Context(), call, &tool.Result{Content: []llm.Part{llm.Text("text")}})
	data, err := os.ReadFile(filepath.Join(st.dir, "seen"))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Event     string          `json:"hook_event_name"`
		Tool      string          `json:"tool_name"`
		Input     json.RawMessage `json:"tool_input"`
		Timestamp string          `json:"timestamp"`
		Response  struct {
			Content string `json:"llmContent"`
		} `json:"tool_response"`
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	want := `{"file_path":"` + filepath.ToSlash(filepath.Join(st.dir, "a.go")) + `","limit":7,"offset":2}`
	if got.Event != "PostToolUse" || got.Tool != "read_file" || string(got.Input) != want || got.Timestamp == "" || got.Response.Content != "text" {
		t.Errorf("%s", data)
	}
	st = qwen(t, "PostToolUseFailure", "", map[string]any{"type": "command", "command": "cat > seen"})
	st.After(t.Context(), call, &tool.Result{Content: []llm.Part{llm.Text("text")}})
	if _, err := os.Stat(filepath.Join(st.dir, "seen")); err == nil {
		t.Error("a hook for failures runs after a success")
	}
}

// TestQwenTools checks that the arguments of each tool come back as they were.
func TestQwenTools(t *testing.T) {
	t.Parallel()
	for own, sample := range map[string]string{
		"run_shell_command": `{"command":"x","dir_path":"/d/a"}`, "replace": `{"allow_multiple":true,"file_path":"/d/a"}`, "read_file": `{"end_line":9,"file_path":"/d/a","start_line":3}`,
		"grep_search": `{"dir_path":"/d","include_pattern":"*.go"}`, "invoke_agent": `{"agent_name":"a"}`, "activate_skill": `{"name":"s"}`,
	} {
		args, _ := parseJSON(sample)
		name := target{tool: own}.namesFor(Qwen)[0]
		theirs := target{tool: own}.argsFor(Qwen, name, args, "/d")
		if got := string(encode(Qwen.ownArgs(name, theirs[0]))); got != sample {
			t.Errorf("%s: %s comes back as %s", own, sample, got)
		}
	}
	for name, want := range map[string]string{"edit": "replace", "Edit": "replace", "WriteFile": "write_file", "task": "invoke_agent", "save_memory": "", "": ""} {
		if got := QwenTool(name); got != want {
			t.Errorf("QwenTool(%q) is %q, want %q", name, got, want)
		}
	}
	hooks := []Hook{
		{Event: BeforeTool, Dialect: Qwen, Matcher: "save_memory", Command: "x"},
		{Event: BeforeTool, Dialect: Qwen, Matcher: "WriteFile|edit", Command: "x"},
		{Event: SessionStart, Dialect: Qwen, Matcher: "start", Command: "x"},
		{Event: SessionStart, Dialect: Qwen, Matcher: "compact", Command: "x"},
	}
	got := NewSet(Options{Hooks: hooks}).Unmatched([]string{"replace"})
	if len(got) != 2 || !strings.Contains(got[1], "Pollux does not have this tool of Qwen Code") || !strings.Contains(got[0], `"compact"`) {
		t.Errorf("%q", got)
	}
}

// TestFromCrush checks the copies of hooks of Crush, which have no group of handlers and other names of tools.
func TestFromCrush(t *testing.T) {
	t.Parallel()
	var hooks map[string]any
	if err := json.Unmarshal([]byte(`{
		"PreToolUse": [{"matcher": "^(bash|edit)$", "command": "a", "timeout": 5}, {"command": "b"}, {"matcher": "job_kill", "command": "c"},
			{"matcher": "b.*", "command": "d"}, {"matcher": "bash", "command": "test $CRUSH_TOOL_NAME"}, 5, {"matcher": "bash"}],
		"Odd": [{"command": "e"}]}`), &hooks); err != nil {
		t.Fatal(err)
	}
	m := FromCrush(hooks)
	if got := strings.Join(linesAbout(m, false), "\n"); got != `left out PreToolUse of job_kill (its matcher has a tool that Pollux does not have, or is not a list of names) LOST
left out PreToolUse of b.* (its matcher has a tool that Pollux does not have, or is not a list of names) LOST
left out PreToolUse of bash (it uses a variable of Crush, which Pollux does not set) LOST
left out PreToolUse (it is not an object) LOST
left out Odd (Pollux has no such event)
changed PreToolUse of Bash|Edit: a (it gets Claude Code's names of tools and arguments, such as Bash for bash)
changed PreToolUse: b (it gets Claude Code's names of tools and arguments, such as Bash for bash)
left out PreToolUse of Bash (it has no command) LOST` {
		t.Errorf("reports:\n%s", got)
	}
	list, _, _ := Read(User, rawOf(m.Definitions()))
	for _, h := range list {
		if h.Dialect != Claude {
			t.Errorf("the dialect is %q", h.Dialect)
		}
	}
	list[0].Command = "exit 2"
	st := open(t, Options{Hooks: list[:1]})
	for call, blocks := range map[string]bool{"run_shell_command": true, "replace": true, "read_file": false} {
		if b := st.Before(t.Context(), hooked(call, `{"file_path":"a","command":"x"}`)); b.Block != blocks {
			t.Errorf("%s: %+v", call, b)
		}
	}
}
