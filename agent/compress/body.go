package compress

import (
	"slices"
	"strings"

	"pollux/agent"
	"pollux/llm"
)

// isOpening knows the session's context by its tag (spec/agent.md §21).
func isOpening(m agent.Message) bool {
	return m.Content != nil && m.Content.Role == llm.RoleUser && startsWith(m.Content, "<session_context>")
}

func startsWith(c *llm.Content, tag string) bool {
	return len(c.Parts) > 0 && strings.HasPrefix(c.Parts[0].Text, tag)
}

// leading counts the messages in which an earlier compression put its summary.
func leading(messages []agent.Message) int {
	if len(messages) == 0 || !isSnapshot(messages[0]) {
		return 0
	}
	if len(messages) > 1 && messages[1].Content.Role == llm.RoleModel && messages[1].Content.Text() == thanks {
		return 2
	}
	return 1
}

func isSnapshot(m agent.Message) bool {
	return m.Content.Role == llm.RoleUser && startsWith(m.Content, snapshotOpen)
}

// curate returns the messages that go to a model: those of a run of the model's
// are left out where one of them is unusable (spec/agent.md §11.1). But a call
// stays, freed of what is unusable beside it, for its result does.
func curate(messages []agent.Message) []agent.Message {
	if !slices.ContainsFunc(messages, unusable) {
		return messages
	}
	var kept []agent.Message
	for i := 0; i < len(messages); {
		end := i + 1
		if isModels(messages[i]) {
			for end < len(messages) && isModels(messages[end]) {
				end++
			}
		}
		run := messages[i:end]
		i = end
		broken := slices.ContainsFunc(run, unusable)
		for _, m := range run {
			switch {
			case m.Content == nil:
			case !broken:
				kept = append(kept, m)
			case len(m.Content.FunctionCalls()) > 0:
				if unusable(m) {
					m.Content = llm.Model(slices.DeleteFunc(slices.Clone(m.Content.Parts), isVoid)...)
				}
				kept = append(kept, m)
			}
		}
	}
	return kept
}

func isModels(m agent.Message) bool { return m.Content == nil || m.Content.Role == llm.RoleModel }

// unusable reports whether a message of the model's may not be sent.
func unusable(m agent.Message) bool {
	return m.Content == nil || m.Content.Role == llm.RoleModel && slices.ContainsFunc(m.Content.Parts, isVoid)
}

func isVoid(p llm.Part) bool { return p.IsEmpty() && !p.Thought && p.ThoughtSignature == "" }
