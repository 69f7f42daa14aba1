package hook

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// claudeTimeout is the time limit of a hook of Claude Code without one of its own.
const claudeTimeout = 10 * time.Minute

// ClaudeConfig are the members of a hook's configuration that only Claude Code has.
type ClaudeConfig struct {
	Event     laxText         `json:"event"` // where it is not the usual one of Pollux's event
	If        laxText         `json:"if"`
	Args      json.RawMessage `json:"args"`
	Shell     laxText         `json:"shell"`
	OnFailure laxText         `json:"onFailure"`
}

// claudeMember describes how a member of a hook of Claude Code differs in Pollux, as a clause, "" if Pollux applies it.
func claudeMember(name string) (note string, isKnown bool) {
	switch name {
	case "type", "command", "name", "description", "timeout", "env", "dialect", "event", "if", "args", "shell", "onFailure", "statusMessage":
		return "", true
	case "async", "asyncRewake":
		return name + " has no effect: Pollux waits for the hook", true
	case "once":
		return "once has no effect: the hook runs each time", true
	}
	return "", false
}

// apply sets the fields that only Claude Code's configuration has. members are all members of the hook. reason
// explains why the hook cannot run; notes are clauses about differences in Pollux.
func (c ClaudeConfig) apply(h *Hook, members map[string]json.RawMessage) (notes []string, reason string) {
	if c.Event != "" {
		if claudeEvent(string(c.Event)) != h.Event {
			return nil, fmt.Sprintf("%q is not an event of Claude Code for %s", string(c.Event), h.Event)
		}
		h.As = string(c.Event)
	}
	if len(c.Args) > 0 && string(c.Args) != "null" {
		var args []string
		if json.Unmarshal(c.Args, &args) != nil {
			return nil, "args is not a list of texts"
		}
		h.Args = append([]string{}, args...)
	}
	switch shell := string(c.Shell); shell {
	case "", "bash", "sh":
	case "powershell", "pwsh":
		h.IsPowerShell = true
	default:
		return nil, fmt.Sprintf("the shell must be \"bash\" or \"powershell\", not %q", shell)
	}
	switch strings.ToLower(string(c.OnFailure)) {
	case "", "continue", "allow", "ignore", "warn":
	default: // any other value blocks
		h.BlocksOnFailure = true
	}
	h.Condition = string(c.If)
	switch {
	case h.Condition == "":
	case h.Event != BeforeTool && h.Event != AfterTool:
		return nil, "if is only for hooks of tools: with it, this one never runs in Claude Code"
	default:
		if _, ok := parseCondition(h.Condition); !ok {
			notes = append(notes, fmt.Sprintf("Pollux does not understand the condition %q, and runs the hook for all calls of %s", h.Condition, h.matcherText()))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		switch note, known := claudeMember(name); {
		case !known:
			notes = append(notes, fmt.Sprintf("%s is not known and has no effect", name))
		case note != "" && string(members[name]) != "false":
			notes = append(notes, note)
		}
	}
	return notes, ""
}

// matcherText returns the matcher for people.
func (h *Hook) matcherText() string {
	if selectsAll(h.Matcher) {
		return "all tools"
	}
	return h.Matcher
}
