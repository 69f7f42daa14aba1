package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/telemetry"
	"pollux/internal/terminal"
)

// Config is the subcommand that shows and changes settings (spec/cli.md §2).
func Config(t *terminal.Terminal, env *config.Env) *cobra.Command {
	c := &configCommand{term: t, env: env}
	cmd := &cobra.Command{
		Use: "config", Short: "Show and change settings", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var all bool
	list := c.sub("list", "List what is set, and where", 0, func([]string) error { return c.list(all) })
	list.Flags().BoolVar(&all, "all", false, "List the keys that nobody has set too")
	cmd.AddCommand(
		c.sub("get KEY", "Print the value that counts, or with --scope what one file says", 1, c.get),
		c.sub("set KEY VALUE", "Write a value, in JSON or as plain text, into your settings file or that of --scope", 2, c.set),
		c.sub("unset KEY", "Take a key out of your settings file, or that of --scope", 1, c.unset),
		list,
		c.sub("path", "Print where the settings files are", 0, c.path),
		c.sub("explain KEY", "Say what a key does, which value counts, and which file it comes from", 1, c.explain),
	)
	return cmd
}

// configCommand is what the subcommands of config share.
type configCommand struct {
	term  *terminal.Terminal
	env   *config.Env
	scope string
	json  bool
}

// sub makes a subcommand that takes n words.
func (c *configCommand) sub(use, short string, n int, run func(words []string) error) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, DisableFlagParsing: true}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		words, err := parseWords(cmd.Flags(), args)
		switch help, _ := cmd.Flags().GetBool("help"); {
		case err != nil:
			return flagError(cmd, err)
		case help:
			return cmd.Help()
		case len(words) != n:
			return &usageError{message: fmt.Sprintf("pollux config %s takes %s, not %d.", cmd.Name(), count(n, "argument"), len(words)), cmd: cmd}
		}
		if _, ok := config.ParseScope(c.scope); c.scope != "" && !ok {
			return &usageError{message: fmt.Sprintf("There is no scope %q. There are: user, workspace, system.", clean(c.scope)), cmd: cmd}
		}
		return run(words)
	}
	cmd.Flags().StringVar(&c.scope, "scope", "", "Whose settings: user, workspace, system")
	cmd.Flags().BoolVar(&c.json, "json", false, "Print JSON")
	cmd.Flags().BoolP("help", "h", false, "Print this help")
	return cmd
}

// parseWords parses flags and returns the other words. A negative number is a
// word: it may be the value of a setting.
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

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// settings loads all layers. With --scope only that one is returned.
func (c *configCommand) settings() (*session, *config.Settings, error) {
	h, _, err := load(Request{Terminal: c.term, Env: c.env}, nil)
	if err != nil {
		return nil, nil, err
	}
	if !h.settings.Trusted() && h.paths.WorkspaceSettings() != "" {
		if _, err := os.Stat(h.paths.WorkspaceSettings()); err == nil {
			h.warn("Warning: This folder is not trusted: its own settings are ignored.")
		}
	}
	s := h.settings
	if scope, ok := config.ParseScope(c.scope); ok {
		s = s.Only(scope)
	}
	return h, s, nil
}

func (c *configCommand) get(words []string) error {
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
		v, _ = s.Lookup(key) // a file has no defaults
	}
	v = config.Masked(key, v)
	switch text, isText := v.(string); {
	case c.json:
		return c.print(v)
	case v == nil:
		return exit.Errorf(exit.General, "%s is not set.", key)
	case isText:
		_, err := fmt.Fprintln(c.term.Out, clean(text))
		return err
	}
	return c.print(v)
}

