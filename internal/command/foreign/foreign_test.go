package foreign

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pollux/internal/command"
	"pollux/internal/transfer"
	"pollux/internal/workspace"
	"pollux/llm"
)

// translate returns the template of a command, and the report.
func translate(t *testing.T, agent, text string) (prompt, description, report string) {
	t.Helper()
	form, ok := Forms(agent)
	if !ok {
		t.Fatal(agent)
	}
	item := transfer.New("c")
	file := form.Translate([]byte(text), item)
	report = string(item.Result)
	if len(item.Notes) > 0 {
		report += " (" + strings.Join(item.Notes, "; ") + ")"
	}
	if file == nil {
		return "", "", report
	}
	object, err := transfer.ParseTOML(file)
	if err != nil {
		t.Fatalf("%v: %s", err, file)
	}
	prompt, _ = object["prompt"].(string)
	description, _ = object["description"].(string)
	return prompt, description, report
}

func TestTranslate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ agent, text, prompt, report string }{
		{"claude", "Fix $ARGUMENTS now", "Fix {{args}} now", "copied"},
		{"claude", "Fix $1 and $2", "Fix {{args}} and {{args}}", "changed ($1 stands for all arguments; $2 stands for all arguments)"},
		{"claude", "Status: !`git status`\nof $HOME", "Status: !{git status}\nof $HOME", "copied"},
		{"claude", "!`git log $ARGUMENTS`", "!{git log {{args}}}", "changed (in a shell command, the arguments are one quoted text)"},
		{"claude", "!`awk '{print $2}'`", "!{awk '{print {{args}}}'}", "changed (in a shell command, the arguments are one quoted text)"},
		{"claude", "!`echo }{`", "", "left out (a shell command has braces that a template cannot have)"},
		{"claude", "!`echo {{args}}`", "", "left out (a shell command has braces that a template cannot have)"},
		{"claude", "See @src/a.go, and @README.md.", "See @{src/a.go}, and @{README.md}.", "copied"},
		{"claude", "Ask @reviewer, me@a.example", "Ask @reviewer, me@a.example", "copied"},
		{"claude", "Use `@a.b` and\n```\n@x.y $ARGUMENTS\n```\n", "Use `@a.b` and\n```\n@x.y {{args}}\n```\n", "copied"},
		{"claude", "Read @$ARGUMENTS", "Read {{args}}", "changed (a file that the arguments name is not attached)"},
		{"claude", "A literal {{x}}, {{args}}, !{rm x} and @{y}", "A literal {{x}}, { {args}}, ! {rm x} and @ {y}", "changed (a space is in {{args}}, which would be the arguments; a space is in !{, which would be a shell command; a space is in @{, which would be a file)"},
		{"claude", "Now!$ARGUMENTS `!{x}`", "Now! {{args}} `! {x}`", "changed (a space is in !{, which would be a shell command)"},
		{"claude", "---\ndescription: \"Say\\thi\"\nallowed-tools: Bash(git:*)\nargument-hint: [a] [b]\nmodel: opus\ndisable-model-invocation: true\n---\nHi", "Hi", "changed (without allowed-tools, which allow calls without a question; without argument-hint; without model)"},
		{"claude", "---\nmodel: opus\n---\n", "", "left out (it is empty)"},
		{"claude", "Use sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-abcdefghijk-AAAAAA", "", "left out (it has a key)"},
		{"opencode", "---\nagent: build\nsubtask: true\n---\n$ARGUMENTS !`x`", "{{args}} !{x}", "changed (without agent; without subtask)"},
		{"claude", "Do:\n```!\ndate\n```", "Do:\n```!\ndate\n```", "changed (a block ```! stays text, and does not run)"},
		{"codex", "Fix $FILE with $1, !`x` @a.b", "Fix $FILE with {{args}}, !`x` @a.b", "changed ($FILE stays as it is: arguments have no names; $1 stands for all arguments)"},
		{"cursor", "---\na: b\n---\n$ARGUMENTS !`x` !{y}", "---\na: b\n---\n$ARGUMENTS !`x` ! {y}", "changed (a space is in !{, which would be a shell command)"},
		{"qwen", "---\ndescription: d\n---\n{{args}} !{x} @{y}", "{{args}} !{x} @{y}", "copied"},
		{"qwen", "It's '''x'''", "It's '''x'''", "copied"},
	} {
		prompt, _, report := translate(t, tt.agent, tt.text)
		if prompt != tt.prompt || report != tt.report {
			t.Errorf("%s: %q\n got %q, %s\nwant %q, %s", tt.agent, tt.text, prompt, report, tt.prompt, tt.report)
		}
	}
	if _, description, _ := translate(t, "claude", "---\ndescription: Use it: now\nx: [a] b\n---\nHi"); description != "Use it: now" {
		t.Errorf("the description is %q", description)
	}
	if _, ok := Forms("crush"); ok {
		t.Error("commands of Crush are known")
	}
}

