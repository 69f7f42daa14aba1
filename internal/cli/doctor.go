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
	// Model is what a run would ask, Asked how the user named it, and Named where.
	Model string `json:"model"`
	Asked string `json:"asked"`
	Named string `json:"named"`
	// Problem is why a run cannot start.
	Problem string `json:"problem,omitempty"`

	Window int    `json:"contextWindow,omitempty"`
	Proxy  string `json:"proxy,omitempty"`
	// Fallback is what is asked where the model cannot answer, LeftOut what of the
	// settings does not count, and why.
	Fallback  []string         `json:"fallback"`
	LeftOut   []string         `json:"leftOut"`
	Providers []providerReport `json:"providers"`

	failure error
}

// providerReport is one provider that the table has.
type providerReport struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Protocol string `json:"protocol"`
	// State is "used", "ready", "found" on this machine, "broken" where what is set
	// cannot be used, which Needs then says why, or "missing".
	State   string `json:"state"`
	From    string `json:"from,omitempty"`
	Address string `json:"address,omitempty"`
	Needs   string `json:"needs,omitempty"`
}

// examine finds out what a run would do, without asking any model.
func examine(ctx context.Context, t *terminal.Terminal, env *config.Env, model string) (*diagnosis, error) {
	h, err := look(t, env, model)
	if err != nil {
		return nil, err
	}
	d := &diagnosis{
		Version: version(env), Settings: h.settings.UserFile(), Asked: h.model, Named: h.namedBy(),
		Fallback: []string{}, LeftOut: []string{},
	}
	leave := func(text string) {
		d.LeftOut = append(d.LeftOut, strings.TrimSuffix(strings.TrimPrefix(text, "Warning: "), "."))
	}
	accounts, err := auth.Open(auth.Inputs{Settings: h.settings, Env: h.env, Warn: leave})
	def, _ := accounts.Default() // Choose says what is wrong with it
	d.Default, d.Why = cmp.Or(def.As, string(accounts.Chosen)), h.where(accounts.Why)
	if p := accounts.Network.Proxy; p != nil {
		d.Proxy = p.Redacted()
	}
	found := accounts.Discover(ctx)
	if err == nil {
		var chosen app.Chosen
		chosen, err = app.Choose(ctx, accounts, app.Options{
			Settings: h.settings, Env: h.env, Paths: h.paths, Model: h.model, Named: h.named, Warn: leave,
		})
		d.Why, d.Model, d.Window = h.where(accounts.Why), chosen.Model, chosen.Known.Input
		d.Fallback = append(d.Fallback, chosen.Fallback...)
		if one := chosen.Account; one.Profile != nil {
			if def, _ := accounts.Default(); def.As != one.As {
				d.Why = "the model's name" // the default's reason is not its own
			}
			d.Default = one.As
		}
	}
	d.providers(h, accounts, found)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		d.Problem, d.failure = err.Error(), err
	}
	return d, nil
}

// where adds to what was set, a key of the settings or a variable, the file that
// it was set in. Of the environment that Pollux was started with it says nothing.
func (h *session) where(what string) string {
	if _, set := h.req.Env.Lookup(what); set {
		return what
	}
	if _, set := h.env.Lookup(what); set {
		return what + " in " + config.DotEnv(h.settings, h.paths)
	}
	key := what
	if entry, member, ok := strings.Cut(strings.TrimPrefix(what, "modelProviders."), "."); ok && key != entry+"."+member {
		key = "modelProviders." + entry // whose members no row of the settings is for
	}
	for _, layer := range [...]struct {
		scope config.Scope
		file  string
	}{
		{config.CommandLine, "the command line"},
		{config.System, h.paths.SystemSettings()},
		{config.Workspace, h.paths.WorkspaceSettings()},
		{config.User, h.paths.UserSettings()},
		{config.SystemDefaults, h.paths.SystemDefaults()},
	} {
		if _, set := h.settings.Only(layer.scope).Lookup(key); set {
			return what + " in " + layer.file
		}
	}
	return what
}

// namedBy says where the model is named, "" if nowhere.
func (h *session) namedBy() string {
	switch {
	case !h.named:
		return ""
	case strings.TrimSpace(h.req.Flags.Model) != "":
		return "--model"
	case strings.TrimSpace(h.env.Get("GEMINI_MODEL")) != "":
		return h.where("GEMINI_MODEL")
	}
	return h.where(string(config.ModelName))
}

