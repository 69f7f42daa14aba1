package scriptmodel

import (
	"fmt"
	"strings"
	"unicode"
)

// converseBlocks notes the conversation, and checks who speaks in which order
// and that each call has its result.
func (a *asked) converseBlocks() *refusal {
	all := list(a.root["messages"])
	if len(all) == 0 {
		return bad("messages: at least one message is required")
	}
	used := map[string]bool{}
	for i, v := range all {
		m := v.(map[string]any)
		model := m["role"] == "assistant"
		switch {
		case i == 0 && model:
			return bad("messages: first message must use the \"user\" role")
		case i > 0 && model == a.newest().model:
			return bad("messages: roles must alternate between \"user\" and \"assistant\", but found multiple \"%s\" roles in a row", m["role"])
		}
		out, f := a.blocks(m, model, i)
		if f != nil {
			return f
		}
		var calls []call
		if i > 0 {
			calls = a.newest().calls
		}
		if f := answeredBlocks(calls, m["content"], i); f != nil {
			return f
		}
		for _, c := range out.calls {
			if used[c.id] {
				return bad("messages.%d.content: `tool_use` ids must be unique", i)
			}
			used[c.id] = true
		}
		a.messages = append(a.messages, out)
	}
	a.nameResults()
	return a.lastWord()
}

// lastWord checks how the conversation ends.
func (a *asked) lastWord() *refusal {
	last := a.newest()
	if !last.model {
		return nil
	}
	n := len(a.messages) - 1
	switch {
	case len(last.calls) > 0:
		return unansweredBlocks(n, last.calls)
	case claude(a.model) >= 406:
		return bad("This model does not support assistant message prefill. The conversation must end with a user message.")
	case a.thinking:
		return bad("messages.%d: the final message may not be the assistant's when thinking is enabled.", n)
	}
	if n := len(last.texts); n > 0 {
		text := last.texts[n-1]
		if strings.TrimRightFunc(text, unicode.IsSpace) != text {
			return bad("messages: final assistant content cannot end with trailing whitespace")
		}
	}
	return nil
}

// blocks notes the blocks of the ith message.
func (a *asked) blocks(m map[string]any, model bool, i int) (message, *refusal) {
	out := message{model: model}
	if text, ok := m["content"].(string); ok {
		if text == "" {
			return out, bad("messages.%d: all messages must have non-empty content except for the optional final assistant message", i)
		}
		if strings.TrimSpace(text) == "" {
			return out, bad("messages: text content blocks must contain non-whitespace text")
		}
		out.texts = []string{text}
		return out, nil
	}
	all := list(m["content"])
	if len(all) == 0 {
		return out, bad("messages.%d: all messages must have non-empty content except for the optional final assistant message", i)
	}
	for j, v := range all {
		if f := out.block(v.(map[string]any), fmt.Sprintf("messages.%d.content.%d", i, j)); f != nil {
			return out, f
		}
	}
	if kind := all[len(all)-1].(map[string]any)["type"]; model && (kind == "thinking" || kind == "redacted_thinking") {
		return out, bad("messages.%d: The final block in an assistant message cannot be `thinking`.", i)
	}
	return out, nil
}

func (m *message) block(b map[string]any, at string) *refusal {
	kind := b["type"].(string)
	if m.first == "" {
		m.first = kind
	}
	users := kind == "tool_result" || kind == "image" || kind == "document"
	models := kind == "tool_use" || kind == "thinking" || kind == "redacted_thinking"
	if m.model && users || !m.model && models {
		role := "user"
		if m.model {
			role = "assistant"
		}
		return bad("%s: `%s` blocks are not allowed in `%s` messages", at, kind, role)
	}
	switch kind {
	case "text":
		text := b["text"].(string)
		switch {
		case text == "" && b["cache_control"] != nil:
			return bad("%s.text: cache_control cannot be set for empty text blocks", at)
		case text == "":
			return bad("messages: text content blocks must be non-empty")
		case strings.TrimSpace(text) == "":
			return bad("messages: text content blocks must contain non-whitespace text")
		}
		m.texts = append(m.texts, text)
	case "image", "document":
		m.media = append(m.media, blockMedia(b))
	case "thinking":
		m.thoughts = append(m.thoughts, thought{b["thinking"].(string), b["signature"].(string)})
	case "redacted_thinking":
		m.thoughts = append(m.thoughts, thought{"", b["data"].(string)})
	case "tool_use":
		id, name := b["id"].(string), b["name"].(string)
		switch {
		case !anthropicName(id, 1<<10):
			return bad("%s.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", at)
		case !anthropicName(name, 200):
			return bad("%s.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'", at)
		}
		m.calls = append(m.calls, call{id: id, name: name, args: sameArgs(b["input"])})
	case "tool_result":
		return m.blockResult(b, at)
	}
	return nil
}

