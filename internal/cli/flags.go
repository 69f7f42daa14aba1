package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pollux/internal/config"
)

// Flags are the options of a run that have a meaning in this version.
type Flags struct {
	Debug bool
	// Model is the model asked for, "" if none: see [config.Model].
	Model string
	// Prompt is the text of --prompt.
	Prompt string
	// ApprovalMode is default, auto_edit, yolo or plan; "" leaves it to the
	// settings.
	ApprovalMode string
	// SkipTrust trusts the workspace for this run; the request's environment
	// says so too.
	SkipTrust bool
	// OutputFormat is text, json or stream-json; "" leaves it to the settings.
	OutputFormat string
	// RawOutput keeps escape sequences in answers; RawOutputWarning says that
	// the user has not accepted what that means.
	RawOutput, RawOutputWarning bool
	// SessionID is the id the new session should have.
	SessionID string
	// FakeResponses is a file to answer from instead of a model, FakeStrict
	// whether requests must be those it was recorded with; RecordResponses is
	// a file to record to.
	FakeResponses   string
	FakeStrict      bool
	RecordResponses string
	// Settings are the settings that flags replace, for [config.Sources].
	Settings map[string]any
}

// rawFlags are the flags as they were given.
type rawFlags struct {
	debug, skipTrust, sandbox, yolo, acp, experimentalACP, isCommand bool
	listExtensions, listSessions, screenReader, ignoreEnv            bool
	rawOutput, acceptRawOutputRisk                                   bool
	model, prompt, promptInteractive, worktree, approvalMode         string
	resume, sessionFile, sessionID, deleteSession, outputFormat      string
	fake, fakeNonStrict, record                                      string
	policy, adminPolicy, mcpServers, allowedTools, extensions, dirs  list
}

// choices and topic are the annotations of a flag: its closed set of values, and
// the group of the help that it is in.
const (
	choices = "choices"
	topic   = "topic"
)

// declare is the list of all flags (spec/cli.md §1.3), in the order of the help.
// A description begins with what the help calls the value, between back quotes.
func (r *rawFlags) declare(root *cobra.Command) {
	f := root.Flags()
	f.SortFlags = false
	r.declarePrompt(f)
	r.declareSafety(f)
	r.declareSessions(f)
	r.declareContext(f)
	root.PersistentFlags().BoolVarP(&r.debug, "debug", "d", false, "Show what goes on inside, on stderr")
	f.BoolP("version", "v", false, "Print the version")
	root.PersistentFlags().BoolP("help", "h", false, "Print this help")
	about(f, "Other")
	about(root.PersistentFlags(), "Other")
	f.StringVar(&r.fake, "fake-responses", "", "")
	f.StringVar(&r.fakeNonStrict, "fake-responses-non-strict", "", "")
	f.StringVar(&r.record, "record-responses", "", "")
	f.BoolVar(&r.isCommand, "isCommand", false, "")
	for _, name := range [...]string{"fake-responses", "fake-responses-non-strict", "record-responses", "isCommand"} {
		f.Lookup(name).Hidden = true
	}
}

func (r *rawFlags) declarePrompt(f *pflag.FlagSet) {
	f.StringVarP(&r.prompt, "prompt", "p", "", "`text` Run this prompt and print the answer; what is piped in goes before it")
	f.StringVarP(&r.promptInteractive, "prompt-interactive", "i", "", "`text` Begin with this prompt and stay interactive")
	choice(f, &r.outputFormat, "output-format", "o", "`format` What a run without a screen prints", "text", "json", "stream-json")
	f.BoolVar(&r.rawOutput, "raw-output", false, "Keep escape sequences in answers")
	f.BoolVar(&r.acceptRawOutputRisk, "accept-raw-output-risk", false, "Do the same, without a warning")
	f.BoolVar(&r.screenReader, "screen-reader", false, "Show plain text that a screen reader can read")
	about(f, "Prompt and output")
	f.StringVarP(&r.model, "model", "m", "", "`name` The model to ask; provider/name for one that is not Google's")
	about(f, "Model")
}

