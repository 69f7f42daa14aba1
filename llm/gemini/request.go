package gemini

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"pollux/llm"
)

// wire is the key under which messages and tools keep the form they have here.
const wire = "gemini"

// generateBody returns the body of generateContent and streamGenerateContent.
func (c *Client) generateBody(req *llm.Request) *body {
	cfg := &req.Config
	b := newBody(len(req.Contents))
	b.text(`{"contents":[`)
	b.contents(req.Contents)
	b.text(`]`)
	if s := cfg.SystemInstruction; s != nil {
		if parts := s.Encoded(wire, appendContent); len(parts) > 0 {
			b.text(`,"systemInstruction":{"role":"user","parts":[`)
			b.add(parts)
			b.text(`]}`)
		}
	}
	open := false
	for _, t := range cfg.Tools {
		tool := t.Encoded(wire, appendTools)
		if len(tool) == 0 {
			continue
		}
		if open {
			b.text(`,`)
		} else {
			b.text(`,"tools":[`)
			open = true
		}
		b.add(tool)
	}
	if open {
		b.text(`]`)
	}
	b.add(appendSettings(nil, cfg, c.endpoint.vertex))
	b.text(`}`)
	return b
}

// contentsBody returns the body of countTokens.
func contentsBody(contents []*llm.Content) *body {
	b := newBody(len(contents))
	b.text(`{"contents":[`)
	b.contents(contents)
	b.text(`]}`)
	return b
}

// embedBody returns the body of batchEmbedContents.
func embedBody(model string, texts []string) *body {
	name := llm.AppendString(nil, "models/"+strings.TrimPrefix(model, "models/"))
	data := []byte(`{"requests":[`)
	for i, text := range texts {
		if i > 0 {
			data = append(data, ',')
		}
		data = append(append(data, `{"model":`...), name...)
		data = append(data, `,"content":{"parts":[{"text":`...)
		data = append(llm.AppendString(data, text), `}]}}`...)
	}
	b := newBody(0)
	b.add(append(data, `]}`...))
	return b
}

// predictBody returns the body of Vertex AI's predict for one text.
func predictBody(text string) *body {
	b := newBody(0)
	b.add(append(llm.AppendString([]byte(`{"instances":[{"content":`), text), `}]}`...))
	return b
}

// unsigned is what stands for the signature of a call whose real one is not
// there (a call that another model made, an edited history): without any, the
// service refuses the request (spec/agent.md §11.6).
const unsigned = "skip_thought_signature_validator"

// appendContent appends the parts of a message as the service wants them,
// separated by commas; nothing where no part is left.
//
// The first call of a model's message gets a signature if it has none. The
// service asks that only of messages behind the last prompt, but a message is
// encoded once, and each request must begin with the bytes of the one before
// it, or the vendor's prompt cache is lost: so it holds for every message.
func appendContent(dst []byte, c *llm.Content) []byte {
	start, calls := len(dst), 0
	for i := range c.Parts {
		p := c.Parts[i] // a copy, made fit for the wire
		if p.FunctionCall != nil {
			calls++
			if calls == 1 && c.Role == llm.RoleModel && p.SignatureBy("") == "" {
				p.ThoughtSignature = unsigned
			}
		}
		if !fitPart(&p) {
			continue
		}
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = p.AppendJSON(dst)
	}
	return dst
}

// fitPart changes what the service would not accept, without touching what p
// points to. It reports whether anything of p is left to send.
func fitPart(p *llm.Part) bool {
	if p.Thought && p.FunctionCall == nil {
		return false // a thought is never sent back (spec/agent.md §3)
	}
	p.Thought = false
	p.ThoughtSignature = p.SignatureBy("") // another vendor's means nothing here
	switch {
	case p.FunctionCall != nil:
		call := *p.FunctionCall
		call.ID = rawID(call.ID, call.Name)
		call.Args = asObject(call.Args, "input")
		p.FunctionCall = &call
	case p.FunctionResponse != nil:
		res := *p.FunctionResponse
		res.ID = rawID(res.ID, res.Name)
		res.Response = asObject(res.Response, "output")
		res.Parts = nil
		for _, nested := range p.FunctionResponse.Parts {
			if fitPart(&nested) {
				res.Parts = append(res.Parts, nested)
			}
		}
		p.FunctionResponse = &res
	// The Gemini API knows no names of media; what a model should know of them
	// is in the text beside them.
	case p.InlineData != nil && p.InlineData.DisplayName != "":
		p.InlineData = &llm.Blob{MIMEType: p.InlineData.MIMEType, Data: p.InlineData.Data}
	case p.FileData != nil && p.FileData.DisplayName != "":
		p.FileData = &llm.FileData{MIMEType: p.FileData.MIMEType, FileURI: p.FileData.FileURI}
	case p.IsEmpty():
		if p.ThoughtSignature == "" {
			return false
		}
		signature := p.ThoughtSignature
		*p = llm.Text("") // a signature needs something to be on
		p.ThoughtSignature = signature
	}
	return true
}

