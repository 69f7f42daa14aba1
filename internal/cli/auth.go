package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/crash"
	"pollux/internal/exit"
	"pollux/internal/face/plain"
	"pollux/internal/project"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/llm/provider"
	"pollux/tool"
)

// authCommand returns the subcommand auth, which shows the sign-in status and manages stored
// API keys.
func authCommand(t *terminal.Terminal, env *config.Env) *cobra.Command {
	c := &authActions{term: t, env: env}
	sub := func(use, short string, words int, run func(words []string) error) *cobra.Command {
		return &cobra.Command{Use: use, Short: short, Args: cobra.MaximumNArgs(words), RunE: func(cmd *cobra.Command, words []string) error {
			if err := c.open(cmd.Context()); err != nil {
				return err
			}
			return run(words)
		}}
	}
	cmd := sub("auth", "Show sign-in status and manage API keys", 0, c.status)
	status := sub("status", "Show the provider in use and the source of its key", 0, c.status)
	list := sub("list", "List stored API keys without showing them", 0, c.list)
	set := sub("set [provider]", "Store an API key that you type or pipe in", 1, c.set)
	remove := sub("remove [provider]", "Delete a stored API key", 1, c.remove)
	for _, sub := range []*cobra.Command{cmd, status, list} {
		sub.Flags().BoolVar(&c.json, "json", false, "Print JSON")
	}
	set.Flags().BoolVar(&c.noTest, "no-test", false, "Store the key without testing it")
	set.Aliases, remove.Aliases = []string{"signin", "login"}, []string{"signout", "logout"}
	cmd.AddCommand(status, set, remove, list)
	return cmd
}

type authActions struct {
	term *terminal.Terminal
	env  *config.Env
	json bool
	// noTest is set if the key is not tested before it is stored.
	noTest bool

	ctx      context.Context
	setup    *project.Project
	accounts *auth.Accounts
	openErr  error // the error of [auth.Open], which a run would end with
}

// open loads the settings and the .env file, and determines the user's accounts.
func (c *authActions) open(ctx context.Context) error {
	set, err := look(c.term, c.env)
	if err != nil {
		return err
	}
	c.ctx, c.setup = ctx, set
	c.accounts, c.openErr = auth.Open(auth.Inputs{
		Settings: set.Settings(), Env: set.Env, Launcher: set.Launcher, Context: ctx, Interactive: c.term.InTTY && c.term.ErrTTY,
		Warn: set.Warn,
	})
	return nil
}

// authStatus describes how a run authenticates. It contains no keys.
type authStatus struct {
	Provider string `json:"provider"` // "" if none is chosen
	Type     string `json:"type"`     // the sign-in type, as in security.auth.selectedType
	Why      string `json:"why"`
	Key      string `json:"key"` // the source of the key, "" if there is none
	Address  string `json:"address,omitempty"`
	Problem  string `json:"problem,omitempty"`
}

func (c *authActions) status([]string) error {
	one, err := c.accounts.Default()
	if c.accounts.Chosen == "" && c.openErr == nil {
		if found := c.accounts.Discover(c.ctx); len(found) > 0 { // as a run does
			c.accounts.Adopt(found[0])
		}
		one, err = c.accounts.Default()
	}
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx) // the check is incomplete
	}
	if c.openErr != nil {
		err = c.openErr
	}
	s := authStatus{Provider: one.ConfiguredID, Type: string(c.accounts.Chosen), Why: c.setup.Where(c.accounts.Why)}
	if err != nil {
		s.Problem = wording.Summary(err)
	} else {
		s.Key, s.Address = c.setup.Where(one.KeySource()), provider.RedactAddress(one.BaseURL)
	}
	var printed error
	if c.json {
		printed = c.print(s)
	} else {
		printed = c.write(&s, err)
	}
	if printed == nil && err != nil {
		printed = &exit.Shown{Err: err}
	}
	return printed
}

// write prints the status at the width of the terminal, with short paths.
func (c *authActions) write(s *authStatus, problem error) error {
	var text strings.Builder
	line := func(head, body string) {
		if body != "" {
			body = c.setup.Paths.DisplayText(terminal.Visible(body))
			text.WriteString(terminal.Hang(fmt.Sprintf("%-9s ", head), body, c.term.OutWidth()) + "\n")
		}
	}
	if s.Type == "" && problem != nil {
		fmt.Fprintln(&text, terminal.Visible(wording.Error(problem)))
	} else if problem != nil {
		line("Problem", wording.Error(problem))
	}
	if s.Type != "" {
		line("Provider", cmp.Or(s.Provider, s.Type)+", because of "+s.Why)
		line("Key", cmp.Or(s.Key, c.lacking(problem)))
		line("Address", s.Address)
	}
	_, err := io.WriteString(c.term.Out, text.String())
	return err
}

// lacking describes the key of an account that has none, "" if the account cannot be used.
func (c *authActions) lacking(problem error) string {
	one, _ := c.accounts.Default()
	switch {
	case problem != nil:
		return ""
	case one.GatewayKeyVar != "":
		return "none; set " + one.GatewayKeyVar + " if the gateway needs one"
	}
	return "none"
}

