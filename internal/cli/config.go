package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/project"
	"pollux/internal/telemetry"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// configCommand returns the subcommand config, which shows and changes settings.
func configCommand(t *terminal.Terminal, env *config.Env) *cobra.Command {
	c := &configActions{term: t, env: env}
	cmd := &cobra.Command{
		Use: "config", Short: "Show and change settings", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var all bool
	list := c.sub("list", "List settings and their sources", 0, func([]string) error { return c.list(all) })
	list.Flags().BoolVar(&all, "all", false, "Include keys that are not set")
	cmd.AddCommand(
		c.sub("get KEY", "Print the value of a setting", 1, c.get),
		c.sub("set KEY VALUE", "Set a setting to a JSON value or plain text", 2, c.set),
		c.sub("unset KEY", "Remove a setting from a settings file", 1, c.unset),
		list,
		c.sub("path", "Print the paths of the settings files", 0, c.path),
		c.sub("explain KEY", "Explain a setting, its value and its source", 1, c.explain),
	)
	return cmd
}

// configActions holds the state and the flags that the subcommands of config share.
type configActions struct {
	term  *terminal.Terminal
	env   *config.Env
	scope string
	json  bool
}

// sub returns a subcommand of config that takes n arguments.
func (c *configActions) sub(use, short string, n int, run func(words []string) error) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, DisableFlagParsing: true}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		words, err := parseWords(cmd.Flags(), args)
		switch help, _ := cmd.Flags().GetBool("help"); {
		case err != nil:
			return flagError(cmd, err)
		case help:
			return cmd.Help()
		case len(words) != n:
			return &usageError{message: fmt.Sprintf("pollux config %s takes %s, not %d.", cmd.Name(), wording.Count(n, "argument"), len(words)), cmd: cmd}
		}
		if _, ok := config.ParseScope(c.scope); c.scope != "" && !ok {
			return &usageError{message: fmt.Sprintf("Unknown scope %q. Choose user, workspace or system.", terminal.Visible(c.scope)), cmd: cmd}
		}
		return run(words)
	}
	cmd.Flags().StringVar(&c.scope, "scope", "", "Settings file: user, workspace or system")
	cmd.Flags().BoolVar(&c.json, "json", false, "Print JSON")
	cmd.Flags().BoolP("help", "h", false, "Show help")
	return cmd
}

// parseWords parses flags and returns the other arguments. A negative number is not a flag,
// because it can be the value of a setting.
func parseWords(flags *pflag.FlagSet, args []string) ([]string, error) {
	const mark = "\x00"
	marked := make([]string, len(args))
	for i, arg := range args {
		marked[i] = arg
		if _, err := strconv.ParseFloat(arg, 64); err == nil {
			marked[i] = mark + arg
		}
	}
	if err := flags.Parse(marked); err != nil {
		return nil, err
	}
	words := flags.Args()
	for i := range words {
		words[i] = strings.TrimPrefix(words[i], mark)
	}
	return words, nil
}

// settings loads the settings of all layers. With --scope, the returned settings are those of
// that layer only. It warns if the settings of an untrusted folder are ignored.
func (c *configActions) settings() (*project.Project, *config.Settings, error) {
	set, err := loadSettings(c.term, c.env)
	if err != nil {
		return nil, nil, err
	}
	if !set.IsTrusted() && set.Paths.WorkspaceSettings() != "" {
		if _, err := os.Stat(set.Paths.WorkspaceSettings()); err == nil {
			set.Warn("Warning: This folder is not trusted: its own settings are ignored.")
		}
	}
	s := set.Settings()
	if scope, ok := config.ParseScope(c.scope); ok {
		s = s.ForScope(scope)
	}
	return set, s, nil
}

func (c *configActions) get(words []string) error {
	key := words[0]
	_, s, err := c.settings()
	if err != nil {
		return err
	}
	v, _ := s.Effective(key)
	if config.IsGroup(key) {
		v, _ = s.Lookup(key)
	} else if _, err := config.Find(key); err != nil {
		return err
	}
	if c.scope != "" {
		v, _ = s.Lookup(key) // one layer, without defaults
	}
	v = config.MaskSecrets(key, v)
	switch text, isText := v.(string); {
	case c.json:
		return c.print(v)
	case v == nil:
		return exit.Errorf(exit.General, "%s is not set.", key)
	case isText:
		_, err := fmt.Fprintln(c.term.Out, terminal.Visible(text)) // a value, which may be copied
		return err
	}
	return c.print(v)
}

func (c *configActions) list(all bool) error {
	_, s, err := c.settings()
	if err != nil {
		return err
	}
	keys := s.SetKeys()
	if all {
		keys = keys[:0]
		for _, key := range config.Keys() {
			keys = append(keys, key.Path)
		}
	}
	type entry struct {
		Value any      `json:"value"`
		From  []string `json:"from"`
	}
	entries := make(map[string]entry, len(keys))
	var rows [][]string
	for _, key := range keys {
		v, from := s.Effective(key)
		if v = config.MaskSecrets(key, v); c.json {
			entries[key] = entry{v, append([]string{}, from...)}
			continue
		}
		if len(from) == 0 {
			from = []string{"default"}
		}
		rows = append(rows, []string{key, show(v), strings.Join(from, " + ")})
	}
	if c.json {
		return c.print(entries)
	}
	return printTable(c.term, nil, rows)
}

