package hook

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/dlclark/regexp2"

	"pollux/tool/spelling"
)

// namesClaudeTools reports whether the matcher of a hook selects tools of Claude Code, and none that Pollux or
// Gemini CLI has.
func namesClaudeTools(h *Hook) bool {
	if h.Event != BeforeTool && h.Event != AfterTool || selectsAll(h.Matcher) || mayBeRemote(h.Matcher) {
		return false
	}
	s := NewSet(Options{})
	isOwn := slices.ContainsFunc(claudeTools, func(t foreignTool) bool { return s.finds(h.Matcher, t.own) })
	return !isOwn && s.selectsAny(h.Matcher, claudeTools.names())
}

// mayBeRemote reports whether a matcher may be about tools of MCP servers or discovered tools, which come later.
func mayBeRemote(matcher string) bool {
	re, err := regexp2.Compile(matcher, regexp2.ECMAScript)
	if err != nil {
		return strings.Contains(matcher, "mcp")
	}
	re.MatchTimeout = matchTimeout
	for _, name := range []string{"mcp_", "mcp_s_t", "mcp__s__t", "discovered_tool_x"} {
		if ok, err := re.MatchString(name); ok || err != nil {
			return true
		}
	}
	return strings.Contains(matcher, "mcp_") || strings.Contains(matcher, "discovered_")
}

// Unmatched returns a sentence about each matcher that can select nothing: no tool, or no source or reason of
// its event. tools are the names of all tools that a session may have, those of servers excepted.
func (s *Set) Unmatched(tools []string) (sentences []string) {
	for _, h := range s.Hooks() {
		if h.IsDisabled || selectsAll(h.Matcher) {
			continue
		}
		parts := []string{h.Matcher}
		if h.Event == BeforeTool || h.Event == AfterTool || h.Dialect.isLikeClaude() {
			parts = alternatives(h.Matcher)
		}
		for _, part := range parts {
			text := s.unmatched(&h, part, tools)
			if text != "" && !slices.Contains(sentences, text) {
				sentences = append(sentences, text)
			}
		}
	}
	return sentences
}

// unmatched returns a sentence about a part of a matcher that selects nothing, "" if it may select something.
func (s *Set) unmatched(h *Hook, part string, tools []string) string {
	var names []string
	what := "no tool"
	switch h.Event {
	case BeforeTool, AfterTool:
		if mayBeRemote(part) {
			return ""
		}
		names = slices.Concat(h.Dialect.tools().names(), tools)
		if h.Dialect == Qwen {
			for _, name := range qwenTools.names() {
				names = append(names, qwenLabels(name)...)
			}
		}
	case SessionStart:
		names, what = triggers(h.Event), "no source"
	case SessionEnd:
		names, what = triggers(h.Event), "no reason"
		if h.Dialect.isLikeClaude() {
			names[0] = claudeTrigger(SessionEnd, names[0])
		}
	case PreCompress:
		names, what = triggers(h.Event), "no trigger"
	default:
		return "" // matchers have no effect
	}
	matches := func(name string) bool {
		switch {
		case h.Dialect == Claude:
			return s.selectsAny(part, []string{name})
		case what == "no tool", h.Dialect == Qwen:
			return s.finds(part, name)
		}
		return h.Matcher == name
	}
	if slices.ContainsFunc(names, matches) {
		return ""
	}
	text := fmt.Sprintf("The matcher %q of the hook %s for %s can match %s.", part, brief(h.ID()), h.Event, what)
	word := strings.Trim(part, "^$()")
	own := ClaudeTool(word)
	switch near := spelling.Closest(word, slices.Values(names)); {
	case h.Dialect == Gemini && own != "":
		text += fmt.Sprintf(" Tools are called otherwise here: write %q.", own)
	case slices.Contains(h.Dialect.otherTools(), word):
		text += fmt.Sprintf(" Pollux does not have this tool of %s.", h.Dialect)
	case what != "no tool" && h.Dialect == Gemini && strings.Contains(part, "|"):
		text += " Write an entry for each value."
	case near != "":
		text += fmt.Sprintf(" Did you mean %q?", near)
	}
	return text
}

// plainPart matches a part of a matcher that is a name.
var plainPart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\^?\(?[\w -]+\)?\$?$`) })

// alternatives returns the parts of a matcher that is a list of names, else the matcher itself.
func alternatives(matcher string) []string {
	parts := strings.Split(strings.TrimSuffix(strings.TrimPrefix(matcher, "^("), ")$"), "|")
	for i, part := range parts {
		parts[i] = strings.TrimSpace(part)
		if !plainPart().MatchString(parts[i]) {
			return []string{matcher}
		}
	}
	return parts
}
