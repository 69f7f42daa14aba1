package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/manage/nouns"
	"pollux/internal/terminal"
)

// runMain runs a program with the runner and the subcommands of a test.
func runMain(args []string, t *terminal.Terminal, env *config.Env, run runner, subs ...subcommand) exit.Code {
	return newProgram(t, env, run, subs...).main(args)
}

// start is one start of the program in a test, with its result.
type start struct {
	args     []string
	env      []string
	tty      bool // all three streams are terminals
	run      runner
	commands []subcommand

	ran      bool
	request  request
	code     exit.Code
	out, err *bytes.Buffer
}

func (s *start) do() *start {
	t, out, errs := terminal.Test("")
	t.InTTY, t.OutTTY, t.ErrTTY = s.tty, s.tty, s.tty
	s.out, s.err = out, errs
	s.code = runMain(s.args, t, config.NewEnv(s.env...), func(ctx context.Context, req request) error {
		s.ran, s.request = true, req
		if s.run != nil {
			return s.run(ctx, req)
		}
		return nil
	}, s.commands...)
	return s
}

func pollux(args ...string) *start { return (&start{args: args}).do() }

func TestFlags(t *testing.T) {
	t.Parallel()
	type values struct {
		Debug, IsTrusted, Raw, RawAccepted, IsNewID, ReplayAnyOrder bool
		Query, Model, ApprovalMode, SessionID, Replay, Record       string
		Extensions                                                  []string
		Settings                                                    map[string]any
	}
	valuesOf := func(req request) values {
		o, p := req.Session, req.Session.Project
		return values{
			Debug: p.Debug, IsTrusted: p.Env.True("GEMINI_CLI_TRUST_WORKSPACE"), Raw: req.Raw, RawAccepted: req.RawAccepted, IsNewID: o.IsNewID,
			ReplayAnyOrder: o.ReplayAnyOrder, Query: req.Query, Model: p.Model, ApprovalMode: p.ApprovalMode, SessionID: o.SessionID, Replay: o.Replay,
			Record: o.Record, Extensions: p.Extensions, Settings: p.Flags,
		}
	}
	settings := func(pairs ...any) map[string]any {
		m := map[string]any{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i].(string)] = pairs[i+1]
		}
		return m
	}
	list := func(items ...any) []any { return items }
	for _, tt := range []struct {
		args string // separated by |
		want values
	}{
		{"", values{}},
		{"-d", values{Debug: true}},
		{"--debug", values{Debug: true}},
		{"--debug=true", values{Debug: true}},
		{"--debug=false", values{}},
		{"--debug|false", values{}},
		{"--debug|true", values{Debug: true}},
		{"--no-debug", values{}},
		{"-m| gemini-2.5-pro ", values{Model: "gemini-2.5-pro"}},
		{"--model=x", values{Model: "x"}},
		{"-m|a|-m|b", values{Model: "b"}},
		{"-m=a", values{Model: "a"}},
		{"-m5", values{Model: "5"}},
		{"-m./x", values{Model: "./x"}},
		{"-dy", values{Debug: true, ApprovalMode: "yolo"}},
		{"-dm|x", values{Debug: true, Model: "x"}},
		{"-p|hi", values{Query: "hi"}},
		{"-p=hi", values{Query: "hi"}},
		{"--prompt=--hi", values{Query: "--hi"}},
		{"-p|", values{}},
		{"-p|a|-p|b", values{Query: "b"}},
		{"-p|-5", values{Query: "-5"}},
		{"-p|-", values{Query: "-"}},
		{"--skip-trust", values{IsTrusted: true}},
		{"--skipTrust", values{IsTrusted: true}},
		{"-y", values{ApprovalMode: "yolo"}},
		{"--yolo", values{ApprovalMode: "yolo"}},
		{"--approval-mode|default", values{ApprovalMode: "default"}},
		{"--approval-mode=auto_edit", values{ApprovalMode: "auto_edit"}},
		{"--approvalMode|yolo", values{ApprovalMode: "yolo"}},
		{"--approval-mode|plan", values{ApprovalMode: "plan"}},
		{"--allowed-tools|a, b|--allowed-tools|c", values{Settings: settings("tools.allowed", list("a", "b", "c"))}},
		{"--allowed-tools|run_shell_command(git add, ls), glob,b(c(d,e),f)", values{Settings: settings("tools.allowed", list("run_shell_command(git add, ls)", "glob", "b(c(d,e),f)"))}},
		{"--allowed-tools|a),b|--allowed-tools|run_shell_command(git, write_file", values{Settings: settings("tools.allowed", list("a)", "b", "run_shell_command(git, write_file"))}},
		{"--allowed-tools=", values{Settings: settings("tools.allowed", list(""))}},
		{"--allowed-mcp-server-names|a,b", values{Settings: settings("mcp.allowed", list("a", "b"), "mcp.excluded", nil)}},
		{"--include-directories|../x,~/y", values{Settings: settings("context.includeDirectories", list("../x", "~/y"))}},
		{"-e|none", values{Extensions: []string{"none"}}},
		{"-e|", values{Extensions: []string{""}}},
		{"--extensions|one,Two", values{Extensions: []string{"one", "Two"}}},
		{"--screen-reader", values{Settings: settings("ui.accessibility.screenReader", true)}},
		{"-o|json", values{Settings: settings("output.format", "json")}},
		{"-o|json|-o|text", values{Settings: settings("output.format", "text")}},
		{"--outputFormat|stream-json", values{Settings: settings("output.format", "stream-json")}},
		{"--raw-output", values{Raw: true}},
		{"--raw-output|--accept-raw-output-risk", values{Raw: true, RawAccepted: true}},
		{"--accept-raw-output-risk", values{Raw: true, RawAccepted: true}},
		{"--session-id|A-b_9", values{SessionID: "A-b_9", IsNewID: true}},
		{"--fake-responses|f", values{Replay: "f"}},
		{"--fake-responses-non-strict|f", values{Replay: "f", ReplayAnyOrder: true}},
		{"--record-responses|f", values{Record: "f"}},
		{"--isCommand", values{}},
		{"--ignore-env", values{Settings: settings("advanced.ignoreLocalEnv", true)}},
		{"--no-sandbox", values{Settings: settings("tools.sandbox", false)}},
		{"--sandbox=false", values{Settings: settings("tools.sandbox", false)}},
		{"--no-acp", values{}},
	} {
		var args []string
		if tt.args != "" {
			args = strings.Split(tt.args, "|")
		}
		s := pollux(args...)
		if s.code != exit.OK || !s.ran {
			t.Errorf("%s: code %d, ran %v: %.200s", tt.args, s.code, s.ran, s.err)
			continue
		}
		if tt.want.Settings == nil {
			tt.want.Settings = map[string]any{}
		}
		if tt.want.SessionID == "" && len(s.request.Session.SessionID) == 36 {
			s.request.Session.SessionID = ""
		}
		if diff := cmp.Diff(tt.want, valuesOf(s.request)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.args, diff)
		}
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--bogus":                         "Unknown argument: bogus",
		"--bogus-flag":                    "Unknown argument: bogus-flag",
		"--bogus=1|hello":                 "Unknown argument: bogus",
		"--no-bogus":                      "Unknown argument: bogus",
		"-z":                              "Unknown argument: z",
		"-zx":                             "Unknown arguments: z, x",
		"--checkpointing":                 "Unknown argument: checkpointing",
		"--all-files":                     "Unknown argument: all-files",
		"-a":                              "Unknown argument: a",
		"--show-memory-usage":             "Unknown argument: show-memory-usage",
		"--telemetry":                     "Unknown argument: telemetry",
		"--proxy|x":                       "Unknown argument: proxy",
		"--sandbox-image|x":               "Unknown argument: sandbox-image",
		"--session-summary|x":             "Unknown argument: session-summary",
		"--ide-mode-feature":              "Unknown argument: ide-mode-feature",
		"-p":                              "Not enough arguments following: p",
		"--prompt":                        "Not enough arguments following: prompt",
		"-m|-p|x":                         "Not enough arguments following: m",
		"--output-format|--debug":         "Not enough arguments following: output-format",
		"-o|xml":                          "Invalid values:\n  Argument: output-format, Given: \"xml\", Choices: \"text\", \"json\", \"stream-json\"",
		"--approval-mode|bad":             "Invalid values:\n  Argument: approval-mode, Given: \"bad\", Choices: \"default\", \"auto_edit\", \"sandboxed\", \"yolo\", \"plan\"",
		"--yolo=maybe":                    "Invalid values:\n  Argument: yolo, Given: \"maybe\", Choices: \"true\", \"false\"",
		"-p|a|b":                          "Cannot use both a positional prompt and the --prompt (-p) flag together",
		"-p|a|-i|b":                       "Cannot use both --prompt (-p) and --prompt-interactive (-i) together",
		"-y|--approval-mode|plan":         "Cannot use both --yolo (-y) and --approval-mode together. Use --approval-mode=yolo instead.",
		"--resume|--session-id|x":         "The flags --resume, --session-id, and --session-file are mutually exclusive. Please provide only one.",
		"--session-id|x|--session-file|y": "The flags --resume, --session-id, and --session-file are mutually exclusive. Please provide only one.",
		"--session-id=":                   "The --session-id option cannot be empty.",
		"--session-id|a b":                "Invalid session ID \"a b\": Only alphanumeric characters, dashes, and underscores are allowed.",
		"--session-id|../x":               "Invalid session ID \"../x\": Only alphanumeric characters, dashes, and underscores are allowed.",
		"demo|--bogus":                    "Unknown argument: bogus",
		"--bogus\x1b[2J":                  "Unknown argument: bogus",
	} {
		s := (&start{args: strings.Split(args, "|"), commands: []subcommand{sample(nil)}}).do()
		if s.code != exit.General || s.ran || s.out.Len() > 0 {
			t.Errorf("%s: code %d, ran %v, stdout %q", args, s.code, s.ran, s.out)
		}
		message, ok := strings.CutSuffix(s.err.String(), " --help'.\n")
		if rest, found := strings.CutPrefix(message, want); !ok || !found || strings.Count(rest, "\n") > strings.Count(want, "\n") {
			t.Errorf("%s: message %q, want %q and how to get help", args, s.err, want)
		}
	}
}