// TestCheckOwn checks which files of commands in Gemini CLI's form are copied.
func TestCheckOwn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"prompt = 'x'": "", "prompt = ": "it is not valid TOML", "description = 'x'": "it has no prompt", "prompt = 5": "it has no prompt",
		"prompt = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'": "it has a key",
	} {
		item := transfer.New("c")
		if got := CheckOwn([]byte(text), item); (got != nil) != (want == "") || strings.Join(item.Notes, "") != want {
			t.Errorf("%s: %s, %q", text, got, item.Notes)
		}
	}
}

// FuzzTranslate checks that a translated prompt runs the shell commands of the original and no others, attaches no files but those, and that
// arguments never become a command.
func FuzzTranslate(f *testing.F) {
	for _, s := range []string{"Fix $ARGUMENTS !`git log` @a/b {{args}} !{x} @{y}", "!$1!`x`", "`!`{`x`", "@@a.b!{", "```\n!`a`\n```@x/y", "---\ndescription: a\n---\n!`{{args}}`", "!`a$1{`!`}`", "{$ARGUMENTS}!{{$1"} {
		f.Add("claude", s)
		f.Add("codex", s)
	}
	w, _ := workspace.New(workspace.Options{Root: f.TempDir()})
	f.Fuzz(func(t *testing.T, agent, text string) {
		form, ok := Forms(agent)
		if !ok || form.IsOwn {
			return
		}
		item := transfer.New("c")
		file := form.Translate([]byte(text), item)
		if file == nil {
			if item.Result != transfer.LeftOut {
				t.Errorf("%q: no file, and %s", text, item.Result)
			}
			return
		}
		object, err := transfer.ParseTOML(file)
		if err != nil {
			t.Fatalf("%q became %q: %v", text, file, err)
		}
		prompt, _ := object["prompt"].(string)
		var ran []string
		c := command.Command{Prompt: prompt}
		parts, err := c.Expand(t.Context(), command.Call{Line: "/c X", Name: "c", Args: "X"}, command.Session{
			Workspace: w, Room: func() int { return 0 }, Note: func(string) {},
			Run: func(_ context.Context, commands []string) ([]string, error) {
				ran = commands
				return make([]string, len(commands)), nil
			},
		})
		if err != nil {
			t.Fatalf("%q became %q: %v", text, prompt, err)
		}
		if !form.HasShell && len(ran) > 0 {
			t.Errorf("%q became %q, which runs %q", text, prompt, ran)
		}
		for _, one := range ran {
			if i := slices.IndexFunc(strings.Split(text, "`"), func(s string) bool { return len(strings.TrimSpace(s)) > 0 }); i < 0 || !strings.Contains(text, "!`") {
				t.Errorf("%q became %q, which runs %q", text, prompt, one)
			}
		}
		if strings.Count(text, "!`") < len(ran) || len(llm.PartsText(parts)) > 20*len(prompt)+100 {
			t.Errorf("%q became %q, which runs %q", text, prompt, ran)
		}
	})
}
