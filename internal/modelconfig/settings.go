package modelconfig

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"pollux/internal/config"
)

// alias is a named configuration.
type alias struct {
	extends string // the alias that it extends, "" for none
	model   string // "" to use the model of the extended alias
	config  tree   // values have the types of kindOf
	builtin bool
}

// override is a configuration for matching requests. A nil field matches everything.
type override struct {
	on, scope *string
	retry     *bool
	model     string
	config    tree
	builtin   bool
}

// parser parses modelConfigs and reports ignored parts.
type parser struct {
	warn     func(string)
	warnings int             // number of warnings
	unknown  map[string]bool // unknown names that were already reported
}

// mostWarnings is the maximum number of warnings about one file.
const mostWarnings = 10

// ignored reports that a setting is ignored, and why.
func (p *parser) ignored(path, format string, args ...any) {
	if p.warnings++; p.warnings <= mostWarnings {
		p.warn(fmt.Sprintf("Warning: Ignoring the setting %.300q: ", path) + fmt.Sprintf(format, args...) + ".")
	}
}

// unknownName reports an unknown name, once for each name.
func (p *parser) unknownName(path, name string) {
	if p.unknown == nil {
		p.unknown = map[string]bool{}
	}
	if !p.unknown[name] {
		p.unknown[name] = true
		p.ignored(path+"."+name, "unknown key %.100q", name)
	}
}

// done reports how many warnings were omitted.
func (p *parser) done() {
	if n := p.warnings - mostWarnings; n > 0 {
		p.warn(fmt.Sprintf("Warning: Ignoring %d more settings in modelConfigs.", n))
	}
}

// aliases parses aliases by name. It returns nil only if v is nil.
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
		if entries[name] == nil { // removed by a higher layer
			continue
		}
		if a := p.alias(path+"."+name, entries[name]); a != nil {
			named[name] = a
		}
	}
	return named
}

// alias parses one alias. It returns nil if it is invalid.
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

// overrides parses a list of overrides.
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

// override parses one override. If its match is invalid, the override is ignored as a whole,
// so that it does not apply to more than intended.
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
		p.ignored(path, "its match is empty; set model, overrideScope or isRetry")
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
			retry, expected := convert("bool", match[name])
			if expected != "" {
				p.ignored(path, "isRetry must be a %s, not %s", expected, typeOf(match[name]))
				return nil
			}
			o.retry = new(retry.(bool))
		case name == "model" || name == "overrideScope":
			p.ignored(path, "%s must be a string, not %s", name, typeOf(match[name]))
			return nil
		default:
			p.ignored(path, "unknown match key %.100q", name)
			return nil
		}
	}
	o.model, o.config = p.modelConfig(path+".modelConfig", fields["modelConfig"])
	return o
}

// modelConfig parses a model and its generateContentConfig.
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

// config parses a generateContentConfig. It returns the settings that Pollux supports; each
// value has the right type or is null.
func (p *parser) config(path string, v any) tree {
	fields, ok := p.object(path, v)
	if !ok {
		return nil
	}
	config := tree{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		at, v, ok := path+"."+name, fields[name], false
		switch kind := kindOf(name); {
		case kind == "":
			p.unknownName(path, name)
		case kind == "thinkingConfig":
			v, ok = p.thinking(at, v)
		case v == nil:
			ok = true
		case kind == "tools":
			v, ok = p.tools(at, v)
		case kind == "labels":
			v, ok = p.labels(at, v)
		case kind == "safetySettings":
			_, ok = p.objects(at, v)
		default:
			p.put(config, at, name, kind, v)
		}
		if ok {
			config[name] = v
		}
	}
	return config
}

// put stores a value of a plain type, or null.
func (p *parser) put(in tree, path, name, kind string, v any) {
	if v == nil {
		in[name] = nil
		return
	}
	value, expected := convert(kind, v)
	if expected != "" {
		p.ignored(path, "it must be %s, not %s", article(expected), printable(v))
		return
	}
	in[name] = value
}

// thinking parses a thinkingConfig. The API rejects a level together with a budget: if only
// one of them is set, it also removes the other one, which an extended alias may have. null
// removes everything.
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
			p.unknownName(path, name)
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

// tools parses a list of tools that the vendor runs.
func (p *parser) tools(path string, v any) (any, bool) {
	list, ok := p.objects(path, v)
	if !ok {
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
				p.unknownName(at, name)
				continue
			case len(options) > 0:
				p.ignored(at+"."+name, "the tool has no settings in Pollux; they are ignored")
			}
			set[name] = fields[name]
		}
		known = append(known, set)
	}
	return known, true
}

// labels parses labels, which are strings by name. null removes a label.
func (p *parser) labels(path string, v any) (any, bool) {
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

// object returns v as an object, and reports if it is none.
func (p *parser) object(path string, v any) (tree, bool) {
	object, ok := v.(tree)
	if !ok {
		p.ignored(path, "it must be an object, not %s", typeOf(v))
	}
	return object, ok
}

// onlyKnown reports fields that are not among names.
func (p *parser) onlyKnown(path string, fields tree, names ...string) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(names, name) {
			p.unknownName(path, name)
		}
	}
}

// objects returns v as a list of objects, and reports if it is none.
func (p *parser) objects(path string, v any) ([]any, bool) {
	list, ok := v.([]any)
	if ok = ok && !slices.ContainsFunc(list, func(v any) bool { _, is := v.(tree); return !is }); !ok {
		p.ignored(path, "it must be an array of objects")
	}
	return list, ok
}

// article puts "a" or "an" before a noun.
func article(noun string) string {
	switch noun[0] {
	case 'a', 'o':
		return "an " + noun
	}
	return "a " + noun
}

// printable returns an untrusted value in a form that is safe for one line on the terminal.
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
	if v == nil {
		return "null"
	}
	return article(config.TypeOf(v))
}
