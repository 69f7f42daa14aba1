// Package modelconfig answers how a model is to be asked: which one, with which
// temperature, how much it may think and write (spec/agent.md §7.3).
//
// The answer is put together from aliases, which build on each other, and
// overrides, which match what is asked for. There are built-in ones; the user's
// settings, modelConfigs, add to them or take their place. With a vendor other
// than Google an alias keeps its settings, but the vendor's own model answers,
// and what only Gemini's makers recommend for Gemini gives way to what
// [pollux/llm/catalog.ChatConfig] knows of that model.
package modelconfig

import (
	"fmt"
	"sync"

	"pollux/internal/config"
	"pollux/llm"
	"pollux/llm/catalog"
)

// Options are what a [Resolver] needs besides settings.
type Options struct {
	// Resolve turns what a configuration or a user calls a model ("flash-lite",
	// "gemini-3-pro-preview", "auto") into the model that this session asks in
	// its place; one that can be asked stands for itself. It is asked once for a
	// name, unless it fails, and may be asked at any time and by several
	// goroutines. Its errors are passed on as they are. nil changes no name.
	Resolve func(name string) (string, error)
	// Hosted reports whether who serves a model runs googleSearch and urlContext
	// for it; where not, they are left out of what is asked. nil is for Gemini
	// alone.
	Hosted func(model string) bool
	// Defaults returns how a model is asked in a conversation where nobody has set
	// anything; nil is [catalog.ChatConfig].
	Defaults func(model string) llm.Config
	// Warn takes what is wrong with the settings, a line at a time; nil drops it.
	Warn func(string)
}

// Resolver answers for one session. It may be used by several goroutines.
type Resolver struct {
	resolve func(string) (string, error)
	hosted  func(string) bool
	usual   func(string) llm.Config
	warn    func(string)

	idle      bool              // the user has set nothing
	aliases   map[string]*alias // in place of the built-in ones, unless nil
	custom    map[string]*alias
	overrides []*override

	mu     sync.Mutex
	names  map[string]string // what resolve has said
	chosen map[string]string // for models that were chosen by another name: that name
	told   map[string]bool   // what was complained of
}

// New returns a resolver for the user's settings, nil standing for none. What is
// wrong in them is told to o.Warn, and ignored. Where modelConfigs is not set it
// does nothing.
func New(s *config.Settings, o Options) *Resolver {
	r := &Resolver{resolve: o.Resolve, hosted: o.Hosted, usual: o.Defaults, warn: o.Warn}
	if r.resolve == nil {
		r.resolve = func(name string) (string, error) { return name, nil }
	}
	if r.hosted == nil {
		r.hosted = catalog.IsGemini
	}
	if r.usual == nil {
		r.usual = catalog.ChatConfig
	}
	if r.warn == nil {
		r.warn = func(string) {}
	}
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
	p := parser{warn: r.warn}
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

// Model returns the model that answers in a conversation for which the user has
// named this one, which may be an alias. From then on [Resolver.Chat] has for
// that model what the alias says. Errors are those of [Resolver.Resolve].
func (r *Resolver) Model(name string) (string, error) {
	if r.idle {
		return r.model(name)
	}
	tables := r.tables()
	res, err := r.resolveIn(tables, Key{Model: name, Chat: true})
	if err != nil {
		return "", err
	}
	_, special := find(tables, name)
	if plain, err := r.model(name); err != nil || plain != res.Model {
		special = true // an override names it
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

// Chat returns how a model, as [Resolver.Model] names it, is asked in a
// conversation; retry says that its last answer was of no use. Where the
// settings contradict themselves it says so once and leaves the model to the
// catalog. An override that names another model for a retry changes the
// settings, not the model.
func (r *Resolver) Chat(model string, retry bool) llm.Config {
	if r.idle {
		return r.usual(model)
	}
	r.mu.Lock()
	name, ok := r.chosen[model]
	r.mu.Unlock()
	if !ok {
		name = model
	}
	res, err := r.Resolve(Key{Model: name, Retry: retry, Chat: true})
	if err != nil {
		r.complain(fmt.Sprintf("Warning: modelConfigs cannot be used for %s: %v", shown(model), err))
		return r.usual(model)
	}
	return res.Config
}

// Utility returns the model and the settings for one of Pollux's own questions,
// by the alias that spec/agent.md §7.3 lists it under. The settings hold whatever
// model answers. Where the user's aliases replace the built-in ones and have
// none of this name, the built-in one counts: no model is called that. Errors
// are those of [Resolver.Resolve].
func (r *Resolver) Utility(alias string) (string, llm.Config, error) {
	tables := append(r.tables(), builtins())
	if _, ok := find(tables, alias); !ok {
		return "", llm.Config{}, notFound(alias)
	}
	res, err := r.resolveIn(tables, Key{Model: alias})
	return res.Model, res.Config, err
}

// Forget makes Options.Resolve say anew what each name stands for: the user has
// chosen another model, or has other accounts.
func (r *Resolver) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.names)
}

// model returns the model that is asked where this name is meant.
func (r *Resolver) model(name string) (string, error) {
	r.mu.Lock()
	model, ok := r.names[name]
	r.mu.Unlock()
	if ok {
		return model, nil
	}
	model, err := r.resolve(name)
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

// tables returns the aliases there are, those that win first.
func (r *Resolver) tables() []map[string]*alias {
	base := r.aliases
	if base == nil {
		base = builtins()
	}
	return []map[string]*alias{r.custom, base}
}

// complain warns of something once.
func (r *Resolver) complain(warning string) {
	r.mu.Lock()
	known := r.told[warning]
	if r.told == nil {
		r.told = map[string]bool{}
	}
	r.told[warning] = true
	r.mu.Unlock()
	if !known {
		r.warn(warning)
	}
}
