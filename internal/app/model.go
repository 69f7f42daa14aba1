package app

import (
	"context"
	"strings"

	"pollux/agent"
	"pollux/agent/route"
	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/policy"
	"pollux/internal/modelconfig"
	"pollux/internal/stats"
	"pollux/llm"
	"pollux/llm/argmap"
	"pollux/llm/catalog"
	"pollux/llm/fallback"
	"pollux/llm/provider"
	"pollux/llm/replay"
	"pollux/llm/retry"
	"pollux/llm/texttool"
)

// generator stacks the model: what is asked goes from the outside in, so that
// a recording holds what the agent saw and each attempt is counted.
func (a *App) generator(ctx context.Context, o Options) (g llm.Generator, err error) {
	a.configure(o)
	switch {
	case o.Unreachable != nil:
		a.startTelemetry(o)
		g = unreachable{o.Unreachable}
		a.change(func(n *now) { n.model = o.Model })
	case o.Generator != nil:
		g = a.attempts(o, o.Generator)
		err = a.name(o.Model)
	case o.Replay != "":
		player, wrong := replay.Open(o.Replay, !o.ReplayAnyOrder)
		if wrong != nil {
			return nil, exit.Errorf(exit.Input, "cannot play answers: %w", wrong)
		}
		g = a.attempts(o, player)
		err = a.name(o.Model)
	default:
		if err = a.connect(ctx, o); err == nil {
			g = a.asked(o)
		}
	}
	if err != nil {
		return nil, err
	}
	if o.Record != "" {
		recorder, err := replay.Record(g, o.Record)
		if err != nil {
			return nil, exit.Errorf(exit.Input, "cannot record answers: %w", err)
		}
		a.closers = append(a.closers, func() { _ = recorder.Close() }) // every line is on disk already
		g = recorder
	}
	return g, nil
}

// name settles the model where it is not for accounts to say who has it.
func (a *App) name(model string) error {
	name, err := a.configs.Model(model)
	a.change(func(n *now) { n.model = name })
	return err
}

// configure reads how models are to be asked.
func (a *App) configure(o Options) {
	a.configs = modelconfig.New(o.Settings, modelconfig.Options{
		Resolve: a.named, Hosted: a.hosts, Defaults: a.usual, Warn: o.Warn,
	})
}

// asked is the stack above models that are really asked.
func (a *App) asked(o Options) llm.Generator {
	g := llm.Generator(retry.Wrap(a.attempts(o, a.models), retry.Options{
		MaxAttempts: config.MaxAttempts.In(o.Settings),
		FetchErrors: config.RetryFetchErrors.In(o.Settings),
	}))
	a.Fallback = a.withStandIns(o, a.withTools(o, g), func() bool { return a.modes.engine.Mode() == policy.Plan })
	return a.Fallback
}

// withStandIns asks others where a model cannot answer.
func (a *App) withStandIns(o Options, g llm.Generator, planning func() bool) *fallback.Generator {
	return fallback.Wrap(g, fallback.Options{
		Chain:  a.chains(o, planning),
		Config: func(model string) llm.Config { return a.configs.Chat(model, false) },
	})
}

// chains says who stands in for a model: those that the user has listed, for all
// models, else those of its chain. Which one that is may depend on whether the
// session is planning just then.
func (a *App) chains(o Options, planning func() bool) func(model string) fallback.Chain {
	if listed := a.models.listed(o.Settings, func(text string) { o.Warn("Warning: " + text) }); len(listed) > 0 {
		return func(model string) fallback.Chain { return fallback.Quiet(append([]string{model}, listed...)...) }
	}
	chains := fallback.Chains{
		Alone: !o.Interactive,
		Own:   modelconfig.Chains(o.Settings, a.named, o.Warn),
	}
	return func(model string) fallback.Chain {
		these := chains
		if a.google() {
			these.Google = new(a.Auth().Gemini())
			_, these.Auto = route.Between(a.options.Model, *these.Google)
		}
		these.Plan = planning()
		return these.Of(model)
	}
}

// google reports whether it is Google that answers the user.
func (a *App) google() bool {
	protocol := a.Auth().Protocol
	return a.models != nil && (protocol == provider.Gemini || protocol == provider.Vertex)
}

// router picks the model for each prompt; nil where there is nothing to pick from.
func (a *App) router(o Options, g llm.Generator) agent.Router {
	if a.models == nil {
		return nil
	}
	options := route.Options{
		Select: a.Fallback.Select, Generator: g, Which: a.configs.Utility,
		Threshold: config.RoutingThreshold.In(o.Settings), Binary: config.RoutingBinary.In(o.Settings),
		Decided: a.routed(o),
	}
	when := config.Routing.In(o.Settings)
	options.Auto = func() (route.Choice, bool) {
		if !a.google() {
			return route.Choice{}, false
		}
		choice, auto := route.Between(a.options.Model, a.Auth().Gemini())
		choice.Judge = when == "always" || when == "named" && a.options.Named
		return choice, auto
	}
	if config.PlanModelRouting.In(o.Settings) {
		options.Stage = a.modes.stage
	}
	return route.New(options)
}

