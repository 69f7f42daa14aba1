package cli

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/terminal"
)

func TestArity(t *testing.T) {
	t.Parallel()
	for syntax, want := range map[string]struct{ least, most int }{
		"":                                  {0, 0},
		"<name>":                            {1, 1},
		"[<name>]":                          {0, 1},
		"<session> [file]":                  {1, 2},
		"[names...]":                        {0, math.MaxInt},
		"<text...>":                         {1, math.MaxInt},
		"-- <tool> [arguments]":             {1, math.MaxInt},
		"<name> <command-or-url> [args...]": {2, math.MaxInt},
	} {
		accept, most := arity(syntax)
		isFine := func(n int) bool { return n >= 0 && accept(nil, make([]string, n)) == nil }
		if most != want.most || isFine(want.least-1) || !isFine(want.least) || most < math.MaxInt && isFine(most+1) {
			t.Errorf("%q: up to %d", syntax, most)
		}
	}
}

// TestNoun checks the shell command of a row: its arguments, its flags, and its output for an outcome.
func TestNoun(t *testing.T) {
	t.Parallel()
	row := &manage.Command{
		Name: "thing", Args: "[word...]", Summary: "Manage things",
		Flags: []manage.Flag{
			manage.JSON,
			{Name: "name", Default: "x", Usage: "Name", Choices: []string{"x", "y"}},
			{Name: "n", Default: 1, Usage: "Number"},
			{Name: "u", Default: uint(2), Usage: "Number"},
			{Name: "list", Default: manage.List{}, Usage: "List"},
		},
		Run: func(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
			switch strings.Join(c.Words, " ") {
			case "help":
				return outcome.Outcome{}, manage.ErrHelp
			case "misuse":
				return outcome.Outcome{}, &manage.UsageError{Message: "That is wrong."}
			case "fail":
				return outcome.Textf("half"), exit.Errorf(exit.Config, "failed")
			}
			text := fmt.Sprintf("%q %s %d %d %v", c.Words, c.Value("name"), c.Number("n"), c.Flags["u"], c.Values("list"))
			o := outcome.Outcome{Parts: []outcome.Part{outcome.Text(text)}, Notes: []string{"a note"}, Value: c.Words}
			o.After = func(context.Context) { c.Note("after") }
			return o, nil
		},
	}
	for args, want := range map[string]struct {
		code     exit.Code
		out, err string
	}{
		"thing":                          {exit.OK, "[] x 1 2 []\n", "a note\nafter\n"},
		"thing a b --name y --n 3 --u 4": {exit.OK, "[\"a\" \"b\"] y 3 4 []\n", "a note\nafter\n"},
		"thing --list=a,b --list=c":      {exit.OK, "[] x 1 2 [a b c]\n", "a note\nafter\n"},
		"thing a --json":                 {exit.OK, "[\n  \"a\"\n]\n", "a note\nafter\n"},
		"thing --name z":                 {exit.General, "", "Invalid values:\n  Argument: name, Given: \"z\", Choices: \"x\", \"y\"\nRun 'pollux thing --help'.\n"},
		"thing help":                     {exit.OK, "Manage things\n", ""},
		"thing misuse":                   {exit.General, "", "That is wrong. Run 'pollux thing --help'."},
		"thing fail":                     {exit.Config, "half\n", "failed\n"},
	} {
		s := (&start{args: strings.Fields(args), commands: []subcommand{func(term *terminal.Terminal, env *config.Env) *cobra.Command {
			return nounCommand(term, env, row)
		}}}).do()
		if s.code != want.code || !strings.HasPrefix(s.out.String(), want.out) || want.out == "" && s.out.Len() > 0 || !strings.Contains(s.err.String(), want.err) {
			t.Errorf("%s: code %d, out %q, err %q", args, s.code, s.out, s.err)
		}
	}
}

// TestCanMean checks that only the commands that a line can mean are declared whole.
func TestCanMean(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"":                                  "",
		"-p hello":                          "",
		"--model gemini-3-pro -p do":        "",
		"--debug sessions list":             "sessions",
		"policy":                            "policy",
		"polcy list":                        "policy", // the error names "pollux policy list"
		"mcp --help":                        "mcp",
		"help mcp":                          "mcp",
		"explain how sessions are resumed":  "sessions",
		"--prompt-interactive extension -y": "extensions", // an alias
	} {
		var whole []string
		term, _, _ := terminal.Test("")
		for _, declare := range nounCommands(strings.Fields(line)) {
			if cmd := declare(term, config.Environ()); cmd.HasSubCommands() || cmd.Flags().HasFlags() {
				whole = append(whole, cmd.Name())
			}
		}
		if got := strings.Join(whole, " "); got != want {
			t.Errorf("%q declares %s whole, want %s", line, got, want)
		}
	}
	all := nounCommands([]string{cobra.ShellCompRequestCmd, ""})
	if n := len(nounCommands(nil)); len(all) != n || n < 10 {
		t.Errorf("%d and %d commands", len(all), n)
	}
}

// TestMayNameCommand checks that a plain prompt does without the table of subcommands, and nothing else.
func TestMayNameCommand(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"": false, "-p|hello": false, "--yolo|-p|mcp": false, "--prompt|hello": false, "fix the bug": false, "-p|hello|-o|json": false, "-m|mcp": false, "-m|mcp|mcp": true, "-yo|json": true,
		"mcp|list": true, "mpc": true, "-d|mcp|list": true, "-p|-h": true, "-yh": true, "--help": true, "--help=true": true, "-h": true, "help": true,
		"__complete|m": true, "-p": false, "-p|--help": true, "-": true, "-h x": true,
	} {
		args := strings.Split(line, "|")
		if line == "" {
			args = nil
		}
		if got := mayNameCommand(args); got != want {
			t.Errorf("%q: %v", args, got)
		}
	}
}
