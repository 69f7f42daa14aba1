package modelconfig

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/llm"
	"pollux/llm/catalog"
)

// Key identifies a configuration.
type Key struct {
	Model string // an alias or a model
	Scope string // the name of the subagent that makes the request, "" for Pollux itself
	Retry bool   // the last response was unusable
	Chat  bool   // the request belongs to a chat: a model without an alias uses the chat aliases
	// Chosen reports whether the user has chosen Model for the conversation.
	Chosen bool
	// Alias is one more name by which overrides can match, and Settings are generation settings that
	// only they can change. Subagents use both.
	Alias    string
	Settings map[string]any
}

// Resolved is the configuration for a [Key].
type Resolved struct {
	Model  string
	Config llm.Config
}

// maxDepth is the maximum number of aliases that extend each other.
const maxDepth = 100

// Resolve returns the configuration for a key. It merges the aliases, starting with the one
// that the others extend, and then the matching overrides. Later values take precedence;
// objects are merged, lists and plain values replaced, and null removes a value. The errors
// for missing or circular aliases, and for a configuration without a model, have the same text
// as in Gemini CLI; others are those of [Options.Resolve].
func (r *Resolver) Resolve(k Key) (Resolved, error) { return r.resolveIn(r.tables(), k) }

func (r *Resolver) resolveIn(tables []map[string]*alias, k Key) (Resolved, error) {
	links, err := r.chain(tables, k)
	if err != nil {
		return Resolved{}, err
	}
	name, isOwn := "", false // the model's name, and whether the user's settings have it
	for _, l := range links {
		if l.model != "" {
			name, isOwn = l.model, !l.builtin && l.name != l.model
		}
	}
	levels := r.levels(links, name, k.Chosen)
	if k.Alias != "" {
		levels[k.Alias] = len(links) + 1
		links = append(links, link{k.Alias, &alias{config: k.Settings}})
	}
	matched := r.matching(k, levels)
	for _, o := range matched {
		if o.model != "" {
			name, isOwn = o.model, !o.builtin
		}
	}
	if name == "" {
		return Resolved{}, noModel(k.Model)
	}
	model, err := r.model(name, k.Chosen)
	if err != nil {
		return Resolved{}, err
	}
	if isOwn {
		r.NoteReplaced(name, model)
	}
	cfg := decode(r.compose(links, matched, model))
	if cfg.Tools != nil && !r.o.RunsHostedTools(model) {
		cfg.Tools = nil // a configuration has no other tools
		if userWantsTools(links, matched) {
			r.complain(fmt.Sprintf("Warning: modelConfigs sets googleSearch or urlContext for %s, which does not support them. Ignoring them.", config.Printable(model)))
		}
	}
	return Resolved{Model: model, Config: cfg}, nil
}

// userWantsTools reports whether the user's settings, not the built-in ones, request tools.
func userWantsTools(links []link, overrides []*override) bool {
	return slices.ContainsFunc(links, func(l link) bool { return !l.builtin && l.config["tools"] != nil }) ||
		slices.ContainsFunc(overrides, func(o *override) bool { return !o.builtin && o.config["tools"] != nil })
}

// link is an alias in a chain, or the model at its end.
type link struct {
	name string
	*alias
}

// chain returns the aliases for a key, starting with the one that the others extend. A model
// without an alias stands for itself; in a chat, it follows the chat aliases of its family.
func (r *Resolver) chain(tables []map[string]*alias, k Key) ([]link, error) {
	if _, ok := find(tables, k.Model); ok {
		return lineage(tables, k.Model)
	}
	if !k.Chat {
		return []link{{k.Model, &alias{model: k.Model}}}, nil
	}
	model, err := r.model(k.Model, k.Chosen)
	if err != nil {
		return nil, err
	}
	if _, ok := find(tables, model); ok {
		return lineage(tables, model)
	}
	last := link{model, &alias{model: model}}
	for _, base := range [...]string{family(model), chatBase} {
		if _, ok := find(tables, base); ok {
			links, err := lineage(tables, base)
			return append(links, last), err
		}
	}
	return []link{last}, nil
}

