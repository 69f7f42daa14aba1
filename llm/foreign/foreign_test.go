package foreign_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/llm/argmap"
	"pollux/llm/foreign"
)

// canned is a generator whose answers are calls.
type canned struct {
	llm.Generator
	answer *llm.Response
}

func (c canned) Generate(context.Context, *llm.Request) (*llm.Response, error) { return c.answer, nil }

func (c canned) Stream(context.Context, *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) { yield(c.answer, nil) }
}

// schemas are the parameters of the tools that tests declare: required ones end in !.
var schemas = map[string]string{
	"run_shell_command":         "command! description dir_path is_background:boolean timeout_seconds:number",
	"replace":                   "file_path! old_string! new_string! allow_multiple:boolean",
	"read_file":                 "file_path! start_line:integer end_line:integer",
	"write_file":                "file_path! content!",
	"grep_search":               "pattern! dir_path names_only:boolean case_sensitive:boolean context:integer",
	"glob":                      "pattern! dir_path",
	"list_directory":            "dir_path!",
	"web_fetch":                 "prompt!",
	"google_web_search":         "query!",
	"invoke_agent":              "agent_name! prompt!",
	"list_background_processes": "",
	"read_background_output":    "pid:integer!",
	"mcp_box_bash":              "command!",
	"write_todos":               "",
	"ask_user":                  "",
}

const (
	todosSchema = `{"type":"object","properties":{"todos":{"type":"array","items":{"type":"object","properties":{"description":{"type":"string"},` +
		`"status":{"type":"string"}},"required":["description","status"]}}},"required":["todos"]}`
	askSchema = `{"type":"object","properties":{"questions":{"type":"array","items":{"type":"object","properties":{"question":{"type":"string"},` +
		`"type":{"type":"string"}},"required":["question","type"]}}},"required":["questions"]}`
)

func declaration(name string) llm.FunctionDeclaration {
	switch name {
	case "write_todos":
		return llm.FunctionDeclaration{Name: name, Parameters: json.RawMessage(todosSchema)}
	case "ask_user":
		return llm.FunctionDeclaration{Name: name, Parameters: json.RawMessage(askSchema)}
	}
	properties, required := map[string]any{}, []string{}
	for p := range strings.FieldsSeq(schemas[name]) {
		p, isRequired := strings.CutSuffix(p, "!")
		p, kind, found := strings.Cut(p, ":")
		if !found {
			kind = "string"
		}
		properties[p] = map[string]string{"type": kind}
		if isRequired {
			required = append(required, p)
		}
	}
	b, _ := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required})
	return llm.FunctionDeclaration{Name: name, Parameters: b}
}

// read returns the calls that a call becomes in a request that declares tools, one per line.
func read(t *testing.T, tools, name, args string) string {
	t.Helper()
	set := &llm.ToolSet{}
	for name := range strings.FieldsSeq(tools) {
		set.Functions = append(set.Functions, declaration(name))
	}
	req := &llm.Request{Config: llm.Config{Tools: []*llm.ToolSet{set}}}
	g := foreign.Wrap(canned{answer: &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(
		llm.Text("I look."), llm.Part{FunctionCall: &llm.FunctionCall{ID: "1", Name: name, Args: json.RawMessage(args)}, ThoughtSignature: "c2ln"}, llm.Text("."),
	)}}}}, foreign.Options{
		Names: func(string) argmap.Names { return argmap.Common() },
		Join:  func(words []string) string { return strings.Join(words, "+") },
		Patch: func(command string) (text, dir, rest string, found bool) {
			text, found = strings.CutPrefix(command, "patch ")
			text, rest, _ = strings.Cut(text, " THEN ")
			return text, "sub", rest, found
		},
	})
	r, err := g.Generate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if r.Text() != "I look.." || r.Parts()[0].Text != "I look." || r.Parts()[1].ThoughtSignature != "c2ln" {
		t.Errorf("%s: text %q, signature %q", name, r.Text(), r.Parts()[1].ThoughtSignature)
	}
	var lines []string
	for i, p := range r.Parts() {
		if c := p.FunctionCall; c != nil {
			line := c.Name + string(c.Args)
			if c.Joined > 0 {
				line += fmt.Sprint(" +", c.Joined)
			}
			if c.Problem != "" {
				line += " " + c.Problem
			}
			lines = append(lines, line)
			if i > 1 && p.ThoughtSignature != "" {
				t.Errorf("%s: a signature on call %d", name, i)
			}
		}
	}
	return strings.Join(lines, "\n")
}

