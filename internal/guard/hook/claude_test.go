package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pollux/agent"
	"pollux/internal/guard"
	"pollux/internal/process/processtest"
	"pollux/llm"
	"pollux/tool"
)

// remoteTool is a tool of an MCP server.
type remoteTool struct {
	tool.Tool
	server, name string
}

func (r remoteTool) Server() string            { return r.server }
func (r remoteTool) RemoteName() string        { return r.name }
func (remoteTool) Annotations() map[string]any { return nil }

// remote returns a call of a tool of an MCP server.
func remote(server, name, args string) guard.HookedCall {
	c := hooked("mcp_"+server+"_"+name, args)
	c.Tool = remoteTool{c.Tool, server, name}
	return c
}

// scripts links the guards in testdata into the directory of a stage. They are as people write them for Claude Code.
func (st *stage) scripts(t *testing.T) {
	t.Helper()
	for _, program := range []string{"python3", "node"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("NOT TESTED: %s is not installed", program)
		}
	}
	guards, err := filepath.Abs("testdata/claude")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(guards, filepath.Join(st.dir, ".claude")); err != nil {
		t.Fatal(err)
	}
}

// commandFor returns the command line of a script.
func commandFor(script string) string {
	program := map[string]string{".py": "python3", ".js": "node", ".sh": "bash"}[filepath.Ext(script)]
	return program + ` "$CLAUDE_PROJECT_DIR"/.claude/` + script
}

// ways are the ways in which a guard of Claude Code gets into settings.
var ways = map[string]func(t *testing.T, event, matcher string, hook map[string]any) map[string]json.RawMessage{
	"migrated": func(t *testing.T, event, matcher string, hook map[string]any) map[string]json.RawMessage {
		m := FromClaude(claudeSettings(t, event, matcher, hook))
		if m.Count() != 1 || len(linesAbout(m, true)) > 0 {
			t.Fatalf("migration %+v", m)
		}
		return rawOf(m.Definitions())
	},
	"pasted": func(t *testing.T, event, matcher string, hook map[string]any) map[string]json.RawMessage {
		return rawOf(claudeSettings(t, event, matcher, hook))
	},
	"pasted, with Gemini CLI's event": func(t *testing.T, event, matcher string, hook map[string]any) map[string]json.RawMessage {
		if e := claudeEvent(event); matcher != "" && !strings.HasPrefix(matcher, "mcp") && (e == BeforeTool || e == AfterTool) {
			event = string(e)
		}
		return rawOf(claudeSettings(t, event, matcher, hook))
	},
	"with Pollux's names of tools": func(t *testing.T, event, matcher string, hook map[string]any) map[string]json.RawMessage {
		return rawOf(claudeSettings(t, event, translateMatcher(matcher), hook))
	},
	"with the dialect": func(t *testing.T, event, matcher string, hook map[string]any) map[string]json.RawMessage {
		hook["dialect"] = "claude"
		return rawOf(claudeSettings(t, string(claudeEvent(event)), matcher, hook))
	},
}

// claudeSettings returns the hooks of settings of Claude Code.
func claudeSettings(t *testing.T, event, matcher string, hook map[string]any) map[string]any {
	t.Helper()
	d := map[string]any{"hooks": []any{hook}}
	if matcher != "" {
		d["matcher"] = matcher
	}
	var settings map[string]any
	if err := json.Unmarshal(encode(map[string]any{event: []any{d}}), &settings); err != nil {
		t.Fatal(err)
	}
	return settings
}

func rawOf(definitions map[string]any) map[string]json.RawMessage {
	raw := map[string]json.RawMessage{}
	for event, list := range definitions {
		raw[event] = encode(list)
	}
	return raw
}

// outcomeOf describes the decision of hooks about a call.
func outcomeOf(b guard.BeforeTool) string {
	switch {
	case b.Stop:
		return "stop: " + b.Reason
	case b.Block:
		return "block: " + b.Reason
	case b.Ask:
		return "ask: " + b.Message
	case b.Args != nil:
		return "args: " + string(b.Args)
	}
	return ""
}