// lineage returns an alias and all aliases that it extends, the base first.
func lineage(tables []map[string]*alias, name string) ([]link, error) {
	var links []link
	for name != "" {
		a, ok := find(tables, name)
		switch {
		case !ok:
			return nil, notFound(name)
		case len(links) == maxDepth:
			//lint:ignore ST1005 the text is contract
			return nil, fmt.Errorf("Alias inheritance chain exceeded maximum depth of %d.", maxDepth)
		case slices.ContainsFunc(links, func(l link) bool { return l.name == name }):
			path := ""
			for _, l := range links {
				path += config.Printable(l.name) + " -> "
			}
			return nil, errors.New("Circular alias dependency: " + path + config.Printable(name))
		}
		links = append(links, link{name, a})
		name = a.extends
	}
	slices.Reverse(links)
	return links, nil
}

func find(tables []map[string]*alias, name string) (*alias, bool) {
	for _, table := range tables {
		if a, ok := table[name]; ok {
			return a, true
		}
	}
	return nil, false
}

// levels returns the priority of each name that an override can match: 0 for the model, and
// counting from 1 for the aliases, starting with the base.
func (r *Resolver) levels(links []link, model string, chosen bool) map[string]int {
	levels := make(map[string]int, len(links)+2)
	if model != "" {
		levels[model] = 0
		if asked, err := r.model(model, chosen); err == nil { // the caller reports the failure
			levels[asked] = 0
		}
	}
	for i, l := range links {
		levels[l.name] = i + 1
	}
	return levels
}

// matching returns the matching overrides, the weakest first. They are sorted by the level of
// the matched name, then by the number of fields that match, then by their order in the
// settings.
func (r *Resolver) matching(k Key, levels map[string]int) []*override {
	overrides := r.overrides
	if r.idle {
		overrides = builtinOverrides()
	}
	var matched []*override
	for _, o := range overrides {
		if o.matches(k, levels) {
			matched = append(matched, o)
		}
	}
	slices.SortStableFunc(matched, func(a, b *override) int {
		return cmp.Or(cmp.Compare(a.level(levels), b.level(levels)), cmp.Compare(a.fields(), b.fields()))
	})
	return matched
}

func (o *override) matches(k Key, levels map[string]int) bool {
	if o.on != nil {
		if _, ok := levels[*o.on]; !ok {
			return false
		}
	}
	if o.scope != nil && *o.scope != k.Scope && (*o.scope != "core" || k.Scope != "") {
		return false
	}
	return o.retry == nil || *o.retry == k.Retry
}

func (o *override) level(levels map[string]int) int {
	if o.on == nil {
		return 0
	}
	return levels[*o.on]
}

func (o *override) fields() int {
	n := 0
	for _, set := range [...]bool{o.on != nil, o.scope != nil, o.retry != nil} {
		if set {
			n++
		}
	}
	return n
}

// compose merges the settings of links and overrides for a model. The built-in settings are
// meant for Gemini. For other models the catalog's settings replace the built-in chat aliases,
// and a model that thinks gets no built-in sampling parameters: such models reject them, or
// loop at temperature 0.
func (r *Resolver) compose(links []link, overrides []*override, model string) tree {
	foreign := !catalog.IsGemini(model)
	var own tree
	chat := -1 // index of the chat alias that the catalog replaces
	if foreign {
		own = encode(r.o.Defaults(model))
		for i, l := range links {
			if l.builtin && strings.HasPrefix(l.name, chatBase) {
				chat = i
			}
		}
	}
	merged := tree{}
	for i, l := range links {
		switch {
		case i == chat:
			merged = merge(merged, own)
		case l.builtin && i < chat:
		case l.builtin && foreign && own["thinkingConfig"] != nil && own["temperature"] == nil:
			merged = merge(merged, without(l.config, "temperature", "topP", "topK"))
		default:
			merged = merge(merged, l.config)
		}
	}
	for _, o := range overrides {
		if !o.builtin || !foreign {
			merged = merge(merged, o.config)
		}
	}
	return merged
}

func notFound(name string) error {
	//lint:ignore ST1005 the text is contract
	return fmt.Errorf(`Alias "%s" not found.`, config.Printable(name))
}

func noModel(name string) error {
	//lint:ignore ST1005 the text is contract
	return fmt.Errorf(`Could not resolve a model name for alias "%s". Please ensure the alias chain or a matching override specifies a model.`, config.Printable(name))
}
