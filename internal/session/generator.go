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
	o := modelOptions(s.Project)
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
	accounts, err := auth.Open(auth.Inputs{Settings: s.Project.Settings(), Env: s.Project.Env, Launcher: s.Project.Launcher, Warn: s.Project.Warn, Context: ctx, Interactive: s.Project.Options.Interactive, Typed: s.Project.NewKeys})
	if err != nil {
		return nil, err
	}
	return OpenModels(ctx, s.Project, accounts, s.Record.SessionID())
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
			MaxAttempts: config.MaxAttempts.In(s.Project.Settings()),
			FetchErrors: config.RetryFetchErrors.In(s.Project.Settings()),
			// 0 would be the default of the package.
			InitialDelay: max(1, time.Duration(config.RetryDelay.In(s.Project.Settings())*float64(time.Second))),
		})
		s.fallback = WithStandIns(s.Project, s.models, WithToolCalls(s.Project, s.models, g, texttool.Options{Given: s.given, HasCalled: s.hasCalled}), s.isPlanning)
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
		Threshold: config.RoutingThreshold.In(s.Project.Settings()), Binary: config.RoutingBinary.In(s.Project.Settings()),
		OnDecision: s.recordRoute,
	}
	when := config.Routing.In(s.Project.Settings())
	options.Auto = func() (route.Choice, bool) {
		now := current()
		if !s.models.IsGoogle() {
			return route.Choice{}, false
		}
		choice, auto := route.AutoChoice(now.Requested, now.Account.Gemini())
		choice.UseClassifier = when == "always" || when == "named" && now.IsExplicit
		return choice, auto
	}
	if config.PlanModelRouting.In(s.Project.Settings()) {
		options.Stage = s.planStage
	}
	return route.New(options)
}
