package session

import (
	"context"
	"time"

	"pollux/agent"
	"pollux/agent/route"
	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/policy"
	"pollux/internal/modelconfig"
	"pollux/internal/models"
	"pollux/llm"
	"pollux/llm/argmap"
	"pollux/llm/catalog"
	"pollux/llm/fallback"
	"pollux/llm/replay"
	"pollux/llm/retry"
	"pollux/llm/texttool"
)

// openModels settles whose models are asked, and which one answers the user.
func (s *Session) openModels(ctx context.Context, unreachable error) (*models.Directory, error) {
	o := s.modelOptions()
	switch {
	case unreachable != nil:
		return models.Unavailable(unreachable, o), nil
	case s.Generator != nil:
		return models.ForGenerator(s.Generator, o)
	case s.Replay != "":
		player, err := replay.Open(s.Replay, !s.ReplayAnyOrder)
		if err != nil {
			return nil, exit.Errorf(exit.Input, "cannot replay responses: %w", err)
		}
		return models.ForGenerator(player, o)
	}
	accounts, err := auth.Open(auth.Inputs{Settings: s.Settings, Env: s.Env, Launcher: s.Launcher, Warn: s.Warn, Context: ctx, Interactive: s.Interactive, Typed: s.newKeys})
	if err != nil {
		return nil, err
	}
	return s.OpenModels(ctx, accounts)
}

// OpenModels returns the models of these accounts, as a session with this setup has
// them.
func (p *Setup) OpenModels(ctx context.Context, accounts *auth.Accounts) (*models.Directory, error) {
	n := accounts.Network
	n.UserAgent, n.Session, n.Log = p.UserAgentHeader(), p.SessionID, p.Log
	return models.Open(ctx, accounts, n, p.modelOptions())
}

func (p *Setup) modelOptions() models.Options {
	return models.Options{Settings: p.Settings, Requested: p.Model, IsExplicit: p.Named, IsSetting: p.isModelSetting(), Warn: p.Warn}
}

// price returns what a model costs, nil if that is not known.
func (s *Session) price(model string) *catalog.Price {
	if !s.models.HasProvider() {
		return nil
	}
	return s.models.Describe(model).Price
}

// ListPrice returns the list price of a model by its name in a session file, nil if it is unknown.
func (s *Session) ListPrice(model string) *catalog.Price { return s.models.Price(model) }

// generator stacks the model. What is asked goes from the outside in, so that a
// recording holds what the agent saw, and each attempt is counted.
func (s *Session) generator() (llm.Generator, error) {
	if s.Reachable() != nil {
		return s.models, nil
	}
	g := s.observed(s.models)
	if s.models.HasProvider() {
		g = retry.Wrap(g, retry.Options{
			MaxAttempts: config.MaxAttempts.In(s.Settings),
			FetchErrors: config.RetryFetchErrors.In(s.Settings),
			// 0 would be the default of the package.
			InitialDelay: max(1, time.Duration(config.RetryDelay.In(s.Settings)*float64(time.Second))),
		})
		s.fallback = s.WithStandIns(s.models, s.WithToolCalls(s.models, g, texttool.Options{Given: s.given, HasCalled: s.hasCalled}), s.isPlanning)
		g = s.fallback
	}
	if s.Record == "" {
		return g, nil
	}
	recorder, err := replay.Record(g, s.Record)
	if err != nil {
		return nil, exit.Errorf(exit.Input, "cannot record responses: %w", err)
	}
	s.closers = append(s.closers, func() { _ = recorder.Close() }) // every line is on disk already
	return recorder, nil
}

func (s *Session) isPlanning() bool { return s.policy.Mode() == policy.Plan }

// WithStandIns returns the model g such that others are asked where it cannot answer.
func (p *Setup) WithStandIns(m *models.Directory, g llm.Generator, isPlanning func() bool) *fallback.Generator {
	return fallback.Wrap(g, fallback.Options{
		Chain:  p.Chains(m, isPlanning),
		Config: func(model string) llm.Config { return m.ChatConfig(model, false) },
	})
}

// Chains returns the function that lists who stands in for a model: those that the
// user has listed, for all models, else those of its chain. Which one that is may
// depend on whether the session is planning just then.
func (p *Setup) Chains(m *models.Directory, isPlanning func() bool) func(model string) fallback.Chain {
	if listed := m.ResolveFallbacks(config.Fallback.In(p.Settings), p.Warn); len(listed) > 0 {
		return func(model string) fallback.Chain { return fallback.SilentChain(append([]string{model}, listed...)...) }
	}
	resolve := func(name string) (string, error) { return m.Resolve(m.StandIn(name)) }
	chains := fallback.Chains{
		IsHeadless: !p.Interactive,
		Custom:     modelconfig.Chains(p.Settings, resolve, p.Warn),
	}
	return func(model string) fallback.Chain {
		these := chains
		if now := m.Current(); m.IsGoogle() {
			these.Google = new(now.Account.Gemini())
			_, these.IsAuto = route.AutoChoice(now.Requested, *these.Google)
		}
		these.IsPlanning = isPlanning()
		return these.ForModel(model)
	}
}

// router picks the model for each prompt; nil where there is nothing to pick from. current returns the
// model that the user has chosen.
func (s *Session) router(g llm.Generator, current func() models.Current) agent.Router {
	if !s.models.HasProvider() {
		return nil
	}
	options := route.Options{
		Select: s.fallback.Select, Generator: g, ResolveModel: s.models.UtilityConfig,
		Threshold: config.RoutingThreshold.In(s.Settings), Binary: config.RoutingBinary.In(s.Settings),
		OnDecision: s.recordRoute,
	}
	when := config.Routing.In(s.Settings)
	options.Auto = func() (route.Choice, bool) {
		now := current()
		if !s.models.IsGoogle() {
			return route.Choice{}, false
		}
		choice, auto := route.AutoChoice(now.Requested, now.Account.Gemini())
		choice.UseClassifier = when == "always" || when == "named" && now.IsExplicit
		return choice, auto
	}
	if config.PlanModelRouting.In(s.Settings) {
		options.Stage = s.planStage
	}
	return route.New(options)
}

// WithToolCalls returns the model g such that it calls tools as they expect: for a
// model that has no tool calling, calls are read from its text, and the names of
// arguments that models get wrong are corrected. The options say what is known of the session.
func (p *Setup) WithToolCalls(m *models.Directory, g llm.Generator, options texttool.Options) llm.Generator {
	options.Log = func(model, message string) { p.Log.Debug(message, "model", model) }
	hasCalled := options.HasCalled
	options.HasCalled = func(model string) bool {
		return m.ReturnsCalls(model) || hasCalled != nil && hasCalled(model)
	}
	switch config.ToolCalling.In(p.Settings) {
	case "text":
		g = texttool.Wrap(g, options)
	case "auto":
		options.Always = func(model string) bool { return m.Describe(model).Tools == catalog.No }
		g = texttool.AsNeeded(g, options)
	}
	var rules []argmap.Rule
	if err := config.ToolMappings.Decode(p.Settings, &rules); err != nil {
		p.Warn("Warning: Ignoring pollux.toolMappings: " + err.Error())
	}
	return argmap.Wrap(g, func(model string) argmap.Names {
		own := argmap.Names(nil)
		if account, name, ok := m.Provider(model); ok {
			own = argmap.Lookup(rules, name, account.BaseURL)
		}
		return argmap.Common().Merge(own)
	}, p.Paths.Dir())
}
