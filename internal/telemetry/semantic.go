package telemetry

import (
	"pollux/llm"
)

// What OpenTelemetry's conventions for generative AI have of requests and
// answers.

// semantic tells of a request or an answer in the conventions' own event.
func (t *Telemetry) semantic(promptID, body string, failed bool, more attrs) {
	t.emit("gen_ai.client.inference.operation.details", promptID, body, failed, more)
}

// labels tell the metrics of requests apart.
func (c *call) labels() attrs {
	a := attrs{{"gen_ai.operation.name", "generate_content"}, {"gen_ai.provider.name", c.t.provider(c.req.Model)}, {"gen_ai.request.model", c.req.Model}}
	a.some("gen_ai.response.model", c.model)
	return a
}

func (t *Telemetry) provider(model string) string {
	if t.o.Provider == nil {
		return "unknown"
	}
	return t.o.Provider(model)
}

// asked is what all that is told of a request has.
func (c *call) asked() attrs {
	return attrs{
		{"gen_ai.operation.name", "generate_content"},
		{"gen_ai.provider.name", c.t.provider(c.req.Model)},
		{"gen_ai.request.model", c.req.Model},
		{"gen_ai.prompt.name", c.req.PromptID},
		{"gen_ai.conversation.id", c.t.o.Session()},
	}
}

// asking is how the model was asked, and, where that is wanted, what.
func (c *call) asking() attrs {
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
	a.add("gen_ai.input.messages", c.t.requestText(c.req))
	if cfg.SystemInstruction != nil {
		instruction := cfg.SystemInstruction
		a.add("gen_ai.system_instructions", func() string { return string(llm.AppendParts(nil, instruction.Parts)) })
	}
	if len(cfg.Tools) > 0 {
		sets := cfg.Tools
		a.add("gen_ai.tool.definitions", func() string { return string(definitions(sets)) })
	}
	return a
}

// got is what came of the request, and, where that is wanted, the answer.
func (c *call) got() attrs {
	var a attrs
	a.some("gen_ai.response.model", c.model)
	a.some("gen_ai.response.id", c.id)
	if len(c.reason) > 0 {
		a.add("gen_ai.response.finish_reasons", c.reason)
	}
	a.add("gen_ai.usage.input_tokens", c.usage.Prompt)
	a.add("gen_ai.usage.output_tokens", c.usage.Candidates+c.usage.Thoughts)
	if c.t.o.LogPrompts && c.t.o.Traces {
		a.add("gen_ai.output.messages", c.responseText())
	}
	return a
}

// definitions appends what the model may call, as JSON.
func definitions(sets []*llm.ToolSet) []byte {
	b := []byte{'['}
	for _, set := range sets {
		for i := range set.Functions {
			f := &set.Functions[i]
			if len(b) > 1 {
				b = append(b, ',')
			}
			b = append(b, `{"type":"function","name":`...)
			b = append(llm.AppendString(b, f.Name), `,"description":`...)
			b = llm.AppendString(b, f.Description)
			if len(f.Parameters) > 0 {
				b = append(append(b, `,"parameters":`...), f.Parameters...)
			}
			b = append(b, '}')
		}
	}
	return append(b, ']')
}
