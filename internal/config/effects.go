package config

import (
	"reflect"
	"slices"
	"strings"
)

// Class is the effect that a setting, a file or a variable of a project has by itself. Classes can be
// combined: a hook acts, and it may tighten. See [ProjectKinds] for files and variables.
type Class uint8

// The classes. A setting that acts or loosens takes effect after the user has seen it, one that
// tightens always does, and one that describes needs no question.
const (
	Acts      Class = 1 << iota // starts a program, sends data, or selects the receiver
	Loosens                     // lets calls pass or reaches more
	Tightens                    // restricts
	Describes                   // changes how Pollux works, within its permissions
)

// IsAsked reports whether the user must see settings of the class before they take effect.
func (c Class) IsAsked() bool { return c&(Acts|Loosens) != 0 }

// String returns the words for the class.
func (c Class) String() string {
	var words []string
	for i, word := range [...]string{"acts", "loosens", "tightens", "describes"} {
		if c&(1<<i) != 0 {
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}

// Effect classifies the values that a project gives a key, or a part of it.
type Effect struct {
	// Class has all classes that values may have. Of, if set, returns those of the value v where the
	// other layers have below.
	Class Class
	Of    func(below, v any) Class
	// Guard, if set, returns the effective part of v, nil for nothing. It drops parts that would loosen,
	// so that Pollux does not ask about them.
	Guard func(below, v any) any
	// Limits is set if a missing value, or that of a lower layer, allows more than others, so that a value which cannot be used may have been a restriction.
	Limits bool
	// Part is how the value consists of parts, each of which has an effect of its own: Each, or that of
	// its name in Fields.
	Part   Part
	Each   *Effect
	Fields []Field
	// Starts is how the value names a program.
	Starts Start
}

// Field is the effect of fields of an object, whose names are separated by spaces.
type Field struct {
	Names  string
	Effect *Effect
}

// Part is how a value consists of parts.
type Part uint8

// The parts.
const (
	Whole   Part = iota // no parts
	Items               // of a list
	Members             // of an object with any names
	Fields              // of an object with known names
	Entry               // like Fields, but one question for all of them
	Hooks               // of an event
)

// Start is how a value names a program.
type Start uint8

// The ways to name a program.
const (
	Nothing  Start = iota
	Command        // a command line
	Server         // the fields command, args, env and cwd
	HookLine       // the fields command, args and env
)

// Field returns the effect of a field, nil for an unknown one, which has none.
func (e *Effect) Field(name string) *Effect {
	for _, f := range e.Fields {
		if slices.Contains(strings.Fields(f.Names), name) {
			return f.Effect
		}
	}
	return nil
}

// part returns the effect of a part of the value, by the names on the way to it, in which * is any name. Of an unknown part, it is that of
// the whole.
func (e *Effect) part(names []string) *Effect {
	for _, name := range names {
		below := e.Field(name)
		if name == "*" {
			below = e.Each
		}
		if below == nil {
			return e
		}
		e = below
	}
	return e
}

// restricts reports whether most values restrict something, and the key has no other use, or whether something is less restricted without a
// value. A run without a person must not go on if such a value cannot be used.
func (e *Effect) restricts() bool {
	return e.Limits || e.Guard != nil || e.Class&Tightens != 0 && e.Of == nil && e.Class&Loosens == 0 || e == narrowsItems || e == coreItems
}

// Classify returns the class of a value where the other layers have below. A value that changes nothing
// describes.
func (e *Effect) Classify(below, v any) Class {
	switch {
	case v == nil, reflect.DeepEqual(below, v):
		return Describes
	case e.Part == Entry:
		object, ok := v.(map[string]any)
		if !ok {
			return Describes // no entry
		}
		c := Describes
		for name, v := range object {
			if field := e.Field(name); field != nil {
				c |= field.Classify(nil, v)
			}
		}
		return c
	case e.Of != nil:
		return e.Of(below, v)
	}
	return e.Class
}

// The effects of the table. They are data: nothing is computed at start.
var (
	free      = &Effect{Class: Describes}
	acts      = &Effect{Class: Acts}
	loosens   = &Effect{Class: Loosens}
	tightens  = &Effect{Class: Tightens}
	starts    = &Effect{Class: Acts, Starts: Command}
	actsEach  = &Effect{Class: Acts, Part: Members, Each: acts}
	actsItems = &Effect{Class: Acts, Part: Items, Each: acts}
	// loosensItems is the effect of lists that allow something, and narrowsItems of those that also
	// forbid the rest.
	loosensItems = &Effect{Class: Loosens, Part: Items, Each: loosens}
	narrowsItems = &Effect{Class: Loosens | Tightens, Part: Items, Each: &Effect{Class: Loosens | Tightens}}
	// disabledItems switch off guards in a project, and unwanted things in the user's own settings.
	disabledItems = &Effect{Class: Loosens, Limits: true, Part: Items, Each: loosens}
	// coreItems forbid the rest also without an item that was left out.
	coreItems = &Effect{Class: Loosens | Tightens, Part: Items, Each: loosens}

	// ifTrue loosens with true, and ifFalse with false.
	ifTrue  = &Effect{Class: Loosens | Tightens, Of: func(_, v any) Class { return loosensIf(v != false) }}
	ifFalse = &Effect{Class: Loosens | Tightens, Of: func(_, v any) Class { return loosensIf(v != true) }}
	// enables is ifTrue for features that are on by default.
	enables = &Effect{Class: Loosens | Tightens, Limits: true, Of: func(_, v any) Class { return loosensIf(v != false) }}
	// runsSkills is the effect of the switch of skills, some of which tell the model to take care.
	runsSkills = &Effect{Class: Loosens, Limits: true}
	// runsHooks is the effect of the switch of hooks: they start programs, and guard.
	runsHooks = &Effect{Class: Acts | Loosens, Limits: true, Of: func(_, v any) Class { return hooksClass(v) }}
	// ifMore loosens with a larger number.
	ifMore    = &Effect{Class: Loosens | Tightens, Of: func(below, v any) Class { return loosensIf(isMore(below, v)) }}
	byMode    = &Effect{Class: Loosens | Tightens, Limits: true, Of: modeClass}
	ifAsks    = &Effect{Class: Loosens | Tightens, Limits: true, Of: func(_, v any) Class { return loosensIf(v != "deny") }}
	ifText    = &Effect{Class: Loosens | Describes, Of: textClass}
	agentTool = &Effect{Class: Loosens | Tightens, Limits: true, Of: agentToolsClass}
	runLimits = &Effect{Class: Loosens | Tightens, Part: Fields, Fields: []Field{
		{"maxTurns", &Effect{Class: Loosens | Tightens, Of: func(below, v any) Class { return loosensIf(isMore(orElse(below, 30.0), v)) }}},
		{"maxTimeMinutes", &Effect{Class: Loosens | Tightens, Of: func(below, v any) Class { return loosensIf(isMore(orElse(below, 10.0), v)) }}},
	}}

	// Values that would loosen are ignored: a project may only tighten these.
	onlyOn      = &Effect{Class: Tightens, Guard: on}
	onlyOff     = &Effect{Class: Tightens, Guard: off}
	onlyMore    = &Effect{Class: Tightens, Guard: more}
	onlyFewer   = &Effect{Class: Tightens, Guard: fewer}
	onlyWithin  = &Effect{Class: Tightens, Guard: within}
	onlyOnce    = &Effect{Class: Tightens, Guard: once}
	onlyBox     = &Effect{Class: Tightens, Guard: box}
	onlyTrue    = &Effect{Class: Tightens, Guard: func(below, v any) any { return unlessLooser(v != true && !reflect.DeepEqual(below, v), v) }}
	never       = &Effect{Class: Tightens, Guard: func(any, any) any { return nil }}
	buildRising = &Effect{Class: Tightens, Guard: func(below, v any) any { return rising(below, v, "never", "unlessYolo", "always") }}
	childRising = &Effect{Class: Tightens, Guard: func(below, v any) any { return rising(below, v, "allowed", "none") }}

	readsRising = &Effect{Class: Tightens, Guard: func(below, v any) any { return rising(below, v, "all", "work") }}

	substitutionRising = &Effect{Class: Tightens, Guard: func(below, v any) any { return rising(below, v, "ask", "refuse") }}

	// unread is the effect of keys whose values Pollux never reads from a project.
	unread = &Effect{Class: Describes}

	serverEntry = &Effect{Class: Acts | Loosens | Tightens, Part: Entry, Starts: Server, Fields: []Field{
		{"command args env cwd url type httpUrl serverUrl headers tcp", acts},
		{"oauth authProviderType targetAudience targetServiceAccount", acts},
		{"trust", ifTrue},
		{"includeTools excludeTools disabledTools", tightens},
		{"timeout description extension disabled", free},
	}}
	servers   = &Effect{Class: Acts | Loosens | Tightens, Part: Members, Each: serverEntry}
	overrides = &Effect{Class: Acts | Loosens | Tightens, Limits: true, Part: Members, Each: &Effect{
		Class: Acts | Loosens | Tightens, Limits: true, Part: Fields, Fields: []Field{
			{"enabled", enables}, {"modelConfig", acts}, {"runConfig", runLimits}, {"tools", agentTool}, {"mcpServers", servers},
		},
	}}
	// hookEvents has the events at which a hook cannot refuse anything. At all others it may be a guard.
	hookEvents = &Effect{Class: Acts | Tightens, Part: Members, Each: guardHooks, Fields: []Field{
		{"SessionStart SessionEnd PreCompress Notification", otherHooks},
	}}
	guardHooks = &Effect{Class: Acts | Tightens, Part: Hooks, Each: &Effect{Class: Acts | Tightens, Starts: HookLine}}
	otherHooks = &Effect{Class: Acts, Part: Hooks, Each: &Effect{Class: Acts, Starts: HookLine}}

	telemetryFields = &Effect{Class: Acts, Part: Fields, Fields: []Field{
		{"enabled target otlpEndpoint otlpProtocol logPrompts traces outfile useCollector useCliAuth", acts},
	}}
	bugReport    = &Effect{Class: Acts, Part: Fields, Fields: []Field{{"urlTemplate", acts}}}
	outputBudget = &Effect{Class: Describes, Part: Members, Each: &Effect{Class: Describes, Part: Fields, Fields: []Field{{"tokenBudget", free}}}}
	themes       = &Effect{Class: Describes, Part: Members, Each: free}
)

// hooksClass is the class of the switch of hooks: without them, calls are not checked.
func hooksClass(v any) Class {
	if v == true {
		return Acts
	}
	return Loosens
}

func loosensIf(is bool) Class {
	if is {
		return Loosens
	}
	return Tightens
}

// isMore reports whether v is not a number up to below, where a negative number is no limit.
func isMore(below, v any) bool {
	n, ok := v.(float64)
	limit, isLimited := below.(float64)
	isLimited = isLimited && limit >= 0
	return !ok || isLimited && (n < 0 || n > limit)
}

func orElse(v, standard any) any {
	if v == nil {
		return standard
	}
	return v
}

// modeClass is the class of an approval mode.
func modeClass(below, v any) Class {
	modes := []any{"plan", "default", "auto_edit", "sandboxed"}
	i := slices.Index(modes, v)
	return loosensIf(i < 0 || i > slices.Index(modes, orElse(below, "default")))
}

// textClass is the class of a way to call tools: calls in text can be quotations of others.
func textClass(_, v any) Class {
	if v == "text" {
		return Loosens
	}
	return Describes
}

// agentToolsClass is the class of the tools of a subagent. Which ones it has otherwise is known only where
// another layer sets them.
func agentToolsClass(below, v any) Class {
	list, ok := v.([]any)
	had, isSet := below.([]any)
	switch {
	case ok && len(list) == 0:
		return Tightens
	case ok && isSet && !slices.ContainsFunc(list, func(item any) bool { return !slices.Contains(Texts(had), text(item)) }):
		return Tightens
	}
	return Loosens | Tightens
}

func text(v any) string {
	s, _ := v.(string)
	return s
}
