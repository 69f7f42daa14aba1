package telemetry

import (
	"encoding/json"
	"slices"

	"pollux/llm"
)

// Attributes of OpenTelemetry's conventions for generative AI.

// semantic records a request or response with the event of the conventions.
func (t *Telemetry) semantic(promptID, body string, failed bool, more attrs) {
	t.emit("gen_ai.client.inference.operation.details", promptID, body, failed, slices.Concat(attrs{
		{"gen_ai.operation.name", "generate_content"}, {"gen_ai.conversation.id", t.o.Session()},
	}, more))
}

// labels returns the attributes of metrics about requests.
func (c *call) labels() attrs {
	a := attrs{{"gen_ai.operation.name", "generate_content"}, {"gen_ai.provider.name", c.t.provider(c.req.Model)}, {"gen_ai.request.model", c.req.Model}}
	a.addText("gen_ai.response.model", c.model)
	return a
}

func (t *Telemetry) provider(model string) string {
	if t.o.Provider == nil {
		return "unknown"
	}
	return t.o.Provider(model)
}

// common returns the attributes of all records about a request.
func (c *call) common() attrs {
	return attrs{
		{"gen_ai.provider.name", c.t.provider(c.req.Model)},
		{"gen_ai.request.model", c.req.Model},
		{"gen_ai.prompt.name", c.req.PromptID},
	}
}

// requestAttrs returns the parameters of the request and, if enabled, its content.
func (c *call) requestAttrs() attrs {
	var a attrs
	cfg := &c.req.Config
	for _, one := range []struct {
		name  string
		value *float64
	}{
		{"gen_ai.request.temperature", cfg.Temperature},
		{"gen_ai.request.top_p", cfg.TopP},
		{"gen_ai.request.top_k", cfg.TopK},
		{"gen_ai.request.presence_penalty", cfg.PresencePenalty},
		{"gen_ai.request.frequency_penalty", cfg.FrequencyPenalty},
	} {
		if one.value != nil {
			a.add(one.name, *one.value)
		}
	}
	if cfg.MaxOutputTokens > 0 {
		a.add("gen_ai.request.max_tokens", cfg.MaxOutputTokens)
	}
	if cfg.Seed != nil {
		a.add("gen_ai.request.seed", *cfg.Seed)
	}
	if len(cfg.StopSequences) > 0 {
		a.add("gen_ai.request.stop_sequences", cfg.StopSequences)
	}
	if cfg.ResponseMIMEType == "application/json" {
		a.add("gen_ai.output.type", "json")
	}
	if !c.t.o.LogPrompts || !c.t.o.Traces {
		return a
	}
	contents := slices.Clone(c.req.Contents)
	a.add("gen_ai.input.messages", func() string { return newest(contents, appendMessage) })
	if cfg.SystemInstruction != nil {
		instruction := cfg.SystemInstruction
		a.add("gen_ai.system_instructions", func() string { return string(appendMessageParts(nil, instruction.Parts)) })
	}
	if len(cfg.Tools) > 0 {
		sets := cfg.Tools
		a.add("gen_ai.tool.definitions", func() string { return string(definitions(sets)) })
	}
	return a
}

// responseAttrs returns the attributes of the response and, if enabled, its content.
func (c *call) responseAttrs() attrs {
	var a attrs
	a.addText("gen_ai.response.model", c.model)
	a.addText("gen_ai.response.id", c.id)
	if len(c.reason) > 0 {
		a.add("gen_ai.response.finish_reasons", c.reason)
	}
	a.add("gen_ai.usage.input_tokens", c.usage.Prompt)
	a.add("gen_ai.usage.output_tokens", c.usage.Candidates+c.usage.Thoughts)
	if c.t.o.LogPrompts && c.t.o.Traces {
		a.add("gen_ai.output.messages", c.whole.message(c.reason))
	}
	return a
}

// appendMessage appends a message in the format of the conventions.
func appendMessage(b []byte, c *llm.Content) []byte {
	role := "assistant"
	if c.Role == llm.RoleUser {
		role = "user"
	}
	b = append(b, `{"role":"`+role+`","parts":`...)
	return append(appendMessageParts(b, c.Parts), '}')
}

func appendMessageParts(b []byte, parts []llm.Part) []byte {
	return appendList(b, parts, appendMessagePart)
}

func appendMessagePart(b []byte, p llm.Part) []byte {
	switch call, response := p.FunctionCall, p.FunctionResponse; {
	case call != nil:
		b = append(llm.AppendString(append(b, `{"type":"tool_call","id":`...), call.ID), `,"name":`...)
		b = appendRaw(append(llm.AppendString(b, call.Name), `,"arguments":`...), call.Args)
	case response != nil:
		b = append(llm.AppendString(append(b, `{"type":"tool_call_response","id":`...), response.ID), `,"response":`...)
		b = appendRaw(b, response.Response)
	case p.Thought:
		b = llm.AppendString(append(b, `{"type":"reasoning","content":`...), p.Text)
	case p.IsText():
		b = llm.AppendString(append(b, `{"type":"text","content":`...), p.Text)
	default: // media in Gemini's format
		b = p.AppendJSON(append(b, `{"type":"media","content":`...))
	}
	return append(b, '}')
}

// appendRaw appends external JSON, as a string if it is invalid.
func appendRaw(b []byte, raw json.RawMessage) []byte {
	switch {
	case len(raw) == 0:
		return append(b, "null"...)
	case !json.Valid(raw):
		return llm.AppendString(b, string(raw))
	}
	return append(b, raw...)
}

// finishReason returns the conventions' name of a finish reason.
func finishReason(r llm.FinishReason) string {
	switch r {
	case llm.FinishStop:
		return "stop"
	case llm.FinishMaxTokens:
		return "length"
	case llm.FinishSafety, llm.FinishRecitation, llm.FinishLanguage, llm.FinishBlocklist, llm.FinishProhibitedContent, llm.FinishSPII,
		llm.FinishImageSafety, llm.FinishImageProhibitedContent:
		return "content_filter"
	}
	return "error"
}

// definitions returns the available functions as JSON.
func definitions(sets []*llm.ToolSet) []byte {
	var functions []llm.FunctionDeclaration
	for _, set := range sets {
		functions = append(functions, set.Functions...)
	}
	return appendList(nil, functions, func(b []byte, f llm.FunctionDeclaration) []byte {
		b = append(b, `{"type":"function","name":`...)
		b = append(llm.AppendString(b, f.Name), `,"description":`...)
		b = llm.AppendString(b, f.Description)
		if len(f.Parameters) > 0 {
			b = append(append(b, `,"parameters":`...), f.Parameters...)
		}
		return append(b, '}')
	})
}