// TestClaudeGuards runs guards of Claude Code, unchanged, in each of the ways into settings, against calls that they
// must refuse and calls that they must let through.
func TestClaudeGuards(t *testing.T) {
	t.Parallel()
	type call struct {
		call guard.HookedCall
		want string // begins the outcome; "" for none
	}
	shell := func(command string) guard.HookedCall {
		return hooked("run_shell_command", string(encode(map[string]any{"command": command, "description": "x"})))
	}
	file := func(name, path, more string) guard.HookedCall {
		return hooked(name, `{"file_path":`+string(encode(path))+more+`}`)
	}
	for i, tt := range []struct {
		script, matcher string
		mode            string
		calls           []call
	}{
		{"block-rm.sh", "Bash", "", []call{
			{shell("rm -rf /"), "block: Dangerous: rm -rf is not allowed here."},
			{shell("cd x && rm  -fr y"), "block: "},
			{shell(`echo "a" && rm -Rrf .`), "block: "},
			{shell("rm x"), ""},
			{shell("ls -rf"), ""},
			{file("write_file", "rm -rf", `,"content":"rm -rf"`), ""},
		}},
		{"block-rm.sh", "", "", []call{{shell("rm -rf /"), "block: "}, {file("read_file", "rm -rf", ""), ""}}},
		{"block-rm.sh", "*", "", []call{{shell("rm -rf /"), "block: "}}},
		{"block-rm.sh", "Bash|Write", "", []call{{shell("rm -rf /"), "block: "}}},
		{"block-rm.sh", "^Bash$", "", []call{{shell("rm -rf /"), "block: "}}},
		{"block-rm.sh", "B.sh", "", []call{{shell("rm -rf /"), "block: "}}},
		{"protect-env.py", "Read|Edit|Write|MultiEdit", "", []call{
			{file("read_file", ".env", ""), "block: Environment files hold secrets."},
			{file("read_file", "./a/../.env", ""), "block: "},
			{file("read_file", ".env/", ""), "block: "},
			{file("write_file", "api/.env.local", `,"content":"K=1"`), "block: "},
			{file("replace", ".env", `,"old_string":"a","new_string":"b"`), "block: "},
			{file("read_file", ".env.example", ""), ""},
			{file("read_file", "env.go", ""), ""},
			{file("write_file", "main.go", `,"content":".env"`), ""},
		}},
		{"protect-env.py", "MultiEdit", "", []call{{file("replace", ".env", `,"old_string":"a","new_string":"b"`), "block: "}}},
		{"no-push-main.py", "Bash", "", []call{
			{shell("git push origin main"), "block: Open a pull request instead of a push to main."},
			{shell("git -C . push -f origin HEAD:master"), "block: "},
			{shell("git push origin topic"), ""},
			{shell("git pull origin main"), ""},
		}},
		{"ask-sudo.js", "Bash", "", []call{
			{shell("sudo ls"), "ask: This runs as root."},
			{shell("true; sudo rm x"), "ask: "},
			{shell("ls"), ""},
			{shell("pseudo ls"), ""},
		}},
		{"trash.py", "Bash", "", []call{
			{shell("rm a b"), `args: {"command":"trash a b","description":"x"}`},
			{shell("ls"), ""},
		}},
		{"inside.py", "Edit|Write|MultiEdit", "", []call{
			{file("write_file", "a.txt", `,"content":"x"`), ""},
			{file("write_file", "./a/../b.txt", `,"content":"x"`), ""},
			{file("write_file", "../a.txt", `,"content":"x"`), "block: "},
			{file("write_file", "/etc/passwd", `,"content":"x"`), "block: /etc/passwd is outside of the project."},
			{file("replace", "a/../../b.txt", `,"old_string":"a","new_string":"b"`), "block: "},
		}},
		{"no-debug.py", "Write|Edit|MultiEdit", "", []call{
			{file("write_file", "a.js", `,"content":"console.log(1)"`), "block: Remove console.log."},
			{file("replace", "a.js", `,"old_string":"","new_string":"console.log(1)"`), "block: "},
			{file("replace", "a.js", `,"old_string":"console.log(1)","new_string":""`), ""},
		}},
		{"no-debug.py", "MultiEdit", "", []call{
			{file("replace", "a.js", `,"old_string":"","new_string":"console.log(1)","allow_multiple":true`), "block: Remove console.log."},
			{file("replace", "a.js", `,"old_string":"console.log(1)","new_string":""`), ""},
		}},
		{"domains.js", "WebFetch", "", []call{
			{hooked("web_fetch", `{"prompt":"Read https://evil.example/x."}`), "block: https://evil.example/x is not an allowed host."},
			{hooked("web_fetch", `{"prompt":"Read https://docs.example.com/a and then HTTPS://EVIL.example"}`), "block: "},
			{hooked("web_fetch", `{"prompt":"Compare (https://docs.example.com/a) with https://docs.example.com/b."}`), ""},
		}},
		{"mcp-readonly.py", "mcp__.*", "", []call{
			{remote("db", "delete_row", `{}`), "block: db must not delete."},
			{remote("db", "select", `{}`), ""},
			{shell("delete"), ""},
		}},
		{"mcp-readonly.py", "mcp__db__delete_row", "", []call{{remote("db", "delete_row", `{}`), "block: "}, {remote("web", "delete_row", `{}`), ""}}},
		{"mcp-readonly.py", "mcp__db", "", []call{{remote("db", "delete_row", `{}`), "block: "}}},
		{"restricted.sh", "Grep|Glob|LS|Task", "", []call{
			{hooked("grep_search", `{"pattern":"x","dir_path":"secrets"}`), "block: Not there."},
			{hooked("glob", `{"pattern":"*","dir_path":"./secrets"}`), "block: "},
			{hooked("list_directory", `{"dir_path":"a/../secrets"}`), "block: "},
			{hooked("invoke_agent", `{"agent_name":"publisher","prompt":"x"}`), "block: "},
			{hooked("invoke_agent", `{"agent_name":"reader","prompt":"x"}`), ""},
			{hooked("list_directory", `{"dir_path":"."}`), ""},
		}},
		{"large-read.py", "Read", "", []call{
			{file("read_file", "a", ""), "block: Read at most 100 lines."},
			{file("read_file", "a", `,"start_line":1,"end_line":101`), "block: "},
			{file("read_file", "a", `,"start_line":11,"end_line":110`), ""},
		}},
		{"mode.py", "Bash", "yolo", []call{{shell("curl x"), "stop: No curl in this mode."}, {shell("ls"), ""}}},
		{"mode.py", "Bash", "autoEdit", []call{{shell("curl x"), ""}}},
		{"mode.py", "Bash", "default", []call{{shell("curl x"), ""}}},
	} {
		for n, way := range slices.Sorted(maps.Keys(ways)) {
			definitions := ways[way]
			name := tt.script + " " + tt.matcher + " " + tt.mode + " " + way
			if way != "migrated" && n != i%len(ways) && !processtest.InLong(name) {
				continue // in a plain run, each way meets some of the scripts
			}
			if way == "with Pollux's names of tools" && (strings.Contains(tt.matcher, ".") || strings.HasPrefix(tt.matcher, "mcp")) ||
				way == "pasted, with Gemini CLI's event" && (tt.matcher == "" || tt.matcher == "*") {
				continue // nothing names Claude Code there
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				hooks, _, _ := Read(User, definitions(t, "PreToolUse", tt.matcher, map[string]any{"type": "command", "command": commandFor(tt.script)}))
				if len(hooks) != 1 || hooks[0].Dialect != Claude || hooks[0].Timeout != 10*time.Minute {
					t.Fatalf("hooks %+v", hooks)
				}
				st := open(t, Options{Hooks: hooks, Mode: func() string { return tt.mode }})
				st.scripts(t)
				calls := tt.calls
				if way != "migrated" {
					calls = calls[:min(2, len(calls))] // the hook is the same
				}
				for _, c := range calls {
					got := outcomeOf(st.Before(t.Context(), c.call))
					if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
						t.Errorf("%s %s: %q, want %q", c.call.Name, c.call.Current, got, c.want)
					}
				}
				for _, text := range st.messages {
					if !strings.HasPrefix(text, "Hook system message: ") {
						t.Errorf("message %q", text)
					}
				}
			})
		}
	}
}

// TestClaudeEvents runs hooks of Claude Code's other events.
func TestClaudeEvents(t *testing.T) {
	t.Parallel()
	for way, definitions := range ways {
		if !processtest.IsLong() && way != "migrated" && way != "pasted" {
			continue // TestClaudeGuards has the others
		}
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			with := func(event, matcher, script string) *stage {
				hooks, problems, _ := Read(User, definitions(t, event, matcher, map[string]any{"type": "command", "command": commandFor(script)}))
				if len(hooks) != 1 {
					t.Fatalf("%s: %+v, %q", event, hooks, problems)
				}
				if event == "SessionStart" && !strings.Contains(way, "dialect") && way != "migrated" {
					hooks[0].Dialect = Claude // an event of both
				}
				st := open(t, Options{Hooks: hooks})
				st.scripts(t)
				return st
			}
			ctx := t.Context()
			st := with("UserPromptSubmit", "", "no-keys.py")
			if v := st.BeforeAgent(ctx, "use AKIA0123456789ABCDEF"); !v.Block || v.Reason != "The prompt has a key." {
				t.Errorf("prompt %+v", v)
			}
			if v := st.BeforeAgent(ctx, "hello"); v.Block || v.Context != "Today is Monday." {
				t.Errorf("prompt %+v", v)
			}
			st = with("Stop", "", "tests.py")
			if v := st.AfterAgent(ctx, "p", "Done.", false); !v.Block || v.Reason != "Run the tests." {
				t.Errorf("end %+v", v)
			}
			if v := st.AfterAgent(ctx, "p", "Done.", true); v.Block {
				t.Errorf("second end %+v", v)
			}
			st = with("SessionStart", "startup|resume", "session.sh")
			if v := st.SessionStart(ctx, StartupSource); v.Context != "The build is green." {
				t.Errorf("start %+v", v)
			}
			st = with("PostToolUse", "Edit|Write|MultiEdit", "lint.py")
			call := hooked("write_file", `{"file_path":"a.js","content":"x"}`)
			if a := st.After(ctx, call, tool.Text("Written.")); a.Block || a.Context != "2 lint errors." {
				t.Errorf("after %+v", a)
			}
			if a := st.After(ctx, hooked("replace", `{"file_path":"b.go"}`), tool.Text("Written.")); a != (guard.AfterTool{}) {
				t.Errorf("after %+v", a)
			}
			if a := st.After(ctx, call, tool.Fail(tool.ErrExecutionFailed, "no")); a != (guard.AfterTool{}) {
				t.Errorf("after a failure %+v", a)
			}
			if text, _ := os.ReadFile(filepath.Join(st.dir, "formatted")); string(text) != "a.js\nb.go\n" {
				t.Errorf("formatted %q", text)
			}
		})
	}
}

