package httpwire

import (
	"regexp"
	"strconv"
	"strings"

	"pollux/llm"
)

// IsTooLong reports whether message means that a request exceeds the model's
// window: in the words of a known provider or gateway, or in a sentence that says
// of the input, counted in tokens, that it is longer than allowed.
func IsTooLong(message string) bool {
	message = strings.ToLower(message)
	return ContainsAny(message, "input token count", "context_length_exceeded", "contextwindowexceeded", "prompt is too long",
		"maximum context length", "exceeds the context window", "too many tokens", "exceed context limit",
		"n_ctx", "context size", "exceeds the maximum number of tokens", "exceeds context window", "context window exceeds", "range of input length",
		"maximum prompt length", "prompt exceeds max length", "exceeded model token limit", "input is too long", "reduce the length of the messages",
		"maximum model length", "model's context length", "greater than the context length", "context length of only", "reached context length",
		"payload size exceeds") || saysTooLong(message)
}

// saysTooLong reports whether message, in lower case, has the words of a sentence
// about an input that is longer than allowed. Parameters, rates and quotas also
// exceed limits in tokens.
func saysTooLong(message string) bool {
	isInput := ContainsAny(message, "输入", "上下文", "对话") || regexp.MustCompile(`\b(?:prompt|input|message)`).MatchString(message)
	return isInput &&
		ContainsAny(message, "token", "length", "seq_len", "长度", "字数", "超长", "过长") &&
		ContainsAny(message, "too long", "too large", "too many", "exceed", "is longer than", "is larger than", "is greater than", "must be less than",
			"must have less than", "must be <=", "超长", "过长", "超过", "超出") &&
		!ContainsAny(message, "rate limit", "per minute", "per-minute", "per day", "quota", "budget", "参数", "频率", "额度", "余额")
}

// SetBody sets e.Body to the error body, at most [MaxErrorBody] bytes of it. If
// e has the kind [llm.KindContextWindow], SetBody also sets e.Size to the sizes
// in the message or body.
func SetBody(e *llm.Error, body []byte) {
	e.Body = Clip(body, MaxErrorBody)
	if e.Kind != llm.KindContextWindow {
		return
	}
	if e.Size = ParseSize(e.Message); e.Size.Window == 0 {
		e.Size = ParseSize(e.Body)
	}
}

// ParseSize returns the sizes in a provider's message about a request that is
// too long. Sizes that the message does not contain are 0.
func ParseSize(message string) llm.RequestSize {
	const n = `([0-9][0-9,_]{0,11})`
	message = message[:min(len(message), 4<<10)]
	var s llm.RequestSize
	for _, pattern := range []struct {
		expr   string
		fields []*int
	}{
		// "max_tokens is too large: 8192. This model's maximum context length is 32768
		// tokens and your request has 30000 input tokens (8192 > 32768 - 30000)."
		{`context length is ` + n + ` tokens and your request has ` + n + ` input tokens \(` + n, []*int{&s.Window, &s.Prompt, &s.Answer}},
		// "input length and `max_tokens` exceed context limit: 190000 + 65536 > 200000"
		{n + ` \+ ` + n + ` > ` + n, []*int{&s.Prompt, &s.Answer, &s.Window}},
		// "prompt is too long: 210000 tokens > 200000 maximum"
		{n + `(?: tokens)? > ` + n, []*int{&s.Prompt, &s.Window}},
		// "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
		{`input token count[^0-9]{0,8}` + n + `[^0-9]{1,80}allowed[^0-9]{0,8}` + n, []*int{&s.Prompt, &s.Window}},
		// "This model's maximum context length is 4096 tokens. However, you requested
		// 4444 tokens (3932 in the messages, 512 in the completion)."
		{`context length is ` + n + `.{1,60}?` + n + ` tokens \(` + n + ` in the messages, ` + n + ` in the completion`, []*int{&s.Window, nil, &s.Prompt, &s.Answer}},
		// "... However, your messages resulted in 130123 tokens."
		{`context length is ` + n + `[^0-9]{1,80}` + n + ` tokens`, []*int{&s.Window, &s.Prompt}},
		{`maximum prompt length is ` + n + `[^0-9]{1,60}` + n + ` tokens`, []*int{&s.Window, &s.Prompt}},
		{`contains ` + n + ` tokens.{1,80}?` + n + ` maximum context length`, []*int{&s.Prompt, &s.Window}},
		{`request \(` + n + ` tokens\)[^0-9]{1,60}context size \(` + n, []*int{&s.Prompt, &s.Window}},
		{`limit ` + n + `, requested ` + n, []*int{&s.Window, &s.Prompt}},
		{`token limit: ` + n + ` \(requested: ` + n, []*int{&s.Window, &s.Prompt}},
		{`token count of ` + n + ` exceeds the limit of ` + n, []*int{&s.Prompt, &s.Window}},
		{`prompt_tokens \(` + n + `\) must be less than max_seq_len \(` + n, []*int{&s.Prompt, &s.Window}},
		// "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4100 `inputs` tokens and 100 `max_new_tokens`"
		{`must be <= ` + n + `[^0-9]{1,20}` + n + " .inputs. tokens and " + n, []*int{&s.Window, &s.Prompt, &s.Answer}},
		{"`inputs` must have less than " + n + `[^0-9]{1,20}` + n, []*int{&s.Window, &s.Prompt}},
		{`"n_prompt_tokens": ?` + n + `.{1,40}"n_ctx": ?` + n, []*int{&s.Prompt, &s.Window}},
		// Only the window.
		{`(?:context (?:length|size|window|limit)|maximum prompt length)(?: is| of|:)?(?: only)?[ (]{0,2}` + n, []*int{&s.Window}},
		{`"n_ctx": ?` + n, []*int{&s.Window}},
	} {
		m := regexp.MustCompile(`(?is)` + pattern.expr).FindStringSubmatch(message)
		if m == nil {
			continue
		}
		for i, fields := range pattern.fields {
			if fields != nil {
				*fields, _ = strconv.Atoi(strings.NewReplacer(",", "", "_", "").Replace(m[i+1])) // at most 12 digits fit
			}
		}
		return s
	}
	return s
}
