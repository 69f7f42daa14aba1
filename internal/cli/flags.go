package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pollux/internal/config"
	"pollux/internal/session"
)

// flags are the values of the flags of a run. A flag that is an option of the session is declared on it.
type flags struct {
	session session.Options

	prompt, promptInteractive, deleteSession, outputPatch, fakeNonStrict string
	yolo, skipTrust, listExtensions, listSessions                        bool
	rawOutput, acceptRawOutputRisk                                       bool
}

// The annotations of a flag: choices lists its allowed values, topic is its group in the help, and
// setting is the key of the setting that it overrides.
const (
	choices = "choices"
	topic   = "topic"
	setting = "setting"
)

// declare declares all flags on root, in the order of the help. A usage text begins with
// the name of the value, between back quotes.
func (o *flags) declare(root *cobra.Command) {
	f, s := root.Flags(), &o.session
	f.SortFlags = false
	o.declarePrompt(f)
	o.declareSafety(f)
	o.declareSessions(f)
	o.declareContext(f)
	root.PersistentFlags().BoolVarP(&s.Project.Debug, "debug", "d", false, "Print debug output to standard error")
	f.BoolP("version", "v", false, "Print the version of Pollux")
	root.PersistentFlags().BoolP("help", "h", false, "Show help")
	setGroup(f, "Other")
	setGroup(root.PersistentFlags(), "Other")
	f.StringVar(&s.Replay, "fake-responses", "", "")
	f.StringVar(&o.fakeNonStrict, "fake-responses-non-strict", "", "")
	f.StringVar(&s.Record, "record-responses", "", "")
	f.Bool("isCommand", false, "")
	for _, name := range [...]string{"fake-responses", "fake-responses-non-strict", "record-responses", "isCommand"} {
		f.Lookup(name).Hidden = true
	}
}

func (o *flags) declarePrompt(f *pflag.FlagSet) {
	f.StringVarP(&o.prompt, "prompt", "p", "", "`text` Run a prompt and print the response; piped input comes first")
	f.StringVarP(&o.promptInteractive, "prompt-interactive", "i", "", "`text` Start an interactive session with a prompt")
	choice(f, new(string), "output-format", "o", "`format` Output format of headless runs", "text", "json", "stream-json")
	f.StringVar(&o.outputPatch, "output-patch", "", "`file` Write the changes of files as a patch for git apply, at the end")
	f.BoolVar(&o.rawOutput, "raw-output", false, "Keep escape sequences in responses")
	f.BoolVar(&o.acceptRawOutputRisk, "accept-raw-output-risk", false, "Keep escape sequences and print no warning")
	f.Bool("screen-reader", false, "Use plain output for screen readers")
	overrides(f, "output-format", config.OutputFormat)
	overrides(f, "screen-reader", config.ScreenReader)
	setGroup(f, "Prompt and output")
	f.StringVarP(&o.session.Project.Model, "model", "m", "", "`name` Model to use, as name or provider/name")
	setGroup(f, "Model")
}

func (o *flags) declareSafety(f *pflag.FlagSet) {
	choice(f, &o.session.Project.ApprovalMode, "approval-mode", "", "`mode` Which tools run without approval", "default", "auto_edit", "sandboxed", "yolo", "plan")
	f.BoolVarP(&o.yolo, "yolo", "y", false, "Run all tools without approval (--approval-mode=yolo)")
	f.BoolVar(&o.skipTrust, "skip-trust", false, "Trust the current folder for this run")
	f.BoolP("sandbox", "s", false, "Run in a sandbox")
	f.Var(new(list), "policy", "`path,...` Policy files or directories, instead of those in settings")
	f.Var(new(list), "admin-policy", "`path,...` Policy files or directories for the admin tier")
	f.Var(new(list), "allowed-tools", "`name,...` Tools that run without approval (deprecated: use policies)")
	overrides(f, "sandbox", config.ToolSandbox)
	overrides(f, "policy", config.PolicyPaths)
	overrides(f, "admin-policy", config.AdminPolicyPaths)
	overrides(f, "allowed-tools", config.ToolsAllowed)
	setGroup(f, "Approval and safety")
}