func (c *configActions) set(words []string) error {
	key, text := words[0], words[1]
	v, err := config.ParseValue(key, text, c.env)
	if err != nil {
		return err
	}
	paths, scope, err := c.target()
	if err != nil {
		return err
	}
	if err := c.change(scope, func() error { return paths.Set(scope, key, v) }); err != nil {
		return err
	}
	shown := config.MaskSecrets(key, v)
	if c.json {
		err = c.print(map[string]any{"key": key, "value": shown, "scope": scope.String(), "file": paths.File(scope)})
	} else {
		err = printText(c.term, fmt.Sprintf("Set %s to %s in %s", key, show(shown), paths.Display(paths.File(scope))))
	}
	if err != nil {
		return err
	}
	c.afterSet(key, scope, text, v)
	return nil
}

// afterSet prints notes about a key that was just set, to standard error: for example, that the
// key has no effect yet, or that another value has priority.
func (c *configActions) afterSet(key string, scope config.Scope, text string, v any) {
	note := func(format string, args ...any) {
		printNote(c.term, fmt.Sprintf("Note: "+format, args...))
	}
	if _, isText := v.(string); isText && strings.ContainsAny(text[:min(len(text), 1)], `{["`) && !json.Valid([]byte(text)) {
		note("the value is not JSON: it was taken as a string.")
	}
	row, err := config.Find(key)
	if err != nil {
		return
	}
	if sentence := row.Support.Explain(); sentence != "" {
		note("%s", sentence)
	}
	set, err := c.quietSettings() // no warnings about other settings
	if err != nil {
		printNote(c.term, err.Error())
		return
	}
	if _, err := telemetry.Resolve(set.Settings(), c.env); err != nil && row.Path == string(config.Telemetry) {
		note("no run begins like this. %v", err) // ParseValue does not check the fields of telemetry
	}
	if scope == config.Workspace && !set.IsTrusted() {
		note("this folder is not trusted: its settings are ignored.")
		return
	}
	if value := c.variable(row, key); value != "" {
		note("%s is set and wins over all files.", row.Variable())
		return
	}
	if _, from := set.Settings().Effective(key); len(from) > 0 && from[len(from)-1] != scope.String() && len(from) == 1 {
		note("the %s settings have another value, which wins.", from[0])
	}
}

// change runs edit, which changes the settings of a scope.
func (c *configActions) change(scope config.Scope, edit func() error) error {
	if scope != config.Workspace {
		return edit()
	}
	set, err := c.quietSettings()
	if err != nil {
		return edit() // it may repair them
	}
	return set.ChangeSettings(scope, edit)
}

// quietSettings reads the settings without warnings.
func (c *configActions) quietSettings() (*project.Project, error) {
	quiet := *c.term
	quiet.Err = terminal.NewWriter(io.Discard)
	return loadSettings(&quiet, c.env)
}

func (c *configActions) unset(words []string) error {
	key := words[0]
	if _, err := config.Find(key); err != nil {
		return err
	}
	paths, scope, err := c.target()
	if err != nil {
		return err
	}
	var found bool
	err = c.change(scope, func() (err error) {
		found, err = paths.Unset(scope, key)
		return err
	})
	switch {
	case err != nil:
		return err
	case c.json:
		return c.print(map[string]any{"key": key, "removed": found, "scope": scope.String(), "file": paths.File(scope)})
	case !found:
		err = printText(c.term, fmt.Sprintf("%s is not set in %s", key, paths.Display(paths.File(scope))))
	default:
		err = printText(c.term, fmt.Sprintf("Removed %s from %s", key, paths.Display(paths.File(scope))))
	}
	return err
}

// target returns the scope of --scope, by default the user's, and the paths of all settings
// files.
func (c *configActions) target() (*config.Paths, config.Scope, error) {
	dir, err := config.WorkingDir()
	if err != nil {
		return nil, 0, err
	}
	scope, ok := config.ParseScope(c.scope)
	if !ok {
		scope = config.User
	}
	return config.NewPaths(c.env, dir), scope, nil
}

// layerJSON describes a settings file in JSON output.
type layerJSON struct {
	Scope string `json:"scope"`
	File  string `json:"file"`
	State string `json:"state"`
	Line  int    `json:"line,omitempty"`
	Set   *bool  `json:"set,omitempty"`
	Value any    `json:"value,omitempty"`
}

func (c *configActions) path([]string) error {
	paths, scope, err := c.target()
	if err != nil {
		return err
	}
	if c.scope != "" && !c.json {
		file := paths.File(scope)
		if file == "" {
			return exit.Errorf(exit.General, "The home directory has no workspace settings. Use the user settings.")
		}
		_, err := fmt.Fprintln(c.term.Out, terminal.Visible(file))
		return err
	}
	// Continue after an error: users need the path of a broken file to fix it.
	set, err := loadSettings(c.term, c.env)
	if err != nil {
		printNote(c.term, err.Error())
	}
	layers := config.Files(set.Settings(), paths)
	list := []layerJSON{}
	var rows [][]string
	for _, l := range layers {
		if c.scope != "" && l.Scope != scope {
			continue
		}
		list = append(list, layerJSON{Scope: l.Scope.String(), File: l.File, State: l.State})
		rows = append(rows, []string{l.Scope.String(), terminal.Visible(l.File), l.State})
	}
	if c.json {
		return c.print(list)
	}
	return printTable(c.term, nil, rows)
}

// show returns a value as JSON on one line, or "unset" for nil.
func show(v any) string {
	if v == nil {
		return "unset"
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // cannot fail: v is a JSON value
	return string(terminal.AppendJSON(nil, []byte(strings.TrimSuffix(b.String(), "\n"))))
}

// print prints a value as indented JSON to standard output.
func (c *configActions) print(v any) error { return printJSON(c.term, v) }
