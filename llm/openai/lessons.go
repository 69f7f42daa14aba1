package openai

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// learn changes the traits of the model so that the next request omits the part
// that the service rejected with e, and reports whether to send the request again. sent
// lists the optional members of the rejected request. If the model does not
// support tools, learn sets the kind of e to [llm.KindNoTools] and returns
// false.
func (c *Client) learn(t *traits, e *llm.Error, sent []string) bool {
	var l lesson
	if slices.Contains(sent, "tools") {
		limit := descriptionLimit(e)
		switch {
		case limit > 0 && (t.maxDescription == 0 || limit < t.maxDescription):
			l = lesson{logMessage: "descriptions of tools are cut", change: func(t *traits) { t.maxDescription = limit }}
		case e.Kind == llm.KindBadRequest && blamesMember(e, "tools") && isLimitMessage(e.Message):
			e.Message += " None is left out unasked: turn off tools that are not needed."
			return false
		case isToolRefusal(e), t.SystemRole == "user" && refusesRole(e.Message) && mayRefuseMessage(e):
			e.Kind = llm.KindNoTools
			return false
		}
	}
	if l.logMessage == "" && mayRefuseMessage(e) {
		l = findLesson(t, e, sent)
	}
	if l.logMessage == "" && t.needsOtherProtocol(e) {
		to := Responses - t.Protocol
		word, _ := to.MarshalText() // both protocols have a name
		l = lesson{logMessage: "speaking " + string(word) + " with it", change: func(t *traits) { t.Protocol, t.isProtocolLearned = to, true }}
	}
	if l.logMessage == "" {
		return false
	}
	c.updateTraits(t.model, l.change)
	c.log(t.model, l.logMessage+" ("+httpwire.FirstLine(e.Message)+")")
	return true
}

// needsOtherProtocol reports whether e means that the model requires the other
// protocol, or that the service has no Responses endpoint.
func (t *traits) needsOtherProtocol(e *llm.Error) bool {
	message := strings.ToLower(e.Message)
	isNamed := httpwire.ContainsAny(message, "/responses", "responses api", "responses endpoint")
	isMissing := e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed || e.Status == http.StatusNotImplemented
	isRefused := e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity
	switch {
	case t.isProtocolLearned || !isMissing && !isRefused:
		return false
	case t.Protocol == Chat:
		return isNamed && httpwire.ContainsAny(message, "only", "instead")
	case isNamed:
		return isMissing || isRefusalMessage(message)
	case e.Status == http.StatusNotFound: // the model or the endpoint is missing
		return e.Code != "model_not_found" && !httpwire.ContainsAny(message, "model", "deployment")
	}
	return isMissing
}

// lesson is one change to the traits of a model.
type lesson struct {
	logMessage string // "" if there is no lesson
	change     func(*traits)
}

