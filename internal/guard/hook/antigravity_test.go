package hook

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/guard"
	"pollux/llm"
	"pollux/tool"
)

// antigravity opens a stage with the hooks of a file hooks.json of Antigravity CLI in its directory, copied to settings.
func antigravity(t *testing.T, bundles string) *stage {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal([]byte(bundles), &object); err != nil {
		t.Fatal(err)
	}
	m := FromAntigravity(object, ".agents")
	if lost := linesAbout(m, true); len(lost) > 0 {
		t.Fatalf("not copied: %q", lost)
	}
	hooks, problems, lost := Read(User, rawOf(m.Definitions()))
	if len(problems)+len(lost) > 0 || len(hooks) != m.Count() {
		t.Fatalf("%d hooks of %d, %q", len(hooks), m.Count(), problems)
	}
	st := open(t, Options{Hooks: hooks})
	if err := os.Mkdir(filepath.Join(st.dir, ".agents"), 0o700); err != nil {
		t.Fatal(err)
	}
	return st
}

// guardOf returns a bundle with a guard for calls.
func guardOf(matcher, command string) string {
	return string(encode(map[string]any{"guard": map[string]any{"PreToolUse": []any{
		map[string]any{"matcher": matcher, "hooks": []any{map[string]any{"type": "command", "command": command, "timeout": 5}}},
	}}}))
}

// TestAntigravityGuards runs guards of Antigravity CLI, unchanged: a denial there is one here.
func TestAntigravityGuards(t *testing.T) {
	t.Parallel()
	shell := hooked("run_shell_command", `{"command":"make","description":"x","dir_path":"sub"}`)
	write := hooked("write_file", `{"file_path":"a.txt","content":"x"}`)
	for name, tt := range map[string]struct {
		matcher, command string
		call             guard.HookedCall
		want             string // begins the outcome; "" for none
	}{
		"allow":               {"", `echo '{"decision":"allow"}'`, shell, ""},
		"deny":                {"", `echo '{"decision":"deny","reason":"Not here."}'`, shell, "block: Not here."},
		"ask":                 {"", `echo '{"decision":"ask","reason":"Sure?"}'`, shell, "ask: Sure?"},
		"force_ask":           {"", `echo '{"decision":"force_ask","reason":"Sure?"}'`, shell, "ask: Sure?"},
		"prior grant":         {"", `echo '{"decision":"deny_unless_prior_grant"}'`, shell, "ask: "},
		"an empty object":     {"", `echo '{}'`, shell, "block: The hook has not allowed it."},
		"an unknown decision": {"", `echo '{"decision":"maybe"}'`, shell, "block: "},
		"Claude Code's words": {"", `echo '{"decision":"allow","hookSpecificOutput":{"permissionDecision":"deny"}}'`, shell, "block: "},
		"asks and denies":     {"", `echo '{"decision":"ask","hookSpecificOutput":{"permissionDecision":"deny"}}'`, shell, "block: "},
		"no output":           {"", `true`, shell, ""},
		"text":                {"", `echo fine`, shell, "block: The hook has not answered with an object."},
		"a list":              {"", `echo '[]'`, shell, "block: "},
		"a number":            {"", `echo 1`, shell, "block: "},
		"exit code 1":         {"", `echo broken >&2; exit 1`, shell, "block: broken"},
		"exit code 2":         {"", `echo '{"decision":"allow"}'; exit 2`, shell, "block: "},
		"a signal":            {"", `kill -9 $$`, shell, "block: The hook has failed"},
		"not found":           {"", `/none/guard`, shell, "block: "},
		"a timeout":           {"", `exec sleep 60`, shell, "block: The hook has failed: Hook timed out after 5000ms"},
		"all":                 {"*", `exit 1`, shell, "block: "},
		"its name":            {"run_command", `exit 1`, shell, "block: "},
		"a part of it":        {"^run_", `exit 1`, shell, "block: "},
		"another tool":        {"write_to_file|replace_file_content", `exit 1`, shell, ""},
		"one of two":          {"view_file|write_to_file", `exit 1`, write, "block: "},
		"Pollux's name":       {"run_shell_command", `exit 1`, shell, "block: "},
		"several names":       {"multi_replace_file_content", `grep -q '"name":"multi_replace_file_content"' && echo '{}'`, hooked("replace", `{"file_path":"a"}`), "block: "},
		"a server":            {"mcp_db_select", `exit 1`, remote("db", "select", `{}`), "block: "},
		"arguments":           {"", `grep -q '"CommandLine":"make"' && echo '{"decision":"deny","reason":"It makes."}'`, shell, "block: It makes."},
		"overwrite":           {"", `echo '{"decision":"allow","overwrite":{"CommandLine":"true"}}'`, shell, `args: {"command":"true","description":"x","dir_path":"sub"}`},
		"its directory":       {"", `test "${PWD##*/}" = .agents && exit 1`, shell, "block: "},
		"its variable":        {"", `test "$ANTIGRAVITY_CONVERSATION_ID" = s-1 && exit 1`, shell, "block: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := antigravity(t, guardOf(tt.matcher, tt.command))
			got := outcomeOf(st.Before(t.Context(), tt.call))
			if !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
				t.Errorf("the outcome is %q, want %q", got, tt.want)
			}
		})
	}
	t.Run("of the user", func(t *testing.T) {
		t.Parallel()
		h := command(BeforeTool, `test "${PWD##*/}" = mine && exit 1; echo '{"decision":"allow"}'`)
		h.Dialect, h.Dir = Antigravity, "~/mine"
		st := open(t, Options{Hooks: []Hook{h}}) // the directory is the home directory
		if err := os.Mkdir(filepath.Join(st.dir, "mine"), 0o700); err != nil {
			t.Fatal(err)
		}
		if b := st.Before(t.Context(), shell); !b.Block {
			t.Error("it does not run in ~/mine")
		}
	})
	t.Run("no directory", func(t *testing.T) {
		t.Parallel()
		st := antigravity(t, guardOf("", `echo '{"decision":"allow"}'`))
		if err := os.Remove(filepath.Join(st.dir, ".agents")); err != nil {
			t.Fatal(err)
		}
		if b := st.Before(t.Context(), shell); !b.Block {
			t.Error("a guard without its directory allows")
		}
	})
}

