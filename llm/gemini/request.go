package gemini

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// wire is the key under which messages and tools keep the form they have here.
const wire = "gemini"

// generateBody returns the body of generateContent and streamGenerateContent.
func (c *Client) generateBody(req *llm.Request, known refusals) *httpwire.Body {
	cfg := req.Config
	if known.noThinking {
		cfg.Thinking = nil
	}
	contents := req.Contents
	if s := cfg.SystemInstruction; s != nil && known.noSystem {
		contents = append([]*llm.Content{s}, contents...) // it has the role of a user
		cfg.SystemInstruction = nil
	}
	b := httpwire.NewBody(8 + 2*len(contents))
	b.Text(`{"contents":[`)
	addContents(b, contents)
	b.Text(`]`)
	if s := cfg.SystemInstruction; s != nil {
		if parts := s.Encoded(wire, appendContent); len(parts) > 0 {
			b.Text(`,"systemInstruction":{"role":"user","parts":[`)
			b.Add(parts)
			b.Text(`]}`)
		}
	}
	open := false
	for _, t := range cfg.Tools {
		tool := t.Encoded(wire, appendTools)
		if len(tool) == 0 {
			continue
		}
		if open {
			b.Text(`,`)
		} else {
			b.Text(`,"tools":[`)
			open = true
		}
		b.Add(tool)
	}
	if open {
		b.Text(`]`)
	}
	b.Add(appendSettings(nil, &cfg, c.endpoint.vertex))
	b.Text(`}`)
	return b
}

// contentsBody returns the body of countTokens.
func contentsBody(contents []*llm.Content) *httpwire.Body {
	b := httpwire.NewBody(8 + 2*len(contents))
	b.Text(`{"contents":[`)
	addContents(b, contents)
	b.Text(`]}`)
	return b
}

// The pieces between messages, which every body shares.
var (
	userOpen  = []byte(`{"role":"user","parts":[`)
	modelOpen = []byte(`{"role":"model","parts":[`)
	nextUser  = []byte(`]},{"role":"user","parts":[`)
	nextModel = []byte(`]},{"role":"model","parts":[`)
)

// addContents adds messages, those of one role that follow each other as one
// (spec/agent.md §3): the service wants the two to take turns.
func addContents(b *httpwire.Body, contents []*llm.Content) {
	var last llm.Role
	for _, c := range contents {
		parts := c.Encoded(wire, appendContent)
		if len(parts) == 0 {
			continue
		}
		role := llm.RoleUser
		if c.Role == llm.RoleModel {
			role = llm.RoleModel
		}
		switch {
		case role == last:
			b.Text(`,`)
		case last == "" && role == llm.RoleUser:
			b.Add(userOpen)
		case last == "":
			b.Add(modelOpen)
		case role == llm.RoleUser:
			b.Add(nextUser)
		default:
			b.Add(nextModel)
		}
		last = role
		b.Add(parts)
	}
	if last != "" {
		b.Text(`]}`)
	}
}

// embedBody returns the body of batchEmbedContents.
func embedBody(model string, texts []string) *httpwire.Body {
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
	b := httpwire.NewBody(1)
	b.Add(append(data, `]}`...))
	return b
}

// predictBody returns the body of Vertex AI's predict for one text.
func predictBody(text string) *httpwire.Body {
	b := httpwire.NewBody(1)
	b.Add(append(llm.AppendString([]byte(`{"instances":[{"content":`), text), `}]}`...))
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
		call.Args = httpwire.AsObject(call.Args, "input")
		p.FunctionCall = &call
	case p.FunctionResponse != nil:
		res := *p.FunctionResponse
		res.ID = rawID(res.ID, res.Name)
		res.Response = httpwire.AsObject(res.Response, "output")
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

// appendTools appends a set of tools; nothing where it is empty.
func appendTools(dst []byte, t *llm.ToolSet) []byte {
	o := httpwire.Object{B: dst}
	if len(t.Functions) > 0 {
		o.Key("functionDeclarations")
		o.B = append(o.B, '[')
		for i, f := range t.Functions {
			if i > 0 {
				o.B = append(o.B, ',')
			}
			d := httpwire.Object{B: o.B}
			d.String("name", f.Name)
			d.String("description", f.Description)
			var schema bytes.Buffer
			if json.Compact(&schema, f.Parameters) == nil {
				d.Raw("parametersJsonSchema", schema.Bytes())
			}
			o.B = d.End()
		}
		o.B = append(o.B, ']')
	}
	if t.GoogleSearch {
		o.Raw("googleSearch", []byte(`{}`))
	}
	if t.URLContext {
		o.Raw("urlContext", []byte(`{}`))
	}
	if !o.Open {
		return dst
	}
	return o.End()
}

// appendSettings appends the members of a request that are not messages or
// tools, each behind a comma.
func appendSettings(dst []byte, c *llm.Config, vertex bool) []byte {
	o := httpwire.Object{B: dst, Open: true}
	if t := c.ToolConfig; t != nil {
		f := httpwire.Object{}
		f.String("mode", t.Mode)
		f.Strings("allowedFunctionNames", t.Allowed)
		o.Raw("toolConfig", append(append([]byte(`{"functionCallingConfig":`), f.End()...), '}'))
	}
	o.Raw("safetySettings", c.SafetySettings)
	o.String("cachedContent", c.CachedContent)
	if vertex && len(c.Labels) > 0 { // the Gemini API proper refuses them
		l := httpwire.Object{}
		for _, k := range slices.Sorted(maps.Keys(c.Labels)) {
			l.Key(k)
			l.B = llm.AppendString(l.B, c.Labels[k])
		}
		o.Raw("labels", l.End())
	}
	if g := appendGeneration(nil, c); len(g) > 0 {
		o.Raw("generationConfig", g)
	}
	return o.B
}

// appendGeneration appends the generationConfig; nothing where it is empty.
func appendGeneration(dst []byte, c *llm.Config) []byte {
	o := httpwire.Object{B: dst}
	o.Float("temperature", c.Temperature)
	o.Float("topP", c.TopP)
	o.Float("topK", c.TopK)
	o.Int("candidateCount", c.CandidateCount)
	o.Int("maxOutputTokens", c.MaxOutputTokens)
	o.Strings("stopSequences", c.StopSequences)
	o.Float("presencePenalty", c.PresencePenalty)
	o.Float("frequencyPenalty", c.FrequencyPenalty)
	if c.Seed != nil {
		o.Raw("seed", strconv.AppendInt(nil, int64(*c.Seed), 10))
	}
	o.String("responseMimeType", c.ResponseMIMEType)
	o.Raw("responseJsonSchema", c.ResponseJSONSchema)
	if t := c.Thinking; t != nil {
		k := httpwire.Object{}
		if t.IncludeThoughts {
			k.Raw("includeThoughts", []byte(`true`))
		}
		if t.Budget != nil {
			k.Raw("thinkingBudget", strconv.AppendInt(nil, int64(*t.Budget), 10))
		}
		k.String("thinkingLevel", t.Level)
		o.Raw("thinkingConfig", k.End())
	}
	if !o.Open {
		return dst
	}
	return o.End()
}
