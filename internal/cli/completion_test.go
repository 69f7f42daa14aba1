package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/manage/nouns"
	"pollux/internal/terminal"
)

// noun returns a subcommand of the table of nouns.
func noun(name string) subcommand {
	return func(t *terminal.Terminal, env *config.Env) *cobra.Command {
		list := nouns.All()
		return nounCommand(t, env, list[slices.IndexFunc(list, func(c *manage.Command) bool { return c.Name == name })])
	}
}

// completions returns the completions of a command line, without descriptions, and the directive
// for the shell.
func completions(t *testing.T, words ...string) (values []string, directive string) {
	t.Helper()
	s := (&start{args: append([]string{"__complete"}, words...), commands: []subcommand{sample(nil), noun("config"), noun("policy"), noun("models"), noun("auth"), noun("stats"), noun("sessions"), noun("extensions")}}).do()
	if s.code != exit.OK || s.ran {
		t.Fatalf("%q: code %d, ran %v: %s", words, s.code, s.ran, s.err)
	}
	for line := range strings.Lines(s.out.String()) {
		value, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
		values = append(values, value)
	}
	last := len(values) - 1
	return values[:last], values[last]
}

func TestCompletions(t *testing.T) {
	t.Parallel()
	const files, none, noSpace, dirs = ":0", ":4", ":6", ":16"
	for _, tt := range []struct {
		line      string // words, with | between them
		values    string
		directive string
	}{
		{"de", "demo", none},
		{"--approval-mode|", "default auto_edit sandboxed yolo plan", none},
		{"--approval-mode=", "default auto_edit sandboxed yolo plan", none},
		{"-o|", "text json stream-json", none},
		{"--fake", "", none},
		{"-m|zzz", "", noSpace},
		{"-m|ollama", "ollama/", noSpace},
		{"-p|", "", files},
		{"some words|", "", files},
		{"--include-directories|", "", dirs},
		{"--session-id|", "", none},
		{"config|get|output.", "output.format", none},
		{"config|get|output.format|", "", none},
		{"config|set|output.format|", "text json stream-json", none},
		{"config|set|general.vimMode|", "true false", none},
		{"config|set|ui.theme|./", "", files},
		{"config|set|ui.footer.command|", "", files},
		{"config|set|no.such.key|", "", none},
		{"config|get|--scope|", "user workspace system", none},
		{"config|get|--sc", "--scope", none},
		{"models|anthr", "anthropic", none},
		{"auth|set|anthr", "anthropic", none},
		{"auth|remove|anthropic|", "", none},
		{"auth|status|", "", none},
		{"completion|", "bash zsh fish", none},
		{"completion|bash|", "", none},
		{"demo|", "", none},
		{"policy|ch", "check", none},
		{"sessions|show|", "latest", none},
		{"sessions|delete|1|", "", none},
		{"sessions|export|latest|", "", files},
		{"sessions|export|--format|", "md json html", none},
		{"sessions|import|", "", files},
		{"stats|--by|", "day session project model tool", none},
		{"stats|--since|", "today yesterday 7d 30d", none},
		{"stats|--project|", "", dirs},
		{"--delete-session|", "latest", none},
		{"policy|test|", "", files},
		{"policy|list|", "", none},
		{"policy|explain|read_file|", "", files},
		{"policy|explain|--mode|", "default auto_edit sandboxed yolo plan", none},
		{"extensions|en", "enable", none},
		{"extensions|link|", "", dirs},
		{"extensions|new|x|", "custom-commands exclude-tools hooks mcp-server policies skills themes-example", none},
		{"extensions|update|", "", none},
		{"extensions|list|-o|", "text json", none},
		{"gemma|", "", none},
	} {
		values, directive := completions(t, strings.Split(tt.line, "|")...)
		if strings.Join(values, " ") != tt.values || directive != tt.directive {
			t.Errorf("%s: %q %s, want %q %s", tt.line, values, directive, tt.values, tt.directive)
		}
	}
	values, _ := completions(t, "")
	for _, value := range values {
		if value == "" || value == "\x00" || value == "gemma" || strings.HasPrefix(value, "__") {
			t.Errorf("%q is offered", value)
		}
	}
	if values, _ := completions(t, "-m", "gemini-2.5-"); !slices.Contains(values, "gemini-2.5-pro") {
		t.Errorf("Google's models are not offered: %q", values)
	}
	if values, _ := completions(t, "-m", "openai/"); len(values) == 0 || !strings.HasPrefix(values[0], "openai/gpt-") {
		t.Errorf("OpenAI's models are not offered: %q", values)
	}
}