const all = "run_shell_command replace read_file write_file grep_search glob list_directory web_fetch google_web_search invoke_agent " +
	"list_background_processes read_background_output write_todos ask_user"

// Calls of other programs' tools become calls of declared tools.
func TestRead(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		// Claude Code
		{"Bash", `{"command":"ls && x","description":"List","timeout":120000,"run_in_background":true}`, `run_shell_command{"command":"ls && x","description":"List","is_background":true,"timeout":120000}`},
		{"Bash", `{"command":"ls","timeout":1500}`, `run_shell_command{"command":"ls","timeout_seconds":2}`},
		{"bash", `{"command":"ls","timeout":"120000"}`, `run_shell_command{"command":"ls","timeout_seconds":120}`},
		{"bash", `{"command":"ls","timeout":30}`, `run_shell_command{"command":"ls","timeout":30}`},
		{"bash", `{"command":"ls","timeout":2000,"timeout_seconds":9}`, `run_shell_command{"command":"ls","timeout":2000,"timeout_seconds":9}`},
		{"bash", `{"command":"ls","timeout":1e300}`, `run_shell_command{"command":"ls","timeout":1e300}`},
		{"terminal", `{"command":"ls","timeout":120000}`, `run_shell_command{"command":"ls","timeout":120000}`},
		{"shell", `{"command":"ls","timeout_ms":60000}`, `run_shell_command{"command":"ls","timeout_seconds":60}`},
		{"Edit", `{"file_path":"a","old_string":"x<","new_string":"y","replace_all":true}`, `replace{"allow_multiple":true,"file_path":"a","new_string":"y","old_string":"x<"}`},
		{
			"MultiEdit", `{"file_path":"a","edits":[{"old_string":"x","new_string":"y"},{"old_string":"v","new_string":"w","replace_all":false}]}`,
			"replace{\"file_path\":\"a\",\"new_string\":\"y\",\"old_string\":\"x\"} +1\n" + `replace{"allow_multiple":false,"file_path":"a","new_string":"w","old_string":"v"}`,
		},
		{"Read", `{"file_path":"a"}`, `read_file{"file_path":"a"}`},
		{"Read", `{"file_path":"a","offset":10,"limit":5}`, `read_file{"file_path":"a","start_line":10,"end_line":14}`},
		{"Read", `{"file_path":"a","offset":0,"limit":5}`, `read_file{"file_path":"a","end_line":5}`},
		{"Read", `{"file_path":"a","offset":1,"limit":5}`, `read_file{"file_path":"a","end_line":5}`},
		{"read", `{"filePath":"a","offset":10}`, `read_file{"file_path":"a","start_line":10}`},
		{"ReadFile", `{"absolute_path":"a","offset":10,"limit":5}`, `read_file{"file_path":"a","start_line":11,"end_line":15}`},
		{"view", `{"file_path":"a","offset":10,"limit":5}`, `read_file{"file_path":"a","start_line":11,"end_line":15}`},
		{"Write", `{"file_path":"a","content":"x"}`, `write_file{"content":"x","file_path":"a"}`},
		{"LS", `{"path":"/a"}`, `list_directory{"dir_path":"/a"}`},
		{"LS", `{}`, `list_directory{"dir_path":"."}`},
		{"LS", ``, `list_directory{"dir_path":"."}`},
		{"Glob", `{"pattern":"*.go","path":"a"}`, `glob{"dir_path":"a","pattern":"*.go"}`},
		{"Grep", `{"pattern":"x","path":"a","output_mode":"content","-n":true,"-C":2}`, `grep_search{"context":2,"pattern":"x","dir_path":"a"}`},
		{"Grep", `{"pattern":"x","output_mode":"files_with_matches","multiline":false}`, `grep_search{"names_only":true,"pattern":"x"}`},
		{"Grep", `{"pattern":"x","output_mode":"count","-i":true}`, `grep_search{"context":0,"max_matches_per_file":1,"pattern":"x"}`},
		{"Grep", `{"pattern":"X","-i":false}`, `grep_search{"case_sensitive":true,"pattern":"X"}`},
		{"WebFetch", `{"url":"http://a","prompt":"sum up"}`, `web_fetch{"prompt":"sum up\nhttp://a"}`},
		{"WebSearch", `{"query":"x"}`, `google_web_search{"query":"x"}`},
		{"Task", `{"description":"d","prompt":"p","subagent_type":"helper"}`, `invoke_agent{"prompt":"p","agent_name":"helper"}`},
		{
			"TodoWrite", `{"todos":[{"content":"a","status":"in_progress","activeForm":"doing a","id":"1"},{"content":"b","status":"pending"}]}`,
			`write_todos{"todos":[{"description":"a","status":"in_progress"},{"description":"b","status":"pending"}]}`,
		},
		{"TodoWrite", `{"todos":[]}`, `write_todos{"todos":[]}`},
		{"AskUserQuestion", `{"questions":[{"question":"?","options":[{"label":"a"}]}]}`, `ask_user{"questions":[{"options":[{"label":"a"}],"question":"?","type":"choice"}]}`},
		// Anthropic's text editor
		{"str_replace_based_edit_tool", `{"command":"view","path":"a","view_range":[3,-1]}`, `read_file{"file_path":"a","start_line":3}`},
		{"str_replace_editor", `{"command":"view","path":"a","view_range":[3,5]}`, `read_file{"end_line":5,"file_path":"a","start_line":3}`},
		{"str_replace_editor", `{"command":"create","path":"a","file_text":"x"}`, `write_file{"content":"x","file_path":"a"}`},
		{"str_replace_editor", `{"command":"str_replace","path":"a","old_str":"x"}`, `replace{"new_string":"","old_string":"x","file_path":"a"}`},
		// Codex
		{"shell", `{"command":["bash","-lc","ls | wc"],"workdir":"a","timeout_ms":9}`, `run_shell_command{"command":"ls | wc","dir_path":"a"}`},
		{"run_shell_command", `{"command":["bash","-lc","ls | wc"]}`, `run_shell_command{"command":"ls | wc"}`},
		{"run_shell_command", `{"command":["ls", "-la"],"dir_path":"a"}`, `run_shell_command{"command":"ls+-la","dir_path":"a"}`},
		{"shell", `{"command":["bash","-lc","ls","x"]}`, `run_shell_command{"command":"bash+-lc+ls+x"}`},
		{"read_many_files", `{"paths":["a","b"]}`, `read_file{"file_path":"a"}` + "\n" + `read_file{"file_path":"b"}`},
		{"exec_command", `{"cmd":"ls","yield_time_ms":1000}`, `run_shell_command{"command":"ls"}`},
		{"container.exec", `{"cmd":["ls"]}`, `run_shell_command{"command":"ls"}`},
		{"update_plan", `{"explanation":"e","plan":[{"step":"a","status":"completed"}]}`, `write_todos{"todos":[{"description":"a","status":"completed"}]}`},
		// others
		{"edit", `{"path":"a","edits":[{"oldText":"x","newText":"y"}]}`, `replace{"file_path":"a","new_string":"y","old_string":"x"}`},
		{"run_terminal_cmd", `{"command":"ls","is_background":false,"require_user_approval":true}`, `run_shell_command{"command":"ls","is_background":false}`},
		{"write_to_file", `{"path":"a","content":"x","line_count":1}`, `write_file{"content":"x","file_path":"a"}`},
		{"functions.readFile", `{"filePath":"a"}`, `read_file{"file_path":"a"}`},
	} {
		if got := read(t, all, c[0], c[1]); got != c[2] && !sameArgs(got, c[2]) {
			t.Errorf("%s %s\n got %s\nwant %s", c[0], c[1], got, c[2])
		}
	}
}

