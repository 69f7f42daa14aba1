package app

import (
	"cmp"
	"net/url"

	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/llm"
	"pollux/llm/anthropic"
	"pollux/llm/argmap"
	"pollux/llm/catalog"
	"pollux/llm/gemini"
	"pollux/llm/openai"
	"pollux/llm/replay"
	"pollux/llm/retry"
	"pollux/llm/texttool"
)

// generator stacks the model: what is asked goes from the outside in, so that
// a recording holds what the agent saw and each attempt is counted.
func (a *App) generator(o Options) (llm.Generator, error) {
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
		client, err := a.client(o)
		if err != nil {
			return nil, err
		}
		g = retry.Wrap(a.Stats.Meter(logged(client, o.Log)), retry.Options{
			MaxAttempts: config.MaxAttempts.In(o.Settings),
			FetchErrors: config.RetryFetchErrors.In(o.Settings),
		})
		if g, err = a.withTools(o, g); err != nil {
			return nil, err
		}
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

// withTools makes a model's tool calls what the tools expect: for a model that
// can make none it reads them from its words, and it mends the names of
// arguments that models get wrong.
func (a *App) withTools(o Options, g llm.Generator) (llm.Generator, error) {
	switch config.ToolCalling.In(o.Settings) {
	case "text":
		g = texttool.Wrap(g, texttool.Options{})
	case "auto":
		g = texttool.AsNeeded(g, texttool.Options{})
	}
	var rules []argmap.Rule
	if err := config.ToolMappings.Decode(o.Settings, &rules); err != nil {
		o.Warn("Warning: pollux.toolMappings cannot be used: " + err.Error())
	}
	model, err := a.model(o)
	if err != nil {
		return nil, err
	}
	names := argmap.Common().Merge(argmap.Lookup(rules, model, a.Auth.BaseURL))
	return argmap.Wrap(g, names, o.Paths.Dir()), nil
}

// client makes the client of the vendor that the user's credentials are for.
func (a *App) client(o Options) (llm.Generator, error) {
	choice, err := auth.Choose(auth.Inputs{Settings: o.Settings, Env: o.Env})
	if err != nil {
		return nil, err
	}
	a.Auth = choice
	var proxy *url.URL
	if choice.Proxy != "" {
		if proxy, err = url.Parse(choice.Proxy); err != nil {
			return nil, exit.Errorf(exit.Auth, "the proxy address cannot be used: correct HTTPS_PROXY or HTTP_PROXY")
		}
	}
	var client llm.Generator
	switch choice.Type {
	case auth.OpenAI:
		client, err = openai.New(openai.Options{
			APIKey:    choice.APIKey,
			BaseURL:   choice.BaseURL,
			Header:    choice.Headers,
			UserAgent: o.UserAgent,
			Proxy:     proxy, NoProxy: choice.NoProxy, RootCAs: choice.CAFiles,
			Log: func(message string) { o.Log.Debug(message) },
		})
	case auth.Anthropic:
		client, err = anthropic.New(anthropic.Options{
			APIKey:    choice.APIKey,
			AuthToken: choice.AuthToken,
			BaseURL:   choice.BaseURL,
			Header:    choice.Headers,
			UserAgent: o.UserAgent,
			Proxy:     proxy, NoProxy: choice.NoProxy, RootCAs: choice.CAFiles,
			Log: o.Log,
		})
	default:
		options := gemini.Options{
			APIKey:     choice.APIKey,
			Bearer:     choice.Bearer,
			Gateway:    choice.Type == auth.Gateway,
			BaseURL:    choice.BaseURL,
			APIVersion: choice.APIVersion,
			Header:     choice.Headers,
			UserAgent:  o.UserAgent,
			Proxy:      proxy, NoProxy: choice.NoProxy, RootCAs: choice.CAFiles,
		}
		if choice.Type == auth.VertexAI {
			options.Vertex = &gemini.Vertex{Project: choice.Vertex.Project, Location: choice.Vertex.Location}
		}
		client, err = gemini.New(options)
	}
	if err != nil {
		return nil, exit.Errorf(exit.Auth, "%w", err)
	}
	return discreet(client, cmp.Or(choice.APIKey, choice.AuthToken)), nil
}

// model returns the model that a name stands for with the user's vendor.
func (a *App) model(o Options) (string, error) {
	access := catalog.KeyAccess()
	if a.Auth.Type == auth.Gateway {
		access = catalog.GatewayAccess()
	}
	name := catalog.Resolve(o.Model, access)
	if a.Auth.Type != auth.OpenAI && a.Auth.Type != auth.Anthropic || !catalog.IsGemini(name) {
		return name, nil
	}
	// Gemini's names and aliases, which settings are full of, mean nothing here.
	if a.Auth.Model == "" {
		return "", exit.Errorf(exit.Input, "No model is named for %s. Name one with --model or OPENAI_MODEL.", a.Auth.BaseURL)
	}
	return a.Auth.Model, nil
}