// blockMedia is the type of an image or a document, "" where only its place is told.
func blockMedia(b map[string]any) string {
	kind, _ := b["source"].(map[string]any)["media_type"].(string)
	return kind
}

func (m *message) blockResult(b map[string]any, at string) *refusal {
	r := result{id: b["tool_use_id"].(string), failed: b["is_error"] == true}
	r.text, _ = b["content"].(string)
	for _, v := range list(b["content"]) {
		part := v.(map[string]any)
		text, isText := part["text"].(string)
		if isText && text == "" {
			return bad("messages: text content blocks must be non-empty")
		}
		if !isText && r.failed {
			return bad("%s: when `is_error` is true, all content must be of type `text`", at)
		}
		r.text += text
		if !isText {
			m.media = append(m.media, blockMedia(part))
		}
	}
	m.results = append(m.results, r)
	return nil
}

// answeredBlocks checks that the content of the ith message answers the calls
// of the one before, first of all and each one once.
func answeredBlocks(calls []call, content any, i int) *refusal {
	open := map[string]bool{}
	for _, c := range calls {
		open[c.id] = true
	}
	leading, done := true, map[string]bool{}
	for j, v := range list(content) {
		b := v.(map[string]any)
		if b["type"] != "tool_result" {
			leading = false
			continue
		}
		id := b["tool_use_id"].(string)
		switch {
		case !open[id]:
			return bad("messages.%d.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", i, j, id)
		case done[id]:
			return bad("messages.%d.content.%d: each tool_use must have a single result. Found multiple `tool_result` blocks with id: %s", i, j, id)
		case leading:
			done[id] = true
		}
	}
	var left []call
	for _, c := range calls {
		if !done[c.id] {
			left = append(left, c)
		}
	}
	if len(left) > 0 {
		return unansweredBlocks(i-1, left)
	}
	return nil
}

func unansweredBlocks(i int, calls []call) *refusal {
	var ids []string
	for _, c := range calls {
		ids = append(ids, c.id)
	}
	return bad("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", i, strings.Join(ids, ", "))
}

// faithful refuses thoughts that the vendor did not sign, and, in the turn in
// progress, calls without the thoughts that led to them.
func (anthropic) faithful(a *asked, m *memory) *refusal {
	for i, msg := range a.messages {
		for j, t := range msg.thoughts {
			if !m.genuine(t) {
				return bad("messages.%d.content.%d: Invalid `signature` in `thinking` block", i, j)
			}
		}
	}
	if !a.thinking || len(a.messages) == 0 {
		return nil
	}
	thinking, _ := a.root["thinking"].(map[string]any)
	start := a.turnStart()
	for i, msg := range a.messages[start:] {
		if len(msg.calls) == 0 {
			continue
		}
		given, ours := m.given(msg.calls[len(msg.calls)-1])
		if !ours && thinking["type"] == "enabled" && !strings.HasSuffix(msg.first, "thinking") {
			return bad("messages.%d.content.0.type: Expected `thinking` or `redacted_thinking`, but found `%s`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). To avoid this requirement, you must disable `thinking`.", start+i, msg.first)
		}
		for j, want := range given.thoughts {
			if j >= len(msg.thoughts) || msg.thoughts[j] != want {
				return bad("messages.%d.content.%d: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.", start+i, j)
			}
		}
	}
	return nil
}
