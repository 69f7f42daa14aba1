package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/policy"
	"pollux/internal/project"
	"pollux/internal/slash"
	"pollux/internal/terminal"
)

// hooksCommand returns the subcommand that lists, tests and migrates hooks.
func hooksCommand(t *terminal.Terminal, env *config.Env) *cobra.Command {
	c := &hookActions{term: t, env: env}
	cmd := &cobra.Command{
		Use: "hooks", Aliases: []string{"hook"}, Short: "List, test and migrate hooks",
		Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return c.list() },
	}
	list := &cobra.Command{Use: "list", Short: "List hooks", Args: cobra.NoArgs, RunE: cmd.RunE}
	test := &cobra.Command{
		Use: "test <event|name>", Short: "Run hooks with a sample input and show what they would do", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, words []string) error { return c.test(cmd.Context(), words[0]) },
	}
	test.Flags().StringVar(&c.input, "input", "", "JSON file whose fields replace those of the sample input")
	for _, sub := range []*cobra.Command{list, test} {
		sub.Flags().BoolVar(&c.json, "json", false, "Print JSON")
	}
	migrate := &cobra.Command{
		Use: "migrate", Short: "Copy the hooks of Claude Code to this project's settings", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !c.fromClaude {
				return cmd.Help()
			}
			return c.migrate()
		},
	}
	migrate.Flags().BoolVar(&c.fromClaude, "from-claude", false, "Read .claude/settings.json and .claude/settings.local.json")
	cmd.AddCommand(
		list,
		&cobra.Command{
			Use: "enable <name>", Short: "Enable a hook", Args: cobra.ExactArgs(1),
			RunE: func(_ *cobra.Command, words []string) error { return c.setEnabled(words[0], true) },
		},
		&cobra.Command{
			Use: "disable <name>", Short: "Disable a hook", Args: cobra.ExactArgs(1),
			RunE: func(_ *cobra.Command, words []string) error { return c.setEnabled(words[0], false) },
		},
		test, migrate,
	)
	return cmd
}

// hookActions holds the flags of the subcommands of hooks.
type hookActions struct {
	term       *terminal.Terminal
	env        *config.Env
	json       bool
	input      string
	fromClaude bool
}

// load returns the setup of the directory, and its hooks.
func (c *hookActions) load() (*project.Project, *hook.Set, error) {
	setup, err := look(c.term, c.env)
	if err != nil {
		return nil, nil, err
	}
	if !setup.AreHooksEnabled() {
		return nil, nil, exit.Errorf(exit.General, "Hook system is not enabled. To enable it, run: pollux config set hooksConfig.enabled true")
	}
	if !setup.IsTrusted() {
		setup.Warn("Warning: This folder is not trusted: its own hooks are not used.")
	}
	set := setup.HookSet(setup.ReadHooks(), hook.Options{
		SessionID: func() string { return "test" },
		PlansDir:  func() string { return filepath.Join(setup.Paths.ProjectTempPath(), "test", "plans") },
	})
	for _, text := range set.Unmatched(policy.ToolNames()) {
		setup.Warn("Warning: " + text)
	}
	return setup, set, nil
}

// hookJSON is a hook in JSON output.
type hookJSON struct {
	Event      hook.Event `json:"event"`
	Name       string     `json:"name,omitempty"`
	Command    string     `json:"command"`
	Matcher    string     `json:"matcher,omitempty"`
	Sequential bool       `json:"sequential"`
	Timeout    int64      `json:"timeout"`           // milliseconds
	Dialect    string     `json:"dialect,omitempty"` // "" for Gemini CLI's
	Condition  string     `json:"if,omitempty"`
	From       string     `json:"from"`
	Enabled    bool       `json:"enabled"`
}

func newHookJSON(h *hook.Hook) hookJSON {
	return hookJSON{
		Event: h.Event, Name: h.Name, Command: h.CommandLine(), Dialect: string(h.Dialect), Condition: h.Condition, Matcher: h.Matcher, Sequential: h.IsSequential,
		Timeout: h.Timeout.Milliseconds(), From: h.Source.String(), Enabled: !h.IsDisabled,
	}
}

func (c *hookActions) list() error {
	_, set, err := c.load()
	if err != nil {
		return err
	}
	hooks := set.Hooks()
	if c.json {
		list := []hookJSON{}
		for i := range hooks {
			list = append(list, newHookJSON(&hooks[i]))
		}
		return c.print(list)
	}
	if len(hooks) == 0 {
		return printText(c.term, "No hooks configured. To learn about hooks, type /docs hooks in a session.")
	}
	return printTable(c.term, slash.HookHeads(), slash.HookRows(hooks))
}