// TestClaudePayloads checks the whole input of each event, which is Claude Code's.
func TestClaudePayloads(t *testing.T) {
	t.Parallel()
	var hooks []Hook
	for _, e := range claudeEvents {
		hooks = append(hooks, Hook{Event: e.event, As: e.name, Dialect: Claude, Command: "cat > " + e.name, Timeout: time.Minute, Source: User})
	}
	st := open(t, Options{Hooks: hooks, Mode: func() string { return "autoEdit" }, Transcript: func() string { return "/t" }})
	ctx := t.Context()
	c := hooked("replace", `{"file_path":"a/../b","old_string":"1","new_string":"2","allow_multiple":true,"instruction":"i"}`)
	c.ID = "replace__1"
	c.Changes = &tool.Changes{Operation: 3, Changed: 1, Files: []tool.FileChange{{Path: "b", Change: tool.FileChanged, Added: 1}}}
	st.SessionStart(ctx, ResumeSource)
	st.BeforeAgent(ctx, "a & b")
	st.PreCompress(ctx, agent.CompressManual)
	st.Before(ctx, c)
	st.Notify(ctx, c, &tool.ExecConfirmation{Title: "Run"})
	st.After(ctx, c, tool.Text("done"))
	st.After(ctx, hooked("run_shell_command", `{"command":"x","is_background":true}`), tool.Fail(tool.ErrExecutionFailed, "gone"))
	st.AfterAgent(ctx, "p", "r", true)
	st.SessionEnd(ctx, ExitReason)
	edit := `,"tool_name":"Edit","tool_use_id":"replace__1","tool_input":{"file_path":"DIR/b","instruction":"i","new_string":"2","old_string":"1","replace_all":true}`
	for name, want := range map[string]string{
		"SessionStart":     `,"source":"resume"`,
		"UserPromptSubmit": `,"prompt":"a & b"`,
		"PreCompact":       `,"custom_instructions":"","trigger":"manual"`,
		"PreToolUse":       edit,
		"PostToolUse":      edit + `,"tool_response":{"content":"done","filePath":"b","success":true},"changed":{"operation":3,"changed":1,"files":[{"path":"b","change":"changed","linesAdded":1}]}`,
		postFailure: `,"error":"gone","tool_name":"Bash","tool_use_id":"","tool_input":{"command":"x","run_in_background":true},` +
			`"tool_response":{"interrupted":false,"isImage":false,"stderr":"","stdout":"gone"}`,
		"Notification": `,"message":"Tool Run requires execution","notification_type":"permission_prompt","title":"Permission needed"`,
		"Stop":         `,"last_assistant_message":"r","stop_hook_active":true`,
		"SessionEnd":   `,"reason":"prompt_input_exit"`,
	} {
		var wanted map[string]any
		text := fmt.Sprintf(`{"session_id":"s-1","transcript_path":"/t","cwd":"DIR","permission_mode":"acceptEdits","hook_event_name":%q%s}`, name, want)
		if err := json.Unmarshal([]byte(strings.ReplaceAll(text, "DIR", st.dir)), &wanted); err != nil {
			t.Fatal(name, err)
		}
		if name == "PostToolUse" {
			wanted["tool_response"].(map[string]any)["filePath"] = "a/../b"
		}
		if got, want := string(encode(st.saved(t, name))), string(encode(wanted)); got != want {
			t.Errorf("%s:\n%s, want\n%s", name, got, want)
		}
	}
}

// TestClaudeTools checks that arguments survive the way to Claude Code's names and back, for each tool.
func TestClaudeTools(t *testing.T) {
	t.Parallel()
	samples := map[string]string{
		"run_shell_command": `{"command":"x","description":"d","dir_path":"a","is_background":true}`,
		"replace":           `{"allow_multiple":true,"file_path":"/d/a","instruction":"i","new_string":"2","old_string":"1"}`,
		"write_file":        `{"content":"x","file_path":"/d/a"}`,
		"read_file":         `{"end_line":9,"file_path":"/d/a","start_line":3}`,
		"glob":              `{"dir_path":"/d","pattern":"*"}`,
		"grep_search":       `{"dir_path":"/d","include_pattern":"*.go","pattern":"x"}`,
		"list_directory":    `{"dir_path":"/d"}`,
		"web_fetch":         `{"prompt":"read https://a.example/"}`,
		"google_web_search": `{"query":"x"}`,
		"invoke_agent":      `{"agent_name":"a","prompt":"p"}`,
		"activate_skill":    `{"name":"s"}`,
	}
	for i := range claudeTools {
		tt := &claudeTools[i]
		sample, ok := samples[tt.own]
		if !ok {
			sample = `{"other":1}`
		}
		args, _ := parseJSON(sample)
		theirs := (target{tool: tt.own}).argsFor(Claude, tt.name, args, "/d")
		if len(theirs) != 1 {
			t.Fatal(tt.name, theirs)
		}
		if got := string(encode(Claude.ownArgs(tt.name, theirs[0]))); got != sample {
			t.Errorf("%s: %s comes back as %s", tt.name, sample, got)
		}
	}
	// Arguments that Pollux does not have stay, so that the tool refuses it.
	edits, _ := parseJSON(`{"file_path":"a","edits":[{"old_string":"1","new_string":"2"},{"old_string":"3","new_string":"4"}]}`)
	if got := Claude.ownArgs("MultiEdit", edits); got["edits"] == nil {
		t.Errorf("several edits: %s", encode(got))
	}
	fetch, _ := parseJSON(`{"prompt":"read https://a.example/ now","url":"https://b.example/"}`)
	if got := string(encode(Claude.ownArgs("WebFetch", fetch))); got != `{"prompt":"https://b.example/\nread  now"}` {
		t.Errorf("another address: %s", got)
	}
	many := strings.Repeat(" https://", 1) + strings.Join(func() (list []string) {
		for i := range 60 {
			list = append(list, fmt.Sprintf("h%d.example", i))
		}
		return list
	}(), " https://")
	runs := (target{tool: "web_fetch"}).argsFor(Claude, "WebFetch", Output{"prompt": encode(many)}, "/d")
	if len(runs) != maxAddresses+1 || strings.Count(string(encode(runs)), "https://h59.example") != 1+len(runs) {
		t.Errorf("%d runs for 60 addresses", len(runs))
	}
}