// findLesson returns the change that avoids e. The order of the cases matters:
// a message that matches several means the first.
func findLesson(t *traits, e *llm.Error, sent []string) lesson {
	message := strings.ToLower(e.Message)
	has := func(words ...string) bool { return httpwire.ContainsAny(message, words...) }
	drop := func(name string) lesson {
		return lesson{logMessage: "leaving out " + name, change: func(t *traits) { t.Drop = append(t.Drop, name) }}
	}
	asksToThink := slices.ContainsFunc(sent, func(name string) bool {
		return slices.Contains([]string{"reasoning_effort", "enable_thinking", "thinking", "reasoning", "chat_template_kwargs"}, name)
	})
	nextSchema := t.Schema + 1
	switch limit := t.maxTokensMember(); {
	case slices.Contains(sent, "max_tokens") && limit == "max_tokens" && has("max_completion_tokens"):
		return lesson{logMessage: "max_completion_tokens for max_tokens", change: func(t *traits) { t.MaxTokens = "max_completion_tokens" }}
	case slices.Contains(sent, "max_completion_tokens") && blamesMember(e, "max_completion_tokens") && t.MaxTokens == "":
		return lesson{logMessage: "max_tokens for max_completion_tokens", change: func(t *traits) { t.MaxTokens = "max_tokens" }}
	case (slices.Contains(sent, "response_format") || slices.Contains(sent, "text")) && t.Schema < SchemaWords &&
		has("response_format", "json_schema", "json_object", "response format", "text.format"):
		return lesson{logMessage: "asking for JSON in a plainer way", change: func(t *traits) { t.Schema = nextSchema }}
	case t.SystemRole == "developer" && has("developer"):
		return lesson{logMessage: "role system for developer", change: func(t *traits) { t.SystemRole = "system" }}
	case t.SystemRole != "user" && refusesRole(e.Message):
		return lesson{logMessage: "the system instruction goes into the first message", change: func(t *traits) { t.SystemRole = "user" }}
	case t.SystemRole != "user" && t.Protocol == Responses && blamesMember(e, "instructions"):
		return lesson{logMessage: "the system instruction goes into the first message", change: func(t *traits) { t.SystemRole = "user" }}
	case !t.StreamOnly && has("only support stream", "only supports stream", "non-streaming"):
		return lesson{logMessage: "answers come in streams only", change: func(t *traits) { t.StreamOnly = true }}
	case !t.ShortIDs && has("tool call id", "tool_call_id") && has("length of 9"):
		return lesson{logMessage: "short ids", change: func(t *traits) { t.ShortIDs = true }}
	case !t.AnswerAfterTool && has("unexpected role 'user' after role 'tool'"):
		return lesson{logMessage: "an answer behind each result", change: func(t *traits) { t.AnswerAfterTool = true }}
	case asksToThink && has("not support thinking", "not support reasoning", "not supporting thinking", "thinking is not supported", "reasoning is not supported"):
		return lesson{logMessage: "it cannot be asked to think", change: func(t *traits) { t.Thinking = ThinkingNone }}
	case !t.EmptyContent && has("content") && has("null", "none is not", "nonetype"):
		return lesson{logMessage: "content is never null", change: func(t *traits) { t.EmptyContent = true }}
	case t.Protocol == Responses && !t.refusesReasoningItems && has("encrypted_content", "encrypted content", "reasoning item", "type 'reasoning'"):
		return lesson{logMessage: "thoughts are not sent back", change: func(t *traits) { t.refusesReasoningItems = true }}
	case t.Protocol == Responses && !t.refusesSummary && has("reasoning.summary", "reasoning summar"):
		return lesson{logMessage: "thoughts are not asked for", change: func(t *traits) { t.refusesSummary = true }}
	case t.Protocol == Chat && !t.ReasoningFill && has("reasoning_content") && has("missing", "must be passed back", "must be provided", "is required"):
		return lesson{logMessage: "thoughts are always sent back", change: func(t *traits) {
			t.ReasoningOut, t.ReasoningKeep, t.ReasoningFill = "reasoning_content", true, true
		}}
	case t.ReasoningOut != "" && t.ReasoningOut != "content" && has(t.ReasoningOut) && isRefusalMessage(message) && !has("missing", "must be"):
		return lesson{logMessage: "thoughts are not sent back", change: func(t *traits) { t.ReasoningOut = "" }}
	case isDamageMessage(message): // of one medium, not about all
	case !t.NoImages && (has("image") && isRefusalMessage(message) || refusesImages(message)):
		return lesson{logMessage: "the model takes no images", change: func(t *traits) { t.NoImages = true }}
	case !t.NoAudio && has("input_audio", "audio input") && isRefusalMessage(message):
		return lesson{logMessage: "the model takes no audio", change: func(t *traits) { t.NoAudio = true }}
	case !t.NoPDF && has("'file'", `"file"`, "input_file", "pdf") && isRefusalMessage(message):
		return lesson{logMessage: "the model takes no PDF files", change: func(t *traits) { t.NoPDF = true }}
	}
	// Longest name first, so that stream_options is found before stop in the
	// same message.
	names := slices.Clone(sent)
	slices.SortStableFunc(names, func(a, b string) int { return len(b) - len(a) })
	for _, name := range names {
		if name != "tools" && blamesMember(e, name) {
			return drop(name)
		}
	}
	return lesson{}
}

// mayRefuseMessage reports whether e may be about a part of the request that the model
// does not take. llama.cpp reports what a chat template or a model without vision refuses
// as its own failure, OpenRouter as a missing model.
func mayRefuseMessage(e *llm.Error) bool {
	switch {
	case e.Kind == llm.KindBadRequest:
		return true
	case e.Status == http.StatusInternalServerError, e.Status == http.StatusNotFound:
		return refusesRole(e.Message) || refusesImages(e.Message)
	}
	return false
}