// TestHelpAndVersion checks that help and version have priority over usage errors and run no
// prompt.
func TestHelpAndVersion(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"--help", "-h", "-phi", "--bogus|-h", "hello|--help", "-h|-v", "-o|xml|--help"} {
		s := (&start{args: strings.Split(args, "|"), tty: true}).do()
		if s.code != exit.OK || s.ran || s.err.Len() > 0 {
			t.Errorf("%s: code %d, ran %v, stderr %q", args, s.code, s.ran, s.err)
		}
		for _, want := range []string{
			"\nUSAGE\n  pollux [flags] [prompt]\n", "\nFLAGS\n", "\nEXAMPLES\n", "'pollux help later'", "-p, --prompt ", "--output-format", "text, json, stream-json", "-d, --debug", "-h, --help",
		} {
			if !strings.Contains(s.out.String(), want) {
				t.Errorf("%s: %q is not in the help:\n%s", args, want, s.out)
			}
		}
		for _, hidden := range []string{"fake-responses", "isCommand", "gemma", "not available yet)", "\x00"} {
			if strings.Contains(s.out.String(), hidden) {
				t.Errorf("%s: %q is in the help", args, hidden)
			}
		}
	}
	for _, args := range []string{"--version", "-v", "--bogus|--version"} {
		s := (&start{args: strings.Split(args, "|"), env: []string{"CLI_VERSION=1.2.3"}}).do()
		if s.code != exit.OK || s.ran || s.out.String() != "1.2.3\n" || s.err.Len() > 0 {
			t.Errorf("%s: code %d, ran %v, %q, %q", args, s.code, s.ran, s.out, s.err)
		}
	}
	if s := pollux("--version"); strings.TrimSpace(s.out.String()) == "" {
		t.Error("there is no version")
	}
}