// TestClaudeAnswers checks each form of an answer.
func TestClaudeAnswers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		event          Event
		stdout, stderr string
		code           int
		want           string // outcome before a tool; verdict of a prompt
	}{
		{BeforeTool, "", "", 0, ""},
		{BeforeTool, "hello", "", 0, ""},
		{BeforeTool, "hello", "", 1, ""},
		{BeforeTool, "", "", 2, "block: Hook exited with code 2"},
		{BeforeTool, "out", "", 2, "block: out"},
		{BeforeTool, "out", "err", 2, "block: err"},
		{BeforeTool, `{"decision":"approve"}`, "err", 2, "block: err"},
		{BeforeTool, `{"hookSpecificOutput":{"permissionDecision":"allow"}}`, "", 2, "block: "},
		{BeforeTool, "", "not found", 127, "block: not found"},
		{BeforeTool, "", "", 126, "block: The hook could not be run."},
		{BeforeTool, "", "crash", 1, ""},
		{BeforeTool, `{"decision":"block","reason":"r"}`, "", 0, "block: r"},
		{BeforeTool, `{"decision":"deny","reason":"r"}`, "", 1, "block: r"},
		{BeforeTool, `{"decision":"approve"}`, "", 0, ""},
		{BeforeTool, `{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"r"}}`, "", 0, "block: r"},
		{BeforeTool, `{"hookSpecificOutput":{"permissionDecision":"deny"}}`, "", 0, "block: No reason provided"},
		{BeforeTool, `{"decision":"approve","hookSpecificOutput":{"permissionDecision":"deny"}}`, "", 0, "block: "},
		{BeforeTool, `{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"r"}}`, "", 0, "ask: r"},
		{BeforeTool, `{"hookSpecificOutput":{"permissionDecision":"defer"}}`, "", 0, "ask: "},
		{BeforeTool, `{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"r"}}}`, "", 0, "block: r"},
		{BeforeTool, `{"ok":false,"reason":"r"}`, "", 0, "block: r"},
		{BeforeTool, `{"ok":true}`, "", 0, ""},
		{BeforeTool, `{"continue":false,"stopReason":"r"}`, "", 0, "stop: r"},
		{BeforeTool, `{"continue":false,"stopReason":"r"}`, "", 2, "stop: r"},
		{BeforeTool, "checking\n" + `{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"r"}}`, "", 0, "block: r"},
		{BeforeTool, "", `{"decision":"block","reason":"r"}`, 0, "block: r"},
		{BeforeTool, `{"decision":"block"`, "", 0, "block: The result of the hook"},
		{BeforeTool, `{"hookSpecificOutput":{"updatedInput":{"command":"x"}}}`, "", 0, `args: {"command":"x"}`},
		{BeforeTool, `{"hookSpecificOutput":{"updatedInput":"x"}}`, "", 0, "block: The result of the hook"},
		{BeforeTool, `{"hookSpecificOutput":{"updatedInput":null}}`, "", 0, ""},
		{BeforeTool, `{"hookSpecificOutput":{"tool_input":{"command":"x"}}}`, "", 0, `args: {"command":"x"}`},

		{BeforeAgent, "context", "", 0, "context: context"},
		{BeforeAgent, "context", "", 1, ""},
		{BeforeAgent, "", "r", 2, "block: r"},
		{BeforeAgent, `{"decision":"block","reason":"r"}`, "", 0, "block: r"},
		{BeforeAgent, `{"hookSpecificOutput":{"additionalContext":"c"}}`, "", 0, "context: c"},
		{BeforeAgent, `{"continue":false,"stopReason":"r"}`, "", 0, "stop: r"},
		{AfterAgent, "", "r", 2, "block: r"},
		{AfterAgent, `{"decision":"block","reason":"r"}`, "", 0, "block: r"},
		{AfterAgent, "text", "", 0, ""},
	} {
		script := "cat <<'END'\n" + tt.stdout + "\nEND\ncat >&2 <<'END'\n" + tt.stderr + "\nEND\nexit " + fmt.Sprint(tt.code)
		st := open(t, Options{Hooks: []Hook{{Event: tt.event, Dialect: Claude, Command: script, Timeout: time.Minute, Source: User}}})
		var got string
		switch tt.event {
		case BeforeTool:
			got = outcomeOf(st.Before(t.Context(), hooked("run_shell_command", `{"command":"ls"}`)))
		default:
			v := st.BeforeAgent(t.Context(), "p")
			if tt.event == AfterAgent {
				v = st.AfterAgent(t.Context(), "p", "r", false)
			}
			got = outcomeOf(guard.BeforeTool{Stop: v.Stop, Block: v.Block, Reason: v.Reason})
			if v.Context != "" {
				got = "context: " + v.Context
			}
		}
		if !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s %q %q %d: %q, want %q", tt.event, tt.stdout, tt.stderr, tt.code, got, tt.want)
		}
	}
}

// TestClaudeConditions checks which calls a condition selects.
func TestClaudeConditions(t *testing.T) {
	t.Parallel()
	shell := func(command string) guard.HookedCall {
		return hooked("run_shell_command", string(encode(map[string]any{"command": command})))
	}
	st := open(t, Options{})
	outside := filepath.Join(t.TempDir(), "x")
	if err := os.Symlink(outside, filepath.Join(st.dir, "link")); err != nil {
		t.Skip(err)
	}
	for _, tt := range []struct {
		condition string
		call      guard.HookedCall
		want      bool
	}{
		{"Bash", shell("ls"), true},
		{"Bash(*)", shell("ls"), true},
		{"Bash(git *)", shell("git push"), true},
		{"Bash(git *)", shell("git"), true},
		{"Bash(git *)", shell("gitx"), false},
		{"Bash(git *)", shell("cd x && git push"), true},
		{"Bash(git *)", shell("echo $(git push)"), true},
		{"Bash(git *)", shell("A=1 git push"), true},
		{"Bash(git *)", shell("echo $(date)"), false},
		{"Bash(git *)", shell("$(echo git) push"), true},
		{"Bash(git push --force *)", shell("git push $(cat flags)"), true},
		{"Bash(git push --force *)", shell("git log $(cat flags)"), false},
		{"Bash(rm:*)", shell("x=$(echo rm); $x a"), true},
		{"Bash(rm:*)", shell("time $(echo rm) a"), true},
		{"Bash(rm:*)", shell("sudo $(echo rm) a"), true},
		{"Bash(git *)", shell("sudo -n git push"), true},
		{"Bash(git *)", shell("/usr/bin/git push"), true},
		{"Bash(git *)", shell(`"git" push`), true},
		{"Bash(git *)", shell("bash -c 'git push'"), true},
		{"Bash(git *)", shell("eval x"), true}, // in doubt
		{"Bash(git *)", shell("if ("), true},   // in doubt
		{"Bash(git *)", shell("echo git push"), false},
		{"Bash(git push:*)", shell("git push origin"), true},
		{"Bash(git push:*)", shell("git pushx"), false},
		{"Bash(npm run test)", shell("npm run test"), true},
		{"Bash(npm run test)", shell("npm run test2"), false},
		{"Bash(* --force*)", shell("git push --force"), true},
		{"Bash(git *)", hooked("write_file", `{"file_path":"git x"}`), false},
		{"Edit(*.ts)", hooked("replace", `{"file_path":"src/a.ts"}`), true},
		{"Edit(*.ts)", hooked("write_file", `{"file_path":"a.ts"}`), true},
		{"Edit(*.ts)", hooked("write_file", `{"file_path":"a.js"}`), false},
		{"Edit(src/**)", hooked("write_file", `{"file_path":"./src/x/../a.js"}`), true},
		{"Edit(src)", hooked("write_file", `{"file_path":"src/a.js"}`), true},
		{"Edit(/src/*)", hooked("write_file", `{"file_path":"src/a.js"}`), true},
		{"Edit(src/**)", hooked("write_file", `{"file_path":"lib/a.js"}`), false},
		{"Edit(//etc/**)", hooked("write_file", `{"file_path":"/etc/passwd"}`), true},
		{"Edit(/" + outside + ")", hooked("write_file", `{"file_path":"link"}`), true},
		{"Read(./.env)", hooked("read_file", `{"file_path":".env"}`), true},
		{"Read(~/.ssh/**)", hooked("read_file", `{"file_path":"`+filepath.ToSlash(st.dir)+`/.ssh/id"}`), true},
		{"Read(secrets/**)", hooked("grep_search", `{"pattern":"x","dir_path":"secrets"}`), true},
		{"Read(secrets/**)", hooked("grep_search", `{"pattern":"x"}`), true}, // all of the project
		{"WebFetch(domain:a.example)", hooked("web_fetch", `{"prompt":"https://b.example https://a.example/x"}`), true},
		{"WebFetch(domain:a.example)", hooked("web_fetch", `{"prompt":"https://a.example.b.example"}`), false},
		{"WebFetch(domain:*.example)", hooked("web_fetch", `{"prompt":"https://a.example"}`), true},
		{"mcp__db__*", remote("db", "select", `{}`), true},
		{"mcp__db", remote("db", "select", `{}`), true},
		{"mcp__db__*", remote("web", "select", `{}`), false},
		{"Task(a*)", hooked("invoke_agent", `{"agent_name":"ab"}`), true},
		{"Task(a)", hooked("invoke_agent", `{"agent_name":"b"}`), false},
		{"Skill(x)", hooked("activate_skill", `{"name":"x"}`), true},
		{"what is this", shell("ls"), true}, // not understood
		{"Nothing(x)", shell("ls"), true},
		{"WebSearch(x)", shell("ls"), true},
	} {
		h := &Hook{Event: BeforeTool, Dialect: Claude, Condition: tt.condition, Command: "x"}
		_, at := st.toolInput(tt.call)
		if _, got := st.selects(h, at); got != tt.want {
			t.Errorf("%s selects %s %s: %v", tt.condition, tt.call.Name, tt.call.Current, got)
		}
	}
}

