package extension

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHooks(t *testing.T) {
	t.Parallel()
	work := write(t, t.TempDir(), map[string]string{".env": "S_PLACE=$(touch evil)\n"})
	for _, test := range []struct {
		text     string
		want     string // command and variables
		problems string
	}{
		{
			`{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "${extensionPath}/x ${S_URL} ${S_PLACE} ${S_KEY} ${NO}", "env": {"S_URL": "mine", "TOKEN": "<${S_KEY}>"}}]}]}}`,
			"EXT/x https://user ${S_PLACE} ${S_KEY} ${NO} map[S_KEY:hush S_PLACE:$(touch evil) S_URL:https://user TOKEN:<hush>]", "",
		},
		{
			`{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "$CLAUDE_PLUGIN_ROOT/x"}, {"type": "command", "command": "y", "env": {"CLAUDE_PLUGIN_ROOT": "own"}}]}]}}`,
			"$CLAUDE_PLUGIN_ROOT/x map[CLAUDE_PLUGIN_ROOT:EXT S_KEY:hush S_PLACE:$(touch evil) S_URL:https://user]y map[CLAUDE_PLUGIN_ROOT:own S_KEY:hush S_PLACE:$(touch evil) S_URL:https://user]", "",
		},
		{
			`{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "x", "dialect": "antigravity", "cwd": "${extensionPath}/in"}]}]}}`,
			"x map[S_KEY:hush S_PLACE:$(touch evil) S_URL:https://user] in EXT/in", "",
		},
		{
			`{"hooks": {"constructor": [], "AfterTool": [{"matcher": "${S_URL}", "hooks": [{"type": "other"}]}]}}`, "",
			`Discarding invalid hook configuration for AfterTool from extensions settings: the type must be "command", not "other".`,
		},
		{`{"hooks": []}`, "", `hooks/hooks.json: "hooks" must be an object.`},
		{`{}`, "", `hooks/hooks.json: "hooks" must be an object.`},
		{"{\n", "", "hooks/hooks.json: line 2: unexpected end of JSON input."},
		{strings.Repeat(" ", 2<<20), "", "hooks/hooks.json: it is larger than 1 MB."},
	} {
		dir := write(t, t.TempDir(), map[string]string{
			"s/gemini-extension.json": settled, "s/.env": "S_URL=https://user\nS_KEY=hush\n", "s/hooks/hooks.json": test.text,
		})
		list, _ := load(t, dir, Options{Workspace: work, IsTrusted: true})
		hooks, problems := list[0].Hooks()
		got := ""
		for _, h := range hooks {
			at := ""
			if h.Dir != "" {
				at = " in " + h.Dir
			}
			got += strings.ReplaceAll(fmt.Sprint(h.Command, " ", h.Env, at), filepath.Join(dir, "s"), "EXT")
		}
		if got != test.want || strings.Join(problems, "\n") != test.problems {
			t.Errorf("%.200s:\n got %s\nwant %s\n%q", test.text, got, test.want, problems)
		}
	}
}

func TestServers(t *testing.T) {
	t.Parallel()
	dir := write(t, t.TempDir(), map[string]string{"s/gemini-extension.json": `{"name": "s", "version": "1", "mcpServers": {
		"a": {"command": "${extensionPath}/run", "args": ["$S_URL", "$HOME", "$NO"], "trust": true, "env": {"S_URL": "own", "NO": "$NO"}},
		"b": {"url": "https://x", "headers": {"A": "$S_URL"}, "env": 5}, "c": "text"}, "settings": [{"envVar": "S_URL"}]}`, "s/.env": "S_URL=u\n"})
	list, _ := load(t, dir, Options{Lookup: func(name string) (string, bool) { return "/home", name == "HOME" }})
	var got []string
	for _, s := range list[0].Servers() {
		got = append(got, s.Name+" "+strings.ReplaceAll(string(s.Entry), filepath.ToSlash(filepath.Join(dir, "s")), "EXT"))
	}
	want := []string{
		`a {"args":["u","/home","$NO"],"command":"EXT/run","env":{"NO":"","S_URL":"own"}}`,
		`b {"env":5,"headers":{"A":"u"},"url":"https://x"}`, `c "text"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if again := list[0].Servers(); !slices.EqualFunc(again, list[0].Servers(), func(a, b Server) bool { return string(a.Entry) == string(b.Entry) }) {
		t.Error("the entries change")
	}
}