// TestHelpIsWhole checks that the help of each command has all that the table of commands says of it.
func TestHelpIsWhole(t *testing.T) {
	t.Parallel()
	screen := &terminal.Terminal{Out: terminal.NewWriter(io.Discard), Err: terminal.NewWriter(io.Discard)}
	counts := map[string]int{}
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			check(sub)
		}
		var b bytes.Buffer
		printHelp(&b, cmd, 0)
		for kind, text := range map[string]string{"summary": cmd.Short, "details": cmd.Long, "example": cmd.Example} {
			for line := range strings.Lines(text) {
				counts[kind]++
				if line = strings.TrimSpace(line); !strings.Contains(b.String(), line) {
					t.Errorf("%s --help lacks the %s %q", cmd.CommandPath(), kind, line)
				}
			}
		}
	}
	for _, noun := range nouns.All() {
		if noun.IsSessionOnly {
			continue
		}
		cmd, _, err := programFor([]string{noun.Name}, screen, config.NewEnv()).root.Find([]string{noun.Name})
		if err != nil {
			t.Fatal(err)
		}
		check(cmd)
	}
	if counts["summary"] < 50 || counts["details"] < 3 || counts["example"] < 5 {
		t.Errorf("checked only %v", counts)
	}
}

func TestHelpIsWrapped(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	p := &program{env: config.NewEnv()}
	p.watch(&terminal.Terminal{Out: terminal.NewWriter(&b), Err: terminal.NewWriter(io.Discard)})
	printHelp(&b, p.rootCommand(), 70)
	for _, line := range strings.Split(b.String(), "\n")[4:] {
		if len(line) > 70 {
			t.Errorf("%d columns: %q", len(line), line)
		}
	}
}

