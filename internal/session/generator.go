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
	"pollux/internal/models"
	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/replay"
	"pollux/llm/retry"
	"pollux/llm/texttool"
)

// openModels settles whose models are asked, and which one answers the user.
func (s *Session) openModels(ctx context.Context, unreachable error) (*models.Directory, error) {
	o := s.Setup.modelOptions()
	switch {
	case unreachable != nil:
		return models.Unavailable(unreachable, o), nil
	case s.options.Generator != nil:
		return models.ForGenerator(s.options.Generator, o)
	case s.options.Replay != "":
		player, err := replay.Open(s.options.Replay, !s.options.ReplayAnyOrder)
		if err != nil {
			return nil, exit.Errorf(exit.Input, "cannot replay responses: %w", err)
		}
		return models.ForGenerator(player, o)
	}
	accounts, err := auth.Open(auth.Inputs{Settings: s.Setup.Settings, Env: s.Setup.Env, Warn: s.Setup.Options.Warn, Context: ctx, Interactive: s.Setup.Options.Interactive, Typed: s.Setup.newKeys})
	if err != nil {
		return nil, err
	}
	return s.Setup.OpenModels(ctx, accounts, s.Record.SessionID())
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
			MaxAttempts: config.MaxAttempts.In(s.Setup.Settings),
			FetchErrors: config.RetryFetchErrors.In(s.Setup.Settings),
			// 0 would be the default of the package.
			InitialDelay: max(1, time.Duration(config.RetryDelay.In(s.Setup.Settings)*float64(time.Second))),
		})
		s.fallback = s.Setup.WithStandIns(s.models, s.Setup.WithToolCalls(s.models, g, texttool.Options{Given: s.given, HasCalled: s.hasCalled}), s.isPlanning)
		g = s.fallback
	}
	if s.options.Record == "" {
		return g, nil
	}
	recorder, err := replay.Record(g, s.options.Record)
	if err != nil {
		return nil, exit.Errorf(exit.Input, "cannot record responses: %w", err)
	}
	s.closers = append(s.closers, func() { _ = recorder.Close() }) // every line is on disk already
	return recorder, nil
}

func (s *Session) isPlanning() bool { return s.policy.Mode() == policy.Plan }

// router picks the model for each prompt; nil where there is nothing to pick from. current returns the
// model that the user has chosen.
func (s *Session) router(g llm.Generator, current func() models.Current) agent.Router {
	if !s.models.HasProvider() {
		return nil
	}
	options := route.Options{
		Select: s.fallback.Select, Generator: g, ResolveModel: s.models.UtilityConfig,
		Threshold: config.RoutingThreshold.In(s.Setup.Settings), Binary: config.RoutingBinary.In(s.Setup.Settings),
		OnDecision: s.recordRoute,
	}
	when := config.Routing.In(s.Setup.Settings)
	options.Auto = func() (route.Choice, bool) {
		now := current()
		if !s.models.IsGoogle() {
			return route.Choice{}, false
		}
		choice, auto := route.AutoChoice(now.Requested, now.Account.Gemini())
		choice.UseClassifier = when == "always" || when == "named" && now.IsExplicit
		return choice, auto
	}
	if config.PlanModelRouting.In(s.Setup.Settings) {
		options.Stage = s.planStage
	}
	return route.New(options)
}
