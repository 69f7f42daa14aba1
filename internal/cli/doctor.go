package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"pollux/internal/app"
	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/terminal"
	"pollux/llm/provider"
)

// Doctor is the subcommand that says what Pollux would use, and why.
func Doctor(t *terminal.Terminal, env *config.Env) *cobra.Command {
	var asJSON bool
	var model string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say which provider and model would be used, why, and what is missing",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := examine(cmd.Context(), t, env, model)
			if err != nil {
				return err
			}
			if asJSON {
				e := json.NewEncoder(t.Out)
				e.SetIndent("", "  ")
				e.SetEscapeHTML(false)
				err = e.Encode(d)
			} else {
				err = d.write(t.Out)
			}
			if err == nil && d.failure != nil {
				err = told{d.failure}
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "Print a JSON object")
	cmd.Flags().StringVarP(&model, "model", "m", "", "The model, as for a run")
	return cmd
}

// told is an error that the diagnosis has shown: only its exit code counts.
type told struct{ error }

func (t told) Unwrap() error { return t.error }

// Reported reports that it need not be printed.
func (told) Reported() bool { return true }

// diagnosis is what the doctor has found.
type diagnosis struct {
	Version  string `json:"version"`
	Settings string `json:"settings"` // the user's file
	// Default is the provider that a run uses, Why what speaks for it.
	Default string `json:"default"`
	Why     string `json:"why"`
	// Model is what a run would ask, Asked how the user named it.
	Model string `json:"model"`
	Asked string `json:"asked"`
	// Problem is why a run cannot start.
	Problem string `json:"problem,omitempty"`

	Window    int              `json:"contextWindow,omitempty"`
	Proxy     string           `json:"proxy,omitempty"`
	Fallback  []string         `json:"fallback,omitempty"`
	Providers []providerReport `json:"providers"`

	failure error
}

// providerReport is one provider that the table has.
type providerReport struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Protocol string `json:"protocol"`
	State    string `json:"state"` // "used", "ready", "found" or "missing"
	From     string `json:"from,omitempty"`
	Address  string `json:"address,omitempty"`
	Needs    string `json:"needs,omitempty"`
}

// examine finds out what a run would do, without asking any model.
func examine(ctx context.Context, t *terminal.Terminal, env *config.Env, model string) (*diagnosis, error) {
	h, err := look(t, env, model)
	if err != nil {
		return nil, err
	}
	d := &diagnosis{Version: version(env), Settings: h.settings.UserFile(), Asked: h.model, Fallback: config.Fallback.In(h.settings)}
	var found []provider.Access
	accounts, err := auth.Open(auth.Inputs{Settings: h.settings, Env: h.env, Warn: func(text string) { h.warn(text) }})
	if err == nil {
		found = accounts.Discover(ctx)
		if d.Proxy = ""; accounts.Network.Proxy != nil {
			d.Proxy = accounts.Network.Proxy.Redacted()
		}
		var chosen app.Chosen
		chosen, err = app.Choose(accounts, h.model, func(string) {})
		d.Why, d.Model, d.Window = accounts.Why, chosen.Model, chosen.Known.Input
		if chosen.Account.Profile != nil {
			d.Default = chosen.Account.ID
		}
		d.providers(accounts, d.Default, found)
	}
	if err != nil {
		d.Problem, d.failure = err.Error(), err
	}
	return d, nil
}

// providers reports on each provider of the table.
func (d *diagnosis) providers(accounts *auth.Accounts, used string, found []provider.Access) {
	ready := map[string]auth.Account{}
	for _, a := range accounts.Reachable() {
		ready[a.ID] = a
	}
	for p := range accounts.Table().All() {
		r := providerReport{ID: p.ID, Name: cmp.Or(p.Name, p.ID), Protocol: string(p.Protocol)}
		a, is := ready[p.ID]
		switch {
		case is && p.ID == used:
			r.State, r.From, r.Address = "used", a.From, a.BaseURL
		case is:
			r.State, r.From, r.Address = "ready", a.From, a.BaseURL
		default:
			r.State = "missing"
			_, err := accounts.Find(p.ID)
			if err != nil {
				r.Needs = strings.Join(append(p.KeyVars[:len(p.KeyVars):len(p.KeyVars)], p.TokenVars...), " or ")
			}
			for _, local := range found {
				if local.ID == p.ID {
					r.State, r.From, r.Address = "found", "it answers", local.BaseURL
				}
			}
			if p.Local != nil && r.State == "missing" {
				r.Needs = "a server at " + p.BaseURL
			}
		}
		d.Providers = append(d.Providers, r)
	}
}

// write prints the diagnosis for people.
func (d *diagnosis) write(w io.Writer) error {
	fmt.Fprintf(w, "Pollux %s\nSettings  %s\n", d.Version, d.Settings)
	if d.Proxy != "" {
		fmt.Fprintf(w, "Proxy     %s\n", d.Proxy)
	}
	switch {
	case d.Problem != "":
		fmt.Fprintf(w, "Problem   %s\n", strings.ReplaceAll(d.Problem, "\n", "\n          "))
	default:
		stands := ""
		if d.Asked != d.Model {
			stands = ", which " + strconv.Quote(d.Asked) + " stands for"
		}
		fmt.Fprintf(w, "Provider  %s, because of %s\nModel     %s%s; it takes %s tokens\n", d.Default, d.Why, d.Model, stands, tokens(d.Window))
	}
	if len(d.Fallback) > 0 {
		fmt.Fprintf(w, "Fallback  %s\n", strings.Join(d.Fallback, ", "))
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	d.section(table, "Set up, in the order in which they count:", func(r *providerReport) (string, bool) {
		if r.Address == "" || r.Address == r.From {
			return r.From, r.State != "missing"
		}
		return r.From + " at " + r.Address, r.State != "missing"
	})
	d.section(table, "Not set up:", func(r *providerReport) (string, bool) {
		return "needs " + cmp.Or(r.Needs, "to be named"), r.State == "missing"
	})
	return table.Flush()
}

// section prints a heading and the providers that belong under it.
func (d *diagnosis) section(w io.Writer, heading string, about func(*providerReport) (string, bool)) {
	for i := range d.Providers {
		r := &d.Providers[i]
		text, belongs := about(r)
		if !belongs {
			continue
		}
		if heading != "" {
			fmt.Fprintf(w, "\n%s\n", heading)
			heading = ""
		}
		mark := ""
		if r.State == "used" || r.State == "found" {
			mark = " (" + r.State + ")"
		}
		fmt.Fprintf(w, "  %s\t%s\t%s%s\n", r.ID, r.Name, text, mark)
	}
}
