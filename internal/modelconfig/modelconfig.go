// Package modelconfig determines how to request a model: which model, at which temperature,
// with how much thinking and output.
//
// A configuration is made of aliases, which extend each other, and overrides, which match
// requests. There are built-in ones; the modelConfigs setting adds to them or replaces them.
// For a vendor other than Google, an alias keeps its settings, but the vendor's own model is
// used, and settings that are only recommended for Gemini are replaced by those of
// [pollux/llm/catalog.ChatConfig] for the model.
package modelconfig

import (
	"fmt"
	"sync"

	"pollux/internal/config"
	"pollux/llm"
	"pollux/llm/catalog"
)

// Options configure a [Resolver].
type Options struct {
	// Resolve returns the model to request for a name in a configuration or from the user,
	// such as "flash-lite", "gemini-3-pro-preview" or "auto"; a name that can be requested is
	// returned unchanged. It is called once for a name unless it fails, possibly from several
	// goroutines. Its errors are returned unchanged. nil leaves names unchanged.
	Resolve func(name string) (string, error)
	// StandIn returns the name to use in place of one that the user has not chosen for the
	// conversation, such as a provider's own small model for a quick one. nil leaves names
	// unchanged.
	StandIn func(name string) string
	// RunsHostedTools reports whether the provider of a model runs the googleSearch and urlContext
	// tools. For other models they are removed from requests. nil means only Gemini models.
	RunsHostedTools func(model string) bool
	// Defaults returns the configuration of a chat with a model without user settings; nil
	// means [catalog.ChatConfig].
	Defaults func(model string) llm.Config
	// Warn is called for each problem with the settings, with one line of text; nil ignores
	// them.
	Warn func(string)
}

// Resolver determines the configurations of one session. It is safe for concurrent use.
type Resolver struct {
	o Options

	idle      bool              // there are no user settings
	aliases   map[string]*alias // replace the built-in ones unless nil
	custom    map[string]*alias
	overrides []*override

	mu     sync.Mutex
	names  map[string]string // cached results of resolve
	chosen map[string]string // the name that the user chose, by model, if it differs
	warned map[string]bool   // warnings that were already given
}

