package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pollux/internal/config"
)

// Flags are the options of a run that this version supports.
type Flags struct {
	Debug bool
	// Model is the model of --model, or "": see [config.Model].
	Model string
	// Prompt is the value of --prompt.
	Prompt string
	// ApprovalMode is default, auto_edit, yolo or plan, or "" to use the settings.
	ApprovalMode string
	// SkipTrust trusts the workspace for this run. It also sets
	// GEMINI_CLI_TRUST_WORKSPACE in the environment of the request.
	SkipTrust bool
	// OutputFormat is text, json or stream-json, or "" to use the settings.
	OutputFormat string
	// RawOutput keeps escape sequences in responses. RawOutputWarning is set if the
	// user has not accepted the risk of that.
	RawOutput, RawOutputWarning bool
	// SessionID is the id for the new session, or "" to generate one. Resume is the session to
	// continue, and SessionFile the file of a session to continue a copy of; "" for none.
	SessionID, Resume, SessionFile string
	// Extensions are the extensions to use, nil to leave it to the user's choice.
	Extensions []string
	// InWorktree runs the session in a Git worktree, called Worktree; "" is for a new name.
	InWorktree bool
	Worktree   string
	// FakeResponses is a file of recorded responses to use instead of a model.
	// FakeStrict requires requests in the recorded order. RecordResponses is a file to
	// record responses to.
	FakeResponses   string
	FakeStrict      bool
	RecordResponses string
	// Settings are the settings that flags override, for [config.Sources].
	Settings map[string]any
}

// rawFlags holds the parsed values of all flags.
type rawFlags struct {
	debug, skipTrust, sandbox, yolo, acp, experimentalACP, isCommand bool
	listExtensions, listSessions, screenReader, ignoreEnv            bool
	rawOutput, acceptRawOutputRisk                                   bool
	model, prompt, promptInteractive, worktree, approvalMode         string
	resume, sessionFile, sessionID, deleteSession, outputFormat      string
	fake, fakeNonStrict, record                                      string
	policy, adminPolicy, mcpServers, allowedTools, extensions, dirs  list
}

// The annotations of a flag: choices lists its allowed values, and topic is its group in
// the help.
const (
	choices = "choices"
	topic   = "topic"
)

// declare declares all flags on root, in the order of the help. A usage text begins with
// the name of the value, between back quotes.
func (r *rawFlags) declare(root *cobra.Command) {
	f := root.Flags()
	f.SortFlags = false
	r.declarePrompt(f)
	r.declareSafety(f)
	r.declareSessions(f)
	r.declareContext(f)
	root.PersistentFlags().BoolVarP(&r.debug, "debug", "d", false, "Print debug output to standard error")
	f.BoolP("version", "v", false, "Print the version of Pollux")
	root.PersistentFlags().BoolP("help", "h", false, "Show help")
	setGroup(f, "Other")
	setGroup(root.PersistentFlags(), "Other")
	f.StringVar(&r.fake, "fake-responses", "", "")
	f.StringVar(&r.fakeNonStrict, "fake-responses-non-strict", "", "")
	f.StringVar(&r.record, "record-responses", "", "")
	f.BoolVar(&r.isCommand, "isCommand", false, "")
	for _, name := range [...]string{"fake-responses", "fake-responses-non-strict", "record-responses", "isCommand"} {
		f.Lookup(name).Hidden = true
	}
}

func (r *rawFlags) declarePrompt(f *pflag.FlagSet) {
	f.StringVarP(&r.prompt, "prompt", "p", "", "`text` Run a prompt and print the response; piped input comes first")
	f.StringVarP(&r.promptInteractive, "prompt-interactive", "i", "", "`text` Start an interactive session with a prompt")
	choice(f, &r.outputFormat, "output-format", "o", "`format` Output format of headless runs", "text", "json", "stream-json")
	f.BoolVar(&r.rawOutput, "raw-output", false, "Keep escape sequences in responses")
	f.BoolVar(&r.acceptRawOutputRisk, "accept-raw-output-risk", false, "Keep escape sequences and print no warning")
	f.BoolVar(&r.screenReader, "screen-reader", false, "Use plain output for screen readers")
	setGroup(f, "Prompt and output")
	f.StringVarP(&r.model, "model", "m", "", "`name` Model to use, as name or provider/name")
	setGroup(f, "Model")
}