// TestAntigravityInput checks the input of each event.
func TestAntigravityInput(t *testing.T) {
	t.Parallel()
	bundle := map[string]any{}
	for _, e := range antigravityEvents {
		hook := map[string]any{"command": "cat >> ../" + e.name} // of the usual type
		if e.event == BeforeTool || e.event == AfterTool {
			hook = map[string]any{"matcher": "*", "hooks": []any{hook}}
		}
		bundle[strings.ToLower(e.name)] = []any{hook}
	}
	st := antigravity(t, string(encode(map[string]any{"b": bundle})))
	dir := filepath.ToSlash(st.dir)
	call := hooked("replace", `{"file_path":"a.go","old_string":"x","new_string":"y"}`)
	st.SessionStart(t.Context(), StartupSource)
	st.Before(t.Context(), call)
	st.After(t.Context(), call, &tool.Result{Content: []llm.Part{llm.Text("no")}, Error: &tool.Error{Message: "no", Type: tool.ErrExecutionFailed}})
	request := &llm.Request{Model: "m-1", Contents: []*llm.Content{{Role: llm.RoleUser, Parts: []llm.Part{llm.Text("Hi")}}}}
	for range 2 {
		st.BeforeModel(t.Context(), request)
	}
	part := func(text string, end llm.FinishReason) *llm.Response {
		return &llm.Response{Candidates: []llm.Candidate{{Content: &llm.Content{Role: llm.RoleModel, Parts: []llm.Part{llm.Text(text)}}, FinishReason: end}}}
	}
	st.AfterModel(t.Context(), request, part("Hel", ""))
	st.AfterModel(t.Context(), request, part("lo", llm.FinishStop))
	st.AfterAgent(t.Context(), "Hi", "Hello", false)
	common := func(model string) string {
		return `"artifactDirectoryPath":"/plans","conversationId":"s-1","modelName":"` + model + `","transcriptPath":"","workspacePaths":["` + dir + `"]`
	}
	for name, want := range map[string]string{
		"SessionStart":   `{` + common("") + `}`,
		"PreToolUse":     `{` + common("") + `,"stepIdx":0,"toolCall":{"args":{"ReplacementContent":"y","TargetContent":"x","TargetFile":"` + dir + `/a.go"},"name":"replace_file_content"}}`,
		"PostToolUse":    `{` + common("") + `,"error":"no","stepIdx":0,"toolCall":{"args":{"ReplacementContent":"y","TargetContent":"x","TargetFile":"` + dir + `/a.go"},"name":"replace_file_content"}}`,
		"PreInvocation":  `{` + common("m-1") + `,"initialNumSteps":1,"invocationNum":0}{` + common("m-1") + `,"initialNumSteps":1,"invocationNum":1}`,
		"PostInvocation": `{` + common("m-1") + `,"initialNumSteps":1,"invocationNum":0}`,
		"Stop":           `{` + common("") + `,"error":"","executionNum":0,"fullyIdle":true,"terminationReason":"model_stop"}`,
	} {
		data, err := os.ReadFile(filepath.Join(st.dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		sorted := func(text string) (all string) {
			for values := json.NewDecoder(strings.NewReader(text)); values.More(); {
				var v any
				if err := values.Decode(&v); err != nil {
					t.Fatal(err)
				}
				all += string(encode(v))
			}
			return all
		}
		if got, want := sorted(string(data)), sorted(want); got != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
	}
}

// TestAntigravityAnswers checks the effects of answers to the other events.
func TestAntigravityAnswers(t *testing.T) {
	t.Parallel()
	flat := func(event, answer string) *stage {
		return antigravity(t, string(encode(map[string]any{"b": map[string]any{event: []any{map[string]any{"command": "echo '" + answer + "'"}}}})))
	}
	request := func() *llm.Request {
		return &llm.Request{Model: "m", Contents: []*llm.Content{{Role: llm.RoleUser, Parts: []llm.Part{llm.Text("Hi")}}}}
	}
	t.Run("inject", func(t *testing.T) {
		t.Parallel()
		st, r := flat("PreInvocation", `{"injectSteps":[{"ephemeralMessage":"One."},{"userMessage":"Two."},{"toolCall":{}}]}`), request()
		v, _ := st.BeforeModel(t.Context(), r)
		var texts []string
		for _, c := range r.Contents {
			texts = append(texts, llm.PartsText(c.Parts))
		}
		if v.Block || strings.Join(texts, "|") != "Hi|One.|Two." {
			t.Errorf("%+v, the request has %q", v, texts)
		}
		if !slices.ContainsFunc(st.messages, func(m string) bool { return strings.Contains(m, "steps that are no messages") }) {
			t.Errorf("the messages are %q", st.messages)
		}
	})
	t.Run("inject behind a result", func(t *testing.T) {
		t.Parallel()
		st, r := flat("PreInvocation", `{"injectSteps":[{"userMessage":"Two."}]}`), request()
		r.Contents = append(r.Contents,
			&llm.Content{Role: llm.RoleModel, Parts: []llm.Part{{FunctionCall: &llm.FunctionCall{ID: "1", Name: "glob", Args: []byte(`{}`)}}}},
			&llm.Content{Role: llm.RoleUser, Parts: []llm.Part{{FunctionResponse: &llm.FunctionResponse{ID: "1", Name: "glob", Response: []byte(`{}`)}}}})
		if v, _ := st.BeforeModel(t.Context(), r); v.Block || len(r.Contents) != 4 || llm.PartsText(r.Contents[3].Parts) != "Two." {
			t.Errorf("%+v, the request has %d turns", v, len(r.Contents))
		}
	})
	t.Run("at the start", func(t *testing.T) {
		t.Parallel()
		st := flat("SessionStart", `{"injectSteps":[{"ephemeralMessage":"One."}]}`)
		if v := st.SessionStart(t.Context(), StartupSource); v.Context != "One." {
			t.Errorf("%+v", v)
		}
	})
	t.Run("terminate", func(t *testing.T) {
		t.Parallel()
		st := flat("PostInvocation", `{"terminationBehavior":"terminate"}`)
		v, _ := st.AfterModel(t.Context(), request(), &llm.Response{Candidates: []llm.Candidate{{Content: &llm.Content{Role: llm.RoleModel, Parts: []llm.Part{llm.Text("x")}}, FinishReason: llm.FinishStop}}})
		if !v.Stop || v.Reason != "A hook has ended the run." {
			t.Errorf("%+v", v)
		}
	})
	t.Run("continue", func(t *testing.T) {
		t.Parallel()
		for answer, want := range map[string]agent.Verdict{
			`{"decision":"continue","reason":"Run the tests."}`: {Block: true, Reason: "Run the tests."}, `{}`: {},
		} {
			if v := flat("Stop", answer).AfterAgent(t.Context(), "", "", false); v.Block != want.Block || v.Reason != want.Reason {
				t.Errorf("%s: %+v", answer, v)
			}
		}
	})
}

// TestFromAntigravity checks the names of the hooks that are left out.
func TestFromAntigravity(t *testing.T) {
	t.Parallel()
	var bundles map[string]any
	if err := json.Unmarshal([]byte(`{
		"off": {"enabled": false, "PreToolUse": [{"hooks": [{"command": "true"}]}]},
		"wrong": 1,
		"all": {
			"enabled": true,
			"PreToolUse": [{"matcher": "run_command", "hooks": [{"command": "one", "cwd": "/x"}, {"type": "prompt", "command": "two"}]}, {"command": "flat"}],
			"Stop": [{"type": "command", "command": "three", "timeout": 7}, {"hooks": [{"command": "four"}]}],
			"PostToolUse": 5, "pretooluse": [{"matcher": "view_file|read_url_content", "hooks": [{"command": "six"}]}], "PreRun": [{"command": "five"}], "Empty": []
		}
	}`), &bundles); err != nil {
		t.Fatal(err)
	}
	m := FromAntigravity(bundles, ".agents")
	const want = `{"AfterAgent":[{"hooks":[{"command":"three","cwd":".agents","dialect":"antigravity","name":"all","timeout":7,"type":"command"}],"sequential":true}],` +
		`"BeforeTool":[{"hooks":[{"command":"one","cwd":".agents","dialect":"antigravity","name":"all","type":"command"}],"matcher":"run_command","sequential":true},` +
		`{"hooks":[{"command":"six","cwd":".agents","dialect":"antigravity","name":"all","type":"command"}],"matcher":"view_file|read_url_content","sequential":true}]}`
	if got := string(encode(m.Definitions())); got != want || m.Count() != 3 {
		t.Errorf("%d hooks: %s\nwant %s", m.Count(), got, want)
	}
	if got := strings.Join(linesAbout(m, false), "\n"); got != `left out PostToolUse of all (it is not a list)
left out PreRun of all (Pollux has no such event)
changed PreToolUse of all for run_command: one (without cwd, which has no effect in Antigravity CLI)
left out PreToolUse of all for run_command (the type must be "command", not "prompt") LOST
left out PreToolUse of all (an entry has no list of hooks) LOST
copied Stop of all: three
left out Stop of all (it has no command)
changed pretooluse of all for view_file|read_url_content: six (it gets the arguments of read_url_content with Pollux's names, because those of Antigravity CLI are not known)
left out off (it is not enabled)
left out wrong (it is not an object with events)` {
		t.Errorf("reports:\n%s", got)
	}
	hooks, _, _ := Read(User, rawOf(m.Definitions()))
	if i := slices.IndexFunc(hooks, func(h Hook) bool { return h.Event == BeforeTool }); i < 0 || hooks[i].Timeout != antigravityTimeout || !hooks[i].BlocksOnFailure {
		t.Errorf("the hooks are %+v", hooks)
	}
}

// FuzzFromAntigravity checks that any file is copied without a crash, and that copied hooks can be read.
func FuzzFromAntigravity(f *testing.F) {
	f.Add(guardOf("run_command", "true"))
	f.Add(`{"a":{"enabled":true,"Stop":[{"command":"x","timeout":1e300}],"PreToolUse":[{"matcher":5,"hooks":[null]}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var bundles map[string]any
		if json.Unmarshal([]byte(text), &bundles) != nil {
			return
		}
		m := FromAntigravity(bundles, "d")
		if hooks, _, _ := Read(Workspace, rawOf(m.Definitions())); len(hooks) != m.Count() {
			t.Errorf("%d of %d hooks can be read", len(hooks), m.Count())
		}
	})
}