// New returns a resolver for the user's settings; nil means none. Invalid settings are
// reported to o.Warn and ignored.
func New(s *config.Settings, o Options) *Resolver {
	if o.Resolve == nil {
		o.Resolve = func(name string) (string, error) { return name, nil }
	}
	if o.StandIn == nil {
		o.StandIn = func(name string) string { return name }
	}
	if o.RunsHostedTools == nil {
		o.RunsHostedTools = catalog.IsGemini
	}
	if o.Defaults == nil {
		o.Defaults = catalog.ChatConfig
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	r := &Resolver{o: o}
	var aliases, custom, overrides, more any
	var replaced, changed bool
	if s != nil {
		aliases, replaced = s.Lookup(string(config.ModelAliases))
		custom, _ = s.Lookup(string(config.ModelCustomAliases))
		overrides, changed = s.Lookup(string(config.ModelOverrides))
		more, _ = s.Lookup(string(config.ModelCustomOverrides))
	}
	if r.idle = !replaced && !changed && custom == nil && more == nil; r.idle {
		return r
	}
	p := parser{warn: o.Warn}
	if replaced {
		r.aliases = p.aliases(string(config.ModelAliases), aliases)
	}
	r.custom = p.aliases(string(config.ModelCustomAliases), custom)
	if changed {
		r.overrides = p.overrides(string(config.ModelOverrides), overrides)
	} else {
		r.overrides = builtinOverrides()
	}
	r.overrides = append(r.overrides, p.overrides(string(config.ModelCustomOverrides), more)...)
	p.done()
	return r
}

// SelectModel returns the model for a chat with the model or alias that the user has named. From
// then on [Resolver.ChatConfig] includes the alias's settings for that model. Its errors are those
// of [Resolver.Resolve].
func (r *Resolver) SelectModel(name string) (string, error) {
	if r.idle {
		model, err := r.model(name, true)
		r.NoteReplaced(name, model)
		return model, err
	}
	tables := r.tables()
	res, err := r.resolveIn(tables, Key{Model: name, Chat: true, Chosen: true})
	if err != nil {
		return "", err
	}
	_, special := find(tables, name)
	plain, err := r.model(name, true)
	if err != nil || plain != res.Model {
		special = true // an override applies
	} else {
		r.NoteReplaced(name, plain)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.chosen == nil {
		r.chosen = map[string]string{}
	}
	if delete(r.chosen, res.Model); special {
		r.chosen[res.Model] = name
	}
	return res.Model, nil
}

// ChatConfig returns the configuration of a chat with a model as returned by [Resolver.SelectModel]. retry
// reports whether the last response was unusable. If the settings are contradictory, Chat
// warns once and returns the defaults. An override for retries can change the settings, but
// not the model.
func (r *Resolver) ChatConfig(model string, retry bool) llm.Config {
	if r.idle {
		return r.o.Defaults(model)
	}
	r.mu.Lock()
	name, ok := r.chosen[model]
	r.mu.Unlock()
	if !ok {
		name = model
	}
	res, err := r.Resolve(Key{Model: name, Retry: retry, Chat: true})
	if err != nil {
		r.complain(fmt.Sprintf("Warning: Ignoring modelConfigs for %s: %v", config.Printable(model), err))
		return r.o.Defaults(model)
	}
	return res.Config
}

// AgentConfig returns the configuration of the requests of a subagent to a model. settings are those of its
// definition. Overrides match the subagent by its name as the scope, and by the alias "<name>-config".
func (r *Resolver) AgentConfig(name, model string, settings map[string]any, retry bool) llm.Config {
	if r.idle && len(settings) == 0 {
		return r.o.Defaults(model)
	}
	p := parser{warn: r.complain}
	_, checked := p.modelConfig("agents.overrides."+name+".modelConfig", tree{"generateContentConfig": settings})
	res, err := r.Resolve(Key{Model: model, Scope: name, Retry: retry, Chat: true, Chosen: true, Alias: name + "-config", Settings: checked})
	if err != nil {
		r.complain(fmt.Sprintf("Warning: Ignoring modelConfigs for the subagent %s: %v", config.Printable(name), err))
		return r.o.Defaults(model)
	}
	return res.Config
}

// UtilityConfig returns the model and configuration for one of Pollux's own requests by its alias.
// The settings apply to whatever model is used. If the user's aliases replace the built-in
// ones and lack this alias, the built-in one is used. Its errors are those of
// [Resolver.Resolve].
func (r *Resolver) UtilityConfig(alias string) (string, llm.Config, error) {
	tables := append(r.tables(), builtins())
	if _, ok := find(tables, alias); !ok {
		return "", llm.Config{}, notFound(alias)
	}
	res, err := r.resolveIn(tables, Key{Model: alias})
	return res.Model, res.Config, err
}

// ClearCache discards the cached results of Options.Resolve. It must be called when the user has
// chosen another model or changed credentials.
func (r *Resolver) ClearCache() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.names)
}

// model returns the model to request for a name; chosen reports whether the user has chosen the
// name for the conversation.
func (r *Resolver) model(name string, chosen bool) (string, error) {
	if !chosen {
		name = r.o.StandIn(name)
	}
	r.mu.Lock()
	model, ok := r.names[name]
	r.mu.Unlock()
	if ok {
		return model, nil
	}
	model, err := r.o.Resolve(name)
	switch {
	case err != nil:
		return "", err
	case model == "":
		return "", noModel(name)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.names == nil {
		r.names = map[string]string{}
	}
	r.names[name] = model
	return model, nil
}

// NoteReplaced warns, once for each name, if the user's name of a Gemini model means another
// one, because that has replaced the named one or because the account cannot use the named
// one.
func (r *Resolver) NoteReplaced(name, model string) {
	if catalog.Replaces(model, name) {
		r.complain(fmt.Sprintf("Warning: Using %s instead of %s.", config.Printable(model), config.Printable(name)))
	}
}

// tables returns the alias tables, the one with the highest priority first.
func (r *Resolver) tables() []map[string]*alias {
	base := r.aliases
	if base == nil {
		base = builtins()
	}
	return []map[string]*alias{r.custom, base}
}

// complain gives a warning once.
func (r *Resolver) complain(warning string) {
	r.mu.Lock()
	known := r.warned[warning]
	if r.warned == nil {
		r.warned = map[string]bool{}
	}
	r.warned[warning] = true
	r.mu.Unlock()
	if !known {
		r.o.Warn(warning)
	}
}