// TestClaudeConfig checks the members that only Claude Code's configuration has.
func TestClaudeConfig(t *testing.T) {
	t.Parallel()
	hooks, problems, _ := Read(User, definitions(t, `{"PreToolUse": [{"matcher": "Bash", "hooks": [
		{"type": "command", "command": "printf", "args": ["%s", "{\"decision\":\"block\",\"reason\":\"$CLAUDE_PROJECT_DIR ${CLAUDE_PROJECT_DIR} a b\"}"], "timeout": 7},
		{"type": "command", "command": "printf", "args": ["{}"]},
		{"type": "command", "command": "nonexistent-program", "args": []},
		{"type": "command", "command": "exit 1", "onFailure": "deny"},
		{"type": "command", "command": "exit 1", "onFailure": "continue"},
		{"type": "command", "command": "true", "async": true, "once": true, "if": "what", "statusMessage": "x", "new": 1, "asyncRewake": false},
		{"type": "prompt", "prompt": "x"}, {"type": "http", "url": "x"}, {"type": "command", "command": "x", "args": "x"},
		{"type": "command", "command": "x", "shell": "fish"}, {"type": "command", "command": "x", "dialect": "perl"}]}],
		"Stop": [{"hooks": [{"type": "command", "command": "true", "if": "Bash(x)"}]}],
		"SessionStart": [{"hooks": [{"type": "command", "command": "true", "timeout": 5}]}],
		"PermissionRequest": []}`))
	if len(hooks) != 7 {
		t.Fatalf("%d hooks: %q", len(hooks), problems)
	}
	if h := hooks[0]; h.Event != SessionStart || h.Dialect != Claude || h.Timeout != 5*time.Second {
		t.Errorf("an event of both dialects: %+v", h)
	}
	hooks = hooks[1:]
	for i, want := range []string{"block: DIR DIR a b", "", "", "block: The hook has failed", "", ""} {
		st := open(t, Options{Hooks: hooks[i : i+1]})
		got := outcomeOf(st.Before(t.Context(), hooked("run_shell_command", `{"command":"ls"}`)))
		if want = strings.ReplaceAll(want, "DIR", st.dir); got != want {
			t.Errorf("%s: %q, want %q", hooks[i].CommandLine(), got, want)
		}
		if isFailing := i >= 2 && i <= 4; (len(st.messages) > 0) != isFailing {
			t.Errorf("%s: messages %q", hooks[i].CommandLine(), st.messages)
		}
	}
	if hooks[0].Timeout != 7*time.Second || hooks[0].ID() == hooks[1].ID() || hooks[0].key() == hooks[1].key() {
		t.Errorf("hooks %+v", hooks[:2])
	}
	const first = "The hook true for PreToolUse from user settings: "
	const discard = "Discarding invalid hook configuration for PreToolUse from user settings: "
	for _, want := range []string{
		first + `Pollux does not understand the condition "what", and runs the hook for all calls of Bash.`,
		first + "async has no effect: Pollux waits for the hook.",
		first + "once has no effect: the hook runs each time.",
		first + "new is not known and has no effect.",
		discard + `the type must be "command", not "prompt". Nothing checks the calls of Bash in its place.`,
		discard + `the type must be "command", not "http". Nothing checks the calls of Bash in its place.`,
		discard + `args is not a list of texts. Nothing checks the calls of Bash in its place.`,
		discard + `the shell must be "bash" or "powershell", not "fish". Nothing checks the calls of Bash in its place.`,
		discard + `the dialect must be "claude", "antigravity", "qwen" or "gemini", not "perl". Nothing checks the calls of Bash in its place.`,
		"Discarding invalid hook configuration for Stop from user settings: if is only for hooks of tools: with it, this one never runs in Claude Code.",
		`Invalid hook event name: "PermissionRequest" from project config. Skipping. It is an event of Claude Code that Pollux does not have.`,
	} {
		if !slices.Contains(problems, want) {
			t.Errorf("not among the problems: %s\n%s", want, strings.Join(problems, "\n"))
		}
	}
	if len(problems) != 11 {
		t.Errorf("%d problems: %s", len(problems), strings.Join(problems, "\n"))
	}
	// Members of Claude Code have no effect in Gemini CLI's form.
	hooks, _, _ = Read(User, definitions(t, `{"BeforeTool": [{"matcher": "write_file", "hooks": [{"type": "command", "command": "true", "args": ["x"], "if": "Bash", "timeout": 5000}]}]}`))
	if h := hooks[0]; h.Dialect != Gemini || h.Args != nil || h.Condition != "" || h.Timeout != 5*time.Second {
		t.Errorf("%+v", h)
	}
}

// TestGuessedDialect checks which hooks without a dialect are read as Claude Code's.
func TestGuessedDialect(t *testing.T) {
	t.Parallel()
	for matcher, want := range map[string]Dialect{
		"Bash": Claude, "Edit|Write": Claude, "^Bash$": Claude, "(Read|Grep)": Claude, "Bash|NotebookEdit": Claude,
		"": Gemini, "*": Gemini, ".*": Gemini, "run_shell_command": Gemini, "Bash|run_shell_command": Gemini, "write_file|Edit": Gemini,
		"shell": Gemini, "mcp__db__.*": Gemini, "Nothing": Gemini, "[": Gemini,
	} {
		hooks, problems, _ := Read(User, rawOf(map[string]any{"BeforeTool": []any{map[string]any{
			"matcher": matcher, "hooks": []any{map[string]any{"type": "command", "command": "x", "timeout": 3000}},
		}}}))
		if hooks[0].Dialect != want || hooks[0].Timeout != 3*time.Second || (len(problems) > 0) != (want == Claude || matcher == "[") {
			t.Errorf("%q: %+v, %q", matcher, hooks[0], problems)
		}
	}
	hooks, _, _ := Read(User, definitions(t, `{"BeforeTool": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x", "dialect": "gemini", "timeout": 5}]}]}`))
	if h := hooks[0]; h.Dialect != Gemini || h.Timeout != 5*time.Millisecond {
		t.Errorf("with a dialect: %+v", h)
	}
	_, problems, _ := Read(User, definitions(t, `{"BeforeModel": [{"hooks": [{"type": "command", "command": "x", "dialect": "claude"}]}]}`))
	if len(problems) != 1 || !strings.Contains(problems[0], "Claude Code has no event like BeforeModel. Nothing checks in its place.") {
		t.Errorf("problems %q", problems)
	}
}

// TestContextBeforeTool checks that a text for the model from before a call comes with the call's result.
func TestContextBeforeTool(t *testing.T) {
	t.Parallel()
	st := open(t, Options{Hooks: []Hook{prints(BeforeTool, `{"hookSpecificOutput":{"additionalContext":"first"}}`)}})
	one, two := hooked("a", `{}`), hooked("b", `{}`)
	one.ID, two.ID = "1", "2"
	st.Before(t.Context(), one)
	if a := st.After(t.Context(), two, tool.Text("x")); a.Context != "" {
		t.Errorf("another call: %+v", a)
	}
	if a := st.After(t.Context(), one, tool.Text("x")); a.Context != "first" {
		t.Errorf("%+v", a)
	}
	if a := st.After(t.Context(), one, tool.Text("x")); a.Context != "" {
		t.Errorf("twice: %+v", a)
	}
}

// linesAbout returns the reports of a migration, or those about guards that were left out.
func linesAbout(m Migration, onlyLost bool) (lines []string) {
	for _, i := range m.Items {
		line := string(i.Result) + " " + i.Name
		if i.Detail != "" {
			line += ": " + i.Detail
		}
		if len(i.Notes) > 0 {
			line += " (" + strings.Join(i.Notes, "; ") + ")"
		}
		if i.IsLost() {
			line += " LOST"
		}
		if !onlyLost || i.IsLost() {
			lines = append(lines, line)
		}
	}
	return lines
}

