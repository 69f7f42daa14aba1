package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"pollux/internal/app"
	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/llm"
	"pollux/llm/provider"
)

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

// lookAtModel settles whose model a run would ask, and which; nil if none.
func (x *examination) lookAtModel(ctx context.Context) (sectionReport, *app.Chosen) {
	s := sectionReport{ID: "model", Title: "Model"}
	leave := func(text string) {
		x.LeftOut = append(x.LeftOut, strings.TrimSuffix(strings.TrimPrefix(text, "Warning: "), "."))
	}
	accounts, err := auth.Open(auth.Inputs{Settings: x.settings, Env: x.env, Warn: leave, Context: ctx, Person: x.term.InTTY && x.term.ErrTTY})
	x.accounts = accounts
	x.Proxy = x.proxyShown()
	def, _ := accounts.Default() // Choose says what is wrong with it
	x.Default, x.Why = cmp.Or(def.As, string(accounts.Chosen)), x.where(accounts.Why)
	found := accounts.Discover(ctx)
	var one *app.Chosen
	if err == nil {
		var chosen app.Chosen
		chosen, err = app.Choose(ctx, accounts, x.options(leave))
		x.Why, x.Model, x.Window = x.where(accounts.Why), chosen.Model, chosen.Known.Input
		x.Fallback = append(x.Fallback, chosen.Fallback...)
		if account := chosen.Account; account.Profile != nil {
			if def, _ := accounts.Default(); def.As != account.As {
				x.Why = "the model's name" // the default's reason is not its own
			}
			x.Default = account.As
		}
		if err == nil {
			one = &chosen
		}
	}
	x.providers(accounts, found)
	if err != nil {
		x.fail(err)
		next := "set what one of the providers below needs, or name a model that one of them has with --model"
		var api *llm.Error
		if def, failed := accounts.Default(); failed == nil && errors.As(err, &api) { // it was asked which models it has
			next = x.advice(&def, err)
		}
		s.broken("model", text(err), next)
	}
	if x.Default != "" {
		s.ok("provider", x.Default+", because of "+x.Why)
	}
	if x.Model != "" {
		s.ok("model", x.Model+x.about())
	}
	if len(x.Fallback) > 0 {
		s.ok("fallback", strings.Join(x.Fallback, ", "))
	}
	for _, text := range x.LeftOut {
		s.warn("left out", text, "correct it, or do without it")
	}
	for i := range x.Providers {
		if r := &x.Providers[i]; r.State == "broken" {
			s.warn("provider "+r.ID, r.Needs, "correct it, or unset it")
		}
	}
	return s, one
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
func (x *examination) providers(accounts *auth.Accounts, found []provider.Access) {
	ready := map[string]auth.Account{}
	for _, a := range accounts.Reachable() {
		ready[a.As] = a
	}
	for p := range accounts.Table().All() {
		r := providerReport{ID: p.ID, Name: cmp.Or(p.Name, p.ID), Protocol: string(p.Protocol), State: "missing"}
		a, is := ready[p.ID]
		switch {
		case is:
			r.State, r.From, r.Address = "ready", x.where(a.From), provider.Shown(a.BaseURL)
			if p.ID == x.Default {
				r.State = "used"
			}
		default:
			r.Needs = needs(p, x.env)
			_, set := p.Access(x.env.Get)
			if _, err := accounts.Find(p.ID); err != nil && set {
				r.State, r.Needs = "broken", firstLine(err)
			}
		}
		for _, local := range found {
			if local.ID == p.ID && !is {
				r.State, r.From, r.Address, r.Needs = "found", "it answers", local.BaseURL, ""
				if p.ID == x.Default {
					r.State = "used"
				}
			}
		}
		x.Providers = append(x.Providers, r)
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

// tables prints what providers there are.
func (d *diagnosis) tables(w io.Writer) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	d.table(table, "Set up, in the order in which they count:", func(r *providerReport) (string, bool) {
		if r.Address == "" || r.Address == r.From {
			return r.From, r.From != ""
		}
		return r.From + " at " + r.Address, r.From != ""
	})
	d.table(table, "Not set up:", func(r *providerReport) (string, bool) {
		return "needs " + r.Needs, r.State == "missing"
	})
	_ = table.Flush() // into memory
}

// table prints a heading and the providers that belong under it.
func (d *diagnosis) table(w io.Writer, heading string, about func(*providerReport) (string, bool)) {
	for i := range d.Providers {
		r := &d.Providers[i]
		text, belongs := about(r)
		if !belongs {
			continue
		}
		if heading != "" {
			fmt.Fprintf(w, "\n  %s\n", heading)
			heading = ""
		}
		mark := ""
		if r.State == "used" || r.State == "found" {
			mark = " (" + r.State + ")"
		}
		fmt.Fprintf(w, "    %s\t%s\t%s%s\n", cell(r.ID), cell(r.Name), cell(text), mark)
	}
}