// sameArgs reports whether two lists of calls differ in the order of arguments only.
func sameArgs(a, b string) bool {
	linesA, linesB := strings.Split(a, "\n"), strings.Split(b, "\n")
	if len(linesA) != len(linesB) {
		return false
	}
	for i := range linesA {
		nameA, argsA, _ := strings.Cut(linesA[i], "{")
		nameB, argsB, _ := strings.Cut(linesB[i], "{")
		argsA, joinedA, _ := strings.Cut(argsA, "} ")
		argsB, joinedB, _ := strings.Cut(argsB, "} ")
		var x, y any
		if joinedA != joinedB || nameA != nameB || json.Unmarshal(object(argsA), &x) != nil || json.Unmarshal(object(argsB), &y) != nil {
			return false
		}
		p, _ := json.Marshal(x)
		q, _ := json.Marshal(y)
		if string(p) != string(q) {
			return false
		}
	}
	return true
}

func object(members string) []byte { return []byte("{" + strings.TrimSuffix(members, "}") + "}") }

// Calls whose meaning is unclear stay as they are.
func TestUnclear(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ why, tools, name, args string }{
		{"the tool is declared", "run_shell_command replace", "replace", `{"path":"a"}`},
		{"the tool is declared", all, "replace", `{"path":"a","old_str":"x","new_str":"y"}`},
		{"the tool is not declared", strings.Replace(all, "run_shell_command", "", 1), "bash", `{"command":"ls"}`},
		{"one of the tools is not declared", strings.Replace(all, "read_file", "", 1), "str_replace_editor", `{"command":"view","path":"a"}`},
		{"no tool is declared", "", "bash", `{"command":"ls"}`},
		{"a parameter is missing", all, "bash", `{"description":"List"}`},
		{"a parameter is missing", all, "Task", `{"description":"d","prompt":"p"}`},
		{"a parameter is missing in an item", all, "TodoWrite", `{"todos":["a"]}`},
		{"an edit lacks its text", all, "MultiEdit", `{"file_path":"a","edits":[{"old_string":"x","new_string":"y"},{"old_string":"x"}]}`},
		{"there are no edits", all, "MultiEdit", `{"file_path":"a","edits":[]}`},
		{"a value has another type", all, "bash", `{"command":{"name":"ls"}}`},
		{"a value has another type", all, "Read", `{"file_path":"a","start_line":"first"}`},
		{"an argument has a meaning", all, "bash", `{"command":"ls","stdin":"x"}`},
		{"an argument has a meaning", all, "run_command", `{"command":"serve","blocking":false}`},
		{"an argument has a meaning", all, "Grep", `{"pattern":"x","output_mode":"table"}`},
		{"an argument has a meaning", all, "Grep", `{"pattern":"x","type":"go"}`},
		{"an argument has a meaning", all, "list_files", `{"path":"a","recursive":true}`},
		{"two arguments contradict each other", all, "Read", `{"file_path":"a","path":"b"}`},
		{"two tools fit", all, "search", `{"query":"x"}`},
		{"two tools fit", all, "list", `{}`},
		{"a tool of a server has the name", all + " mcp_box_bash", "bash", `{"command":"ls"}`},
		{"code is no command", all, "python", `{"code":"print(1)"}`},
		{"an editor's command is unknown", all, "str_replace_editor", `{"command":"insert","path":"a","insert_line":1,"new_str":"x"}`},
		{"an editor's command is missing", all, "str_replace_editor", `{"path":"a"}`},
		{"the name is unknown", all, "fly", `{"command":"ls"}`},
		{"the name is empty", all, "", `{"command":"ls"}`},
		{"the arguments are no object", all, "bash", `["ls"]`},
		{"the arguments are no JSON", all, "bash", `{"command":`},
	} {
		if got := read(t, c.tools, c.name, c.args); got != c.name+c.args {
			t.Errorf("%s: %s%s becomes %s", c.why, c.name, c.args, got)
		}
	}
	if got := read(t, "grep_search", "search", `{"query":"x"}`); got != `grep_search{"pattern":"x"}` {
		t.Errorf("one tool fits: %s", got)
	}
}