func (c *configCommand) list(all bool) error {
	_, s, err := c.settings()
	if err != nil {
		return err
	}
	keys := s.Set()
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
	table := tabwriter.NewWriter(c.term.Out, 0, 0, 2, ' ', 0)
	for _, key := range keys {
		v, from := s.Effective(key)
		if v = config.Masked(key, v); c.json {
			entries[key] = entry{v, append([]string{}, from...)}
			continue
		}
		if len(from) == 0 {
			from = []string{"default"}
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", key, show(v), strings.Join(from, " + "))
	}
	if c.json {
		return c.print(entries)
	}
	return table.Flush()
}

func (c *configCommand) set(words []string) error {
	key, text := words[0], words[1]
	v, err := config.ParseValue(key, text, c.env)
	if err != nil {
		return err
	}
	paths, scope, err := c.target()
	if err != nil {
		return err
	}
	if err := paths.Set(scope, key, v); err != nil {
		return err
	}
	shown := config.Masked(key, v)
	if c.json {
		err = c.print(map[string]any{"key": key, "value": shown, "scope": scope.String(), "file": paths.File(scope)})
	} else {
		_, err = fmt.Fprintf(c.term.Out, "Set %s to %s in %s\n", key, show(shown), clean(paths.File(scope)))
	}
	if err != nil {
		return err
	}
	c.afterSet(key, scope, text, v)
	return nil
}

// afterSet tells what could surprise whoever has set a key.
func (c *configCommand) afterSet(key string, scope config.Scope, text string, v any) {
	note := func(format string, args ...any) {
		fmt.Fprintf(c.term.Err, "Note: "+format+"\n", args...)
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
	quiet := *c.term
	quiet.Err = io.Discard // what is wrong elsewhere is not today's matter
	h, _, err := load(Request{Terminal: &quiet, Env: c.env}, nil)
	if err != nil {
		fmt.Fprintln(c.term.Err, clean(err.Error()))
		return
	}
	if _, err := telemetry.Resolve(h.settings, c.env); err != nil && row.Path == string(config.Telemetry) {
		note("no run begins like this. %v", err) // its fields have no types to check before
	}
	if scope == config.Workspace && !h.settings.Trusted() {
		note("this folder is not trusted: its settings are ignored.")
		return
	}
	if value := c.variable(row, key); value != "" {
		note("%s is set and wins over all files.", row.Variable())
		return
	}
	if _, from := h.settings.Effective(key); len(from) > 0 && from[len(from)-1] != scope.String() && len(from) == 1 {
		note("the %s settings have another value, which wins.", from[0])
	}
}

func (c *configCommand) unset(words []string) error {
	key := words[0]
	if _, err := config.Find(key); err != nil {
		return err
	}
	paths, scope, err := c.target()
	if err != nil {
		return err
	}
	found, err := paths.Unset(scope, key)
	switch {
	case err != nil:
		return err
	case c.json:
		return c.print(map[string]any{"key": key, "removed": found, "scope": scope.String(), "file": paths.File(scope)})
	case !found:
		_, err = fmt.Fprintf(c.term.Out, "%s is not set in %s\n", key, clean(paths.File(scope)))
	default:
		_, err = fmt.Fprintf(c.term.Out, "Removed %s from %s\n", key, clean(paths.File(scope)))
	}
	return err
}

// target returns the scope to write to, the user's by default.
func (c *configCommand) target() (*config.Paths, config.Scope, error) {
	dir, err := workingDir()
	if err != nil {
		return nil, 0, err
	}
	scope, ok := config.ParseScope(c.scope)
	if !ok {
		scope = config.User
	}
	return config.NewPaths(c.env, dir), scope, nil
}

// layerJSON is a file of settings, for programs.
type layerJSON struct {
	Scope string `json:"scope"`
	File  string `json:"file"`
	State string `json:"state"`
	Line  int    `json:"line,omitempty"`
	Set   *bool  `json:"set,omitempty"`
	Value any    `json:"value,omitempty"`
}

func (c *configCommand) path([]string) error {
	paths, scope, err := c.target()
	if err != nil {
		return err
	}
	if c.scope != "" && !c.json {
		file := paths.File(scope)
		if file == "" {
			return exit.Errorf(exit.Input, "There are no workspace settings in the home directory: its file is the user's.")
		}
		_, err := fmt.Fprintln(c.term.Out, clean(file))
		return err
	}
	// Also where a file is broken: it has to be found to be mended.
	h, _, err := load(Request{Terminal: c.term, Env: c.env}, nil)
	if err != nil {
		fmt.Fprintln(c.term.Err, clean(err.Error()))
	}
	layers := config.Files(h.settings, paths)
	list := []layerJSON{}
	table := tabwriter.NewWriter(c.term.Out, 0, 0, 2, ' ', 0)
	for _, l := range layers {
		if c.scope != "" && l.Scope != scope {
			continue
		}
		list = append(list, layerJSON{Scope: l.Scope.String(), File: l.File, State: l.State})
		fmt.Fprintf(table, "%s\t%s\t%s\n", l.Scope, clean(l.File), l.State)
	}
	if c.json {
		return c.print(list)
	}
	return table.Flush()
}

// show writes a value on one line.
func show(v any) string {
	if v == nil {
		return "unset"
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // JSON's own shapes always can be
	return clean(strings.TrimSuffix(b.String(), "\n"))
}

// print prints a value as JSON.
func (c *configCommand) print(v any) error { return printJSON(c.term.Out, v) }

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