// refusesRole reports whether message means that the chat template of the model has no
// place for a message of its role.
func refusesRole(message string) bool {
	message = strings.ToLower(message)
	return httpwire.ContainsAny(message, "system role", "role 'system'", "not support 'system'", `role "system"`, "role: system", "system message",
		"system prompt is not", "roles must alternate", "roles are supported") && isRefusalMessage(message)
}

// refusesImages reports whether message means that the model has no vision.
func refusesImages(message string) bool {
	message = strings.ToLower(message)
	return httpwire.ContainsAny(message, "image", "content[].type") && httpwire.ContainsAny(message, "support", "mmproj", "missing data required for image")
}

// isToolRefusal reports whether e means that the model does not support tools.
func isToolRefusal(e *llm.Error) bool {
	if e.Status != http.StatusBadRequest && e.Status != http.StatusUnprocessableEntity && e.Status != http.StatusNotFound &&
		e.Status != http.StatusInternalServerError && e.Status != http.StatusNotImplemented {
		return false
	}
	message := strings.ToLower(e.Message)
	return httpwire.ContainsAny(message, "does not support tools", "tools is not supported", "tools are not supported", "tool choice requires",
		"--enable-auto-tool-choice", "requires --jinja", "use --jinja", "does not support function calling", "support tool use",
		"function calling is not supported", "function call is not supported", "tool calling is not supported", "tool calling` is not supported",
		"tools param requires", "does not support tool") ||
		e.Kind == llm.KindBadRequest && blamesMember(e, "tools")
}

// descriptionLimit returns the length in characters that e allows for the
// description of a tool, or 0 if it is about something else.
func descriptionLimit(e *llm.Error) int {
	param := errorParam(e)
	if !strings.HasPrefix(param, "tools[") || !strings.HasSuffix(param, ".description") {
		return 0
	}
	m := regexp.MustCompile(`maximum length (\d{1,9})`).FindStringSubmatch(e.Message)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1]) // at most 9 digits fit
	return n
}

// isLimitMessage reports whether message describes an exceeded limit.
func isLimitMessage(message string) bool {
	return httpwire.ContainsAny(strings.ToLower(message), "too long", "too many", "maximum length", "maximum number", "at most", "less than or equal")
}

// isDamageMessage reports whether message is about the data of an image or a file. The model may take others.
func isDamageMessage(message string) bool {
	return httpwire.ContainsAny(message, "image", "file", "pdf") && httpwire.ContainsAny(message, "valid image", "image data", "unsupported image",
		"corrupt", "damaged", "truncated", "decod", "could not process", "unable to process", "cannot identify", "following formats", "of the following image formats", "failed to load image")
}

// isRefusalMessage reports whether message describes something unsupported or
// invalid.
func isRefusalMessage(message string) bool {
	return httpwire.ContainsAny(message, "support", "unknown", "unrecognized", "unexpected", "not permitted", "not allowed", "extra",
		"invalid", "not accept", "not available", "not enabled", "does not", "doesn't", "cannot", "only", "restricted", "deserialize", "must alternate",
		"不支持", "非法", "不合法", "无效", "有误", "不允许", "未知")
}

// blamesMember reports whether e is about the member name of the request body.
func blamesMember(e *llm.Error, name string) bool {
	if param := errorParam(e); param == name || strings.HasPrefix(param, name+".") {
		return true
	}
	message := strings.ToLower(e.Message)
	for _, quote := range []string{"'", "`", `"`} {
		if strings.Contains(message, quote+name+quote) && isRefusalMessage(message) {
			return true
		}
	}
	if !isRefusalMessage(message) {
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
		if (before == "" || !isWordByte(before[len(before)-1])) && (after == "" || !isWordByte(after[0])) {
			// A plain word ("stop", "tools") may be used as such, so it must be
			// near the start.
			return strings.Contains(name, "_") || len(before) < 60
		}
		rest = after
	}
}

func isWordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// errorParam returns the member of the request that the error body names.
func errorParam(e *llm.Error) string {
	api, _ := parseError([]byte(e.Body), true)
	return api.Param
}

// checkOpening changes the traits of the model if its responses begin inside a
// thought, or no longer do (see [chatwire.Assembler.CheckOpening]).
func (c *Client) checkOpening(a *assembler, t *traits) error {
	if !a.isEnded {
		return nil
	}
	return a.CheckOpening(t.isOpenedLearned, len(a.calls.all), func(opened bool, message string) {
		c.updateTraits(t.model, func(t *traits) { t.Opened, t.isOpenedLearned = opened, opened })
		c.log(t.model, message)
	})
}