// TestFromPlugin checks the notes about hooks of a plugin, which know its directory and no options.
func TestFromPlugin(t *testing.T) {
	t.Parallel()
	hooks := map[string]any{"PreToolUse": []any{map[string]any{"hooks": []any{
		map[string]any{"type": "command", "command": "$CLAUDE_PLUGIN_ROOT/x $CLAUDE_PLUGIN_DATA"},
		map[string]any{"type": "command", "command": "x", "args": []any{"${user_config.key}"}},
	}}}}
	const want = `changed PreToolUse: $CLAUDE_PLUGIN_ROOT/x $CLAUDE_PLUGIN_DATA (it uses CLAUDE_PLUGIN_DATA, which Pollux does not set)
left out PreToolUse (it needs an option of the plugin in a place where no shell would replace it) LOST`
	if got := strings.Join(linesAbout(FromPlugin(hooks, Claude), false), "\n"); got != want {
		t.Error(got)
	}
}

// TestMigrate checks the notes of a migration.
func TestMigrate(t *testing.T) {
	t.Parallel()
	var settings map[string]any
	err := json.Unmarshal([]byte(`{
		"PreToolUse": [
			{"matcher": "Bash", "hooks": [
				{"type": "command", "command": "a", "timeout": 5, "if": "Bash(git *)", "args": ["x"], "async": true, "onFailure": "deny", "statusMessage": "s"},
				{"type": "prompt", "prompt": "x"}, {"type": "command"}, 7]},
			{"matcher": "Edit", "hooks": "x"}, "y", {"matcher": "NotebookEdit", "other": 1, "hooks": [{"type": "command", "command": "$CLAUDE_PLUGIN_ROOT/x"}]}],
		"PostToolUseFailure": [{"hooks": [{"type": "command", "command": "b"}]}],
		"PreCompact": [{"hooks": [{"type": "command", "command": "c"}]}],
		"Stop": [{"hooks": [{"type": "agent"}]}],
		"SubagentStop": [{"hooks": []}], "PermissionRequest": [{"hooks": []}], "Setup": [], "SessionEnd": 5}`), &settings)
	if err != nil {
		t.Fatal(err)
	}
	m := FromClaude(settings)
	const want = `{"AfterTool":[{"hooks":[{"command":"b","dialect":"claude","event":"PostToolUseFailure","type":"command"}]}],` +
		`"BeforeTool":[{"hooks":[{"args":["x"],"command":"a","dialect":"claude","if":"Bash(git *)","onFailure":"deny","statusMessage":"s","timeout":5,"type":"command"}],"matcher":"Bash"},` +
		`{"hooks":[{"command":"$CLAUDE_PLUGIN_ROOT/x","dialect":"claude","type":"command"}],"matcher":"NotebookEdit"}],` +
		`"PreCompress":[{"hooks":[{"command":"c","dialect":"claude","type":"command"}]}]}`
	if got := string(encode(m.Definitions())); got != want || m.Count() != 4 {
		t.Errorf("%d hooks: %s", m.Count(), got)
	}
	if got := strings.Join(linesAbout(m, false), "\n"); got != `left out PermissionRequest (Pollux has no such event) LOST
copied PostToolUseFailure: b
changed PreCompact: c (it cannot block here)
changed PreToolUse of Bash: a x (async has no effect: Pollux waits for the hook)
left out PreToolUse of Bash (the type must be "command", not "prompt") LOST
left out PreToolUse of Bash (it has no command) LOST
left out PreToolUse of Bash (it is not an object) LOST
left out PreToolUse of Edit (it has no list of hooks) LOST
left out PreToolUse (an entry is not an object) LOST
left out PreToolUse of NotebookEdit: other (Pollux does not know it)
changed PreToolUse of NotebookEdit: $CLAUDE_PLUGIN_ROOT/x (it uses CLAUDE_PLUGIN_ROOT, which Pollux does not set)
left out SessionEnd (it is not a list)
left out Stop (the type must be "command", not "agent")
left out SubagentStop (Pollux has no such event)` {
		t.Errorf("reports:\n%s", got)
	}
	const unmatched = `The matcher "NotebookEdit" of the hook $CLAUDE_PLUGIN_ROOT/x for BeforeTool can match no tool. Pollux does not have this tool of Claude Code.`
	if got := m.Unmatched([]string{"write_file"}); len(got) != 1 || got[0] != unmatched {
		t.Errorf("unmatched: %q", got)
	}
	// Migrated hooks are read without other problems than the notes.
	hooks, problems, _ := Read(Workspace, rawOf(m.Definitions()))
	if len(hooks) != 4 || len(problems) != 0 || !hooks[0].BlocksOnFailure && !hooks[1].BlocksOnFailure {
		t.Errorf("%+v, %q", hooks, problems)
	}
	again := FromClaude(map[string]any{"PreToolUse": m.Definitions()["BeforeTool"]})
	if diff := string(encode(again.Definitions()["BeforeTool"])); diff != string(encode(m.Definitions()["BeforeTool"])) {
		t.Errorf("migrated twice: %s", diff)
	}
}

// TestUnmatched checks which matchers are named because they can select nothing.
func TestUnmatched(t *testing.T) {
	t.Parallel()
	tools := []string{"run_shell_command", "write_file", "replace", "read_file", "glob"}
	for _, tt := range []struct {
		event   Event
		dialect Dialect
		matcher string
		want    string // ends the sentence; "" for none
	}{
		{BeforeTool, Gemini, "", ""},
		{BeforeTool, Gemini, "*", ""},
		{BeforeTool, Gemini, "read", ""},
		{BeforeTool, Gemini, "write_file|replace", ""},
		{BeforeTool, Gemini, "write_fil|replac", ""}, // finds them
		{BeforeTool, Gemini, "^write_fil$", `Did you mean "write_file"?`},
		{BeforeTool, Gemini, "writefile", `Did you mean "write_file"?`},
		{BeforeTool, Gemini, "write_file|Edit", `Tools are called otherwise here: write "replace".`},
		{BeforeTool, Gemini, "run_shellcommand", `can match no tool. Did you mean "run_shell_command"?`},
		{BeforeTool, Gemini, "Nothing", "can match no tool."},
		{BeforeTool, Gemini, "[", "can match no tool."},
		{BeforeTool, Gemini, "(?=x)y", "can match no tool."},
		{BeforeTool, Gemini, "mcp_db_select", ""},
		{BeforeTool, Gemini, "mcp__db__select", ""},
		{BeforeTool, Gemini, "mcp_.*_delete", ""},
		{BeforeTool, Gemini, "discovered_tool_x", ""},
		{AfterTool, Gemini, "raed_file", `Did you mean "read_file"?`},
		{BeforeTool, Claude, "Bash|Edit", ""},
		{BeforeTool, Claude, "run_shell_command", ""},
		{BeforeTool, Claude, "bash", `Did you mean "Bash"?`},
		{BeforeTool, Claude, "KillShell", ""},
		{BeforeTool, Claude, "TaskStop", "Pollux does not have this tool of Claude Code."},
		{BeforeTool, Claude, "mcp__x__y", ""},
		{SessionStart, Gemini, "startup", ""},
		{SessionStart, Gemini, "startup|resume", `Write an entry for each value.`},
		{SessionStart, Claude, "startup|resume", ""},
		{SessionStart, Claude, "compact", "can match no source."},
		{SessionEnd, Gemini, "exits", `Did you mean "exit"?`},
		{PreCompress, Gemini, "automatic", "can match no trigger."},
		{BeforeAgent, Gemini, "anything", ""},
		{Notification, Gemini, "anything", ""},
	} {
		st := open(t, Options{Hooks: []Hook{{Event: tt.event, Dialect: tt.dialect, Matcher: tt.matcher, Command: "x", Source: User}}})
		got := strings.Join(st.Unmatched(tools), "\n")
		if (got == "") != (tt.want == "") || !strings.HasSuffix(got, tt.want) {
			t.Errorf("%s %q: %s, want %s", tt.event, tt.matcher, got, tt.want)
		}
	}
	off := open(t, Options{Hooks: []Hook{{Event: BeforeTool, Matcher: "x", Command: "x", IsDisabled: true}}})
	if got := off.Unmatched(tools); got != nil {
		t.Errorf("disabled: %q", got)
	}
}