// Patches become calls of replace, and of commands for what replace cannot do.
func TestPatch(t *testing.T) {
	t.Parallel()
	const (
		text = `*** Begin Patch\n*** Update File: a\n@@\n x\n-y\n+z\n@@\n-v\n*** Add File: b/new\n+one\n*** End Patch`
		want = `replace{"file_path":"a","new_string":"x\nz\n","old_string":"x\ny\n"} +2` + "\n" + `replace{"file_path":"a","new_string":"","old_string":"v\n"} +1` + "\n" +
			`replace{"file_path":"b/new","new_string":"one\n","old_string":""}`
		one    = `*** Begin Patch\n*** Add File: new\n+one\n*** End Patch`
		made   = `replace{"file_path":"sub/new","new_string":"one\n","old_string":""}`
		moving = `*** Begin Patch\n*** Delete File: a\n*** Update File: b\n*** Move to: c/d\n@@\n-x\n+y\n*** End Patch`
		moved  = `replace{"file_path":"b","new_string":"y\n","old_string":"x\n"} +2` + "\n" + `run_shell_command{"command":"rm+a"} +1` + "\n" +
			`run_shell_command{"command":"mkdir+-p+c && mv+b+c/d"}`
	)
	below := strings.NewReplacer(`"a"`, `"sub/a"`, `"b/new"`, `"sub/b/new"`).Replace(want)
	for _, c := range [][4]string{
		{all, "apply_patch", `{"input":"` + text + `"}`, want},
		{all, "apply_patch", `{"patch":"` + text + `"}`, want},
		{all, "apply_patch", `{"patchText":"` + moving + `"}`, moved},
		{all, "run_shell_command", `{"command":"patch ` + text + `","description":"d"}`, below},
		{all, "shell", `{"command":["patch ` + text + `"]}`, below},
		{all, "Bash", `{"command":"patch ` + text + `","timeout":9}`, below},
		{all, "shell", `{"command":["patch ` + text + `"],"workdir":"/top"}`, strings.ReplaceAll(below, "sub/", "/top/sub/")},
		// unclear
		{all, "apply_patch", `{"input":"*** Begin Patch\n*** Delete File: -f\n*** End Patch"}`, `run_shell_command{"command":"rm+./-f"}`},
		{all, "run_shell_command", `{"description":"d","command":"ls"}`, ""},
		{all, "run_shell_command", `{"command":"patch ` + text + `","is_background":true}`, ""},
		{all, "run_shell_command", `{"command":"patch ` + one + ` THEN make","timeout":9}`, made + " +1\n" + `run_shell_command{"command":"make","dir_path":"sub","timeout":9}`},
		{all, "shell", `{"command":["patch ` + one + ` THEN make"],"workdir":"/top"}`, strings.Replace(made, "sub/", "/top/sub/", 1) + " +1\n" + `run_shell_command{"command":"make","dir_path":"/top/sub"}`},
		{all, "run_shell_command", `{"command":"patch ` + one + ` THEN patch ` + one + ` THEN make"}`, made + " +2\n" + strings.Replace(made, "sub/", "sub/sub/", 1) + " +1\n" + `run_shell_command{"command":"make","dir_path":"sub/sub"}`},
		{all, "apply_patch", `{"input":"` + text + `","reverse":true}`, ""},
		{all, "apply_patch", `{"input":"` + text + `","explanation":"why"}`, want},
		{all, "apply_patch", `{"text":"` + text + `"}`, ""},
		{strings.Replace(all, "replace", "", 1), "apply_patch", `{"input":"` + text + `"}`, ""},
		{strings.Replace(all, "replace", "", 1), "run_shell_command", `{"command":"patch ` + text + `"}`, ""},
	} {
		if c[3] == "" {
			c[3] = c[1] + c[2]
		}
		if got := read(t, c[0], c[1], c[2]); got != c[3] {
			t.Errorf("%s %s\n got %s\nwant %s", c[1], c[2], got, c[3])
		}
	}
}

