package hook

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dlclark/regexp2"
)

// Read returns the hooks of one source: the value of the key "hooks" of a settings file, or of an
// extension's hooks.json. Hooks in the form of Claude Code are read as such. Read omits invalid
// hooks, and reports each in a sentence. lost are the sentences about hooks that may have refused something.
func Read(source Source, definitions map[string]json.RawMessage) (hooks []Hook, problems, lost []string) {
	r := reader{source: source, isClaude: areClaudes(definitions)}
	for _, name := range slices.Sorted(maps.Keys(definitions)) {
		switch {
		case slices.Contains(Events(), Event(name)), claudeEvent(name) != "":
		case slices.Contains(oldKeys, name):
			r.report("hooks.%s in the %s settings has no effect. Its name is hooksConfig.%[1]s now.", name, source)
		default:
			r.report("%s", invalidEvent(name, source))
			if holdsHooks(definitions[name]) && !slices.Contains(otherClaudeEvents, name) {
				r.lose()
			}
		}
	}
	for _, e := range Events() {
		r.event(e, "", definitions[string(e)])
		for _, c := range claudeEvents {
			if c.event == e && c.name != string(e) {
				r.event(e, c.name, definitions[c.name])
			}
		}
	}
	return r.hooks, r.problems, r.lost
}

// holdsHooks reports whether the value of an unknown event may have hooks.
func holdsHooks(raw json.RawMessage) bool {
	var list []any
	var object map[string]any
	return json.Unmarshal(raw, &list) == nil && len(list) > 0 || json.Unmarshal(raw, &object) == nil && len(object) > 0
}

// areClaudes reports whether definitions are the value of "hooks" in Claude Code's settings: they have an event
// that only Claude Code has, and none that only Gemini CLI has.
func areClaudes(definitions map[string]json.RawMessage) bool {
	is := false
	for name := range definitions {
		switch {
		case isClaudeOnly(name):
			is = true
		case slices.Contains(Events(), Event(name)) && claudeEvent(name) == "":
			return false
		}
	}
	return is
}

// reader reads the hooks of one source.
type reader struct {
	source   Source
	isClaude bool // hooks for events with the same name in both dialects are Claude Code's
	hooks    []Hook
	problems []string
	lost     []string
}

// lose notes that the hooks of the last problem may have refused something.
func (r *reader) lose() { r.lost = append(r.lost, r.problems[len(r.problems)-1]) }

// discard reports hooks for an event that are not used.
func (r *reader) discard(e Event, format string, args ...any) {
	r.report(format, args...)
	if mayRefuse(e) {
		r.lose()
	}
}

// mayRefuse reports whether a hook for an event can refuse something.
func mayRefuse(e Event) bool {
	switch e {
	case SessionStart, SessionEnd, PreCompress, Notification:
		return false
	}
	return true
}

func (r *reader) report(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

// event reads the definitions for an event. as is Claude Code's name for it, "" for Pollux's.
func (r *reader) event(e Event, as string, raw json.RawMessage) {
	if raw == nil {
		return
	}
	name := cmp.Or(as, string(e))
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil || list == nil {
		r.discard(e, "Discarding the hooks for %s from %s settings: they are not a list.", name, r.source)
		return
	}
	for i, item := range list {
		var d definition
		if json.Unmarshal(item, &d) != nil || d.Hooks == nil {
			r.discard(e, "Discarding invalid hook definition %d for %s from %s settings: it has no list of hooks.", i+1, name, r.source)
			continue
		}
		for _, item := range d.Hooks {
			h := Hook{Event: e, Matcher: string(d.Matcher), IsSequential: bool(d.Sequential), Source: r.source}
			if as != "" || r.isClaude && claudeEvent(string(e)) == e {
				h.Dialect, h.As = Claude, as
			}
			notes, reason := h.parse(item)
			if reason != "" {
				r.discard(e, "Discarding invalid hook configuration for %s from %s settings: %s.%s", name, r.source, reason, h.consequence())
				continue
			}
			for _, note := range notes {
				r.report("The hook %s for %s from %s settings: %s.", brief(h.ID()), name, r.source, note)
			}
			if reason := wrongMatcher(&h); reason != "" {
				r.discard(e, "The matcher %q of the hook %s for %s from %s settings is no regular expression: %s.", h.Matcher, brief(h.ID()), name, r.source, reason)
			}
			r.hooks = append(r.hooks, h)
		}
	}
}

// wrongMatcher returns why the matcher of a hook for tools is no regular expression, "" if it is one. Such a hook matches only a tool
// with exactly this name, which none has.
func wrongMatcher(h *Hook) string {
	if h.Event != BeforeTool && h.Event != AfterTool || selectsAll(h.Matcher) || isName(h.Matcher) {
		return ""
	}
	if _, err := regexp2.Compile(h.Matcher, regexp2.ECMAScript); err != nil {
		return err.Error()
	}
	return ""
}

// isName reports whether a matcher is a list of names, with the letters that need no look at the regular expression.
func isName(matcher string) bool {
	return !strings.ContainsFunc(matcher, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '|'
	})
}

// consequence describes the effect of a missing hook before tool calls or prompts.
func (h *Hook) consequence() string {
	switch h.Event {
	case BeforeTool:
		return " Nothing checks the calls of " + cmp.Or(h.Matcher, "tools") + " in its place."
	case BeforeAgent, BeforeModel:
		return " Nothing checks in its place."
	}
	return ""
}