func (r *rawFlags) declareSafety(f *pflag.FlagSet) {
	choice(f, &r.approvalMode, "approval-mode", "", "`mode` What runs without asking", "default", "auto_edit", "yolo", "plan")
	f.BoolVarP(&r.yolo, "yolo", "y", false, "Approve everything, as --approval-mode=yolo does")
	f.BoolVar(&r.skipTrust, "skip-trust", false, "Trust the current folder, for this run")
	f.BoolVarP(&r.sandbox, "sandbox", "s", false, "Run in a sandbox")
	f.Var(&r.policy, "policy", "`path,...` Use these policy files or directories instead of those in the settings")
	f.Var(&r.adminPolicy, "admin-policy", "`path,...` The same, of the administrator's tier")
	f.Var(&r.allowedTools, "allowed-tools", "`name,...` Tools that run without asking (deprecated: write a policy)")
	about(f, "Approval and safety")
}

func (r *rawFlags) declareSessions(f *pflag.FlagSet) {
	optional(f, &r.resume, "resume", "r", "latest", "`session` Go on with a session: latest, its number or its id")
	f.StringVar(&r.sessionID, "session-id", "", "`id` The id of the new session")
	f.StringVar(&r.sessionFile, "session-file", "", "`path` Begin with the session in this file")
	f.BoolVar(&r.listSessions, "list-sessions", false, "List this project's sessions and exit")
	f.StringVar(&r.deleteSession, "delete-session", "", "`session` Delete a session, by its number or id, and exit")
	about(f, "Sessions")
}

func (r *rawFlags) declareContext(f *pflag.FlagSet) {
	f.Var(&r.dirs, "include-directories", "`path,...` More directories to work in")
	f.BoolVar(&r.ignoreEnv, "ignore-env", false, "Read no plain .env file outside the home directory")
	optional(f, &r.worktree, "worktree", "w", " ", "`name` Work in a git worktree of its own")
	about(f, "Context")
	f.VarP(&r.extensions, "extensions", "e", "`name,...` The only extensions to use; none for no extension")
	f.BoolVarP(&r.listExtensions, "list-extensions", "l", false, "List the extensions and exit")
	f.Var(&r.mcpServers, "allowed-mcp-server-names", "`name,...` The only MCP servers to use")
	f.BoolVar(&r.acp, "acp", false, "Serve an editor over the Agent Client Protocol")
	f.BoolVar(&r.experimentalACP, "experimental-acp", false, "The old name of --acp")
	about(f, "Extensions, MCP and editors")
}

// about puts the flags that are in no group of the help yet into this one.
func about(f *pflag.FlagSet, group string) {
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

// choice declares a flag with a closed set of values. They are checked when all
// flags are read, so that an unknown flag is complained about first.
func choice(f *pflag.FlagSet, p *string, name, short, usage string, values ...string) {
	f.StringVarP(p, name, short, "", usage)
	f.Lookup(name).Annotations = map[string][]string{choices: values}
}

// optional declares a flag that may stand without a value.
func optional(f *pflag.FlagSet, p *string, name, short, without, usage string) {
	f.StringVarP(p, name, short, "", usage)
	f.Lookup(name).NoOptDefVal = without
}

// list is a flag that may be repeated and holds several values at once, with
// commas between them.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }
func (l *list) Type() string   { return "array" }

func (l *list) Set(text string) error {
	for _, item := range strings.Split(text, ",") {
		*l = append(*l, strings.TrimSpace(item))
	}
	return nil
}

// any returns the list in the shape that settings have.
func (l list) any() []any {
	items := make([]any, len(l))
	for i := range l {
		items[i] = l[i]
	}
	return items
}

// resolve makes one value of the flags that were given. Changed ones that have
// a closed set of values are checked.
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

// settings returns the settings that flags replace, by key.
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