// TestRefusals checks that an answer that cannot be applied is refused, and that harmless parts are
// only reported.
func TestRefusals(t *testing.T) {
	t.Parallel()
	specific := func(members string) string { return `{"hookSpecificOutput":{` + members + `}}` }
	for _, tt := range []struct {
		event   Event
		output  string
		refused string // is in the reason; "" if it is not refused
		noted   string // is in the message; "" for none
	}{
		{BeforeTool, specific(`"tool_input":"x"`), "tool_input is not an object", ""},
		{BeforeTool, specific(`"tool_input":[{}]`), "tool_input is not an object", ""},
		{BeforeTool, specific(`"tool_input":null`), "", ""},
		{BeforeTool, specific(`"updatedInput":{"a":1}`), `it has "updatedInput" where hookSpecificOutput.tool_input is expected`, ""},
		{BeforeTool, specific(`"toolInput":{"a":1}`), `"toolInput"`, ""},
		{BeforeTool, specific(`"tool_inputs":{"a":1}`), `"tool_inputs"`, ""},
		{BeforeTool, `{"tool_input":{"a":1}}`, `"tool_input"`, ""},
		{BeforeTool, `{"decision":"allow","tool_input":{"a":1}}`, `"tool_input"`, ""},
		{BeforeTool, `{"session_id":"s","hook_event_name":"BeforeTool","tool_input":{"a":1}}`, "", ""}, // its own input
		{BeforeTool, `{"hookSpecificOutput":"x"}`, "hookSpecificOutput is not an object", ""},
		{BeforeTool, `{"hookSpecificOutput":{"tool_input":{"a":1}}`, "JSON that is incomplete or invalid", ""},
		{BeforeTool, `{"a":1} {"b":2}`, "JSON that is incomplete or invalid", ""},
		{BeforeTool, `{note}`, "", ""},
		{BeforeTool, specific(`"hookEventName":"BeforeTool"`), "", ""},
		{BeforeTool, specific(`"other":1`), "", `has a member "other" in hookSpecificOutput, which has no effect`},
		{BeforeTool, `{"decision":"deny","reason":"r","hookSpecificOutput":{"tool_input":"x"}}`, "r", ""},
		{AfterTool, specific(`"additionalContext":["x"]`), "", "additionalContext that is not a text"},
		{AfterTool, specific(`"tailToolCallRequest":{"args":{}}`), "", "tailToolCallRequest that is not an object with a name"},
		{AfterTool, specific(`"tailToolCallRequest":{"name":"x","args":"y"}`), "", "args that are not an object"},
		{AfterTool, `{"hookSpecificOutput":[]}`, "", "hookSpecificOutput that is not an object"},
		{BeforeAgent, specific(`"additionalContext":5`), "", "additionalContext that is not a text"},
		{AfterAgent, specific(`"clearContext":"true"`), "", "clearContext that is not true or false"},
		{BeforeModel, specific(`"llm_request":"x"`), "llm_request is not an object", ""},
		{BeforeModel, specific(`"llm_request":{"messages":"x"}`), "messages that are not a list", ""},
		{BeforeModel, specific(`"llm_request":{"messages":["x"]}`), "messages that are not a list of objects", ""},
		{BeforeModel, specific(`"llm_request":{"messages":[{"role":"user","parts":[{"text":"x"}]}]}`), "messages[0].content that is not a text", ""},
		{BeforeModel, specific(`"llm_request":{"messages":[{"role":"user","content":[{"text":"x"}]}]}`), "messages[0].content that is not a text", ""},
		{BeforeModel, specific(`"llm_request":{"messages":[{"role":"tool","content":"x"}]}`), "messages[0].role", ""},
		{BeforeModel, specific(`"llm_request":{"contents":[]}`), `has "contents"`, ""},
		{BeforeModel, specific(`"llm_request":{"prompt":"x"}`), `has "prompt"`, ""},
		{BeforeModel, specific(`"llm_request":{"model":5}`), "a model that is not a name", ""},
		{BeforeModel, specific(`"llm_request":{"model":"none"}`), `the model "none" is not available`, ""},
		{BeforeModel, specific(`"llm_request":{"config":5}`), "a config that is not an object", ""},
		{BeforeModel, specific(`"llm_request":{"config":{"temperature":"hot"}}`), "config.temperature", ""},
		{BeforeModel, specific(`"llm_request":{"messages":[{"role":"model","content":"x"}]}`), "Messages can be changed and added, but not removed", ""},
		{BeforeModel, specific(`"llm_request":{"messages":[{"role":"user","content":"x"},{"role":"user","content":"y"},{"role":"user","content":"z"}]}`), "messages[1] has the role user", ""},
		{BeforeModel, `{"llm_request":{"messages":[]}}`, `"llm_request"`, ""},
		{BeforeModel, `{"messages":[]}`, `"messages"`, ""},
		{BeforeModel, `{"hookSpecificOutput":{"llm_request":{"messages":[`, "JSON that is incomplete", ""},
		{BeforeModel, specific(`"llm_response":{"candidates":[]}`), "", "llm_response, which has no effect"},
		{BeforeModel, specific(`"llm_request":{"messages":[{"role":"user","content":"x"}]}`), "", ""},
		{BeforeToolSelection, specific(`"toolConfig":"x"`), "toolConfig is not an object", ""},
		{BeforeToolSelection, specific(`"toolConfig":{"mode":"SOME"}`), "a mode other than", ""},
		{BeforeToolSelection, specific(`"toolConfig":{"allowedFunctionNames":"x"}`), "allowedFunctionNames", ""},
		{BeforeToolSelection, specific(`"allowedFunctionNames":["x"]`), `"allowedFunctionNames"`, ""},
		{BeforeToolSelection, specific(`"toolConfig":{"mode":"none"}`), "", ""},
		{AfterModel, specific(`"llm_response":{"text":"x"}`), "a text and no candidates", ""},
		{AfterModel, specific(`"llm_response":{"candidates":"x"}`), "candidates that are not a list", ""},
		{AfterModel, specific(`"llm_response":{"candidates":[{"content":{"parts":[{"text":"x"}]}}]}`), "parts[0] that is not a text", ""},
		{AfterModel, specific(`"llm_response":{"candidates":[{"content":{"parts":[]}}]}`), "", ""}, // as it was
		{AfterModel, `{"llm_response":{"text":"x"}}`, `"llm_response"`, ""},
		{SessionStart, specific(`"additionalContext":{}`), "", "additionalContext that is not a text"},
	} {
		st := open(t, Options{Hooks: []Hook{prints(tt.event, tt.output)}, Configure: func(req *llm.Request, model string) error {
			if model == "none" {
				return os.ErrNotExist
			}
			req.Model = model
			return nil
		}})
		ctx, req, c := t.Context(), sampleRequest(), hooked("look", `{}`)
		var v agent.Verdict
		switch tt.event {
		case BeforeTool:
			b := st.Before(ctx, c)
			v = agent.Verdict{Block: b.Block, Reason: b.Reason}
		case AfterTool:
			st.After(ctx, c, tool.Text("x"))
		case BeforeAgent:
			v = st.BeforeAgent(ctx, "p")
		case AfterAgent:
			v = st.AfterAgent(ctx, "p", "r", false)
		case SessionStart:
			v = st.SessionStart(ctx, StartupSource)
		case AfterModel:
			v, _ = st.AfterModel(ctx, req, &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(llm.Text("x"))}}})
		default:
			v, _ = st.BeforeModel(ctx, req)
		}
		if v.Block != (tt.refused != "") || !strings.Contains(v.Reason, tt.refused) {
			t.Errorf("%s %s: refused %v: %s, want %s", tt.event, tt.output, v.Block, v.Reason, tt.refused)
		}
		messages := strings.Join(st.messages, "\n")
		if !strings.Contains(messages, tt.noted) || tt.noted != "" && messages == "" {
			t.Errorf("%s %s: messages %q, want %q", tt.event, tt.output, messages, tt.noted)
		}
	}
	for e := range specifics {
		if !slices.Contains(Events(), e) {
			t.Errorf("no event %s", e)
		}
	}
}