func (c *authActions) list([]string) error {
	there, err := c.accounts.StoredKeys()
	if c.json {
		type stored struct {
			Provider string `json:"provider"`
			Where    string `json:"where"`
		}
		keys := []stored{}
		for _, id := range slices.Sorted(maps.Keys(there)) {
			keys = append(keys, stored{id, there[id]})
		}
		return cmp.Or(c.print(map[string]any{"keys": keys}), storeError(err))
	}
	if err == nil || len(there) > 0 {
		if err := printText(c.term, c.setup.Paths.DisplayText(auth.FormatStored(there))); err != nil {
			return err
		}
	}
	return storeError(err)
}

// storeError converts the error of a key store that cannot be read. It returns nil for nil.
func storeError(err error) error {
	if err == nil {
		return nil
	}
	return exit.Errorf(exit.General, "Cannot list all stored keys: %w.", err)
}

func (c *authActions) print(v any) error {
	return printJSON(c.term, v)
}

func (c *authActions) set(words []string) error {
	if c.term.InTTY && !c.noTest {
		return c.signIn(strings.Join(words, ""))
	}
	p, err := c.accounts.StorableFor(strings.Join(words, ""))
	if err != nil {
		return err
	}
	if err := c.accounts.CheckStorable(p); err != nil {
		return err
	}
	key, err := c.readKey(p, words)
	if err != nil {
		return err
	}
	var text string
	if c.noTest {
		text, err = c.accounts.StoreKey(p, key)
	} else {
		text, err = c.accounts.TestAndStoreKey(c.ctx, p, key)
	}
	if err != nil {
		return err
	}
	return printText(c.term, c.setup.Paths.DisplayText(text))
}

// signIn asks at the terminal for the provider, unless name is one, and for its key.
func (c *authActions) signIn(name string) error {
	return plain.RunTask(c.ctx, c.term, func(ctx context.Context, ask tool.Ask, show func(string)) (string, error) {
		in := auth.Inputs{Settings: c.setup.Settings(), Env: c.setup.Env, Launcher: c.setup.Launcher}
		done, err := auth.Command{Inputs: in, Paths: c.setup.Paths, Notify: show, StoresOnly: true}.SignIn(ctx, ask, name)
		if err != nil || done.Type == "" {
			return done.Text, err
		}
		return done.Text + done.Advice(in), nil
	})
}

func (c *authActions) remove(words []string) error {
	name := strings.Join(words, "")
	if name == "" {
		p, err := c.accounts.StorableFor("")
		if err != nil {
			return err
		}
		name = p.ID
	}
	text, err := c.accounts.RemoveKey(name)
	if err != nil {
		return err
	}
	return printText(c.term, c.setup.Paths.DisplayText(text))
}

// maxInput is the maximum size of the input for a key, in bytes. [auth.Accounts.StoreKey]
// checks the key itself.
const maxInput = 64 << 10

// readKey reads the key of a provider from standard input. On a terminal it prints a
// prompt, hides the input and reads one line. Otherwise it reads all of standard input. It
// trims white space from both ends of the key. words name the provider, as the user did.
func (c *authActions) readKey(p *provider.Profile, words []string) (string, error) {
	if c.term.InTTY {
		show, err := c.term.HideInput()
		if err != nil {
			return "", exit.Errorf(exit.General, "Cannot hide the key while you type: %w. Use standard input.", err)
		}
		defer show()
		fmt.Fprint(c.term.Err, c.term.WrapErr(fmt.Sprintf("API key for %s (not shown): ", terminal.Visible(cmp.Or(p.Name, p.ID)))))
	}
	input := c.term.Input()
	defer input.Close()
	type line struct {
		text []byte
		err  error
	}
	lines := make(chan line, 1)
	go func() {
		defer crash.Recover()
		limit := c.term.LineLimit()
		text, err := readInput(input, c.term.InTTY)
		if limit > 0 && len(text) >= limit {
			err = fmt.Errorf("the terminal cuts lines at %d bytes; give the key as standard input, as in: pollux auth set < key.txt", limit)
		}
		lines <- line{text, err}
	}()
	select {
	case <-c.ctx.Done():
		return "", context.Cause(c.ctx)
	case got := <-lines:
		key := strings.TrimSpace(string(got.text))
		switch {
		case got.err != nil:
			return "", exit.Errorf(exit.Input, "Cannot read the key: %w.", got.err)
		case key == "":
			return "", exit.Errorf(exit.Input, "No key was entered. Type it, or use standard input: pollux auth set %s < key.txt", terminal.Visible(cmp.Or(strings.Join(words, ""), "PROVIDER")))
		}
		return key, nil
	}
}

// readInput reads r to its end, or only the first line if the input is typed. It returns an
// error for an input larger than maxInput.
func readInput(r io.Reader, typed bool) ([]byte, error) {
	var all []byte
	buf := make([]byte, 4096)
	for len(all) <= maxInput {
		n, err := r.Read(buf)
		all = append(all, buf[:n]...)
		if end := bytes.IndexByte(all, '\n'); typed && end >= 0 {
			return all[:end], nil
		}
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("it is larger than %d KB", maxInput>>10)
}
