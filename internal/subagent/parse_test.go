package subagent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/subagent"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file string
		want       []*subagent.Definition
		problem    string // a part of the error, "" for none
	}{
		{
			name: "everything",
			file: "---\nkind: local\nname: reviewer\ndescription: Reviews\ndisplay_name: The Reviewer\ntools: [read_file, \"mcp_docs_*\", mcp_a_b, discovered_tool_x, \"*\"]\n" +
				"mcp_servers:\n  lint: {command: lintd, args: [\"--mcp\"], include_tools: [check], http_url: \"\", auth: {type: oauth, client_id: x}}\n" +
				"model: gpt-5\ntemperature: 0.5\nmax_turns: 12\ntimeout_mins: 3\n---\n\nYou review. ${query}\n",
			want: []*subagent.Definition{{
				Name: "reviewer", DisplayName: "The Reviewer", Description: "Reviews", Kind: subagent.LocalKind, Prompt: "You review. ${query}", Query: "${query}", Input: "query",
				Tools: []string{"read_file", "mcp_docs_*", "mcp_a_b", "discovered_tool_x", "*"}, Model: "gpt-5", Settings: map[string]any{"temperature": 0.5}, MaxTurns: 12, Timeout: 3 * time.Minute,
				Servers: servers("lint", `{"args":["--mcp"],"command":"lintd","httpUrl":"","includeTools":["check"],"oauth":{"clientId":"x","enabled":true}}`),
			}},
		},
		{
			name: "the least, with CRLF and a BOM",
			file: "\ufeff---\r\nname: a\r\ndescription: b\r\n---\r\nc\r\n",
			want: []*subagent.Definition{{Name: "a", Description: "b", Kind: subagent.LocalKind, Prompt: "c", Query: "${query}", Input: "query", MaxTurns: 30, Timeout: 10 * time.Minute}},
		},
		{
			name: "inherit, and servers as the documentation of Gemini CLI has them",
			file: "---\nname: a\ndescription: b\nmodel: inherit\nmcpServers: {x: {httpUrl: \"http://h\"}}\n---\nc",
			want: []*subagent.Definition{{
				Name: "a", Description: "b", Kind: subagent.LocalKind, Prompt: "c", Query: "${query}", Input: "query", MaxTurns: 30, Timeout: 10 * time.Minute,
				Servers: servers("x", `{"httpUrl":"http://h"}`),
			}},
		},
		{
			name: "a list of remote agents",
			file: "---\n- name: one\n  agent_card_url: https://example.com/card\n- kind: remote\n  name: two\n  description: d\n  agent_card_json: '{\"name\": \"x\"}'\n  auth: {type: http, scheme: Bearer, token: $T}\n---\n",
			want: []*subagent.Definition{
				{Name: "one", Kind: subagent.RemoteKind, Input: "query", CardURL: "https://example.com/card", Hash: "https://example.com/card"},
				{Name: "two", Description: "d", Kind: subagent.RemoteKind, Input: "query", CardJSON: `{"name": "x"}`, Auth: map[string]any{"type": "http", "scheme": "Bearer", "token": "$T"}},
			},
		},
		{
			name: "a remote agent without kind",
			file: "---\nname: one\nagent_card_url: https://example.com/card\n---\n",
			want: []*subagent.Definition{{Name: "one", Kind: subagent.RemoteKind, Input: "query", CardURL: "https://example.com/card"}},
		},
		{name: "no front matter", file: "You review.", problem: "Missing mandatory YAML frontmatter"},
		{name: "an open front matter", file: "---\nname: a\n", problem: "Missing mandatory YAML frontmatter"},
		{name: "empty", file: "", problem: "Missing mandatory YAML frontmatter"},
		{name: "no YAML", file: "---\nname: [a\n---\nx", problem: "YAML frontmatter parsing failed: "},
		{name: "an open list in line 3", file: "---\nname: a\ndescription: [x\n---\nx", problem: "failed: line 3: did not find expected ',' or ']'"},
		{name: "a colon in line 3", file: "---\nname: a\ndescription: a: b\n---\nx", problem: "failed: line 3: mapping values are not allowed"},
		{name: "no keys", file: "---\njust text\n---\nx", problem: "Validation failed: Agent Definition:\nthe front matter must have keys"},
		{name: "an empty front matter", file: "---\n---\nx", problem: "the front matter must have keys"},
		{name: "an unknown key", file: "---\nname: a\ndescription: b\ncolor: red\n---\nx", problem: "Validation failed: Agent Definition:\nUnrecognized key(s) in object: 'color'"},
		{name: "a key of others", file: "---\nname: a\ndescription: b\nmaxTurns: 1\n---\nx", problem: "'maxTurns'. Use max_turns"},
		{name: "missing keys", file: "---\nmodel: a\n---\nx", problem: "name: Required\ndescription: Required"},
		{name: "a name", file: "---\nname: Big Name\ndescription: b\n---\nx", problem: "name: Name must be a valid slug: small letters, digits, - and _"},
		{name: "a number as name", file: "---\nname: 1\ndescription: b\n---\nx", problem: "name: Expected string, received number"},
		{name: "an empty description", file: "---\nname: a\ndescription: \"\"\n---\nx", problem: "description: String must contain at least 1 character(s)"},
		{name: "a tool", file: "---\nname: a\ndescription: b\ntools: [read_file, Read]\n---\nx", problem: `tools.1: Invalid tool name "Read"`},
		{name: "a tool of a server without a name", file: "---\nname: a\ndescription: b\ntools: [\"mcp__x\"]\n---\nx", problem: `Invalid tool name "mcp__x"`},
		{name: "tools as text", file: "---\nname: a\ndescription: b\ntools: read_file\n---\nx", problem: "tools: Expected array, received string. Write it as in: [read_file, glob]"},
		{name: "turns", file: "---\nname: a\ndescription: b\nmax_turns: 0\n---\nx", problem: "max_turns: Number must be greater than 0"},
		{name: "half a turn", file: "---\nname: a\ndescription: b\nmax_turns: 1.5\n---\nx", problem: "max_turns: Expected integer, received float"},
		{name: "too many turns", file: "---\nname: a\ndescription: b\nmax_turns: 1e300\n---\nx", problem: "max_turns: "},
		{name: "no prompt", file: "---\nname: a\ndescription: b\n---\n\n", problem: "the system prompt, is empty"},
		{name: "a kind", file: "---\nkind: other\nname: a\ndescription: b\n---\nx", problem: `kind: must be "local" or "remote"`},
		{name: "two cards", file: "---\nname: a\nagent_card_url: https://h/c\nagent_card_json: '{}'\n---\n", problem: "exactly one of agent_card_url and agent_card_json"},
		{name: "no card", file: "---\nkind: remote\nname: a\n---\n", problem: "exactly one of agent_card_url and agent_card_json"},
		{name: "a card", file: "---\nname: a\nagent_card_json: '{'\n---\n", problem: "agent_card_json must be valid JSON"},
		{name: "auth", file: "---\nname: a\nagent_card_url: https://h/c\nauth: {type: magic}\n---\n", problem: "auth.type: Invalid discriminator value"},
		{name: "a local agent in a list", file: "---\n- name: a\n  agent_card_url: https://h/c\n- name: b\n  tools: []\n---\n", problem: "Validation failed: Remote Agents List:\nUnrecognized key(s) in object: 'tools'"},
		{name: "an alias bomb", file: "---\na: &a [x,x,x,x,x,x,x,x,x,x]\n" + bomb() + "name: a\ndescription: b\n---\nx", problem: "Unrecognized key"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := subagent.Parse([]byte(c.file))
			if c.problem != "" {
				if err == nil || !strings.Contains(err.Error(), c.problem) {
					t.Errorf("the error is %v, want %q", err, c.problem)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for i, d := range got {
				if len(d.Hash) < 20 {
					t.Errorf("hash %q", d.Hash)
				}
				if i < len(c.want) && c.want[i].Hash == "" {
					d.Hash = ""
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// bomb returns YAML whose aliases stand for a billion values.
func bomb() string {
	text := ""
	for i := 'b'; i <= 'j'; i++ {
		text += string(i) + ": &" + string(i) + " [" + strings.Repeat("*"+string(i-1)+",", 10) + "]\n"
	}
	return text
}

func FuzzParse(f *testing.F) {
	f.Add("---\nname: a\ndescription: b\n---\nc")
	f.Add("---\n- name: a\n  agent_card_url: https://h/c\n---\n")
	f.Add("---\nname: a\ndescription: b\nmcp_servers: {x: {1: 2, ? [a] : b}}\n---\nc")
	f.Fuzz(func(t *testing.T, file string) {
		list, err := subagent.Parse([]byte(file))
		if err != nil {
			return
		}
		for _, d := range list {
			if d.Name == "" || d.Hash == "" || d.Kind == subagent.LocalKind && (d.Prompt == "" || d.MaxTurns < 1 || d.Timeout <= 0) {
				t.Errorf("an unusable definition: %+v", d)
			}
		}
	})
}

func TestLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "out.md")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	local := func(name string) string { return "---\nname: " + name + "\ndescription: d\n---\np ${x}" }
	write(outside, local("out"))
	write(filepath.Join(dir, "b.md"), local("b"))
	write(filepath.Join(dir, "a.md"), local("a"))
	write(filepath.Join(dir, "_hidden.md"), "no definition")
	write(filepath.Join(dir, "notes.txt"), "no definition")
	write(filepath.Join(dir, "bad.md"), "no definition")
	write(filepath.Join(dir, "huge.md"), local("huge")+strings.Repeat("x", 300<<10))
	if err := os.Mkdir(filepath.Join(dir, "below.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"link.md": outside, "loop.md": "loop.md"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	list, problems := subagent.Load([]subagent.Source{
		{Kind: subagent.User, Dir: filepath.Join(dir, "none")},
		{Kind: subagent.FromExtension, Dir: dir, Root: dir, Extension: "ext", Expand: func(text string) string { return strings.ReplaceAll(text, "${x}", "y") }},
	})
	var got []string
	for _, d := range list {
		got = append(got, d.Name+" "+d.Extension+" "+d.Prompt)
	}
	if diff := cmp.Diff([]string{"a ext p y", "b ext p y"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var left []string
	for _, p := range problems {
		left = append(left, strings.ReplaceAll(p.Error(), dir, "DIR"))
	}
	if len(left) != 4 || !strings.HasPrefix(left[0], "Agent loading error: Failed to load agent from DIR/bad.md: Invalid agent definition") ||
		!strings.Contains(left[1], "huge.md: Could not read file") || !strings.Contains(left[2], "link.md: it is a link to a file outside of the project") || !strings.Contains(left[3], "loop.md") {
		t.Errorf("left out: %q", left)
	}
}

func TestSet(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	first := &subagent.Definition{Name: "a", Kind: subagent.LocalKind, Origin: subagent.Project, Path: "/p/a.md", MaxTurns: 30, Timeout: time.Minute, Servers: servers("mine", `{"command":"x"}`)}
	second := &subagent.Definition{Name: "a", Kind: subagent.LocalKind, Origin: subagent.User, Path: "/u/a.md"}
	off := &subagent.Definition{Name: "off", Kind: subagent.LocalKind}
	override := subagent.Override{Enabled: &yes, Tools: []string{"glob"}, Servers: servers("theirs", `{"command":"y"}`)}
	override.RunConfig.MaxTurns, override.RunConfig.MaxTimeMinutes, override.ModelConfig.Model = new(5), new(0.5), "m"
	override.ModelConfig.Settings = map[string]any{"temperature": 0.1}
	s, warnings := subagent.NewSet([]*subagent.Definition{first, second, off}, map[string]subagent.Override{"a": override, "off": {Enabled: &no}})
	if len(warnings) != 1 || !strings.HasPrefix(warnings[0], "Duplicate agent name 'a' detected. The later definition will be ignored.") || !strings.Contains(warnings[0], "/u/a.md") {
		t.Errorf("warnings: %q", warnings)
	}
	got, found := s.Find("a")
	want := &subagent.Definition{
		Name: "a", Kind: subagent.LocalKind, Origin: subagent.Project, Path: "/p/a.md", MaxTurns: 5, Timeout: 30 * time.Second, Model: "m", Settings: map[string]any{"temperature": 0.1},
		Tools: []string{"glob"}, Servers: servers("mine", `{"command":"x"}`, "theirs", `{"command":"y"}`),
	}
	if diff := cmp.Diff(want, got); !found || diff != "" {
		t.Errorf("found %v (-want +got):\n%s", found, diff)
	}
	if _, found := s.Find("off"); found || !s.IsDisabled("off") || len(s.All()) != 2 || len(s.Enabled()) != 1 {
		t.Error("a disabled subagent is found")
	}
	if len(first.Servers) != 1 || first.MaxTurns != 30 {
		t.Error("the override has changed the definition itself")
	}
}

func TestSelects(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tools  []string
		names  []string
		server string
		want   bool
	}{
		{nil, []string{"read_file"}, "", true},
		{[]string{}, []string{"read_file"}, "", false},
		{[]string{"*"}, []string{"read_file"}, "", true},
		{[]string{"search_file_content"}, []string{"grep_search", "search_file_content"}, "", true},
		{[]string{"read_file"}, []string{"write_file"}, "", false},
		{[]string{"mcp_*"}, []string{"mcp_a_b"}, "a", true},
		{[]string{"mcp_*"}, []string{"mcp_odd"}, "", false},
		{[]string{"mcp_a_*"}, []string{"mcp_a_b"}, "a", true},
		{[]string{"mcp_a_*"}, []string{"mcp_a_b_c"}, "a_b", false},
		{[]string{"mcp_a_b"}, []string{"mcp_a_b"}, "a", true},
	} {
		d := &subagent.Definition{Tools: c.tools}
		if got := d.Selects(c.names, c.server) >= 0; got != c.want {
			t.Errorf("%q selects %q of %q: %v", c.tools, c.names, c.server, got)
		}
	}
}

func TestExpand(t *testing.T) {
	t.Parallel()
	values := map[string]string{"query": "do ${today}", "today": "now"}
	for text, want := range map[string]string{
		"":                               "",
		"${query} and ${today}":          "do ${today} and now",
		"$HOME ${HOME} ${un closed":      "$HOME ${HOME} ${un closed",
		"${} ${${today}} ${ today } ${x": "${} ${now} ${ today } ${x",
	} {
		if got := subagent.Expand(text, values); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestAcknowledgements(t *testing.T) {
	t.Parallel()
	a := subagent.Acknowledgements{File: filepath.Join(t.TempDir(), "acknowledgments", "agents.json")}
	d := &subagent.Definition{Name: "a", Hash: "1"}
	has, err := a.Has("/p")
	if err != nil || has(d) {
		t.Fatalf("before: %v, %v", has(d), err)
	}
	if err := a.Add("/p", []*subagent.Definition{d}); err != nil {
		t.Fatal(err)
	}
	if err := a.Add("/q", []*subagent.Definition{{Name: "b", Hash: "2"}}); err != nil {
		t.Fatal(err)
	}
	if has, err = a.Has("/p"); err != nil || !has(d) || has(&subagent.Definition{Name: "a", Hash: "2"}) || has(&subagent.Definition{Name: "b", Hash: "2"}) {
		t.Error("only the definition as it was accepted counts, in its project")
	}
	if err := os.WriteFile(a.File, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if has, err = a.Has("/p"); err == nil || has(d) {
		t.Error("a broken file accepts a definition")
	}
	if err := a.Add("/p", []*subagent.Definition{d}); err == nil {
		t.Error("a broken file is overwritten")
	}
}
