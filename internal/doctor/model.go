package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/assembly"
	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/guard/policy"
	"pollux/internal/models"
	"pollux/internal/project"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/llm/provider"
)

// providerReport describes one provider in the table of providers.
type providerReport struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Protocol string `json:"protocol"`
	// State is "used", "ready", "found" for a server on this machine, "broken" for invalid
	// settings, or "missing". Needs describes the missing setup, or the error if State is
	// "broken".
	State string `json:"state"`
	// IsGateway reports whether a variable leads to another address than the provider's own.
	IsGateway bool   `json:"gateway,omitempty"`
	variable  string // that sets the address
	From      string `json:"from,omitempty"`
	Address   string `json:"address,omitempty"`
	Needs     string `json:"needs,omitempty"`
}

// checkModel reports the provider and the model that a run would use. The choice is nil if
// there is no model.
func (x *examination) checkModel(ctx context.Context, isOffline bool) (sectionReport, *modelChoice) {
	s := sectionReport{ID: "model", Title: "Model"}
	var leftOut, notes []string // notes need no action
	addLeftOut := func(text string) {
		text = strings.TrimSuffix(text, ".")
		if problem, isWarning := strings.CutPrefix(text, "Warning: "); isWarning {
			leftOut = append(leftOut, problem)
		} else {
			notes = append(notes, text)
		}
	}
	in := x.set.AuthInputs(ctx)
	in.Warn, in.Interactive = addLeftOut, x.term.InTTY && x.term.ErrTTY
	accounts, err := auth.Open(in)
	x.accounts = accounts
	if p := accounts.Network.Proxy; p != nil {
		x.Proxy = provider.RedactAddress(p.String())
	}
	def, _ := accounts.Default() // chooseModel returns the error
	x.Default, x.Why = cmp.Or(def.ConfiguredID, string(accounts.Chosen)), x.set.Where(accounts.Why)
	var found []provider.Access
	if !isOffline {
		found = accounts.Discover(ctx)
	} else if accounts.Chosen == "" && config.LocalServers.In(x.set.Settings()) {
		s.note("server", "model servers on this machine are not asked because of --offline", "run pollux doctor without it")
	}
	var choice *modelChoice
	if err == nil {
		var c modelChoice
		c, err = chooseModel(ctx, accounts, x.set.WithWarn(addLeftOut), isOffline)
		x.Why, x.Model, x.Window, x.Fallback = x.set.Where(accounts.Why), c.model, c.window, append(x.Fallback, c.fallback...)
		if c.account.Profile != nil {
			if def, _ := accounts.Default(); def.ConfiguredID != c.account.ConfiguredID {
				x.Why = "the model's name" // accounts.Why is about the default provider only
			}
			x.Default = c.account.ConfiguredID
		}
		if variable := c.account.ModelVar; variable != "" && (x.Named == "" || x.Named == x.set.Where(string(config.ModelName))) && c.model == c.account.Model {
			x.Asked, x.Named = c.model, x.set.Where(variable)
		}
		if err == nil {
			choice = &c
		}
	}
	x.addProviders(accounts, found)
	switch {
	case errors.Is(err, models.ErrOffline):
		s.note("model", "not known without a request: you have chosen no model", x.modelAdvice(err))
	case err != nil:
		x.fail(err)
		s.broken("model", problemText(err), x.modelAdvice(err))
	}
	if x.Default != "" {
		at := ""
		if def, err := accounts.Default(); err == nil && def.ConfiguredID == x.Default && def.GatewayKeyVar != "" {
			at = ", gateway at " + provider.RedactAddress(def.BaseURL)
		}
		s.ok("provider", x.Default+at+" (from "+x.Why+")")
	}
	if x.Model != "" {
		s.ok("model", x.Model+x.describeModel())
	}
	if len(x.Fallback) > 0 {
		s.ok("fallback", strings.Join(x.Fallback, ", "))
	}
	for _, text := range notes {
		s.ok("server", text)
	}
	for _, text := range leftOut {
		s.warn("setting", text, "fix or remove it")
	}
	x.LeftOut = append(x.LeftOut, leftOut...)
	for i := range x.Providers {
		if r := &x.Providers[i]; r.State == "broken" {
			s.warn("provider "+r.ID, r.Needs, "fix or unset it")
		}
	}
	return s, choice
}

// modelAdvice returns the next step for the user after an error that leaves no model to ask.
func (x *examination) modelAdvice(err error) string {
	def, missing := x.accounts.Default()
	unchosen, _ := errors.AsType[*models.UnchosenError](err)
	switch {
	case unchosen != nil && (len(unchosen.Names) > 0 || errors.Is(err, models.ErrOffline)):
		next := "name one with --model"
		if len(def.ModelVars) > 0 {
			next += ", or set " + def.ModelVars[0]
		}
		return next
	case unchosen != nil && missing == nil:
		return x.advice(&def, err)
	case x.accounts.Chosen == auth.GoogleLogin:
		return "run 'pollux auth set' and choose another provider"
	case x.accounts.Chosen != "" && missing != nil:
		return "set what is missing, or run 'pollux auth set' and choose another provider"
	}
	return "set up one of the providers below, or choose a model of one with --model"
}

// modelChoice is the model that a run would use.
type modelChoice struct {
	models   *models.Directory
	set      *project.Project
	account  auth.Account
	model    string
	window   int      // in tokens, 0 if unknown
	fallback []string // models to try if this one fails
}

