package modelconfig

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"pollux/llm"
	"pollux/llm/catalog"
)

// Key is what a configuration is asked for.
type Key struct {
	Model string // an alias, or a model
	Scope string // what asks: the name of a subagent, "" for Pollux itself
	Retry bool   // the last answer was of no use
	Chat  bool   // in a conversation: a model without an alias is asked as chats are
}

// Resolved is the answer to a [Key].
type Resolved struct {
	Model  string
	Config llm.Config
}

// maxDepth is how many aliases may build on each other.
const maxDepth = 100

// Resolve returns the configuration for a key (spec/agent.md §7.3): what the
// aliases say from the one that all build on up to the one asked for, and on
// top what the overrides say that match. A later word wins; objects are merged,
// lists and plain values replaced, and null takes a value back. The errors, an
// alias that is not there or builds on itself and a model that nothing names,
// have the texts that Gemini CLI's users know; others are those of
// [Options.Resolve].
func (r *Resolver) Resolve(k Key) (Resolved, error) { return r.resolveIn(r.tables(), k) }

func (r *Resolver) resolveIn(tables []map[string]*alias, k Key) (Resolved, error) {
	links, err := r.chain(tables, k)
	if err != nil {
		return Resolved{}, err
	}
	model := ""
	for _, l := range links {
		model = cmp.Or(l.model, model)
	}
	matched := r.matching(k, r.levels(links, model))
	for _, o := range matched {
		model = cmp.Or(o.model, model)
	}
	if model == "" {
		return Resolved{}, noModel(k.Model)
	}
	if model, err = r.model(model); err != nil {
		return Resolved{}, err
	}
	cfg := decode(r.compose(links, matched, model))
	if cfg.Tools != nil && !r.hosted(model) {
		cfg.Tools = nil // there are no others in a configuration
		if asksForTools(links, matched) {
			r.complain(fmt.Sprintf("Warning: modelConfigs asks for googleSearch or urlContext with %s, for which nobody runs them: they are left out.", shown(model)))
		}
	}
	return Resolved{Model: model, Config: cfg}, nil
}

// asksForTools reports whether it is the user who wants tools.
func asksForTools(links []link, overrides []*override) bool {
	return slices.ContainsFunc(links, func(l link) bool { return !l.builtin && l.config["tools"] != nil }) ||
		slices.ContainsFunc(overrides, func(o *override) bool { return !o.builtin && o.config["tools"] != nil })
}

// link is an alias in a chain, or the model at its end.
type link struct {
	name string
	*alias
}

// chain returns the aliases that a key stands for, the one that all build on
// first. A model without an alias stands for itself, in a conversation on top
// of the chat aliases of its family.
func (r *Resolver) chain(tables []map[string]*alias, k Key) ([]link, error) {
	if _, ok := find(tables, k.Model); ok {
		return lineage(tables, k.Model)
	}
	if !k.Chat {
		return []link{{k.Model, &alias{model: k.Model}}}, nil
	}
	model, err := r.model(k.Model)
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

// lineage returns an alias and all that it builds on, the last of these first.
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
				path += shown(l.name) + " -> "
			}
			return nil, errors.New("Circular alias dependency: " + path + shown(name))
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

// levels says how near to the key a name is that an override may match: 0 is
// the model, the aliases count from 1, the one that all build on.
func (r *Resolver) levels(links []link, model string) map[string]int {
	levels := make(map[string]int, len(links)+2)
	if model != "" {
		levels[model] = 0
		if asked, err := r.model(model); err == nil { // it fails for good further on
			levels[asked] = 0
		}
	}
	for i, l := range links {
		levels[l.name] = i + 1
	}
	return levels
}

// matching returns the overrides that match, the weakest first: by the level of
// the name that they match, then by how many fields they match by, then as they
// are listed.
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

// compose merges what links and overrides say about a model. What is built in
// was found to be good for Gemini. For another model the catalog speaks in
// place of the built-in chat aliases; and one that thinks is not told how to
// choose its words: such models refuse that, or go in circles at temperature 0.
func (r *Resolver) compose(links []link, overrides []*override, model string) tree {
	foreign := !catalog.IsGemini(model)
	var own tree
	chat := -1 // where the catalog speaks
	if foreign {
		own = encode(r.usual(model))
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
	return fmt.Errorf(`Alias "%s" not found.`, shown(name))
}

func noModel(name string) error {
	//lint:ignore ST1005 the text is contract
	return fmt.Errorf(`Could not resolve a model name for alias "%s". Please ensure the alias chain or a matching override specifies a model.`, shown(name))
}

// shown makes a name fit for a line on the terminal, as names of aliases are by
// themselves.
func shown(name string) string {
	const most = 100
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, name[:min(len(name), 4*most)])
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return name
}