func TestQuery(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"explain|this":       "explain this",
		"-d|explain|-y|this": "explain this",
		"--|-hello":          "-hello",
		"say|--|--help|-x":   "say --help -x",
		"--|mcp":             "mcp",
		"what is|mcp":        "what is mcp",
		"complete|x":         "complete x",
		"-5":                 "-5",
		"-":                  "-",
		"Keep CASE  spaces ": "Keep CASE  spaces ",
		"-p|from flag":       "from flag",
		"/help":              "/help",
	} {
		s := pollux(strings.Split(args, "|")...)
		if s.code != exit.OK || s.request.Query != want {
			t.Errorf("%s: query %q, want %q (code %d, %.100s)", args, s.request.Query, want, s.code, s.err)
		}
		if got := s.request.PromptGiven; got != strings.HasPrefix(args, "-p") {
			t.Errorf("%s: PromptGiven is %v", args, got)
		}
	}
}

func TestModes(t *testing.T) {
	t.Parallel()
	const (
		headless = true
		person   = false
	)
	for _, tt := range []struct {
		args     string
		tty      bool
		env      string
		headless bool
		query    string
		code     exit.Code
		err      string
	}{
		{"hi", false, "", headless, "hi", exit.OK, ""},
		{"", false, "", headless, "", exit.OK, ""},
		{"-p|hi", true, "", headless, "hi", exit.OK, ""},
		{"-p|", true, "", headless, "", exit.OK, ""},
		{"hi", true, "CI=true", headless, "hi", exit.OK, ""},
		{"hi", true, "GITHUB_ACTIONS=true", headless, "hi", exit.OK, ""},
		{"hi", true, "CI=1", person, "hi", exit.OK, ""},
		{"hi", true, "CI=true GEMINI_CLI_INTEGRATION_TEST=true", person, "hi", exit.OK, ""},
		{"hi", true, "", person, "hi", exit.OK, ""},
		{"", true, "", person, "", exit.OK, ""},
		{"-i|hi", true, "", person, "hi", exit.OK, ""},
		{"-i|hi", true, "CI=true", person, "hi", exit.OK, ""},
		{"-i|hi|to|you", true, "", person, "to you", exit.OK, "Warning: The positional prompt replaces the prompt of --prompt-interactive (-i).\n"},
		{"-i|hi|you", true, "CI=true", person, "hi", exit.OK, "Warning: The prompt of --prompt-interactive (-i) replaces the positional prompt.\n"},
		{"-i|hi|you", false, "", person, "", exit.Input, "Error: The --prompt-interactive flag cannot be used when input is piped from stdin.\n"},
		{"-i|", true, "", person, "", exit.OK, ""},
		{"-i|", false, "", headless, "", exit.OK, ""},
		{"-p||hi", true, "", headless, "hi", exit.OK, ""},
		{"-p||-i|hi", true, "", person, "hi", exit.OK, ""},
		{"-i|hi", false, "", person, "", exit.Input, "Error: The --prompt-interactive flag cannot be used when input is piped from stdin.\n"},
	} {
		var args []string
		if tt.args != "" {
			args = strings.Split(tt.args, "|")
		}
		s := (&start{args: args, env: append(strings.Fields(tt.env), "NO_COLOR=1"), tty: tt.tty}).do()
		if s.code != tt.code || s.err.String() != tt.err || s.ran != (tt.code == exit.OK) {
			t.Errorf("%q, tty %v, %s: code %d, ran %v, stderr %q", tt.args, tt.tty, tt.env, s.code, s.ran, s.err)
		}
		if s.ran && (s.request.Headless != tt.headless || s.request.Query != tt.query) {
			t.Errorf("%q, tty %v, %s: headless %v, query %q", tt.args, tt.tty, tt.env, s.request.Headless, s.request.Query)
		}
	}
}