func (r *rawFlags) declareSafety(f *pflag.FlagSet) {
	choice(f, &r.approvalMode, "approval-mode", "", "`mode` Which tools run without approval", "default", "auto_edit", "yolo", "plan")
	f.BoolVarP(&r.yolo, "yolo", "y", false, "Run all tools without approval (--approval-mode=yolo)")
	f.BoolVar(&r.skipTrust, "skip-trust", false, "Trust the current folder for this run")
	f.BoolVarP(&r.sandbox, "sandbox", "s", false, "Run in a sandbox")
	f.Var(&r.policy, "policy", "`path,...` Policy files or directories, instead of those in settings")
	f.Var(&r.adminPolicy, "admin-policy", "`path,...` Policy files or directories for the admin tier")
	f.Var(&r.allowedTools, "allowed-tools", "`name,...` Tools that run without approval (deprecated: use policies)")
	setGroup(f, "Approval and safety")
}

func (r *rawFlags) declareSessions(f *pflag.FlagSet) {
	optional(f, &r.resume, "resume", "r", latest, "`session` Resume a session by number or ID, or the latest one")
	f.StringVar(&r.sessionID, "session-id", "", "`id` ID of the new session")
	f.StringVar(&r.sessionFile, "session-file", "", "`path` Load a session from a file")
	f.BoolVar(&r.listSessions, "list-sessions", false, "List the sessions of this project")
	f.StringVar(&r.deleteSession, "delete-session", "", "`session` Delete a session by number or ID")
	setGroup(f, "Sessions")
}

func (r *rawFlags) declareContext(f *pflag.FlagSet) {
	f.Var(&r.dirs, "include-directories", "`path,...` Additional workspace directories")
	f.BoolVar(&r.ignoreEnv, "ignore-env", false, "Ignore .env files outside the home directory")
	optional(f, &r.worktree, "worktree", "w", " ", "`name` Run in a Git worktree of this project")
	setGroup(f, "Context")
	f.VarP(&r.extensions, "extensions", "e", "`name,...` Extensions to use, or none")
	f.BoolVarP(&r.listExtensions, "list-extensions", "l", false, "List installed extensions")
	f.Var(&r.mcpServers, "allowed-mcp-server-names", "`name,...` MCP servers to use")
	f.BoolVar(&r.acp, "acp", false, "Start an Agent Client Protocol server")
	f.BoolVar(&r.experimentalACP, "experimental-acp", false, "Former name of --acp")
	setGroup(f, "Extensions, MCP and editors")
}

// setGroup assigns a group in the help to all flags that do not have one yet.
func setGroup(f *pflag.FlagSet, group string) {
	f.VisitAll(func(flag *pflag.Flag) {
		if flag.Annotations[topic] != nil {
			return
		}
		if flag.Annotations == nil {
			flag.Annotations = map[string][]string{}
		}
		flag.Annotations[topic] = []string{group}
	})
}

// choice declares a flag with a fixed set of values. [checkChoices] checks them after
// parsing, so that Pollux reports unknown flags first.
func choice(f *pflag.FlagSet, p *string, name, short, usage string, values ...string) {
	f.StringVarP(p, name, short, "", usage)
	f.Lookup(name).Annotations = map[string][]string{choices: values}
}

// optional declares a flag with an optional value. without is the value if the user
// gives none.
func optional(f *pflag.FlagSet, p *string, name, short, without, usage string) {
	f.StringVarP(p, name, short, "", usage)
	f.Lookup(name).NoOptDefVal = without
}

// latest names the last session.
const latest = "latest"

// list is the value of a flag that can be repeated and that accepts several values
// separated by commas.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }
func (l *list) Type() string   { return "array" }

func (l *list) Set(text string) error {
	for _, item := range strings.Split(text, ",") {
		*l = append(*l, strings.TrimSpace(item))
	}
	return nil
}

// any returns the list in the type that settings use.
func (l list) any() []any {
	items := make([]any, len(l))
	for i := range l {
		items[i] = l[i]
	}
	return items
}

