package hook

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Hooks of other agents deny in their own words, and people mix them. A denial in the words of any agent
// is a denial, because a guard that is not understood must not let everything pass. Words that allow have
// no effect in any dialect.

// denyWords and askWords are values of a decision.
var (
	denyWords = []string{
		"deny", "denied", "block", "blocked", "reject", "rejected", "refuse", "refused", "forbid", "forbidden", "disallow", "cancel", "abort",
		"no", "false", "deny_unless_prior_grant",
	}
	askWords = []string{"ask", "ask_user", "force_ask", "defer", "confirm", "prompt"}
)

// decisionMembers are members that hold a decision, in lower case and without punctuation. The value
// is a word, or true or false: denyMembers deny if true, the others if false.
var (
	decisionMembers = []string{
		"decision", "permissiondecision", "permission", "behavior", "action", "verdict", "ok", "allow", "allowed", "approve", "approved",
		"proceed", "permitted",
	}
	denyMembers = []string{"deny", "denied", "block", "blocked", "reject", "rejected"}
)

// reasonMembers are members that hold the reason of a decision, in the order in which they count.
var reasonMembers = []string{"permissionDecisionReason", "stopReason", "reason", "denyReason", "message", "user_message", "agent_message", "systemMessage"}

// restriction is the effect of an answer that restricts: "deny", "ask", or "" for none.
type restriction struct{ decision, reason string }

// or returns the stricter of two restrictions.
func (r restriction) or(other restriction) restriction {
	if r.decision == "deny" || other.decision == "" || r.decision == "ask" && other.decision == "ask" {
		return r
	}
	return other
}

// restrictionOf returns the restriction in a value that a hook printed, in any dialect.
func restrictionOf(raw json.RawMessage) restriction {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) == nil {
		var found restriction
		for _, item := range items[:min(len(items), 100)] {
			found = found.or(restrictionOf(item))
		}
		return found
	}
	o, _ := parseJSON(string(raw))
	return o.restriction(2)
}

// restriction returns the restriction in an output, in any dialect. depth is how deep objects count that
// hold a decision.
func (o Output) restriction(depth int) restriction {
	var found restriction
	for _, name := range slices.Sorted(maps.Keys(o)) {
		raw, member := o[name], foldMember(name)
		isDecision, isDenial := slices.Contains(decisionMembers, member), slices.Contains(denyMembers, member)
		var value any
		switch {
		case !isDecision && !isDenial && member != "hookspecificoutput":
			continue
		case json.Unmarshal(raw, &value) != nil:
			continue
		}
		switch value := value.(type) {
		case string:
			if isDecision {
				found = found.or(restriction{decision: wordOf(value)})
			}
		case bool:
			if value == isDenial && (isDecision || isDenial) {
				found = found.or(restriction{decision: "deny"})
			}
		case map[string]any:
			if depth > 0 {
				found = found.or(o.object(name).restriction(depth - 1))
			}
		}
	}
	if found.decision != "" && found.reason == "" {
		found.reason = o.anyReason()
	}
	return found
}

// anyReason returns the reason in an output, wherever a dialect has it.
func (o Output) anyReason() string {
	for _, at := range []Output{o.specific(), o, o.specific().object("decision"), o.object("decision")} {
		for _, key := range reasonMembers {
			if text := at.text(key); text != "" {
				return text
			}
		}
	}
	return ""
}

// foldMember returns a name without case and punctuation.
func foldMember(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r == '_' || r == '-' || r == ' ':
			return -1
		}
		return r
	}, name)
}

// wordOf returns "deny", "ask" or "" for a decision.
func wordOf(word string) string {
	switch word = strings.ToLower(strings.TrimSpace(word)); {
	case slices.Contains(denyWords, word):
		return "deny"
	case slices.Contains(askWords, word):
		return "ask"
	}
	return ""
}

const (
	// maxObjects is how many objects are looked for in a text, and maxObject how long one may be.
	maxObjects = 64
	maxObject  = 256 << 10
)

// looksLikeAnswer reports whether an output has a member that answers of hooks have.
func (o Output) looksLikeAnswer() bool {
	for name := range o {
		switch foldMember(name) {
		case "decision", "permissiondecision", "permission", "hookspecificoutput":
			return true
		}
	}
	return false
}

// restrictionIn returns the restriction of JSON objects inside a text, for programs that print notes
// beside their answer.
func restrictionIn(text string) restriction {
	var found restriction
	for range maxObjects {
		at := strings.IndexByte(text, '{')
		if at < 0 {
			return found
		}
		text = text[at:]
		if next := strings.TrimLeft(text[1:], " \t\r\n"); next == "" || next[0] != '"' {
			text = text[1:]
			continue
		}
		d := json.NewDecoder(strings.NewReader(text[:min(len(text), maxObject)]))
		var raw json.RawMessage
		if d.Decode(&raw) != nil {
			text = text[1:]
			continue
		}
		if o, _ := parseJSON(string(raw)); o.looksLikeAnswer() { // a log in JSON has other members
			found = found.or(restrictionOf(raw))
		}
		text = text[d.InputOffset():]
	}
	return found
}