func (c *hookActions) print(v any) error {
	return printJSON(c.term, v)
}

func (c *hookActions) setEnabled(id string, enabled bool) error {
	setup, set, err := c.load()
	if err != nil {
		return err
	}
	text, _, err := setup.SwitchHook(setup.Settings(), set.Hooks(), id, enabled)
	if err != nil {
		return err
	}
	return printText(c.term, text)
}

// trialJSON is the result of `pollux hooks test --json`.
type trialJSON struct {
	hookJSON
	Input    json.RawMessage `json:"input"`
	ExitCode int             `json:"exit_code"`
	Signal   string          `json:"signal,omitempty"`
	Error    string          `json:"error,omitempty"`
	Duration int64           `json:"duration_ms"`
	Stdout   string          `json:"stdout"`
	Stderr   string          `json:"stderr"`
	ReadAs   hook.Reading    `json:"read_as"`
	Output   json.RawMessage `json:"output,omitempty"`
	Effects  []string        `json:"effects"`
}

// test runs the hooks with a name, or all hooks of an event.
func (c *hookActions) test(ctx context.Context, name string) error {
	_, set, err := c.load()
	if err != nil {
		return err
	}
	defer set.Close()
	var changes map[string]json.RawMessage
	if c.input != "" {
		data, err := os.ReadFile(c.input)
		if err == nil {
			err = json.Unmarshal(data, &changes)
		}
		if err != nil {
			return exit.Errorf(exit.Input, "Cannot read the input in %s: %w.", c.input, err)
		}
	}
	hooks := slices.DeleteFunc(set.Hooks(), func(h hook.Hook) bool { return h.ID() != name && string(h.Event) != name })
	switch {
	case len(hooks) == 0 && slices.Contains(hook.Events(), hook.Event(name)):
		return exit.Errorf(exit.Input, "There are no hooks for %s. To list hooks, run: pollux hooks list", name)
	case len(hooks) == 0:
		return exit.Errorf(exit.Input, "There is no hook and no event %q. To list hooks, run: pollux hooks list", terminal.Cut(terminal.Visible(name), 60))
	}
	trials := []trialJSON{}
	for i := range hooks {
		r := set.Try(ctx, hooks[i], changes)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if c.json {
			trials = append(trials, newTrialJSON(&r))
			continue
		}
		if i > 0 {
			fmt.Fprintln(c.term.Out)
		}
		if err := c.show(&r); err != nil {
			return err
		}
	}
	if c.json {
		return c.print(trials)
	}
	return nil
}

func newTrialJSON(r *hook.Trial) trialJSON {
	j := trialJSON{
		hookJSON: newHookJSON(r.Hook), Input: r.Input, ExitCode: r.Code, Signal: r.Status.SignalName(),
		Duration: r.Duration.Milliseconds(), Stdout: r.Stdout, Stderr: r.Stderr, ReadAs: r.Reading, Effects: r.Effects,
	}
	if r.Err != nil {
		j.Error = r.Err.Error()
	}
	if r.Output != nil {
		j.Output = r.Output.JSON()
	}
	return j
}

// show prints the result of a test for people.
func (c *hookActions) show(r *hook.Trial) error {
	outcome := fmt.Sprintf("exit code %d", r.Code)
	switch {
	case r.Err != nil:
		outcome = r.Err.Error()
	case r.Status.Signal != 0:
		outcome = "ended by " + r.Status.SignalName()
	}
	rows := [][2]string{
		{"Hook", r.Hook.ID()},
		{"Event", string(r.Hook.Event)},
		{"From", r.Hook.Source.String()},
		{"Form", r.Hook.Dialect.String()},
		{"Command", r.Hook.CommandLine()},
		{"Input", string(r.Input)},
		{"Result", fmt.Sprintf("%s, after %d ms", outcome, r.Duration.Milliseconds())},
		{"stdout", r.Stdout},
		{"stderr", r.Stderr},
		{"Read as", string(r.Reading)},
		{"Effect", strings.Join(r.Effects, "\n")},
	}
	for _, row := range rows {
		text := strings.TrimRight(terminal.Visible(row[1]), " \n")
		if text == "" {
			text = "-"
		}
		text, _ = cutLines(text, 20)
		indented := strings.ReplaceAll(text, "\n", "\n         ")
		if _, err := fmt.Fprintf(c.term.Out, "%-8s %s\n", row[0]+":", indented); err != nil {
			return err
		}
	}
	return nil
}