func TestLater(t *testing.T) {
	t.Parallel()
	const version = " not available yet in this version of Pollux"
	for _, tt := range []struct {
		args, env string
		code      exit.Code
		err       string
	}{
		{"--allowed-mcp-server-names|a", "", exit.OK, ""},
		{"--allowed-mcp-server-names=", "", exit.OK, ""},
		{"-d|gemma", "", exit.General, "pollux gemma is" + version + ".\n"},
		{"gemma|--bogus", "", exit.General, "pollux gemma is" + version + ".\n"},
		{"gemma", "", exit.General, "pollux gemma is" + version + ".\n"},
	} {
		s := (&start{args: strings.Split(tt.args, "|"), env: strings.Fields(tt.env)}).do()
		if s.code != tt.code || s.err.String() != tt.err || s.ran != (tt.code == exit.OK) || s.out.Len() > 0 {
			t.Errorf("%s %s: code %d, ran %v, stdout %q, stderr %q", tt.env, tt.args, s.code, s.ran, s.out, s.err)
		}
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	s := pollux("--skip-trust", "-p", "x")
	if !s.request.Session.Project.Env.True("GEMINI_CLI_TRUST_WORKSPACE") {
		t.Error("--skip-trust is not in the environment")
	}
	if len(s.request.Session.SessionID) != 36 || s.request.Session.SessionID == pollux("x").request.Session.SessionID {
		t.Errorf("session id %q is not new", s.request.Session.SessionID)
	}
	if got := pollux("--session-id", "mine", "x").request.Session.SessionID; got != "mine" {
		t.Errorf("session id is %q", got)
	}
	if s.request.Session.Project.Version == "" {
		t.Error("no version")
	}
}

// sample returns a subcommand for tests. It stores its flags and its environment in ran, unless
// ran is nil.
func sample(ran *string) subcommand {
	return func(t *terminal.Terminal, env *config.Env) *cobra.Command {
		cmd := &cobra.Command{Use: "demo", Short: "Show what Pollux does", Args: cobra.NoArgs}
		keep := cmd.Flags().Bool("keep", false, "Keep the project")
		cmd.RunE = func(cmd *cobra.Command, _ []string) error {
			debug, err := cmd.Flags().GetBool("debug")
			if ran != nil {
				*ran = fmt.Sprintf("%v %v %v %s", *keep, debug, cmd.Context().Err() == nil, env.Get("X"))
			}
			fmt.Fprintln(t.Out, "done")
			return err
		}
		return cmd
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"demo":                "false false true x",
		"demo|--keep":         "true false true x",
		"-d|demo|--keep":      "true true true x",
		"demo|--debug|--keep": "true true true x",
	} {
		var ran string
		s := (&start{args: strings.Split(args, "|"), env: []string{"X=x"}, tty: true, commands: []subcommand{sample(&ran)}}).do()
		if s.code != exit.OK || ran != want || s.out.String() != "done\n" || s.ran {
			t.Errorf("%s: code %d, %q, want %q: %s", args, s.code, ran, want, s.err)
		}
	}
	s := (&start{args: []string{"demo", "--help"}, commands: []subcommand{sample(nil)}}).do()
	if s.code != exit.OK || !strings.Contains(s.out.String(), "--keep") || strings.Contains(s.out.String(), "done") {
		t.Errorf("help: code %d, %s %s", s.code, s.out, s.err)
	}
	if s := (&start{args: []string{"--help"}, commands: []subcommand{sample(nil)}}).do(); !strings.Contains(s.out.String(), "  demo:") {
		t.Errorf("the help does not name demo: %s", s.out)
	}
	if s := (&start{args: []string{"demo", "surplus"}, commands: []subcommand{sample(nil)}}).do(); s.code != exit.General {
		t.Errorf("a surplus word is accepted: %d", s.code)
	}
}

// FuzzRead checks that all arguments either run a prompt or print something, and that each error
// has a message.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"-p\nhi", "--no-x\n-phi\n--\n-z", "-m=5\n--outputFormat\njson", "-\n--\n--", "-dm\n-5\nmcp\n-x", "--=\n-=\n---"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := (&start{args: strings.Split(strings.ReplaceAll(text, "\x00", ""), "\n")}).do()
		if !s.ran && s.err.Len() == 0 && s.out.Len() == 0 {
			t.Fatalf("nothing happened (code %d)", s.code)
		}
		if s.code != exit.OK && s.err.Len() == 0 {
			t.Fatalf("code %d without a word", s.code)
		}
	})
}

