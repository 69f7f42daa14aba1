package slash

import (
	"slices"
	"strings"
	"testing"

	"pollux/internal/manage"
	"pollux/internal/mcp"
)

func TestSettleNames(t *testing.T) {
	t.Parallel()
	user := func(name string) owned {
		return owned{Command: &manage.Command{Name: name}, prefix: "user.", owner: "user command"}
	}
	project := func(name string) owned {
		return owned{Command: &manage.Command{Name: name}, prefix: "workspace.", owner: "workspace command"}
	}
	server := func(name string) owned {
		return owned{Command: &manage.Command{Name: name}, prefix: "s.", owner: "MCP server 's' command", isPrompt: true}
	}
	extension := func(name string) owned {
		return owned{Command: &manage.Command{Name: name}, prefix: "e:", owner: "extension 'e' command"}
	}
	table := []*manage.Command{{Name: "help", Aliases: []string{"?", "h", "hh"}, Reserved: []string{"hh"}}}
	for _, c := range []struct {
		list    []owned
		want    string
		notices []string
	}{
		{[]owned{user("a"), project("b")}, "a b", nil},
		{[]owned{user("help")}, "user.help", []string{"User command '/help' was renamed to '/user.help' because it conflicts with built-in command."}},
		{[]owned{project("h")}, "h", nil},
		{[]owned{extension("?"), user("h")}, "? h", nil},
		{[]owned{project("hh")}, "workspace.hh", []string{"Workspace command '/hh' was renamed to '/workspace.hh' because it conflicts with built-in command."}},
		{[]owned{server("h")}, "s.h", []string{"MCP server 's' command '/h' was renamed to '/s.h' because it conflicts with built-in command."}},
		{[]owned{server("h"), user("h")}, "s.h user.h", []string{
			"Conflicts detected for command '/h':\n- MCP server 's' command '/h' was renamed to '/s.h'\n- User command '/h' was renamed to '/user.h'",
		}},
		{[]owned{user("a"), project("a")}, "user.a workspace.a", []string{
			"Conflicts detected for command '/a':\n- User command '/a' was renamed to '/user.a'\n- Workspace command '/a' was renamed to '/workspace.a'",
		}},
		{[]owned{server("a"), user("b"), extension("a")}, "s.a b e:a", []string{
			"Conflicts detected for command '/a':\n- MCP server 's' command '/a' was renamed to '/s.a'\n- Extension 'e' command '/a' was renamed to '/e:a'",
		}},
		{[]owned{user("user.help"), user("help"), user("help")}, "user.help user.help1 user.help2", []string{
			"Conflicts detected for command '/help':\n- User command '/help' was renamed to '/user.help1'\n- User command '/help' was renamed to '/user.help2'",
		}},
	} {
		commands, renamed := settleNames(table, c.list)
		notices := describeRenamings(renamed)
		var names []string
		for _, c := range commands {
			names = append(names, c.Name)
		}
		if strings.Join(names, " ") != c.want || !slices.Equal(notices, c.notices) {
			t.Errorf("names %q, want %q\nnotices %q\nwant %q", names, c.want, notices, c.notices)
		}
	}
}

// A prompt that is renamed names itself as the user calls it, and its help takes no words from a prompt.
func TestRenamedPrompt(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{})
	list := promptCommands([]mcp.Prompt{{Server: "a", Name: "pp", Args: []mcp.PromptArg{{Name: "x"}}}, {Server: "b", Name: "pp"}})
	commands, _ := settleNames(nil, list)
	for line, want := range map[string]string{
		"/a.pp help": "Arguments of /a.pp, a prompt of the MCP server a:",
		"/b.pp help": "/b.pp has no arguments.",
	} {
		call, _ := find(rowsOf(commands), line)
		if o, err := d.Runner.run(t.Context(), call, d.newCall(call)); err != nil || !strings.HasPrefix(o.Markdown(0), want) {
			t.Errorf("%s: %q, %v", line, o.Markdown(0), err)
		}
	}
	if call, _ := find(rowsOf(commands), "/a.pp help me"); call.Name != "a.pp" || call.Args != "help me" {
		t.Errorf("%q with %q", call.Name, call.Args)
	}
}

// A prompt that several servers have gets the name of each server, as the pages say.
func TestNamesOfPrompts(t *testing.T) {
	t.Parallel()
	prompts := promptCommands([]mcp.Prompt{
		{Server: "a", Name: "pp"}, {Server: "a", Name: "pp"}, {Server: "a", Name: "one"}, {Server: "my b", Name: "pp"}, {Server: "my b", Name: "two words"},
	})
	file := owned{Command: &manage.Command{Name: "pp"}, prefix: "user.", owner: "user command"}
	for _, c := range []struct {
		list   []owned
		want   string
		notice string
	}{
		{prompts, "a.pp one my-b.pp two-words", "- MCP server 'a' command '/pp' was renamed to '/a.pp'\n- MCP server 'my b' command '/pp' was renamed to '/my-b.pp'"},
		{slices.Concat(prompts, []owned{file}), "a.pp one my-b.pp two-words user.pp", "'/a.pp'\n- MCP server 'my b' command '/pp' was renamed to '/my-b.pp'\n- User command '/pp' was renamed to '/user.pp'"},
	} {
		commands, renamed := settleNames(nil, c.list)
		var names []string
		for _, c := range commands {
			names = append(names, c.Name)
		}
		if notices := describeRenamings(renamed); strings.Join(names, " ") != c.want || len(notices) != 1 || !strings.Contains(notices[0], c.notice) {
			t.Errorf("names %q, want %q\nnotices %q", names, c.want, notices)
		}
	}
}