// rawID is a call's id as the model knows it: inside, ids carry the tool's name.
func rawID(id, name string) string { return strings.TrimPrefix(id, name+"__") }

// asObject returns raw, which the service wants to be an object. Anything else
// (another vendor's model wrote it, or a hand-edited session) becomes the
// member key of one.
func asObject(raw json.RawMessage, key string) json.RawMessage {
	trimmed := bytes.TrimSpace(raw)
	if len(trimmed) == 0 {
		return json.RawMessage(`{}`)
	}
	valid := json.Valid(trimmed)
	if valid && trimmed[0] == '{' {
		return raw
	}
	b := append(llm.AppendString([]byte{'{'}, key), ':')
	if valid {
		b = append(b, trimmed...)
	} else {
		b = llm.AppendString(b, string(trimmed))
	}
	return append(b, '}')
}

// appendTools appends a set of tools; nothing where it is empty.
func appendTools(dst []byte, t *llm.ToolSet) []byte {
	o := object{b: dst}
	if len(t.Functions) > 0 {
		o.key("functionDeclarations")
		o.b = append(o.b, '[')
		for i, f := range t.Functions {
			if i > 0 {
				o.b = append(o.b, ',')
			}
			d := object{b: o.b}
			d.str("name", f.Name)
			d.str("description", f.Description)
			var schema bytes.Buffer
			if json.Compact(&schema, f.Parameters) == nil {
				d.raw("parametersJsonSchema", schema.Bytes())
			}
			o.b = d.end()
		}
		o.b = append(o.b, ']')
	}
	if t.GoogleSearch {
		o.raw("googleSearch", []byte(`{}`))
	}
	if t.URLContext {
		o.raw("urlContext", []byte(`{}`))
	}
	if !o.open {
		return dst
	}
	return o.end()
}

// appendSettings appends the members of a request that are not messages or
// tools, each behind a comma.
func appendSettings(dst []byte, c *llm.Config, vertex bool) []byte {
	o := object{b: dst, open: true}
	if t := c.ToolConfig; t != nil {
		f := object{}
		f.str("mode", t.Mode)
		f.strings("allowedFunctionNames", t.Allowed)
		o.raw("toolConfig", append(append([]byte(`{"functionCallingConfig":`), f.end()...), '}'))
	}
	o.raw("safetySettings", c.SafetySettings)
	o.str("cachedContent", c.CachedContent)
	if vertex && len(c.Labels) > 0 { // the Gemini API proper refuses them
		l := object{}
		for _, k := range slices.Sorted(maps.Keys(c.Labels)) {
			l.key(k)
			l.b = llm.AppendString(l.b, c.Labels[k])
		}
		o.raw("labels", l.end())
	}
	if g := appendGeneration(nil, c); len(g) > 0 {
		o.raw("generationConfig", g)
	}
	return o.b
}

// appendGeneration appends the generationConfig; nothing where it is empty.
func appendGeneration(dst []byte, c *llm.Config) []byte {
	o := object{b: dst}
	o.float("temperature", c.Temperature)
	o.float("topP", c.TopP)
	o.float("topK", c.TopK)
	o.int("candidateCount", c.CandidateCount)
	o.int("maxOutputTokens", c.MaxOutputTokens)
	o.strings("stopSequences", c.StopSequences)
	o.float("presencePenalty", c.PresencePenalty)
	o.float("frequencyPenalty", c.FrequencyPenalty)
	if c.Seed != nil {
		o.raw("seed", strconv.AppendInt(nil, int64(*c.Seed), 10))
	}
	o.str("responseMimeType", c.ResponseMIMEType)
	o.raw("responseJsonSchema", c.ResponseJSONSchema)
	if t := c.Thinking; t != nil {
		k := object{}
		if t.IncludeThoughts {
			k.raw("includeThoughts", []byte(`true`))
		}
		if t.Budget != nil {
			k.raw("thinkingBudget", strconv.AppendInt(nil, int64(*t.Budget), 10))
		}
		k.str("thinkingLevel", t.Level)
		o.raw("thinkingConfig", k.end())
	}
	if !o.open {
		return dst
	}
	return o.end()
}
