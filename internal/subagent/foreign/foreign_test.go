package foreign

import (
	"strings"
	"testing"

	"pollux/internal/frontmatter"
	"pollux/internal/subagent"
	"pollux/internal/transfer"
)

func TestTranslate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ agent, text, want, report string }{
		{
			"claude", "---\nname: reviewer\ndescription: Use it. Example: now\ntools: Read, Grep, Bash(git *), NotebookEdit, mcp__docs__search, mcp__gh\nmodel: sonnet\ncolor: red\nmaxTurns: 7\npermissionMode: bypassPermissions\n---\nYou review ${query}.",
			"---\nname: \"reviewer\"\ndescription: \"Use it. Example: now\"\ntools: [\"read_file\", \"grep_search\", \"mcp_docs_search\", \"mcp_gh_*\"]\n---\n\nYou review $ {query}.\n",
			"changed (without Bash(git *): a subagent has all of a tool or nothing; without NotebookEdit, which Pollux does not have; without color; without maxTurns; without model sonnet: it uses that of the session; without permissionMode; a space is in ${query}, which would be the task)",
		},
		{
			"claude", "---\nname: My Agent\ndescription: d\nmaxTurns: 7\nmodel: inherit\n---\nx",
			"---\nname: \"my-agent\"\ndescription: \"d\"\nmax_turns: 7\n---\n\nx\n", "changed (without a list of tools, it may use all of them; it is called my-agent)",
		},
		{
			"claude", "---\ndescription: d\ndisallowedTools: [Bash, Write, Edit]\n---\nx",
			"---\nname: \"file\"\ndescription: \"d\"\ntools: [\"glob\", \"grep_search\", \"list_directory\", \"read_file\", \"activate_skill\", \"invoke_agent\", \"write_todos\", \"web_fetch\", \"google_web_search\"]\n---\n\nx\n",
			"changed (with a list of the other tools, in which those of servers are missing)",
		},
		{"claude", "---\ndescription: d\ntools: Read, Write\ndisallowedTools: Write\nhooks: {}\n---\nx", "---\nname: \"file\"\ndescription: \"d\"\ntools: [\"read_file\"]\n---\n\nx\n", "changed (without its hooks, which may have refused calls)"},
		{"claude", "---\ndescription: d\ntools: Nothing\n---\nx", "---\nname: \"file\"\ndescription: \"d\"\ntools: []\n---\n\nx\n", "changed (without Nothing, which Pollux does not have)"},
		{"claude", "x", "", "left out (it does not begin with a description between two lines ---)"},
		{"claude", "---\nname: a\n---\nx", "", "left out (it has no description)"},
		{"claude", "---\nname: a\ndescription: d\n---\n", "", "left out (Pollux cannot use it: the text after the front matter, the system prompt, is empty)"},
		{"claude", "---\nname: é\ndescription: d\ntools: Read\n---\nx", "", "left out (Pollux cannot use it: name: "},
		{"claude", "---\nname: a\ndescription: d\n---\nghp_abcdefghijklmnopqrstuvwxyz0123456789", "", "left out (it has a key)"},
		{
			"opencode", "---\ndescription: d\nmode: subagent\ntools:\n  write: false\n  bash: false\npermission:\n  edit: ask\ntemperature: 0.1\n---\nx",
			"---\nname: \"file\"\ndescription: \"d\"\ntools: [\"glob\", \"grep_search\", \"list_directory\", \"read_file\", \"activate_skill\", \"invoke_agent\", \"write_todos\", \"web_fetch\", \"google_web_search\"]\n---\n\nx\n",
			"changed (with a list of the other tools, in which those of servers are missing; without the tools that its permission denies or asks about; without temperature)",
		},
		{"opencode", "---\ndescription: d\nmode: primary\n---\nx", "", "left out (it is an agent for the user, which Pollux does not have)"},
		{
			"opencode", "---\ndescription: d\npermission: {\"*\": deny, read: allow, bash: {\"*\": allow}}\n---\nx",
			"---\nname: \"file\"\ndescription: \"d\"\ntools: [\"read_file\"]\n---\n\nx\n",
			"changed (with a list of the other tools, in which those of servers are missing; without the tools that its permission denies or asks about)",
		},
		{
			"antigravity", "---\nname: a\ndescription: d\ntools: [view_file, run_command, schedule]\nmodel: flash\nmax_turns: 4\ntimeout_mins: 3\ncommandExecutionPolicy: always\n---\nx",
			"---\nname: \"a\"\ndescription: \"d\"\ntools: [\"read_file\", \"run_shell_command\"]\nmax_turns: 4\ntimeout_mins: 3\n---\n\nx\n",
			"changed (without schedule, which Pollux does not have; without commandExecutionPolicy; without model flash: it uses that of the session)",
		},
		{"antigravity", "---\ndescription: d\ntools: []\nmax_turns: 0\ntimeout_mins: x\n---\nx", "---\nname: \"file\"\ndescription: \"d\"\ntools: []\n---\n\nx\n", "changed (without max_turns; without timeout_mins)"},
		{"cursor", "---\nname: a\ndescription: d\nreadonly: true\nmodel: fast\n---\nx", "---\nname: \"a\"\ndescription: \"d\"\ntools: [\"read_file\", \"glob\", \"grep_search\", \"list_directory\"]\n---\n\nx\n", "changed (with the tools that only read; without model fast: it uses that of the session)"},
		{"qwen", "---\nname: a\ndescription: d\ntools: [read_file, edit, todo_write, grep_search, other]\n---\nx", "---\nname: \"a\"\ndescription: \"d\"\ntools: [\"read_file\", \"replace\", \"write_todos\", \"grep_search\"]\n---\n\nx\n", "changed (without other, which Pollux does not have)"},
		{ // a forbidden tool has several names
			"qwen", "---\nname: a\ndescription: d\ndisallowedTools: [edit, WriteFile, Bash(rm *), mcp__x]\n---\nx",
			"---\nname: \"a\"\ndescription: \"d\"\ntools: [\"glob\", \"grep_search\", \"list_directory\", \"read_file\", \"activate_skill\", \"invoke_agent\", \"write_todos\", \"web_fetch\", \"google_web_search\"]\n---\n\nx\n",
			"changed (with a list of the other tools, in which those of servers are missing)",
		},
		{"claude", "---\ndescription: d\ntools: [Read, MultiEdit, Write]\ndisallowedTools: [Edit(src/**)]\n---\nx", "---\nname: \"file\"\ndescription: \"d\"\ntools: [\"read_file\", \"write_file\"]\n---\n\nx\n", "copied"},
		{"claude", "---\ndescription: d\ntools: [Read, Write]\npermissionMode: plan\n---\nx", "---\nname: \"file\"\ndescription: \"d\"\ntools: [\"read_file\"]\n---\n\nx\n", "changed (with the tools that only read; without permissionMode)"},
		{"qwen", "---\ndescription: d\napprovalMode: plan\n---\nx", "---\nname: \"file\"\ndescription: \"d\"\ntools: [\"read_file\", \"glob\", \"grep_search\", \"list_directory\"]\n---\n\nx\n", "changed (with the tools that only read; without approvalMode)"},
	} {
		form, ok := Agents(tt.agent)
		if !ok {
			t.Fatal(tt.agent)
		}
		item := transfer.New("file")
		got := string(form.Translate("file", []byte(tt.text), item))
		report := string(item.Result)
		if len(item.Notes) > 0 {
			report += " (" + strings.Join(item.Notes, "; ") + ")"
		}
		if got != tt.want || report != tt.report && !(strings.HasSuffix(tt.report, ": ") && strings.HasPrefix(report, tt.report)) {
			t.Errorf("%s: %q\n got %q, %s\nwant %q, %s", tt.agent, tt.text, got, report, tt.want, tt.report)
		}
	}
}

