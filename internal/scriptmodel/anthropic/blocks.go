package anthropic

import (
	"fmt"
	"strings"
	"unicode"

	"pollux/internal/scriptmodel/protocol"
)

// readMessages reads the conversation, and checks the order of roles and that each call has
// its result.
func readMessages(a *protocol.Query) *protocol.Error {
	all := protocol.AsList(a.Body["messages"])
	if len(all) == 0 {
		return invalid("messages: at least one message is required")
	}
	used := map[string]bool{}
	for i, v := range all {
		m := v.(map[string]any)
		model := m["role"] == "assistant"
		switch {
		case i == 0 && model:
			return invalid("messages: first message must use the \"user\" role")
		case i > 0 && model == a.LastMessage().FromModel:
			return invalid("messages: roles must alternate between \"user\" and \"assistant\", but found multiple \"%s\" roles in a row", m["role"])
		}
		out, f := readMessage(m, model, i)
		if f != nil {
			return f
		}
		var calls []protocol.Call
		if i > 0 {
			calls = a.LastMessage().Calls
		}
		if f := checkResults(calls, m["content"], i); f != nil {
			return f
		}
		for _, c := range out.Calls {
			if used[c.ID] {
				return invalid("messages.%d.content: `tool_use` ids must be unique", i)
			}
			used[c.ID] = true
		}
		a.Messages = append(a.Messages, out)
	}
	a.SetResultNames()
	return checkLast(a)
}

// checkLast checks the last message of the conversation.
func checkLast(a *protocol.Query) *protocol.Error {
	last := a.LastMessage()
	if !last.FromModel {
		return nil
	}
	n := len(a.Messages) - 1
	switch {
	case len(last.Calls) > 0:
		return missingResult(n, last.Calls)
	case claude(a.Model) >= 406:
		return invalid("This model does not support assistant message prefill. The conversation must end with a user message.")
	case a.Thinking:
		return invalid("messages.%d: the final message may not be the assistant's when thinking is enabled.", n)
	}
	if n := len(last.Texts); n > 0 {
		text := last.Texts[n-1]
		if strings.TrimRightFunc(text, unicode.IsSpace) != text {
			return invalid("messages: final assistant content cannot end with trailing whitespace")
		}
	}
	return nil
}

// readMessage reads the blocks of the message at index i.
func readMessage(m map[string]any, model bool, i int) (protocol.Message, *protocol.Error) {
	out := protocol.Message{FromModel: model}
	if text, ok := m["content"].(string); ok {
		if text == "" {
			return out, invalid("messages.%d: all messages must have non-empty content except for the optional final assistant message", i)
		}
		if strings.TrimSpace(text) == "" {
			return out, invalid("messages: text content blocks must contain non-whitespace text")
		}
		out.Texts = []string{text}
		return out, nil
	}
	all := protocol.AsList(m["content"])
	if len(all) == 0 {
		return out, invalid("messages.%d: all messages must have non-empty content except for the optional final assistant message", i)
	}
	for j, v := range all {
		if f := readBlock(&out, v.(map[string]any), fmt.Sprintf("messages.%d.content.%d", i, j)); f != nil {
			return out, f
		}
	}
	if kind := all[len(all)-1].(map[string]any)["type"]; model && (kind == "thinking" || kind == "redacted_thinking") {
		return out, invalid("messages.%d: The final block in an assistant message cannot be `thinking`.", i)
	}
	return out, nil
}

func readBlock(m *protocol.Message, b map[string]any, at string) *protocol.Error {
	kind := b["type"].(string)
	if m.First == "" {
		m.First = kind
	}
	users := kind == "tool_result" || kind == "image" || kind == "document"
	models := kind == "tool_use" || kind == "thinking" || kind == "redacted_thinking"
	if m.FromModel && users || !m.FromModel && models {
		role := "user"
		if m.FromModel {
			role = "assistant"
		}
		return invalid("%s: `%s` blocks are not allowed in `%s` messages", at, kind, role)
	}
	switch kind {
	case "text":
		text := b["text"].(string)
		switch {
		case text == "" && b["cache_control"] != nil:
			return invalid("%s.text: cache_control cannot be set for empty text blocks", at)
		case text == "":
			return invalid("messages: text content blocks must be non-empty")
		case strings.TrimSpace(text) == "":
			return invalid("messages: text content blocks must contain non-whitespace text")
		}
		m.Texts = append(m.Texts, text)
	case "image", "document":
		m.Media = append(m.Media, blockMedia(b))
	case "thinking":
		m.Thoughts = append(m.Thoughts, protocol.Thought{Text: b["thinking"].(string), Signature: b["signature"].(string)})
	case "redacted_thinking":
		m.Thoughts = append(m.Thoughts, protocol.Thought{Signature: b["data"].(string)})
	case "tool_use":
		id, name := b["id"].(string), b["name"].(string)
		switch {
		case !isName(id, 1<<10):
			return invalid("%s.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", at)
		case !isName(name, 200):
			return invalid("%s.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'", at)
		}
		m.Calls = append(m.Calls, protocol.Call{ID: id, Name: name, Args: protocol.CanonicalArgs(b["input"])})
	case "tool_result":
		return readResult(m, b, at)
	}
	return nil
}

