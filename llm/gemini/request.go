package gemini

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"pollux/llm"
	"pollux/llm/httpwire"
	"pollux/llm/media"
)

// encodingKey is the key of cached encodings in messages and tools.
const encodingKey = "gemini"

// generateBody returns the body of generateContent and streamGenerateContent, without
// the settings in known.
func (c *Client) generateBody(req *llm.Request, known refusals) *httpwire.Body {
	cfg := req.Config
	if known.noThinking {
		cfg.Thinking = nil
	}
	contents := req.Contents
	if s := cfg.SystemInstruction; s != nil && known.noSystem {
		contents = append([]*llm.Content{s}, contents...) // its role is user
		cfg.SystemInstruction = nil
	}
	b := httpwire.NewBody(8 + 2*len(contents))
	b.Text(`{"contents":[`)
	addContents(b, contents)
	b.Text(`]`)
	if s := cfg.SystemInstruction; s != nil {
		if parts := s.Encoded(encodingKey, appendContent); len(parts) > 0 {
			b.Text(`,"systemInstruction":{"role":"user","parts":[`)
			b.Add(parts)
			b.Text(`]}`)
		}
	}
	open := false
	for _, t := range cfg.Tools {
		tool := t.Encoded(encodingKey, appendTools)
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

func contentsBody(contents []*llm.Content) *httpwire.Body {
	b := httpwire.NewBody(8 + 2*len(contents))
	b.Text(`{"contents":[`)
	addContents(b, contents)
	b.Text(`]}`)
	return b
}

// JSON between messages, shared by all bodies.
var (
	userOpen  = []byte(`{"role":"user","parts":[`)
	modelOpen = []byte(`{"role":"model","parts":[`)
	nextUser  = []byte(`]},{"role":"user","parts":[`)
	nextModel = []byte(`]},{"role":"model","parts":[`)
)

// addContents adds messages to b. It joins consecutive messages of one role, because
// the service requires that roles alternate.
func addContents(b *httpwire.Body, contents []*llm.Content) {
	var last llm.Role
	for _, c := range contents {
		parts := c.Encoded(encodingKey, appendContent)
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

// placeholderSignature replaces a missing thought signature of a function call, for
// example in a call by another model or in an edited history. The service refuses
// calls without a signature.
const placeholderSignature = "skip_thought_signature_validator"

// appendContent appends the parts of a message that can be sent, separated by commas.
//
// The first function call of a model's message gets a placeholder signature if it has
// none. The service requires one only in messages after the last prompt, but
// appendContent adds it in all messages: the encoding of a message must not change
// between requests, or the vendor's prompt cache misses.
func appendContent(dst []byte, c *llm.Content) []byte {
	start, calls := len(dst), 0
	var omitted []string // media inside of results, which have no place for a text
	for i := range c.Parts {
		p := c.Parts[i] // a copy that preparePart changes
		if p.FunctionCall != nil {
			calls++
			if calls == 1 && c.Role == llm.RoleModel && p.SignatureBy("") == "" {
				p.ThoughtSignature = placeholderSignature
			}
		}
		if !preparePart(&p) {
			continue
		}
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = p.AppendJSON(dst)
		if r := c.Parts[i].FunctionResponse; r != nil {
			omitted = appendOmitted(omitted, r)
		}
	}
	for _, text := range omitted {
		if len(dst) > start {
			dst = append(dst, ',')
		}
		note := llm.Text(text)
		dst = note.AppendJSON(dst)
	}
	return dst
}

// preparePart removes from p all data that the service does not accept, without
// changing values that p points to. It reports whether p has anything left to send.
func preparePart(p *llm.Part) bool {
	if p.Thought && p.FunctionCall == nil {
		return false // thoughts are not sent back
	}
	p.Thought = false
	p.ThoughtSignature = p.SignatureBy("") // drops signatures of other vendors
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
			if !isOmitted(&nested) && preparePart(&nested) {
				res.Parts = append(res.Parts, nested)
			}
		}
		p.FunctionResponse = &res
	// The Gemini API accepts no names of media. The text next to the media
	// describes it.
	case isOmitted(p):
		signature := p.ThoughtSignature
		*p = llm.Text(omittedText(p.InlineData))
		p.ThoughtSignature = signature
	case p.InlineData != nil:
		mime, _ := media.Type(p.InlineData)
		p.InlineData = &llm.Blob{MIMEType: mime, Data: p.InlineData.Data}
	case p.FileData != nil && p.FileData.DisplayName != "":
		p.FileData = &llm.FileData{MIMEType: p.FileData.MIMEType, FileURI: p.FileData.FileURI}
	case p.IsEmpty():
		if p.ThoughtSignature == "" {
			return false
		}
		signature := p.ThoughtSignature
		*p = llm.Text("") // a signature needs a part with content
		p.ThoughtSignature = signature
	}
	return true
}

// rawID returns a call's id without the prefix with the tool's name, which Pollux
// adds.
func rawID(id, name string) string { return strings.TrimPrefix(id, name+"__") }

// appendTools appends the JSON object of a set of tools, nothing if the set is empty.
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
			if schema, ok := compact(f.Parameters); ok {
				d.Raw("parametersJsonSchema", nullable(schema))
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

// appendSettings appends the members of a request other than messages and tools, each
// after a comma.
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
	if vertex && len(c.Labels) > 0 { // the Gemini API refuses labels
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

// appendGeneration appends the generationConfig, nothing if it is empty.
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