// chooseModel returns the model that a session with this setup would use.
func chooseModel(ctx context.Context, accounts *auth.Accounts, set *project.Project, isOffline bool) (modelChoice, error) {
	m, err := assembly.OpenModels(ctx, set, accounts, "", isOffline)
	if err != nil {
		return modelChoice{}, err
	}
	current := m.Current()
	c := modelChoice{models: m, set: set, account: current.Account, model: current.Model, window: m.Describe(current.Model).Input}
	isPlanning := func() bool { return set.Mode == policy.Plan }
	for _, policy := range assembly.Chains(set, m, isPlanning)(current.Model) {
		if policy.Model != current.Model {
			c.fallback = append(c.fallback, policy.Model)
		}
	}
	return c, nil
}

// addProviders adds each provider in the table to the report.
func (x *examination) addProviders(accounts *auth.Accounts, found []provider.Access) {
	ready := map[string]auth.Account{}
	for _, a := range accounts.Reachable() {
		ready[a.ConfiguredID] = a
	}
	for p := range accounts.Table().All() {
		r := providerReport{ID: p.ID, Name: cmp.Or(p.Name, p.ID), Protocol: string(p.Protocol), State: "missing"}
		a, isReady := ready[p.ID]
		switch {
		case isReady:
			r.State, r.From, r.Address = "ready", x.set.Where(a.From), provider.RedactAddress(a.BaseURL)
			r.IsGateway, r.variable = a.GatewayKeyVar != "", x.set.Where(a.AddressVar)
			if p.ID == x.Default {
				r.State = "used"
			}
		default:
			r.Needs = requirements(p, x.set.Env())
			_, set := p.Access(x.set.Env().Get)
			if _, err := accounts.Find(p.ID); err != nil && set {
				r.State = "broken"
				r.Needs, _, _ = strings.Cut(err.Error(), "\n")
			}
		}
		for _, local := range found {
			if local.ID == p.ID && !isReady {
				r.State, r.From, r.Address, r.Needs = "found", "running", local.BaseURL, ""
				if p.ID == x.Default {
					r.State = "used"
				}
			}
		}
		x.Providers = append(x.Providers, r)
	}
}

// requirements describes the setup that the user needs for a provider.
func requirements(p *provider.Profile, env *config.FolderEnv) string {
	a, _ := p.Access(env.Get)
	keys := strings.Join(auth.Variables(p), " or ")
	switch {
	case p.Local != nil:
		return "a server at " + provider.RedactAddress(p.BaseURL)
	case p.ID == "vertexai":
		return "GOOGLE_GENAI_USE_VERTEXAI=true, and GOOGLE_API_KEY or GOOGLE_CLOUD_PROJECT with GOOGLE_CLOUD_LOCATION"
	case a.LacksAddress() && a.From == "" && keys != "":
		return strings.Join(p.BaseURLVars, " or ") + ", and " + keys
	case a.LacksAddress():
		return strings.Join(p.BaseURLVars, " or ")
	case keys == "" && !p.Keyless:
		return "apiKey or keyVars in modelProviders." + p.ID
	case p.Keyless:
		return "--model " + p.ID + "/" + cmp.Or(p.Model, "...")
	}
	return keys
}

// describeModel describes how the user named the model, and its context window.
func (d *Report) describeModel() string {
	text := ""
	switch {
	case d.Asked != d.Model && d.Named != "":
		text = " (for " + strconv.Quote(d.Asked) + " from " + d.Named + ")"
	case d.Asked != d.Model:
		text = " (for " + strconv.Quote(d.Asked) + ")"
	case d.Named != "":
		text = " (from " + d.Named + ")"
	}
	if d.Window > 0 {
		text += ", context window " + wording.Tokens(d.Window) + " tokens"
	}
	return text
}

// writeProviders prints the providers that are set up, then the others: all if layout says so,
// else the everyday ones if no provider is set up, and the number of the rest.
func (d *Report) writeProviders(w io.Writer, layout Layout) {
	d.writeProviderTable(w, layout, "Set up, in order of precedence:", func(r *providerReport) (string, bool) {
		text := r.From
		switch {
		case r.IsGateway && r.From == r.variable:
			text = "gateway at " + r.Address + ", no key"
		case r.IsGateway:
			text = "gateway at " + r.Address + ", key in " + r.From
		case r.Address != "" && r.Address != r.From:
			text += " at " + r.Address
		}
		if r.State == "used" || r.State == "found" {
			text += " (" + r.State + ")"
		}
		return text, r.From != ""
	})
	everyday, hidden := append(auth.EverydayProviders(), "ollama"), 0
	d.writeProviderTable(w, layout, "Not set up, with what each needs:", func(r *providerReport) (string, bool) {
		if r.State == "missing" && !layout.All && (d.Default != "" || !slices.Contains(everyday, r.ID)) {
			hidden++
			return "", false
		}
		return r.Needs, r.State == "missing"
	})
	switch {
	case hidden > 0 && d.Default != "":
		fmt.Fprintf(w, "\n  %d more providers are not set up: pollux doctor --all\n", hidden)
	case hidden > 0:
		fmt.Fprintf(w, "    and %d more: pollux doctor --all\n", hidden)
	}
}

// writeProviderTable prints a heading and the providers that belong under it. about returns
// the text for a provider, and whether it belongs there.
func (d *Report) writeProviderTable(w io.Writer, layout Layout, heading string, about func(*providerReport) (string, bool)) {
	const indent = "    "
	var rows [][]string
	for i := range d.Providers {
		r := &d.Providers[i]
		if text, belongs := about(r); belongs {
			rows = append(rows, []string{terminal.Line(r.ID), terminal.Line(r.Name), d.text(text)})
		}
	}
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", terminal.Hang("  ", heading, layout.Width))
	width := layout.Width
	if width > 0 {
		width -= len(indent)
	}
	for line := range strings.Lines(terminal.Table(nil, rows, width)) {
		io.WriteString(w, indent+line) // writing to memory cannot fail
	}
}