// cutLines returns the first lines of a text, and whether lines are missing.
func cutLines(text string, most int) (string, bool) {
	lines := strings.SplitN(text, "\n", most+1)
	if len(lines) <= most {
		return terminal.Cut(text, 4000), false
	}
	return terminal.Cut(strings.Join(lines[:most], "\n"), 4000) + "\n...", true
}

// migrate copies the hooks of Claude Code to the settings of the project.
func (c *hookActions) migrate() error {
	setup, err := look(c.term, c.env)
	if err != nil {
		return err
	}
	if setup.Paths.WorkspaceSettings() == "" {
		return exit.Errorf(exit.Input, "The home directory has no project settings. Run this command in a project.")
	}
	files, hooks, err := readClaude(setup.Paths.Dir())
	if err != nil {
		return err
	}
	m := hook.FromClaude(hooks)
	for _, note := range slices.Concat(m.Notes, m.Unmatched(policy.ToolNames()), m.Loose) {
		setup.Warn("Warning: " + note)
	}
	from := setup.Paths.DisplayText(strings.Join(files, " and "))
	if m.Count == 0 {
		return exit.Errorf(exit.General, "%s has no hooks that Pollux can run.", from)
	}
	copied, err := addHooks(setup, m.Definitions)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("Copied %d hook(s) from %s to %s.", copied, from, setup.Paths.Display(setup.Paths.WorkspaceSettings()))
	if more := m.Count - copied; more > 0 {
		text += fmt.Sprintf("\n%d hook(s) were there already.", more)
	}
	if len(m.Loose) > 0 {
		text += fmt.Sprintf("\nNOT COPIED: %d that may have refused calls or prompts. See the warnings.", len(m.Loose))
	}
	return printText(c.term, text+"\nTo check them, run: pollux hooks test <event>")
}

// addHooks adds definitions to the hooks of the project, after those that are there. It returns how many hooks
// are new.
func addHooks(setup *project.Project, definitions map[string]any) (count int, err error) {
	settings := setup.Settings().ForScope(config.Workspace)
	for _, event := range slices.Sorted(maps.Keys(definitions)) {
		key := string(config.HookDefinitions) + "." + event
		found, _ := settings.Lookup(key)
		there, _ := found.([]any)
		list := slices.Clone(there)
		for _, d := range redecode(definitions[event]).([]any) {
			if slices.ContainsFunc(there, func(other any) bool { return reflect.DeepEqual(redecode(other), d) }) {
				continue
			}
			list = append(list, d)
			hooks, _ := d.(map[string]any)["hooks"].([]any)
			count += len(hooks)
		}
		if len(list) == len(there) {
			continue
		}
		if err := setup.ChangeSettings(config.Workspace, func() error { return setup.Paths.Set(config.Workspace, key, redecode(list)) }); err != nil {
			return count, err
		}
	}
	return count, nil
}

// redecode returns a value in the types of [encoding/json].
func redecode(v any) any {
	data, _ := json.Marshal(v) // it was read from JSON
	var decoded any
	_ = json.Unmarshal(data, &decoded) // it was just written
	return decoded
}

// readClaude returns the hooks in Claude Code's settings of a project, and their files: those of both files, as in
// Claude Code.
func readClaude(dir string) (files []string, hooks map[string]any, err error) {
	hooks = map[string]any{}
	for _, name := range []string{"settings.json", "settings.local.json"} {
		file := filepath.Join(dir, ".claude", name)
		data, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var settings map[string]any
		if err == nil {
			settings, err = config.ParseObject(data)
		}
		if err != nil {
			return files, nil, exit.Errorf(exit.Config, "Cannot read %s: %w.", file, err)
		}
		files = append(files, file)
		theirs, _ := settings["hooks"].(map[string]any)
		for event, list := range theirs {
			before, isList := hooks[event].([]any)
			more, alsoList := list.([]any)
			if isList && alsoList {
				list = slices.Concat(before, more)
			}
			hooks[event] = list
		}
	}
	if files == nil {
		return nil, nil, exit.Errorf(exit.Input, "There is no .claude/settings.local.json and no .claude/settings.json in this directory.")
	}
	return files, hooks, nil
}
