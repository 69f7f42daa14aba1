package modelconfig

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// alias is a named configuration.
type alias struct {
	extends string // the alias that it builds on, "" for none
	model   string // "" for that of the other
	config  tree   // values of the kinds that kindOf says
	builtin bool
}

// override is a configuration for what matches; a nil field matches anything.
type override struct {
	on, scope *string
	retry     *bool
	model     string
	config    tree
	builtin   bool
}

// parser reads modelConfigs, and tells what it leaves out.
type parser struct {
	warn    func(string)
	told    int
	unknown map[string]bool // names that a warning was given for
}

// mostWarnings bounds what a broken file makes people read.
const mostWarnings = 10

// ignored tells that a setting is ignored, and why.
func (p *parser) ignored(path, format string, args ...any) {
	if p.told++; p.told <= mostWarnings {
		p.warn(fmt.Sprintf("Warning: the setting %.300q is ignored: ", path) + fmt.Sprintf(format, args...) + ".")
	}
}

// strange tells of a name that means nothing here, once for each.
func (p *parser) strange(path, name string) {
	if p.unknown == nil {
		p.unknown = map[string]bool{}
	}
	if !p.unknown[name] {
		p.unknown[name] = true
		p.ignored(path+"."+name, "Pollux knows no %.100q here", name)
	}
}

// done tells how much was not told.
func (p *parser) done() {
	if n := p.told - mostWarnings; n > 0 {
		p.warn(fmt.Sprintf("Warning: %d more settings of modelConfigs are ignored.", n))
	}
}

// aliases reads aliases by name. It returns nil for nothing at all only.
func (p *parser) aliases(path string, v any) map[string]*alias {
	if v == nil {
		return nil
	}
	named := map[string]*alias{}
	entries, ok := p.object(path, v)
	if !ok {
		return named
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if entries[name] == nil { // an upper layer took it back
			continue
		}
		if a := p.alias(path+"."+name, entries[name]); a != nil {
			named[name] = a
		}
	}
	return named
}

// alias reads one alias, nil if it makes no sense.
func (p *parser) alias(path string, v any) *alias {
	fields, ok := p.object(path, v)
	if !ok {
		return nil
	}
	p.onlyKnown(path, fields, "extends", "modelConfig")
	a := &alias{}
	if above := fields["extends"]; above != nil {
		if a.extends, ok = above.(string); !ok {
			p.ignored(path, "extends must be a string, not %s", typeOf(above))
			return nil
		}
	}
	a.model, a.config = p.modelConfig(path+".modelConfig", fields["modelConfig"])
	return a
}

// overrides reads a list of overrides.
func (p *parser) overrides(path string, v any) []*override {
	if v == nil {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		p.ignored(path, "it must be an array, not %s", typeOf(v))
		return nil
	}
	var overrides []*override
	for i, item := range list {
		if o := p.override(path+"."+strconv.Itoa(i), item); o != nil {
			overrides = append(overrides, o)
		}
	}
	return overrides
}

// override reads one override. One whose match is not understood is ignored as a
// whole, lest it apply to more than was meant.
func (p *parser) override(path string, v any) *override {
	fields, ok := p.object(path, v)
	if !ok {
		return nil
	}
	p.onlyKnown(path, fields, "match", "modelConfig")
	match, ok := p.object(path+".match", fields["match"])
	if !ok {
		return nil
	}
	if len(match) == 0 {
		p.ignored(path, "its match is empty; name a model, an overrideScope or isRetry")
		return nil
	}
	o := &override{}
	for _, name := range slices.Sorted(maps.Keys(match)) {
		text, isText := match[name].(string)
		switch {
		case name == "model" && isText:
			o.on = &text
		case name == "overrideScope" && isText:
			o.scope = &text
		case name == "isRetry":
			retry, expected := as("bool", match[name])
			if expected != "" {
				p.ignored(path, "isRetry must be a %s, not %s", expected, typeOf(match[name]))
				return nil
			}
			o.retry = new(retry.(bool))
		case name == "model" || name == "overrideScope":
			p.ignored(path, "%s must be a string, not %s", name, typeOf(match[name]))
			return nil
		default:
			p.ignored(path, "Pollux cannot match %.100q", name)
			return nil
		}
	}
	o.model, o.config = p.modelConfig(path+".modelConfig", fields["modelConfig"])
	return o
}

// modelConfig reads a model and its generateContentConfig.
func (p *parser) modelConfig(path string, v any) (model string, config tree) {
	if v == nil {
		return "", nil
	}
	fields, ok := p.object(path, v)
	if !ok {
		return "", nil
	}
	p.onlyKnown(path, fields, "model", "generateContentConfig")
	if v := fields["model"]; v != nil {
		if model, ok = v.(string); !ok {
			p.ignored(path+".model", "it must be a string, not %s", typeOf(v))
		}
	}
	if v := fields["generateContentConfig"]; v != nil {
		config = p.config(path+".generateContentConfig", v)
	}
	return model, config
}

