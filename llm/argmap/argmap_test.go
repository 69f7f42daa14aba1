package argmap_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"pollux/llm"
	"pollux/llm/argmap"
	"pollux/llm/gemini"
	"pollux/llm/llmtest"
)

const rules = `[
	{"model": "qwen", "provider": "LM Studio", "endpointPattern": "http://192.168.*:1234", "toolMappings": {"a": {"x": "exact"}}},
	{"model": "other", "endpointPattern": "localhost", "toolMappings": {"a": {"x": "local"}}},
	{"model": "lonely", "toolMappings": {"a": {"x": "model"}}}
]`

func TestLookup(t *testing.T) {
	t.Parallel()
	var parsed []argmap.Rule
	if err := json.Unmarshal([]byte(rules), &parsed); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{
		{"qwen", "http://192.168.1.7:1234/v1", "exact"},
		{"llama", "http://192.168.1.7:1234/v1", "exact"},
		{"qwen", "http://192.168.1.7:8080/v1", ""},
		{"qwen", "http://localhost:11434", "local"},
		{"lonely", "http://localhost:11434", "model"},
		{"lonely", "https://example.com", "model"},
		{"x", "https://example.com", ""},
	} {
		if got := argmap.Lookup(parsed, c[0], c[1])["a"]["x"]; got != c[2] {
			t.Errorf("%s at %s: %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

// declared returns a tool with these parameters.
func declared(name string, parameters ...string) *llm.FunctionDeclaration {
	properties := map[string]any{}
	for _, p := range parameters {
		properties[p] = map[string]string{"type": "string"}
	}
	schema, _ := json.Marshal(map[string]any{"type": "object", "properties": properties})
	return &llm.FunctionDeclaration{Name: name, Parameters: schema}
}

func TestApply(t *testing.T) {
	t.Parallel()
	write := declared("write_file", "file_path", "content")
	for _, c := range []struct {
		name       string
		tool       *llm.FunctionDeclaration
		args, want string
	}{
		{"renamed", write, `{"absolute_path": "/a", "content": "x"}`, `{"file_path":"/a","content":"x"}`},
		{"below root", write, `{"path": "a/b.go", "content": "x"}`, `{"file_path":"/top/a/b.go","content":"x"}`},
		{"at home", write, `{"path": "~/b.go", "content": "x"}`, `{"file_path":"~/b.go","content":"x"}`},
		{"values as they are", write, `{"path": "/a", "content": "\u00e9", "n": 12345678901234567890}`, `{"file_path":"/a","content":"\u00e9","n":12345678901234567890}`},
		{"right already", write, `{"file_path": "a"}`, `{"file_path": "a"}`},
		{"both", write, `{"path": "b", "file_path": "a"}`, `{"path": "b", "file_path": "a"}`},
		{"twice", write, `{"path": "/b", "absolute_path": "/a"}`, `{"file_path":"/b","absolute_path":"/a"}`},
		{"a tool that has it", declared("write_file", "file_path", "path"), `{"path": "b"}`, `{"path": "b"}`},
		{"a tool that has neither", declared("write_file", "name"), `{"path": "b"}`, `{"path": "b"}`},
		{"another tool", declared("x", "file_path"), `{"path": "b"}`, `{"path": "b"}`},
		{"no arguments", write, ``, ``},
		{"no object", write, `["path"]`, `["path"]`},
		{"broken", write, `{"path": `, `{"path": `},
		{"no schema", &llm.FunctionDeclaration{Name: "write_file"}, `{"path": "b"}`, `{"path": "b"}`},
	} {
		if got := argmap.Common().Apply(c.tool, json.RawMessage(c.args), "/top"); string(got) != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestSpellings checks that names in other spellings are corrected, for any tool.
func TestSpellings(t *testing.T) {
	t.Parallel()
	read := declared("read_file", "file_path", "start_line", "end_line")
	for _, c := range []struct {
		name       string
		tool       *llm.FunctionDeclaration
		args, want string
	}{
		{"camel case", read, `{"filePath": "/a", "startLine": 2}`, `{"file_path":"/a","start_line":2}`},
		{"Pascal case", read, `{"FilePath": "/a", "EndLine": 2}`, `{"file_path":"/a","end_line":2}`},
		{"upper case", read, `{"FILE_PATH": "/a"}`, `{"file_path":"/a"}`},
		{"hyphens and spaces", read, `{"file-path": "/a", "start line": 1}`, `{"file_path":"/a","start_line":1}`},
		{"one word", read, `{"filename": "/a"}`, `{"file_path":"/a"}`},
		{"another name in another spelling", read, `{"AbsolutePath": "/a", "lineStart": 3}`, `{"file_path":"/a","start_line":3}`},
		{"below root", read, `{"fileName": "a"}`, `{"file_path":"/top/a"}`},
		{"both spellings", read, `{"filePath": "/b", "file_path": "/a"}`, `{"filePath": "/b", "file_path": "/a"}`},
		{"a tool without entries", declared("mcp_x_y", "issue_number"), `{"issueNumber": 3}`, `{"issue_number":3}`},
		{"a tool in camel case", declared("mcp_x_y", "issueNumber"), `{"issueNumber": 3}`, `{"issueNumber": 3}`},
		{"a tool that has both", declared("mcp_x_y", "issueNumber", "issue_number"), `{"issueNumber": 3}`, `{"issueNumber": 3}`},
		{"no argument of the tool", read, `{"offset": 3}`, `{"offset": 3}`},
	} {
		if got := argmap.Common().Apply(c.tool, json.RawMessage(c.args), "/top"); string(got) != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestCommon checks the names of other programs' tools that models were trained with.
func TestCommon(t *testing.T) {
	t.Parallel()
	grep := declared("grep_search", "pattern", "dir_path", "include_pattern")
	glob := declared("glob", "pattern", "dir_path")
	edit := declared("replace", "file_path", "instruction", "old_string", "new_string", "allow_multiple")
	for _, c := range []struct {
		tool       *llm.FunctionDeclaration
		args, want string
	}{
		{grep, `{"regex":"x","path":"d","glob":"*.go"}`, `{"pattern":"x","dir_path":"d","include_pattern":"*.go"}`},
		{grep, `{"query":"x","directory":"d","include":"*.go"}`, `{"pattern":"x","dir_path":"d","include_pattern":"*.go"}`},
		{grep, `{"pattern":"x","file":"a.go"}`, `{"pattern":"x","dir_path":"a.go"}`},
		{glob, `{"glob_pattern":"*","cwd":"d"}`, `{"pattern":"*","dir_path":"d"}`},
		{declared("list_directory", "dir_path"), `{"directory":"d"}`, `{"dir_path":"d"}`},
		{declared("write_file", "file_path", "content"), `{"path":"/a","contents":"x"}`, `{"file_path":"/a","content":"x"}`},
		{edit, `{"filePath":"/a","oldString":"x","newString":"y","replaceAll":true}`, `{"file_path":"/a","old_string":"x","new_string":"y","allow_multiple":true}`},
		{edit, `{"path":"/a","old_str":"x","new_str":"y"}`, `{"file_path":"/a","old_string":"x","new_string":"y"}`},
		{declared("run_shell_command", "command", "dir_path", "is_background"), `{"cmd":"x","workdir":"d","run_in_background":true}`, `{"command":"x","dir_path":"d","is_background":true}`},
	} {
		if got := argmap.Common().Apply(c.tool, json.RawMessage(c.args), ""); string(got) != c.want {
			t.Errorf("%s: %s becomes %s, want %s", c.tool.Name, c.args, got, c.want)
		}
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	a := argmap.Names{"t": {"x": "1", "y": "1"}}
	got := a.Merge(argmap.Names{"t": {"y": "2"}, "u": {"z": "3"}})
	if fmt.Sprint(got) != "map[t:map[x:1 y:2] u:map[z:3]]" || a["t"]["y"] != "1" {
		t.Errorf("%v, from %v", got, a)
	}
}

func FuzzApply(f *testing.F) {
	for _, s := range []string{`{"path":"a","path":"b"}`, `{"absolute_path":1}`, `{"path":"\ud800"}`, "{\"path\":\"\xff\"}"} {
		f.Add([]byte(s))
	}
	tool := declared("write_file", "file_path", "content")
	f.Fuzz(func(t *testing.T, args []byte) {
		got := argmap.Common().Apply(tool, args, "/top")
		if json.Valid(args) && !json.Valid(got) {
			t.Fatalf("%q becomes %q", args, got)
		}
		if again := argmap.Common().Apply(tool, got, "/top"); json.Valid(args) && len(again) != len(got) {
			t.Fatalf("%q becomes %q, then %q", args, got, again)
		}
	})
}

func TestConformance(t *testing.T) {
	t.Parallel()
	llmtest.Run(t, llmtest.Vendor{
		New: func(t *testing.T, url string) llm.Generator { return wrapped(t, url) },
		Stream: func(chunks []*llm.Response) [][]byte {
			var out [][]byte
			for _, c := range chunks {
				out = append(out, fmt.Appendf(nil, "data: %s\n\n", c.AppendJSON(nil)))
			}
			return out
		},
		Answer: func(r *llm.Response) []byte { return r.AppendJSON(nil) },
		Error: func(status int, message string) []byte {
			return fmt.Appendf(nil, `{"error":{"code":%d,"message":%q}}`, status, message)
		},
	})
}

func wrapped(t *testing.T, url string) llm.Generator {
	g, err := gemini.New(gemini.Options{APIKey: "k", BaseURL: url})
	if err != nil {
		t.Fatal(err)
	}
	return argmap.Wrap(g, func(string) argmap.Names { return argmap.Common() }, "/top")
}