// oldKeys are settings that files of old versions have beside the events.
var oldKeys = []string{"enabled", "disabled", "notifications"}

func invalidEvent(name string, source Source) string {
	text := fmt.Sprintf("Invalid hook event name: %q from %s config. Skipping.", name, source.label())
	if slices.Contains(otherClaudeEvents, name) {
		text += " It is an event of Claude Code that Pollux does not have."
	}
	return text
}

// definition is a matcher with its hooks.
type definition struct {
	Matcher    laxText           `json:"matcher"`
	Sequential laxBool           `json:"sequential"`
	Hooks      []json.RawMessage `json:"hooks"`
}

// laxText and laxBool ignore values of other types.
type (
	laxText string
	laxBool bool
)

func (t *laxText) UnmarshalJSON(b []byte) error {
	var s string
	_ = json.Unmarshal(b, &s) // another type is ""
	*t = laxText(s)
	return nil
}

func (t *laxBool) UnmarshalJSON(b []byte) error {
	*t = string(b) == "true"
	return nil
}

// parse reads the configuration of a hook. reason explains why it is invalid; notes are clauses about members
// that Pollux does not know, or reads in another way.
func (h *Hook) parse(raw json.RawMessage) (notes []string, reason string) {
	var c struct {
		Type        laxText         `json:"type"`
		Command     laxText         `json:"command"`
		Name        laxText         `json:"name"`
		Description laxText         `json:"description"`
		Timeout     json.RawMessage `json:"timeout"`
		Env         json.RawMessage `json:"env"`
		Dialect     json.RawMessage `json:"dialect"`
		Dir         laxText         `json:"cwd"`
		ClaudeConfig
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || json.Unmarshal(raw, &c) != nil {
		return nil, "it is not an object"
	}
	if c.Dialect != nil {
		if reason := h.setDialect(c.Dialect); reason != "" {
			return nil, reason
		}
	}
	switch {
	case c.Type != "command" && c.Type != "plugin": // which Gemini CLI runs as a command
		return nil, fmt.Sprintf("the type must be \"command\", not %q", string(c.Type))
	case c.Command == "":
		return nil, "it has no command"
	}
	h.Name, h.Command, h.Description, h.Timeout = string(c.Name), string(c.Command), string(c.Description), DefaultTimeout
	isGuessed := c.Dialect == nil && h.Dialect == Gemini && namesClaudeTools(h)
	if isGuessed {
		h.Dialect = Claude
		notes = append(notes, fmt.Sprintf(`its matcher %s names tools of Claude Code, so that it runs as a hook of Claude Code. Add "dialect": "claude" to it, or write %s`,
			h.Matcher, translateMatcher(h.Matcher)))
	}
	unit := 1.0
	if h.Dialect == Claude {
		h.Timeout, unit = claudeTimeout, 1000
	}
	if h.Dialect.isLikeClaude() {
		more, reason := c.ClaudeConfig.apply(h, members)
		if reason != "" {
			return nil, reason
		}
		notes = append(notes, more...)
	}
	if h.Dialect == Antigravity {
		h.Timeout, unit, h.BlocksOnFailure, h.Dir = antigravityTimeout, 1000, h.Event == BeforeTool, string(c.Dir)
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if !slices.Contains([]string{"type", "command", "name", "description", "timeout", "env", "dialect", "cwd"}, name) {
				notes = append(notes, fmt.Sprintf("%s is not known and has no effect", name))
			}
		}
	}
	var n float64
	if json.Unmarshal(c.Timeout, &n) == nil && len(c.Timeout) > 0 && string(c.Timeout) != "null" {
		if isGuessed && n > claudeTimeout.Seconds() { // which are milliseconds
			unit = 1
		}
		h.Timeout = milliseconds(n * unit)
	}
	var env map[string]any
	_ = json.Unmarshal(c.Env, &env) // another type sets nothing
	for name, value := range env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			continue
		}
		if h.Env == nil {
			h.Env = map[string]string{}
		}
		h.Env[name] = fmt.Sprint(value)
	}
	return notes, ""
}

// setDialect sets the dialect to a value of the settings, and returns why it cannot.
func (h *Hook) setDialect(value json.RawMessage) (reason string) {
	switch dialect := (Output{"d": value}).text("d"); {
	case dialect == "gemini" && h.As == "":
		h.Dialect = Gemini
	case dialect == string(Claude) && claudeName(h) != "":
		h.Dialect = Claude
	case dialect == string(Antigravity) && antigravityName(h.Event) != "" && h.As == "":
		h.Dialect = Antigravity
	case dialect == string(Qwen) && claudeName(h) != "":
		h.Dialect = Qwen
	case dialect == string(Claude), dialect == string(Antigravity), dialect == string(Qwen):
		return fmt.Sprintf("%s has no event like %s", Dialect(dialect), cmp.Or(h.As, string(h.Event)))
	default:
		return fmt.Sprintf("the dialect must be \"claude\", \"antigravity\", \"qwen\" or \"gemini\", not %s", brief(string(value)))
	}
	return ""
}

// milliseconds converts a timeout. It is at most a day; negative values become 0.
func milliseconds(ms float64) time.Duration {
	const day = 24 * time.Hour
	if math.IsNaN(ms) || ms <= 0 {
		return 0
	}
	return time.Duration(min(ms, float64(day/time.Millisecond)) * float64(time.Millisecond))
}