// The call of a patch that cannot be applied stays, with the reason.
func TestProblem(t *testing.T) {
	t.Parallel()
	const broken = `*** Begin Patch\n*** Update File: a\nx\n*** End Patch`
	for _, c := range [][4]string{
		{all, "apply_patch", `{"input":"` + broken + `"}`, `line 3 of the patch: "x" begins with none of space, + and -`},
		{all, "run_shell_command", `{"command":"patch ` + broken + `"}`, `line 3 of the patch: "x" begins with none of space, + and -`},
		{all, "run_shell_command", `{"command":"patch *** Begin Patch\n*** Add File: a\n+x\n*** End Patch THEN patch ` + broken + `"}`, `line 3 of the patch: "x" begins with none of space, + and -`},
		{all, "shell", `{"command":["patch ` + broken + `"]}`, `line 3 of the patch: "x" begins with none of space, + and -`},
		{all, "apply_patch", `{"input":"x"}`, `line 1 of the patch: "x" stands before the first file`},
		{
			strings.Replace(all, "run_shell_command", "", 1), "apply_patch", `{"input":"*** Begin Patch\n*** Delete File: a\n*** End Patch"}`,
			`it deletes or moves a file, which needs "run_shell_command", and that is not available now; edits alone are possible, with "replace"`,
		},
	} {
		want := c[1] + c[2] + " The patch cannot be applied, and nothing was changed: " + c[3] + "."
		if got := read(t, c[0], c[1], c[2]); got != want {
			t.Errorf("%s %s\n got %s\nwant %s", c[1], c[2], got, want)
		}
	}
}