func (o *flags) declareSessions(f *pflag.FlagSet) {
	optional(f, &o.session.Resume, "resume", "r", latest, "`session` Resume a session by number or ID, or the latest one")
	f.StringVar(&o.session.SessionID, "session-id", "", "`id` ID of the new session")
	f.StringVar(&o.session.SessionFile, "session-file", "", "`path` Load a session from a file")
	f.BoolVar(&o.listSessions, "list-sessions", false, "List the sessions of this project")
	f.StringVar(&o.deleteSession, "delete-session", "", "`session` Delete a session by number or ID")
	setGroup(f, "Sessions")
}

func (o *flags) declareContext(f *pflag.FlagSet) {
	declareFiles(f)
	optional(f, &o.session.Project.WorktreeName, "worktree", "w", " ", "`name` Run in a Git worktree of this project")
	setGroup(f, "Context")
	f.VarP((*list)(&o.session.Project.Extensions), "extensions", "e", "`name,...` Extensions to use, or none")
	f.BoolVarP(&o.listExtensions, "list-extensions", "l", false, "List installed extensions")
	f.Var(new(list), "allowed-mcp-server-names", "`name,...` MCP servers to use")
	f.Bool("acp", false, "Serve an editor, by the Agent Client Protocol on standard input and output")
	f.Bool("experimental-acp", false, "Former name of --acp")
	overrides(f, "allowed-mcp-server-names", config.MCPAllowed)
	setGroup(f, "Extensions, MCP and editors")
}

// declareFiles declares the flags that choose the files of a session: its directories and its environment.
func declareFiles(f *pflag.FlagSet) {
	f.Var(new(list), "include-directories", "`path,...` Additional workspace directories")
	f.Bool("ignore-env", false, "Ignore .env files outside the home directory")
	overrides(f, "include-directories", config.IncludeDirectories)
	overrides(f, "ignore-env", config.IgnoreLocalEnv)
}

// setGroup assigns a group in the help to all flags that do not have one yet.
func setGroup(f *pflag.FlagSet, group string) {
	f.VisitAll(func(flag *pflag.Flag) {
		if flag.Annotations[topic] == nil {
			annotate(flag, topic, group)
		}
	})
}

// overrides makes a flag override a setting.
func overrides[K ~string](f *pflag.FlagSet, name string, key K) {
	annotate(f.Lookup(name), setting, string(key))
}

func annotate(flag *pflag.Flag, key string, values ...string) {
	if flag.Annotations == nil {
		flag.Annotations = map[string][]string{}
	}
	flag.Annotations[key] = values
}

// choice declares a flag with a fixed set of values. [checkChoices] checks them after
// parsing, so that Pollux reports unknown flags first.
func choice(f *pflag.FlagSet, p *string, name, short, usage string, values ...string) {
	f.StringVarP(p, name, short, "", usage)
	annotate(f.Lookup(name), choices, values...)
}

// optional declares a flag with an optional value. without is the value if the user
// gives none.
func optional(f *pflag.FlagSet, p *string, name, short, without, usage string) {
	f.StringVarP(p, name, short, "", usage)
	f.Lookup(name).NoOptDefVal = without
}

// latest names the last session.
const latest = "latest"

// list is the value of a flag that can be repeated and that accepts several values separated by commas. A comma in parentheses is a part of the
// value, such as run_shell_command(git add, ls).
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }
func (l *list) Type() string   { return "array" }

// Set adds the values of a text. A text with a parenthesis that does not end is one value: as a tool, it allows nothing.
func (l *list) Set(text string) error {
	depth, start := 0, 0
	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth = max(depth-1, 0)
		case c == ',' && depth == 0:
			*l = append(*l, strings.TrimSpace(text[start:i]))
			start = i + 1
		}
	}
	*l = append(*l, strings.TrimSpace(text[start:]))
	return nil
}

