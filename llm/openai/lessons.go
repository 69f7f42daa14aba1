package openai

import (
	"net/http"
	"slices"
	"strings"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// learn finds out from an error what a model's service would not have of a
// request, remembers it, and reports whether it is worth sending the request
// again. sent lists what members were in it. That a model cannot be given tools
// is for others to act on, and only said ([llm.KindNoTools]).
func (c *Client) learn(t *traits, e *llm.Error, sent []string) bool {
	if slices.Contains(sent, "tools") {
		switch {
		case e.Kind == llm.KindBadRequest && blames(e, "tools") && tooMany(e.Message):
			e.Message += " None is left out unasked: turn off tools that are not needed."
			return false
		case refusesTools(e):
			e.Kind = llm.KindNoTools
			return false
		}
	}
	var l learned
	if e.Kind == llm.KindBadRequest {
		l = lesson(t, e, sent)
	}
	if l.told == "" && t.speaksOther(e) {
		to := Responses - t.Protocol
		word, _ := to.MarshalText() // it has one
		l = learned{told: "speaking " + string(word) + " with it", change: func(t *traits) { t.Protocol, t.otherProtocol = to, true }}
	}
	if l.told == "" {
		return false
	}
	c.remember(t.model, l.change)
	c.log(t.model, l.told+" ("+httpwire.FirstLine(e.Message)+")")
	return true
}

// speaksOther reports whether an error says that the other protocol is the one
// to speak with the model, or that there is no Responses at this address.
func (t *traits) speaksOther(e *llm.Error) bool {
	message := strings.ToLower(e.Message)
	named := httpwire.ContainsAny(message, "/responses", "responses api", "responses endpoint")
	missing := e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed || e.Status == http.StatusNotImplemented
	refused := e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity
	switch {
	case t.otherProtocol || !missing && !refused:
		return false
	case t.Protocol == Chat:
		return named && httpwire.ContainsAny(message, "only", "instead")
	case named:
		return missing || refuses(message)
	case e.Status == http.StatusNotFound: // of the model, or of the address
		return e.Code != "model_not_found" && !httpwire.ContainsAny(message, "model", "deployment")
	}
	return missing
}

// learned is one change to how a model is spoken to.
type learned struct {
	told   string // for the log; "" where nothing was learned
	change func(*traits)
}

// lesson decides what to change. The order matters: a text that names several
// things means the first of these.
func lesson(t *traits, e *llm.Error, sent []string) learned {
	message := strings.ToLower(e.Message)
	has := func(words ...string) bool { return httpwire.ContainsAny(message, words...) }
	drop := func(name string) learned {
		return learned{told: "leaving out " + name, change: func(t *traits) { t.Drop = append(t.Drop, name) }}
	}
	thinks := slices.ContainsFunc(sent, func(name string) bool {
		return slices.Contains([]string{"reasoning_effort", "enable_thinking", "thinking", "reasoning", "chat_template_kwargs"}, name)
	})
	plainer := t.Schema + 1
	switch limit := t.maxTokens(); {
	case slices.Contains(sent, "max_tokens") && limit == "max_tokens" && has("max_completion_tokens"):
		return learned{told: "max_completion_tokens for max_tokens", change: func(t *traits) { t.MaxTokens = "max_completion_tokens" }}
	case slices.Contains(sent, "max_completion_tokens") && blames(e, "max_completion_tokens") && t.MaxTokens == "":
		return learned{told: "max_tokens for max_completion_tokens", change: func(t *traits) { t.MaxTokens = "max_tokens" }}
	case (slices.Contains(sent, "response_format") || slices.Contains(sent, "text")) && t.Schema < SchemaWords &&
		has("response_format", "json_schema", "json_object", "response format", "text.format"):
		return learned{told: "asking for JSON in a plainer way", change: func(t *traits) { t.Schema = plainer }}
	case t.SystemRole == "developer" && has("developer"):
		return learned{told: "role system for developer", change: func(t *traits) { t.SystemRole = "system" }}
	case t.SystemRole != "user" && has("system role", "role 'system'", "not support 'system'", `role "system"`, "role: system", "system message", "system prompt is not", "roles must alternate") && refuses(message):
		return learned{told: "the system instruction goes into the first message", change: func(t *traits) { t.SystemRole = "user" }}
	case t.SystemRole != "user" && t.Protocol == Responses && blames(e, "instructions"):
		return learned{told: "the system instruction goes into the first message", change: func(t *traits) { t.SystemRole = "user" }}
	case !t.StreamOnly && has("only support stream", "only supports stream", "non-streaming"):
		return learned{told: "answers come in streams only", change: func(t *traits) { t.StreamOnly = true }}
	case !t.ShortIDs && has("tool call id", "tool_call_id") && has("length of 9"):
		return learned{told: "short ids", change: func(t *traits) { t.ShortIDs = true }}
	case !t.AnswerAfterTool && has("unexpected role 'user' after role 'tool'"):
		return learned{told: "an answer behind each result", change: func(t *traits) { t.AnswerAfterTool = true }}
	case thinks && has("not support thinking", "not support reasoning", "not supporting thinking", "thinking is not supported", "reasoning is not supported"):
		return learned{told: "it cannot be asked to think", change: func(t *traits) { t.Thinking = ThinkingNone }}
	case !t.EmptyContent && has("content") && has("null", "none is not", "nonetype"):
		return learned{told: "content is never null", change: func(t *traits) { t.EmptyContent = true }}
	case t.Protocol == Responses && !t.noReasoningItems && has("encrypted_content", "encrypted content", "reasoning item", "type 'reasoning'"):
		return learned{told: "thoughts are not sent back", change: func(t *traits) { t.noReasoningItems = true }}
	case t.Protocol == Responses && !t.noSummary && has("reasoning.summary", "reasoning summar"):
		return learned{told: "thoughts are not asked for", change: func(t *traits) { t.noSummary = true }}
	case t.Protocol == Chat && !t.ReasoningFill && has("reasoning_content") && has("missing", "must be passed back", "must be provided", "is required"):
		return learned{told: "thoughts are always sent back", change: func(t *traits) {
			t.ReasoningOut, t.ReasoningKeep, t.ReasoningFill = "reasoning_content", true, true
		}}
	case t.ReasoningOut != "" && t.ReasoningOut != "content" && has(t.ReasoningOut) && refuses(message) && !has("missing", "must be"):
		return learned{told: "thoughts are not sent back", change: func(t *traits) { t.ReasoningOut = "" }}
	case !t.NoImages && has("image") && refuses(message):
		return learned{told: "the model takes no images", change: func(t *traits) { t.NoImages = true }}
	case !t.NoAudio && has("input_audio", "audio input") && refuses(message):
		return learned{told: "the model takes no audio", change: func(t *traits) { t.NoAudio = true }}
	case !t.NoPDF && has("'file'", `"file"`, "input_file", "pdf") && refuses(message):
		return learned{told: "the model takes no PDF files", change: func(t *traits) { t.NoPDF = true }}
	}
	// The longest first: stream_options before a stop that stands beside it.
	names := slices.Clone(sent)
	slices.SortStableFunc(names, func(a, b string) int { return len(b) - len(a) })
	for _, name := range names {
		if name != "tools" && blames(e, name) {
			return drop(name)
		}
	}
	return learned{}
}

// refusesTools knows how services say that a model cannot be given tools
// (spec/providers.md §3).
func refusesTools(e *llm.Error) bool {
	if e.Status != http.StatusBadRequest && e.Status != http.StatusUnprocessableEntity && e.Status != http.StatusNotFound &&
		e.Status != http.StatusInternalServerError && e.Status != http.StatusNotImplemented {
		return false
	}
	message := strings.ToLower(e.Message)
	return httpwire.ContainsAny(message, "does not support tools", "tools is not supported", "tools are not supported", "tool choice requires",
		"--enable-auto-tool-choice", "requires --jinja", "use --jinja", "does not support function calling", "support tool use",
		"function calling is not supported", "tool calling is not supported", "tools param requires", "does not support tool") ||
		e.Kind == llm.KindBadRequest && blames(e, "tools")
}

// tooMany reports whether a text says that there is too much of something.
func tooMany(message string) bool {
	return httpwire.ContainsAny(strings.ToLower(message), "too long", "too many", "maximum length", "maximum number", "at most", "less than or equal")
}

// refuses reports whether a text says that something is not accepted.
func refuses(message string) bool {
	return httpwire.ContainsAny(message, "support", "unknown", "unrecognized", "unexpected", "not permitted", "not allowed", "extra",
		"invalid", "not accept", "not available", "not enabled", "does not", "doesn't", "cannot", "only", "restricted", "deserialize", "must alternate")
}

// blames reports whether an error says that the member name of a body is what
// it is about.
func blames(e *llm.Error, name string) bool {
	if param := paramOf(e); param == name || strings.HasPrefix(param, name+".") {
		return true
	}
	message := strings.ToLower(e.Message)
	for _, quote := range []string{"'", "`", `"`} {
		if strings.Contains(message, quote+name+quote) && refuses(message) {
			return true
		}
	}
	if !refuses(message) {
		return false
	}
	if camel := strings.ReplaceAll(name, "_", ""); camel != name && strings.Contains(message, camel) { // xAI: reasoningEffort
		return true
	}
	for rest := message; ; {
		i := strings.Index(rest, name)
		if i < 0 {
			return false
		}
		before, after := rest[:i], rest[i+len(name):]
		if (before == "" || !isWord(before[len(before)-1])) && (after == "" || !isWord(after[0])) {
			// A plain word may stand for itself ("stop", "tools"): it must be near.
			return strings.Contains(name, "_") || len(before) < 60
		}
		rest = after
	}
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// paramOf is the member that the error itself names.
func paramOf(e *llm.Error) string {
	api, _ := parseError([]byte(e.Body), true)
	return api.Param
}

// reconsider remembers of a model how its answers begin, where that was taken
// wrong (see [chatwire.Answer.Reconsider]).
func (c *Client) reconsider(a *answer, t *traits) error {
	if !a.ended {
		return nil
	}
	return a.Reconsider(t.openedLearned, len(a.calls.all), func(opened bool, told string) {
		c.remember(t.model, func(t *traits) { t.Opened, t.openedLearned = opened, opened })
		c.log(t.model, told)
	})
}