// providers reports on each provider of the table.
func (d *diagnosis) providers(h *session, accounts *auth.Accounts, found []provider.Access) {
	ready := map[string]auth.Account{}
	for _, a := range accounts.Reachable() {
		ready[a.As] = a
	}
	for p := range accounts.Table().All() {
		r := providerReport{ID: p.ID, Name: cmp.Or(p.Name, p.ID), Protocol: string(p.Protocol), State: "missing"}
		a, is := ready[p.ID]
		switch {
		case is:
			r.State, r.From, r.Address = "ready", h.where(a.From), provider.Shown(a.BaseURL)
			if p.ID == d.Default {
				r.State = "used"
			}
		default:
			r.Needs = needs(p, h.env)
			_, set := p.Access(h.env.Get)
			if _, err := accounts.Find(p.ID); err != nil && set {
				r.State, r.Needs = "broken", firstLine(err)
			}
		}
		for _, local := range found {
			if local.ID == p.ID && !is {
				r.State, r.From, r.Address, r.Needs = "found", "it answers", local.BaseURL, ""
				if p.ID == d.Default {
					r.State = "used"
				}
			}
		}
		d.Providers = append(d.Providers, r)
	}
}

// needs says what has to be set for a provider.
func needs(p *provider.Profile, env *config.Env) string {
	a, _ := p.Access(env.Get)
	keys := strings.Join(auth.Variables(p), " or ")
	switch {
	case p.Local != nil:
		return "a server at " + provider.Shown(p.BaseURL)
	case p.ID == "vertexai":
		return "GOOGLE_GENAI_USE_VERTEXAI=true, and GOOGLE_API_KEY or GOOGLE_CLOUD_PROJECT with GOOGLE_CLOUD_LOCATION"
	case a.Nowhere() && a.From == "" && keys != "":
		return strings.Join(p.BaseURLVars, " or ") + ", and " + keys
	case a.Nowhere():
		return strings.Join(p.BaseURLVars, " or ")
	case keys == "" && !p.Keyless:
		return "apiKey or keyVars in modelProviders." + p.ID
	case p.Keyless:
		return "to be named, as in --model " + p.ID + "/" + cmp.Or(p.Model, "...")
	}
	return keys
}

// write prints the diagnosis for people.
func (d *diagnosis) write(w io.Writer) error {
	line := func(head, text string) { fmt.Fprintf(w, "%-9s %s\n", head, clean(text)) }
	fmt.Fprintf(w, "Pollux %s\n", d.Version)
	line("Settings", d.Settings)
	if d.Proxy != "" {
		line("Proxy", d.Proxy)
	}
	if d.Problem != "" {
		line("Problem", strings.ReplaceAll(d.Problem, "\n", "\n          "))
	}
	if d.Default != "" {
		line("Provider", d.Default+", because of "+d.Why)
	}
	if d.Model != "" {
		line("Model", d.Model+d.about())
	}
	if len(d.Fallback) > 0 {
		line("Fallback", strings.Join(d.Fallback, ", "))
	}
	for _, text := range d.LeftOut {
		line("Note", text)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	d.section(table, "Set up, in the order in which they count:", func(r *providerReport) (string, bool) {
		if r.Address == "" || r.Address == r.From {
			return r.From, r.From != ""
		}
		return r.From + " at " + r.Address, r.From != ""
	})
	d.section(table, "Set up, but of no use:", func(r *providerReport) (string, bool) {
		return r.Needs, r.State == "broken"
	})
	d.section(table, "Not set up:", func(r *providerReport) (string, bool) {
		return "needs " + r.Needs, r.State == "missing"
	})
	return table.Flush()
}

// about says how the model was named, and what is known of it.
func (d *diagnosis) about() string {
	text := ""
	switch {
	case d.Asked != d.Model && d.Named != "":
		text = ", which " + strconv.Quote(d.Asked) + " (" + d.Named + ") stands for"
	case d.Asked != d.Model:
		text = ", which " + strconv.Quote(d.Asked) + " stands for"
	case d.Named != "":
		text = ", named by " + d.Named
	}
	if d.Window > 0 {
		text += "; it takes " + tokens(d.Window) + " tokens"
	}
	return text
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
		fmt.Fprintf(w, "  %s\t%s\t%s%s\n", cell(r.ID), cell(r.Name), cell(text), mark)
	}
}