// any returns the list in the type that settings use.
func (l *list) any() []any {
	items := make([]any, len(*l))
	for i, item := range *l {
		items[i] = item
	}
	return items
}

// resolve completes the values of the parsed flags f. It returns an error if one of them is not allowed.
func (o *flags) resolve(f *pflag.FlagSet, env *config.Env) error {
	if err := checkChoices(f); err != nil {
		return err
	}
	s, p := &o.session, &o.session.Project
	p.Env, p.Version = env, version(env)
	if o.skipTrust {
		p.Env = env.With("GEMINI_CLI_TRUST_WORKSPACE=true")
	}
	p.Model = strings.TrimSpace(p.Model)
	p.InWorktree, p.WorktreeName = f.Changed("worktree"), strings.TrimSpace(p.WorktreeName)
	if o.yolo {
		p.ApprovalMode = "yolo"
	}
	p.Flags = settings(f)
	s.WritePatch(o.outputPatch)
	s.IsNewID = s.SessionID != ""
	if s.Replay == "" {
		s.Replay, s.ReplayAnyOrder = o.fakeNonStrict, o.fakeNonStrict != ""
	}
	return nil
}

// settings returns the settings that the flags set in f override, by key.
func settings(f *pflag.FlagSet) map[string]any {
	set := map[string]any{}
	f.Visit(func(flag *pflag.Flag) {
		for _, key := range flag.Annotations[setting] {
			switch value := flag.Value.(type) {
			case interface{ any() []any }:
				set[key] = value.any()
			default:
				set[key] = value.String()
				if isBool(flag) {
					set[key] = value.String() == "true"
				}
			}
			if key == string(config.MCPAllowed) {
				set[string(config.MCPExcluded)] = nil
			}
		}
	})
	return set
}

// conflicts returns a usage error if flags contradict each other or the positional prompt, or if
// the session id is invalid.
func (o *flags) conflicts(f *pflag.FlagSet, query string) error {
	id, sessions := o.session.SessionID, 0
	for _, name := range [...]string{"resume", "session-id", "session-file"} {
		if f.Changed(name) {
			sessions++
		}
	}
	message := ""
	switch {
	case o.prompt != "" && query != "":
		message = "Cannot use both a positional prompt and the --prompt (-p) flag together"
	case o.prompt != "" && o.promptInteractive != "":
		message = "Cannot use both --prompt (-p) and --prompt-interactive (-i) together"
	case o.yolo && f.Changed("approval-mode"):
		message = "Cannot use both --yolo (-y) and --approval-mode together. Use --approval-mode=yolo instead."
	case sessions > 1:
		message = "The flags --resume, --session-id, and --session-file are mutually exclusive. Please provide only one."
	case f.Changed("worktree") && (o.listSessions || f.Changed("delete-session")):
		message = "Cannot use --worktree with --list-sessions or --delete-session. Run them in the worktree, or use pollux sessions list --all."
	case f.Changed("output-patch") && o.outputPatch == "":
		message = "The --output-patch option cannot be empty."
	case f.Changed("session-id") && strings.TrimSpace(id) == "":
		message = "The --session-id option cannot be empty."
	case len(id) > maxID:
		message = fmt.Sprintf("Invalid session ID %q: It has more than %d characters.", id, maxID)
	case f.Changed("session-id") && strings.Trim(id, idCharacters) != "":
		message = fmt.Sprintf("Invalid session ID %q: Only alphanumeric characters, dashes, and underscores are allowed.", id)
	default:
		return nil
	}
	return &usageError{message: message}
}

// maxID is the maximum length of a session id. It is part of names of files.
const maxID = 128

// idCharacters lists the characters allowed in a session id.
const idCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