// connect settles whose model is asked, and which.
func (a *App) connect(ctx context.Context, o Options) error {
	accounts, err := auth.Open(auth.Inputs{Settings: o.Settings, Env: o.Env, Warn: o.Warn, Context: ctx, Person: o.Interactive})
	if err != nil {
		return err
	}
	return a.settle(ctx, accounts, o)
}

// settle does so with accounts that are open.
func (a *App) settle(ctx context.Context, accounts *auth.Accounts, o Options) error {
	if err := discover(ctx, accounts, o.Model, o.Warn); err != nil {
		return err
	}
	n := accounts.Network
	n.UserAgent, n.Session, n.Log = o.UserAgent, o.SessionID, o.Log
	a.models = newModels(ctx, accounts, n)
	name, err := a.configs.Model(o.Model)
	if err != nil {
		return err
	}
	main, err := a.models.find(name)
	if err != nil {
		return err
	}
	a.change(func(n *now) { n.model, n.account = name, main.account })
	a.Stats.Price = func(model string) *catalog.Price { return a.models.describe(model).Price }
	return nil
}

// Chosen is what a run would ask.
type Chosen struct {
	Account auth.Account
	Model   string
	Known   catalog.Model
	// Fallback is what it would ask where that one cannot answer.
	Fallback []string
}

// Choose settles which model a run with these options would ask, as [New] does. What
// does not count of the settings it tells to o.Warn.
func Choose(ctx context.Context, accounts *auth.Accounts, o Options) (Chosen, error) {
	a := &App{Stats: stats.New(), options: o}
	a.configure(o)
	if err := a.settle(ctx, accounts, o); err != nil {
		return Chosen{}, err
	}
	model := a.Model()
	c := Chosen{Account: a.Auth(), Model: model, Known: a.describe(model)}
	for _, policy := range a.chains(o, func() bool { return o.Mode == policy.Plan })(model) {
		if policy.Model != model {
			c.Fallback = append(c.Fallback, policy.Model)
		}
	}
	return c, nil
}

// named returns the model that is asked where the user, or one of Pollux's own
// questions, names this one. Those questions are written for Gemini's models: a
// quick one's part is taken by the small model of whoever answers the user.
func (a *App) named(name string) (string, error) {
	if a.models == nil { // answers are played from a file
		return catalog.Resolve(name, catalog.KeyAccess()), nil
	}
	model, account := a.Model(), a.Auth()
	ours := model != "" && !a.choosing.Load()
	if ours && account.SmallModel != "" && !catalog.IsGemini(model) && strings.Contains(name, "flash") {
		name = account.As + "/" + account.SmallModel
	}
	outward, _, err := a.models.main(name)
	return outward, err
}

// usual returns how a model is asked where nobody has set anything. Outside of
// Google a model that is not known is somebody's own: its server has the sampling
// that its author chose.
func (a *App) usual(name string) llm.Config {
	c := catalog.ChatConfig(name)
	if a.models == nil || catalog.IsGemini(name) {
		return c
	}
	if m, err := a.models.find(name); err == nil && m.account.Protocol != provider.Gemini && m.account.Protocol != provider.Vertex {
		c.Temperature, c.TopP, c.TopK = nil, nil, nil
	}
	return c
}

// hosts reports whether who serves a model searches the web for it.
func (a *App) hosts(name string) bool {
	if a.models == nil {
		return catalog.IsGemini(name)
	}
	m, err := a.models.find(name)
	return err == nil && (m.account.Protocol == provider.Gemini || m.account.Protocol == provider.Vertex) && catalog.IsGemini(name)
}

// describe returns what is known of a model, by the name in requests.
func (a *App) describe(name string) catalog.Model {
	if a.models == nil {
		return catalog.Lookup(name)
	}
	return a.models.describe(name)
}

// withTools makes a model's tool calls what the tools expect: for a model that
// can make none it reads them from its words, and it mends the names of
// arguments that models get wrong.
func (a *App) withTools(o Options, g llm.Generator) llm.Generator {
	options := texttool.Options{
		Log: func(model, message string) { o.Log.Debug(message, "model", model) },
	}
	switch config.ToolCalling.In(o.Settings) {
	case "text":
		g = texttool.Wrap(g, options)
	case "auto":
		options.Always = func(model string) bool { return a.models.describe(model).Tools == catalog.No }
		g = texttool.AsNeeded(g, options)
	}
	var rules []argmap.Rule
	if err := config.ToolMappings.Decode(o.Settings, &rules); err != nil {
		o.Warn("Warning: pollux.toolMappings cannot be used: " + err.Error())
	}
	return argmap.Wrap(g, func(name string) argmap.Names {
		own := argmap.Names(nil)
		if m, err := a.models.find(name); err == nil {
			own = argmap.Lookup(rules, m.name, m.account.BaseURL)
		}
		return argmap.Common().Merge(own)
	}, o.Paths.Dir())
}