func BenchmarkVersion(b *testing.B) {
	t, _, _ := terminal.Test("")
	t.Out = terminal.NewWriter(new(bytes.Buffer))
	env := config.NewEnv("CLI_VERSION=1")
	b.ReportAllocs()
	for b.Loop() {
		if runMain([]string{"--version"}, t, env, nil) != exit.OK {
			b.Fatal("failed")
		}
	}
}

func BenchmarkMain(b *testing.B) {
	t, _, _ := terminal.Test("")
	env := config.NewEnv()
	run := func(context.Context, request) error { return nil }
	b.ReportAllocs()
	for b.Loop() {
		if runMain([]string{"--yolo", "-o", "json", "-p", "hello"}, t, env, run) != exit.OK {
			b.Fatal("failed")
		}
	}
}

var errOrdinary = errors.New("something went wrong")

// TestUsageWidth checks that a usage error is wrapped if stderr is a terminal.
func TestUsageWidth(t *testing.T) {
	t.Parallel()
	for _, tty := range []bool{true, false} {
		term, _, errs := terminal.Test("")
		term.OutTTY, term.ErrTTY, term.Width = true, tty, 70
		runMain([]string{"-p", "a", "-p", "b", "--", "word", "--that"}, term, config.NewEnv(), nil)
		longest := 0
		for line := range strings.Lines(errs.String()) {
			longest = max(longest, utf8.RuneCountInString(line)-1)
		}
		if tty != (longest <= 70) {
			t.Errorf("terminal %v: the longest line has %d characters", tty, longest)
		}
	}
}