// blockMedia returns the media type of an image or a document, or "" if it is given by URL.
func blockMedia(b map[string]any) string {
	kind, _ := b["source"].(map[string]any)["media_type"].(string)
	return kind
}

func readResult(m *protocol.Message, b map[string]any, at string) *protocol.Error {
	r := protocol.Result{ID: b["tool_use_id"].(string), Failed: b["is_error"] == true}
	r.Text, _ = b["content"].(string)
	for _, v := range protocol.AsList(b["content"]) {
		part := v.(map[string]any)
		text, isText := part["text"].(string)
		if isText && text == "" {
			return invalid("messages: text content blocks must be non-empty")
		}
		if !isText && r.Failed {
			return invalid("%s: when `is_error` is true, all content must be of type `text`", at)
		}
		r.Text += text
		if !isText {
			m.Media = append(m.Media, blockMedia(part))
		}
	}
	m.Results = append(m.Results, r)
	return nil
}

// checkResults checks that the message at index i starts with exactly one result for each call
// of the message before it.
func checkResults(calls []protocol.Call, content any, i int) *protocol.Error {
	open := map[string]bool{}
	for _, c := range calls {
		open[c.ID] = true
	}
	leading, done := true, map[string]bool{}
	for j, v := range protocol.AsList(content) {
		b := v.(map[string]any)
		if b["type"] != "tool_result" {
			leading = false
			continue
		}
		id := b["tool_use_id"].(string)
		switch {
		case !open[id]:
			return invalid("messages.%d.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", i, j, id)
		case done[id]:
			return invalid("messages.%d.content.%d: each tool_use must have a single result. Found multiple `tool_result` blocks with id: %s", i, j, id)
		case leading:
			done[id] = true
		}
	}
	var left []protocol.Call
	for _, c := range calls {
		if !done[c.ID] {
			left = append(left, c)
		}
	}
	if len(left) > 0 {
		return missingResult(i-1, left)
	}
	return nil
}

func missingResult(i int, calls []protocol.Call) *protocol.Error {
	var ids []string
	for _, c := range calls {
		ids = append(ids, c.ID)
	}
	return invalid("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", i, strings.Join(ids, ", "))
}

// CheckMemory refuses thoughts that the vendor did not sign and, in the current turn, calls
// without the thoughts before them.
func (Wire) CheckMemory(a *protocol.Query, m *protocol.Memory) *protocol.Error {
	for i, msg := range a.Messages {
		for j, t := range msg.Thoughts {
			if !m.IsGenuine(t) {
				return invalid("messages.%d.content.%d: Invalid `signature` in `thinking` block", i, j)
			}
		}
	}
	if !a.Thinking || len(a.Messages) == 0 {
		return nil
	}
	thinking, _ := a.Body["thinking"].(map[string]any)
	start := a.TurnStart()
	for i, msg := range a.Messages[start:] {
		if len(msg.Calls) == 0 {
			continue
		}
		given, ours := m.CallRecord(msg.Calls[len(msg.Calls)-1])
		if !ours && thinking["type"] == "enabled" && !strings.HasSuffix(msg.First, "thinking") {
			return invalid("messages.%d.content.0.type: Expected `thinking` or `redacted_thinking`, but found `%s`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). To avoid this requirement, you must disable `thinking`.", start+i, msg.First)
		}
		for j, want := range given.Thoughts {
			if j >= len(msg.Thoughts) || msg.Thoughts[j] != want {
				return invalid("messages.%d.content.%d: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.", start+i, j)
			}
		}
	}
	return nil
}
