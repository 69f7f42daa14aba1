package assembly

import (
	"context"
	"sync"

	"pollux/agent/route"
	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/failover"
	"pollux/internal/modelconfig"
	"pollux/internal/models"
	"pollux/internal/person"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/shellcmd"
	"pollux/llm"
	"pollux/llm/argmap"
	"pollux/llm/catalog"
	"pollux/llm/fallback"
	"pollux/llm/foreign"
	"pollux/llm/replay"
	"pollux/llm/texttool"
)

// Source is where the answers of models come from, if not from the user's providers.
type Source struct {
	// Generator, if not nil, is the model.
	Generator llm.Generator
	// Replay is a file of recorded answers that are played, in their order unless InAnyOrder is set; "" for none.
	Replay     string
	InAnyOrder bool
	// Unreachable, if not nil, is why no model can be asked.
	Unreachable error
}

// Models settles whose models are asked, and which one answers the user.
func Models(ctx context.Context, p *project.Project, from Source, sessionID string) (*models.Directory, error) {
	o := modelOptions(p)
	switch {
	case from.Unreachable != nil:
		return models.Unavailable(from.Unreachable, o), nil
	case from.Generator != nil:
		return models.ForGenerator(from.Generator, o)
	case from.Replay != "":
		player, err := replay.Open(from.Replay, !from.InAnyOrder)
		if err != nil {
			return nil, exit.Errorf(exit.Input, "cannot replay responses: %w", err)
		}
		return models.ForGenerator(player, o)
	}
	in := p.AuthInputs(ctx)
	in.Warn, in.Interactive, in.Typed = p.Warn, p.Options.Interactive, p.NewKeys()
	accounts, err := auth.Open(in)
	if err != nil {
		return nil, err
	}
	return OpenModels(ctx, p, accounts, sessionID, false)
}

// OpenModels returns the models of these accounts, as a session with this setup has
// them. isOffline forbids to ask providers for their models; see [models.Options].
func OpenModels(ctx context.Context, p *project.Project, accounts *auth.Accounts, sessionID string, isOffline bool) (*models.Directory, error) {
	n := accounts.Network
	n.UserAgent, n.Session, n.Log = p.UserAgentHeader(), sessionID, p.Log
	o := modelOptions(p)
	o.Offline = isOffline
	return models.Open(ctx, accounts, n, o)
}

func modelOptions(p *project.Project) models.Options {
	return models.Options{Settings: p.Settings(), Requested: p.Model, IsExplicit: p.Named, IsSetting: p.IsModelSetting(), Warn: p.Warn}
}

// WithStandIns returns the model g such that others are asked where it cannot answer.
// A person decides about failures that the chains leave to them; nil is for no one.
func WithStandIns(p *project.Project, m *models.Directory, g llm.Generator, isPlanning func() bool, who person.Asker) *fallback.Generator {
	o := fallback.Options{
		Chain:  Chains(p, m, isPlanning),
		Config: func(model string) llm.Config { return m.ChatConfig(model, false) },
		Window: func(model string) int { return m.Describe(model).Input },
	}
	if who != nil {
		o.Handler = failover.Handler(who)
	}
	return fallback.Wrap(g, o)
}

// Chains returns the function that lists who stands in for a model: those that the
// user has listed, for all models, else those of its chain. Which one that is may
// depend on whether the session is planning just then.
func Chains(p *project.Project, m *models.Directory, isPlanning func() bool) func(model string) fallback.Chain {
	if listed := m.ResolveFallbacks(config.Fallback.In(p.Settings()), p.Warn); len(listed) > 0 {
		return func(model string) fallback.Chain { return fallback.SilentChain(append([]string{model}, listed...)...) }
	}
	resolve := func(name string) (string, error) { return m.Resolve(m.StandIn(name)) }
	chains := fallback.Chains{
		IsHeadless: !p.Options.Interactive,
		Custom:     modelconfig.Chains(p.Settings(), resolve, p.Warn),
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

// WithToolCalls returns the model g such that it calls tools as they expect: for a
// model that has no tool calling, calls are read from its text; the names of
// arguments that models get wrong are corrected, and calls of other programs' tools replaced. The options hold the known facts about the session.
func WithToolCalls(p *project.Project, m *models.Directory, g llm.Generator, options texttool.Options) llm.Generator {
	options.Log = func(model, message string) { p.Log.Debug(message, "model", model) }
	options.InMessage, options.DropText = config.TextInMessage.In(p.Settings()), !config.TextKept.In(p.Settings())
	hasCalled := options.HasCalled
	options.HasCalled = func(model string) bool {
		return m.ReturnsCalls(model) || hasCalled != nil && hasCalled(model)
	}
	switch config.ToolCalling.In(p.Settings()) {
	case "text":
		g = texttool.Wrap(g, options)
	case "auto":
		options.Always = func(model string) bool { return m.Describe(model).Tools == catalog.No }
		g = texttool.AsNeeded(g, options)
	}
	var rules []argmap.Rule
	if err := config.ToolMappings.Decode(p.Settings(), &rules); err != nil {
		p.Warn("Warning: Ignoring pollux.toolMappings: " + err.Error())
	}
	names := func(model string) argmap.Names {
		own := argmap.Names(nil)
		if account, name, ok := m.Provider(model); ok {
			own = argmap.Lookup(rules, name, account.BaseURL)
		}
		return argmap.Common().Merge(own)
	}
	g = argmap.Wrap(g, names, p.Paths.Dir())
	hasProgram := sync.OnceValue(func() bool {
		return process.Finder{Path: p.Env().User().Get("PATH")}.Find("apply_patch") != ""
	})
	return foreign.Wrap(g, foreign.Options{Names: names, Join: shellcmd.Join, Patch: func(command string) (text, dir, rest string, found bool) {
		p, found := shellcmd.Patch(command)
		if found && hasProgram() {
			return "", "", "", false
		}
		return p.Text, p.Dir, p.Rest, found
	}})
}