// FuzzTranslate checks that each translated subagent can be read, has a list of tools if the original restricts them, and none that the
// original cannot have.
func FuzzTranslate(f *testing.F) {
	for _, s := range []string{
		"---\nname: a\ndescription: b\ntools: Read, Bash(x,y)\n---\nz", "---\ndescription: b: c\ntools:\n- Read\n- '*'\n---\nz", "---\ndescription: b\ntools: {read: true, '*': false}\n---\nz",
		"---\ndescription: b\npermission: deny\n---\nz", "---\ndescription: |\n  b\nreadonly: true\n---\n${query}",
	} {
		f.Add("claude", s)
		f.Add("opencode", s)
		f.Add("qwen", s)
	}
	f.Fuzz(func(t *testing.T, agent, text string) {
		form, ok := Agents(agent)
		if !ok {
			return
		}
		item := transfer.New("a")
		file := form.Translate("a", []byte(text), item)
		if file == nil {
			if item.Result != transfer.LeftOut {
				t.Errorf("%q: no file, and %s", text, item.Result)
			}
			return
		}
		list, err := subagent.Parse(file)
		if err != nil || len(list) != 1 {
			t.Fatalf("%q became %q: %v", text, file, err)
		}
		front, _, _ := frontmatter.Cut(text)
		fields := frontmatter.Fields(front)
		for _, key := range []string{"tools", "disallowedTools", "permission"} {
			if isMap := key == "permission"; fields[key] != nil && list[0].Tools == nil && (isMap || len(names(fields[key])) > 0) {
				t.Errorf("%q became %q, which has all tools", text, file)
			}
		}
		if len(list[0].Servers) > 0 {
			t.Errorf("%q became %q, which has servers", text, file)
		}
	})
}