// resolve returns the parsed flags as [Flags]. It returns an error if a flag in f has a
// value that is not allowed.
func (r *rawFlags) resolve(f *pflag.FlagSet) (Flags, error) {
	if err := checkChoices(f); err != nil {
		return Flags{}, err
	}
	flags := Flags{
		Debug:            r.debug,
		Model:            strings.TrimSpace(r.model),
		Prompt:           r.prompt,
		ApprovalMode:     r.approvalMode,
		SkipTrust:        r.skipTrust,
		OutputFormat:     r.outputFormat,
		RawOutput:        r.rawOutput || r.acceptRawOutputRisk,
		RawOutputWarning: r.rawOutput && !r.acceptRawOutputRisk,
		SessionID:        r.sessionID,
		Resume:           r.resume,
		SessionFile:      r.sessionFile,
		Extensions:       r.extensions,
		InWorktree:       f.Changed("worktree"),
		Worktree:         strings.TrimSpace(r.worktree),
		FakeResponses:    r.fake,
		FakeStrict:       r.fake != "",
		RecordResponses:  r.record,
		Settings:         r.settings(f),
	}
	if r.yolo {
		flags.ApprovalMode = "yolo"
	}
	if !flags.FakeStrict {
		flags.FakeResponses = r.fakeNonStrict
	}
	return flags, nil
}

// settings returns the settings that the flags set in f override, by key.
func (r *rawFlags) settings(f *pflag.FlagSet) map[string]any {
	set := map[string]any{}
	for flag, replace := range map[string]func(){
		"allowed-tools":       func() { set[string(config.ToolsAllowed)] = r.allowedTools.any() },
		"policy":              func() { set[string(config.PolicyPaths)] = r.policy.any() },
		"admin-policy":        func() { set[string(config.AdminPolicyPaths)] = r.adminPolicy.any() },
		"include-directories": func() { set[string(config.IncludeDirectories)] = r.dirs.any() },
		"output-format":       func() { set[string(config.OutputFormat)] = r.outputFormat },
		"sandbox":             func() { set[string(config.ToolSandbox)] = r.sandbox },
		"screen-reader":       func() { set[string(config.ScreenReader)] = r.screenReader },
		"ignore-env":          func() { set[string(config.IgnoreLocalEnv)] = r.ignoreEnv },
		"allowed-mcp-server-names": func() {
			set["mcp.allowed"], set["mcp.excluded"] = r.mcpServers.any(), nil
		},
	} {
		if f.Changed(flag) {
			replace()
		}
	}
	return set
}

// conflicts returns a usage error if flags contradict each other or the positional prompt, or if
// the session id is invalid.
func conflicts(f *pflag.FlagSet, r *rawFlags, query string) error {
	sessions := 0
	for _, name := range [...]string{"resume", "session-id", "session-file"} {
		if f.Changed(name) {
			sessions++
		}
	}
	message := ""
	switch {
	case r.prompt != "" && query != "":
		message = "Cannot use both a positional prompt and the --prompt (-p) flag together"
	case r.prompt != "" && r.promptInteractive != "":
		message = "Cannot use both --prompt (-p) and --prompt-interactive (-i) together"
	case r.yolo && f.Changed("approval-mode"):
		message = "Cannot use both --yolo (-y) and --approval-mode together. Use --approval-mode=yolo instead."
	case sessions > 1:
		message = "The flags --resume, --session-id, and --session-file are mutually exclusive. Please provide only one."
	case f.Changed("worktree") && (r.listSessions || f.Changed("delete-session")):
		message = "Cannot use --worktree with --list-sessions or --delete-session. Run them in the worktree, or use pollux sessions list --all."
	case f.Changed("session-id") && strings.TrimSpace(r.sessionID) == "":
		message = "The --session-id option cannot be empty."
	case len(r.sessionID) > maxID:
		message = fmt.Sprintf("Invalid session ID %q: It has more than %d characters.", r.sessionID, maxID)
	case f.Changed("session-id") && strings.Trim(r.sessionID, idCharacters) != "":
		message = fmt.Sprintf("Invalid session ID %q: Only alphanumeric characters, dashes, and underscores are allowed.", r.sessionID)
	default:
		return nil
	}
	return &usageError{message: message}
}

// maxID is the maximum length of a session id. It is part of names of files.
const maxID = 128

// idCharacters lists the characters allowed in a session id.
const idCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