// TestForeignDenials checks that a denial in the words of another agent denies in Gemini CLI's form.
func TestForeignDenials(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		stdout, stderr string
		code           int
		want           string
	}{
		{`{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"r"}}`, "", 0, "block: r"},
		{`{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"r"}}`, "", 0, "ask: r"},
		{`{"permission":"deny","user_message":"r"}`, "", 0, "block: r"},
		{`{"decision":"DENY"}`, "", 0, "block: "},
		{`{"decision":"reject"}`, "", 0, "block: "},
		{`{"decision":{"behavior":"deny","message":"r"}}`, "", 0, "block: r"},
		{`{"ok":false,"reason":"r"}`, "", 0, "block: r"},
		{`{"approved":false}`, "", 0, "block: "},
		{`{"allow":false}`, "", 0, "block: "},
		{`{"block":true}`, "", 0, "block: "},
		{`{"decision":"allow","hookSpecificOutput":{"permissionDecision":"deny"}}`, "", 0, "block: "},
		{`[{"decision":"deny","reason":"r"}]`, "", 0, "block: r"},
		{`{"continue":"false","reason":"r"}`, "", 0, "stop: r"},
		{`{}`, "", 2, "block: Hook exited with code 2"},
		{`{"systemMessage":"m"}`, "", 2, "block: m"},
		{`{"hookSpecificOutput":{"permissionDecision":"allow"}}`, "err", 2, "block: err"},
		{"null", "", 2, "block: "},
		{"note\n" + `{"decision":"deny","reason":"r"}`, "", 0, "block: r"},
		{`note: {"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "r"}} end`, "", 1, "block: r"},
		{"note", `{"decision":"deny","reason":"r"}`, 0, "block: r"},
		{`{"systemMessage":"m"}`, `log {"decision":"block","reason":"r"}`, 0, "block: r"},

		{`{"decision":"allow"}`, "", 2, ""}, // JSON beats the exit code
		{`{"decision":"allow"}`, `{"decision":"deny"}`, 0, ""},
		{`{"systemMessage":"m"}`, `{"level":"info","action":"block"}`, 0, ""}, // a log
		{`{"hookSpecificOutput":{"permissionDecision":"allow"}}`, "", 0, ""},
		{`{"ok":true,"approved":true,"block":false}`, "", 0, ""},
		{`{"decision":"maybe"}`, "", 0, ""},
		{`deny`, "", 0, ""},
		{`{"hookSpecificOutput":{"tool_input":{"decision":"deny","ok":false}}}`, "", 0, `args: {"decision":"deny","ok":false}`},
	} {
		script := "cat <<'END'\n" + tt.stdout + "\nEND\ncat >&2 <<'END'\n" + tt.stderr + "\nEND\nexit " + fmt.Sprint(tt.code)
		st := open(t, Options{Hooks: []Hook{command(BeforeTool, script)}})
		if got := outcomeOf(st.Before(context.Background(), hooked("look", `{}`))); !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%q %q %d: %q, want %q", tt.stdout, tt.stderr, tt.code, got, tt.want)
		}
	}
}

// TestRemotePayload checks the input of hooks for a call of a server's tool.
func TestRemotePayload(t *testing.T) {
	t.Parallel()
	servers := func(name, subagent string) Server {
		if name != "db" || subagent != "" {
			return Server{}
		}
		return Server{Command: "run", Args: []string{"-q"}, Dir: "/d", URL: "https://db.example"}
	}
	st := open(t, Options{Server: servers, Hooks: []Hook{command(BeforeTool, "cat > before"), command(AfterTool, "cat > after")}})
	c := remote("db", "select", `{}`)
	st.Before(t.Context(), c)
	st.After(t.Context(), c, tool.Text("row"))
	const want = `{"args":["-q"],"command":"run","cwd":"/d","server_name":"db","tool_name":"select","url":"https://db.example"}`
	for _, name := range []string{"before", "after"} {
		if got := string(encode(st.saved(t, name)["mcp_context"])); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	response, _ := st.saved(t, "after")["tool_response"].(map[string]any)
	if got := string(encode(response["llmContent"])); got != `[{"text":"row"}]` {
		t.Errorf("a result of a server: %s", got)
	}
	st.After(t.Context(), hooked("look", `{}`), tool.Text("x"))
	response, _ = st.saved(t, "after")["tool_response"].(map[string]any)
	if response["llmContent"] != "x" {
		t.Errorf("a result of a tool of Pollux: %s", encode(response))
	}
	st.Before(t.Context(), remote("other", "select", `{}`))
	if got := string(encode(st.saved(t, "before")["mcp_context"])); got != `{"server_name":"other","tool_name":"select"}` {
		t.Errorf("an unknown server: %s", got)
	}
}

// TestFromCodex checks that guards of patches are left out, and that the others keep their form.
func TestFromCodex(t *testing.T) {
	t.Parallel()
	var settings map[string]any
	if err := json.Unmarshal([]byte(`{
		"PreToolUse": [
			{"matcher": "Bash", "hooks": [{"type": "command", "command": "a"}]},
			{"matcher": "apply_patch", "hooks": [{"type": "command", "command": "b"}]},
			{"matcher": "^(Edit|Write)$", "hooks": [{"type": "command", "command": "c"}]},
			{"hooks": [{"type": "command", "command": "d"}]}],
		"PostToolUse": 5, "Stop": [{"hooks": [{"type": "command", "command": "e"}]}], "Interrupt": [{"hooks": []}]}`), &settings); err != nil {
		t.Fatal(err)
	}
	m := FromCodex(settings)
	if got := strings.Join(linesAbout(m, false), "\n"); got != `left out PreToolUse of apply_patch (its input in Codex is a patch, which no tool of Pollux has) LOST
left out PreToolUse of ^(Edit|Write)$ (its input in Codex is a patch, which no tool of Pollux has) LOST
left out Interrupt (Pollux has no such event)
left out PostToolUse (it is not a list)
copied PreToolUse of Bash: a
changed PreToolUse: d (a change of a file is a call of Edit or Write, without a patch)
copied Stop: e` {
		t.Errorf("reports:\n%s", got)
	}
	if list, _ := settings["PreToolUse"].([]any); len(list) != 4 {
		t.Error("the settings have changed")
	}
}

// FuzzFromClaude checks that any hooks of Claude Code, Codex, Qwen Code and Crush are copied without a crash, and that copied hooks can be read.
func FuzzFromClaude(f *testing.F) {
	f.Add(`{"PreToolUse": [{"matcher": "Edit|Bash", "hooks": [{"type": "command", "command": "a", "if": "Bash(x)", "args": ["y"]}]}]}`)
	f.Add(`{"Stop": [{"hooks": [null, 5, {"type": "prompt"}]}], "PostToolUse": {}, "PreCompact": [[]]}`)
	f.Fuzz(func(t *testing.T, text string) {
		var hooks map[string]any
		if json.Unmarshal([]byte(text), &hooks) != nil {
			return
		}
		for _, m := range []Migration{FromClaude(hooks), FromCodex(hooks), FromQwen(hooks), FromCrush(hooks)} {
			if hooks, _, _ := Read(Workspace, rawOf(m.Definitions())); len(hooks) != m.Count() {
				t.Errorf("%d of %d hooks can be read", len(hooks), m.Count())
			}
		}
	})
}
