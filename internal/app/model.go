package app

import (
	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/llm"
	"pollux/llm/argmap"
	"pollux/llm/catalog"
	"pollux/llm/fallback"
	"pollux/llm/replay"
	"pollux/llm/retry"
	"pollux/llm/texttool"
)

// generator stacks the model: what is asked goes from the outside in, so that
// a recording holds what the agent saw and each attempt is counted.
func (a *App) generator(o Options) (llm.Generator, error) {
	a.Model = catalog.Resolve(o.Model, catalog.KeyAccess())
	var g llm.Generator
	switch {
	case o.Generator != nil:
		g = a.Stats.Meter(logged(o.Generator, o.Log))
	case o.Replay != "":
		player, err := replay.Open(o.Replay, !o.ReplayAnyOrder)
		if err != nil {
			return nil, exit.Errorf(exit.Input, "cannot play answers: %w", err)
		}
		g = a.Stats.Meter(logged(player, o.Log))
	default:
		if err := a.connect(o); err != nil {
			return nil, err
		}
		g = retry.Wrap(a.Stats.Meter(logged(a.models, o.Log)), retry.Options{
			MaxAttempts: config.MaxAttempts.In(o.Settings),
			FetchErrors: config.RetryFetchErrors.In(o.Settings),
		})
		g = a.withFallback(o, a.withTools(o, g))
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

// connect settles whose model is asked, and which.
func (a *App) connect(o Options) error {
	accounts, err := auth.Open(auth.Inputs{Settings: o.Settings, Env: o.Env, Warn: o.Warn})
	if err != nil {
		return err
	}
	if err := discover(accounts, o.Model, o.Warn); err != nil {
		return err
	}
	a.models = newModels(accounts, o.UserAgent, o.Log)
	name, main, err := a.models.main(o.Model)
	if err != nil {
		return err
	}
	a.Model, a.Auth = name, main.account
	a.Stats.Price = func(model string) *catalog.Price { return a.models.describe(model).Price }
	return nil
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

// withFallback asks the models that the user has named for it where one cannot
// answer. A name that means no model that can be reached is left out.
func (a *App) withFallback(o Options, g llm.Generator) llm.Generator {
	var chain []string
	for _, name := range config.Fallback.In(o.Settings) {
		if outward, _, err := a.models.main(name); err != nil {
			o.Warn("Warning: pollux.fallback: " + name + " is left out: " + err.Error())
		} else {
			chain = append(chain, outward)
		}
	}
	if len(chain) == 0 {
		return g
	}
	return fallback.Wrap(g, fallback.Options{
		Chain:  func(string) []string { return chain },
		Config: func(model string) llm.Config { return catalog.ChatConfig(model) },
	})
}
