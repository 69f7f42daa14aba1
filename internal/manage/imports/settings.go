package imports

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/guard/hook"
	"pollux/internal/project"
	"pollux/internal/transfer"
)

// settings copies the settings that mean the same in Pollux, and reports the settings and files that are not copied.
func (a *agent) settings(p *project.Project, scope config.Scope) (*transfer.Part, error) {
	at, f := place(p, scope), a.in(scope)
	c := settingsCopy{agent: a, p: p, scope: scope, part: &transfer.Part{Kind: "setting"}, values: map[string]any{}}
	found, err := at.Objects(f.settings...)
	if err != nil {
		return c.part, err
	}
	for _, file := range found {
		for _, key := range sorted(file.Object) {
			c.read(key, file.Object[key])
		}
	}
	for _, name := range sorted(f.contexts) {
		if at.Has(name) {
			c.context(name, f.contexts[name])
		}
	}
	for _, name := range sorted(f.others) {
		if at.Has(name) {
			c.leave(name, f.others[name])
		}
	}
	c.part.Files = transfer.Paths(found)
	if len(c.values) > 0 {
		c.part.Target, c.part.Settings = p.Paths.File(scope), p.Paths.File(scope)
	}
	c.part.Write = c.write
	return c.part, nil
}

// settingsCopy copies settings of an agent in a scope.
type settingsCopy struct {
	*agent
	p     *project.Project
	scope config.Scope
	part  *transfer.Part
	// values are the values to write, by paths.
	values map[string]any
}

// leave reports a setting that is not copied.
func (c *settingsCopy) leave(name, reason string) {
	item := c.part.Add(transfer.New(name))
	item.Restricts = c.isRestricting(name)
	item.Leave("%s", reason)
}

// isRestricting reports whether a setting, or the group that has it, may have refused something.
func (c *settingsCopy) isRestricting(path string) bool {
	return slices.ContainsFunc(c.restricting, func(name string) bool { return name == path || strings.HasPrefix(path, name+".") })
}

// read reads a setting, or the group of settings that a path is.
func (c *settingsCopy) read(path string, v any) {
	reason, isKnown := c.reasons[path]
	members, isGroup := v.(map[string]any)
	switch {
	case slices.Contains(c.same, path):
		c.copy(path, v)
	case isKnown && reason == "":
	case isKnown:
		c.leave(path, reason)
	case isGroup && c.hasGroup(path):
		for _, name := range sorted(members) {
			c.read(path+"."+name, members[name])
		}
	default:
		c.leave(path, "Pollux does not know it")
	}
}

// hasGroup reports whether the agent has settings in a group.
func (c *settingsCopy) hasGroup(path string) bool {
	isIn := func(name string) bool { return strings.HasPrefix(name, path+".") }
	return slices.ContainsFunc(c.same, isIn) || slices.ContainsFunc(sorted(c.reasons), isIn)
}

// copy plans to write a setting that means the same here.
func (c *settingsCopy) copy(path string, v any) {
	item := c.part.Add(transfer.New(path))
	item.Restricts = c.isRestricting(path)
	if path == "tools.exclude" || path == "tools.core" {
		v = ownTools(v, item)
	}
	text, err := json.Marshal(v)
	if err != nil || transfer.HasKey(string(text)) {
		item.Leave("it has a key")
		return
	}
	value, err := config.ParseValue(path, string(text), c.p.Options.Env)
	key, isKey := config.KeyOf(path)
	if err != nil || !isKey || !reflect.DeepEqual(value, v) { // a value of another type may count as a text
		item.Leave("Pollux does not take its value")
		return
	}
	there, isThere := c.there(path)
	switch {
	case isThere && reflect.DeepEqual(there, v):
		item.Keep()
		return
	case isThere:
		item.Leave("your settings have another value")
		return
	case key.Effect != nil && key.Effect.Classify(key.Default, v).IsAsked() && (path != string(config.MemoryNames) || c.scope != config.User):
		item.Restricts = false
		item.Leave("it would allow more: to have the same, run: pollux config set %s VALUE", path)
		return
	}
	c.values[path] = v
}

// ownTools returns a list of tools with Pollux's names.
func ownTools(v any, item *transfer.Item) any {
	list, isList := v.([]any)
	if !isList {
		return v
	}
	own := []any{}
	for _, one := range list {
		text, _ := one.(string)
		name, rest, hasRest := strings.Cut(text, "(")
		tool := hook.QwenTool(strings.TrimSpace(name))
		switch {
		case strings.HasPrefix(name, "mcp__"):
			own = append(own, strings.ReplaceAll(text, "__", "_"))
		case tool == "":
			own = append(own, one) // of a server, or of none
		case hasRest:
			own = append(own, tool+"("+rest)
		default:
			own = append(own, tool)
		}
		if name != tool && tool != "" {
			item.Change("with Pollux's names of tools")
		}
	}
	return own
}

// context names a file of instructions for the model in the settings.
func (c *settingsCopy) context(name string, list []any) {
	item := c.part.Add(transfer.New(name))
	const path = string(config.MemoryNames)
	there, isThere := c.there(path)
	if planned, isPlanned := c.values[path]; isPlanned {
		there, isThere = planned, true
	}
	names, _ := there.([]any)
	switch {
	case isThere && (there == name || slices.Contains(names, any(name))):
		item.Keep()
		item.Notes = []string{path + " names it"}
	case isThere:
		item.Leave("name it in %s", path)
	default:
		item.Change("%s names it", path)
		c.values[path] = list
	}
}

// there returns the value that the settings have for a path, as it is written.
func (c *settingsCopy) there(path string) (v any, isThere bool) {
	group, rest, _ := strings.Cut(path, ".")
	members, err := transfer.Member(c.p.Paths.File(c.scope), group)
	if err != nil {
		return nil, false // the other parts report it
	}
	for {
		name, below, hasBelow := strings.Cut(rest, ".")
		v, isThere = members[name]
		if !hasBelow {
			return v, isThere
		}
		if members, isThere = v.(map[string]any); !isThere {
			return nil, false
		}
		rest = below
	}
}

// write writes the values.
func (c *settingsCopy) write() error {
	for _, path := range sorted(c.values) {
		if err := c.p.ChangeSettings(c.scope, func() error { return c.p.Paths.Set(c.scope, path, c.values[path]) }); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}