// A stream passes on each chunk, and an answer without such calls as it is.
func TestStream(t *testing.T) {
	t.Parallel()
	plain := &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(llm.Text("a"))}}}
	g := foreign.Wrap(canned{answer: plain}, foreign.Options{})
	for chunk, err := range g.Stream(t.Context(), &llm.Request{}) {
		if chunk != plain || err != nil {
			t.Error(chunk, err)
		}
	}
	if r, err := foreign.Wrap(canned{}, foreign.Options{}).Generate(t.Context(), &llm.Request{}); r != nil || err != nil {
		t.Error(r, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("bash", `{"command":["ls"]}`)
	f.Add("MultiEdit", `{"file_path":"a","edits":[{"old_string":"x","new_string":"y"}]}`)
	f.Add("TodoWrite", `{"todos":[null,{"content":7}]}`)
	f.Add("str_replace_editor", `{"command":"view","path":"a","view_range":[3,-1]}`)
	f.Fuzz(func(t *testing.T, name, args string) {
		if !json.Valid([]byte(args)) {
			return
		}
		for line := range strings.SplitSeq(read(t, all, name, args), "\n") {
			if tool, rest, found := strings.Cut(line, "{"); found && schemas[tool] != "" && !json.Valid([]byte("{"+rest)) && tool != name {
				t.Fatalf("%s %s becomes %s", name, args, line)
			}
		}
	})
}