// config reads a generateContentConfig: it returns what Pollux can send, each
// value of its kind or null.
func (p *parser) config(path string, v any) tree {
	fields, ok := p.object(path, v)
	if !ok {
		return nil
	}
	config := tree{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		at, v := path+"."+name, fields[name]
		switch kind := kindOf(name); kind {
		case "":
			p.strange(path, name)
		case "thinkingConfig":
			if v, ok := p.thinking(at, v); ok {
				config[name] = v
			}
		case "tools":
			if v, ok := p.tools(at, v); ok {
				config[name] = v
			}
		case "labels":
			if v, ok := p.labels(at, v); ok {
				config[name] = v
			}
		case "safetySettings":
			if list, ok := v.([]any); v == nil || ok && allObjects(list) {
				config[name] = v
			} else {
				p.ignored(at, "it must be an array of objects")
			}
		default:
			p.put(config, at, name, kind, v)
		}
	}
	return config
}

// put stores a value of a plain kind, or null.
func (p *parser) put(in tree, path, name, kind string, v any) {
	if v == nil {
		in[name] = nil
		return
	}
	value, expected := as(kind, v)
	if expected != "" {
		p.ignored(path, "it must be %s, not %s", article(expected), printable(v))
		return
	}
	in[name] = value
}

// thinking reads a thinkingConfig. Level and budget are two words for the same
// and the service refuses both at once: where one is said, it takes the place of
// the other that an alias below may have. Null takes all of it back.
func (p *parser) thinking(path string, v any) (tree, bool) {
	if v == nil {
		return tree{"includeThoughts": nil, "thinkingBudget": nil, "thinkingLevel": nil}, true
	}
	fields, ok := p.object(path, v)
	if !ok {
		return nil, false
	}
	config := tree{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		switch name {
		case "includeThoughts":
			p.put(config, path+"."+name, name, "bool", fields[name])
		case "thinkingBudget":
			p.put(config, path+"."+name, name, "integer", fields[name])
		case "thinkingLevel":
			p.put(config, path+"."+name, name, "string", fields[name])
		default:
			p.strange(path, name)
		}
	}
	budget, level := config["thinkingBudget"] != nil, config["thinkingLevel"] != nil
	switch {
	case budget && !level:
		config["thinkingLevel"] = nil
	case level && !budget:
		config["thinkingBudget"] = nil
	}
	return config, true
}

// tools reads a list of tools that run at the vendor.
func (p *parser) tools(path string, v any) (any, bool) {
	if v == nil {
		return nil, true
	}
	list, ok := v.([]any)
	if !ok || !allObjects(list) {
		p.ignored(path, "it must be an array of objects")
		return nil, false
	}
	known := []any{}
	for i, item := range list {
		at, fields := path+"."+strconv.Itoa(i), item.(tree)
		set := tree{}
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			options, _ := fields[name].(tree)
			switch {
			case name != "googleSearch" && name != "urlContext":
				p.strange(at, name)
				continue
			case len(options) > 0:
				p.ignored(at+"."+name, "the tool has no settings of its own in Pollux; it is asked for without them")
			}
			set[name] = fields[name]
		}
		known = append(known, set)
	}
	return known, true
}

// labels reads labels, which are texts by name. Null takes a label back.
func (p *parser) labels(path string, v any) (any, bool) {
	if v == nil {
		return nil, true
	}
	fields, ok := p.object(path, v)
	if !ok {
		return nil, false
	}
	labels := tree{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		p.put(labels, path+"."+name, name, "string", fields[name])
	}
	return labels, true
}

// object returns v as an object, and tells if it is none.
func (p *parser) object(path string, v any) (tree, bool) {
	object, ok := v.(tree)
	if !ok {
		p.ignored(path, "it must be an object, not %s", typeOf(v))
	}
	return object, ok
}

// onlyKnown tells of the fields that are not among names.
func (p *parser) onlyKnown(path string, fields tree, names ...string) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(names, name) {
			p.strange(path, name)
		}
	}
}

func allObjects(list []any) bool {
	return !slices.ContainsFunc(list, func(v any) bool { _, ok := v.(tree); return !ok })
}

// article puts an article before a noun.
func article(noun string) string {
	switch noun[0] {
	case 'a', 'o':
		return "an " + noun
	}
	return "a " + noun
}

// printable is a foreign value for a line on the terminal.
func printable(v any) string {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("%.60q", v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return typeOf(v)
}

func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case float64:
		return "a number"
	case string:
		return "a string"
	case []any:
		return "an array"
	}
	return "an object"
}
